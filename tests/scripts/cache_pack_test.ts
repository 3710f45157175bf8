import { fileURLToPath } from "node:url";
import { EXAMPLE_INDEX } from "../../scripts/example_pack.ts";
import { assertEquals, assertStringIncludes } from "../assert.ts";
import { ServiceProcess } from "../pack_service/support/service_process.ts";
import { SERVICE_COMMAND } from "../pack_service/support/service_command.ts";
import { runScript } from "./script.ts";

const examples = fileURLToPath(new URL("../../examples/", import.meta.url));

Deno.test("after cache-pack the service starts offline and makes nothing more", async () => {
  const cache = await Deno.makeTempDir();
  try {
    // As `deno task` does: the path is meant from where the user stood.
    const { code, stdout, stderr } = await runScript("cache_pack", [
      "--pack-dir",
      "support_pack",
    ], { INIT_CWD: examples, KINDGI_CACHE_DIR: cache });
    assertEquals(stderr, "");
    assertEquals(code, 0);
    assertStringIncludes(stdout, cache);
    const made = [...Deno.readDirSync(cache)].map(({ name }) => name).sort();
    assertEquals(made.length, 2, made.join());

    const nowhere = "http://127.0.0.1:9";
    const [program, ...args] = SERVICE_COMMAND;
    await using service = await ServiceProcess.start({
      index: EXAMPLE_INDEX,
      command: [program!, args[0]!, "--cached-only", ...args.slice(1)],
      env: {
        KINDGI_CACHE_DIR: cache,
        HTTP_PROXY: nowhere,
        HTTPS_PROXY: nowhere,
        NO_PROXY: "127.0.0.1",
      },
    });
    const found = await service.caller.output("support.find_order", {
      orderId: "A-10042",
    });
    assertStringIncludes(JSON.stringify(found), "A-10042");
    assertEquals(
      [...Deno.readDirSync(cache)].map(({ name }) => name).sort(),
      made,
    );
  } finally {
    await Deno.remove(cache, { recursive: true });
  }
});

Deno.test("cache-pack names a pack that has no index", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const { code, stderr } = await runScript("cache_pack", [
      "--pack-dir",
      folder,
    ]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, `${folder}/index.json`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("cache-pack names a dependency that can't be fetched", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(
      `${folder}/index.json`,
      JSON.stringify({
        v: 1,
        packId: "acme",
        packVersion: "1.0.0",
        artifactVersion: "1",
        tools: [{
          id: "acme.a",
          modulePath: "a.ts",
          input: {},
          output: {},
        }],
        guardrails: [],
        agents: [],
        flows: [],
      }),
    );
    await Deno.writeTextFile(`${folder}/a.ts`, `import "./missing.ts";\n`);
    const { code, stderr } = await runScript("cache_pack", [
      "--index",
      `${folder}/index.json`,
    ]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "missing.ts");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("cache-pack ends with 2 without a pack, and with two", async () => {
  for (const args of [[], ["--pack-dir", "a", "--index", "b"], ["--all"]]) {
    assertEquals((await runScript("cache_pack", args)).code, 2);
  }
});
