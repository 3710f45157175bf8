import { assertEquals } from "../../assert.ts";
import { ON_NODE } from "../../runtime.ts";

const ROOM = new URL("../../../agents/instructions/", import.meta.url);

const PROGRAM = `
  import { readFileSync, readdirSync, readlinkSync } from "node:fs";
  import { configureTenantInputBounds, createWorkerTemplateRenderer } from "./renderer.js";
  process.env.DATABASE_URL = "postgres://secret";
  configureTenantInputBounds({ liquid: { memoryLimit: 1_000_000_000, renderLimitMs: 3000 } });
  const renderer = createWorkerTemplateRenderer({ workers: 1, maxOldSpaceMb: 32 });
  const seen = {};
  const say = async (name, template, scope = {}) => {
    seen[name] = await renderer.render({ tenantId: "t", template, scope }).catch((error) => [error.code, error.message]);
  };
  await say("text", "Hi {{ a }}", { a: 1 });
  await say("missing", "{{ missing }}");
  const worker = readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).find((name) => {
    try {
      const stat = readFileSync("/proc/" + name + "/stat", "utf8");
      return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] === String(process.pid);
    } catch { return false; }
  });
  seen.environment = readFileSync("/proc/" + worker + "/environ", "utf8").split("\\0").filter(Boolean)
    .map((entry) => entry.split("=")[0]).sort();
  seen.flags = readFileSync("/proc/" + worker + "/cmdline", "utf8").split("\\0").slice(1, -2);
  seen.streams = [0, 1, 2].map((fd) => readlinkSync("/proc/" + worker + "/fd/" + fd));
  await say("heap", "{% for i in (1..90000000) %}{% endfor %}");
  await say("stuck", "{{ text | split: pattern | size }}", {
    text: ("b" + "a".repeat(20000)).repeat(120),
    pattern: "b" + "a".repeat(30000),
  });
  await say("again", "again");
  console.log(JSON.stringify(seen));
`;

async function run(command: string, args: string[], cwd: string) {
  const output = await new Deno.Command(command, {
    args,
    cwd,
    signal: AbortSignal.timeout(60_000),
  }).output();
  const text = new TextDecoder().decode(output.stderr);
  assertEquals(output.success, true, text);
  return new TextDecoder().decode(output.stdout);
}

function hasNode(): boolean {
  try {
    return new Deno.Command("node", { args: ["--version"] }).outputSync()
      .success;
  } catch {
    return false;
  }
}

Deno.test({
  name:
    "on Node a forked worker renders, fails and is replaced alike, with an empty environment and only its channel",
  // On a machine without it there is nothing to hold; Deno is what bundles here.
  ignore: ON_NODE || !hasNode(),
  fn: rendersOnNode,
});

async function rendersOnNode(): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const doors = `export * from ${
      JSON.stringify(new URL("worker_renderer.ts", ROOM).href)
    };
      export * from ${JSON.stringify(new URL("bounds.ts", ROOM).href)};`;
    await Deno.writeTextFile(`${folder}/doors.ts`, doors);
    await Deno.writeTextFile(`${folder}/program.mjs`, PROGRAM);
    await Deno.writeTextFile(`${folder}/package.json`, '{"type":"module"}');
    const config = new URL("../../../deno.json", import.meta.url).pathname;
    const bundle = (from: string, to: string) =>
      run(Deno.execPath(), [
        "bundle",
        "--quiet",
        "--config",
        config,
        "--output",
        `${folder}/${to}`,
        from,
      ], folder);
    await bundle(`${folder}/doors.ts`, "renderer.js");
    await bundle(new URL("worker_main.ts", ROOM).pathname, "worker_main.js");
    const seen = JSON.parse(await run("node", ["program.mjs"], folder));
    assertEquals(seen, {
      text: "Hi 1",
      missing: [
        "missing-parameter",
        "the template names a variable that isn't there: missing",
      ],
      environment: ["NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE"],
      flags: ["--max-old-space-size=32"],
      streams: ["/dev/null", "/dev/null", "/dev/null"],
      heap: [
        "render-failure",
        "the template made too much: its memory limit is 1000000000 characters and list items",
      ],
      stuck: [
        "render-failure",
        "the template took too long: its time limit is 3000 ms",
      ],
      again: "again",
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
