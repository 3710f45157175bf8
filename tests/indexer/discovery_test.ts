import {
  createGlobMatcher,
  discoveryRoots,
  globStaticPrefix,
  globToRegex,
  resolveDiscovery,
  runIndexer,
  TEST_FILE_REGEX,
} from "../../indexer/mod.ts";
import { assert, assertEquals, errValue, okValue } from "../assert.ts";
import { NEEDS_TYPESCRIPT } from "../runtime.ts";
import { module, tool, withPack } from "./pack_folder.ts";

/** The paths that a run found, from the entries of its index. */
async function toolPaths(
  pack: {
    dir: string;
    index: () => Promise<{ tools: readonly Record<string, unknown>[] }>;
  },
): Promise<unknown[]> {
  okValue(await runIndexer({ packDir: pack.dir, onFileError: "collect" }));
  return (await pack.index()).tools.map((entry) => entry.modulePath);
}

Deno.test("[118] a config without files is discovery-empty and writes nothing", async () => {
  await withPack({}, async ({ dir, path }) => {
    assertEquals(
      errValue(await runIndexer({ packDir: dir })).code,
      "discovery-empty",
    );
    assert(!(await exists(path("index.json"))));
  });
});

Deno.test(
  "[119] modules of tools/ are found; tests, installed packages, hidden folders and data are not",
  NEEDS_TYPESCRIPT,
  async () => {
    await withPack({
      "tools/a/index.ts": tool("acme.a"),
      "tools/b.js": tool("acme.b"),
      "tools/c.mjs": tool("acme.c"),
      "tools/a/index.test.ts": "throw 1",
      "tools/b.spec.js": "throw 1",
      "tools/node_modules/x.js": "throw 1",
      "tools/.hid/x.js": "throw 1",
      "tools/r.json": "{}",
      "tools/types.d.ts": "export {}",
    }, async (pack) => {
      await Deno.symlink(pack.path("tools/c.mjs"), pack.path("tools/link.mjs"));
      assertEquals(await toolPaths(pack), [
        "tools/a/index.ts",
        "tools/b.js",
        "tools/c.mjs",
      ]);
    });
  },
);

Deno.test("[120] a pattern of the pack's own replaces its kind's default and leaves the others", async () => {
  await withPack({
    "kindgi.config.mjs": module(
      `{ pack: { id: "acme", version: "1" }, discovery: { tools: "kindgi/tools/**/*.{ts,js,mjs}" } }`,
    ),
    "kindgi/tools/deep/er/y.mjs": tool("acme.y"),
    "tools/x.mjs": tool("acme.x"),
    "agents/a.mjs": module(
      `{ id: "acme.agent", version: "1.0.0", name: "A", instructions: "hi", capabilities: [], tools: [] }`,
    ),
  }, async (pack) => {
    assertEquals(await toolPaths(pack), ["kindgi/tools/deep/er/y.mjs"]);
    assertEquals((await pack.index()).agents.length, 1);
  });
  assertEquals(resolveDiscovery({ tools: "x/*.ts" }, "node"), {
    tools: "x/*.ts",
    guardrails: "guardrails/**/*.{ts,js,mjs}",
    agents: "agents/**/*.{ts,js,mjs}",
    flows: "flows/**/*.{ts,js,mjs}",
  });
  assertEquals(resolveDiscovery(undefined, "python").flows, "flows/**/*.py");
  assertEquals(
    resolveDiscovery(undefined, "java").tools,
    "src/main/java/**/tools/**/*.java",
  );
});

Deno.test("a pattern that begins with ./ finds its files", async () => {
  await withPack({
    "kindgi.config.mjs": module(
      `{ pack: { id: "acme", version: "1" }, discovery: { tools: "./lib/*.mjs" } }`,
    ),
    "lib/a.mjs": tool("acme.a"),
  }, async (pack) => assertEquals(await toolPaths(pack), ["lib/a.mjs"]));
});

Deno.test("[121] the fixed folder of a pattern, and the folders to walk", () => {
  assertEquals(globStaticPrefix("tools/**/*.ts"), "tools");
  assertEquals(globStaticPrefix("./kindgi/agents/*.ts"), "kindgi/agents");
  assertEquals(globStaticPrefix("**/*.t.ts"), "");
  assertEquals(globStaticPrefix("src/tools/index.ts"), "src/tools");
  assertEquals(discoveryRoots(["kindgi/**/*.ts", "kindgi/tools/**/*.ts"]), [
    "kindgi",
  ]);
  assertEquals(discoveryRoots(["b/*.ts", "a/*.ts"]), ["a", "b"]);
  assertEquals(discoveryRoots(["a/*.ts", "*.ts"]), [""]);
  assertEquals(discoveryRoots(["ab/*.ts", "a/*.ts"]), ["a", "ab"]);
});

Deno.test("[121] what each piece of a pattern matches", () => {
  const matches = (pattern: string, path: string) =>
    globToRegex(pattern).test(path);
  assert(!matches("*.tool.ts", "d/x.tool.ts"));
  assert(matches("*.tool.ts", "x.tool.ts"));
  assert(matches("tools/**/*.ts", "tools/a.ts"));
  assert(matches("tools/**/*.ts", "tools/a/b/c.ts"));
  assert(!matches("tools/**/*.ts", "more/tools/a.ts"));
  assert(matches("tools/**", "tools/a/b.anything"));
  assert(matches("t?.{js,mjs}", "t1.mjs"));
  assert(!matches("t?.{js,mjs}", "t/.mjs"));
  assert(!matches("a.ts", "axts"));
  assert(matches("a{.ts", "a{.ts"));
  const matcher = createGlobMatcher(["a/*.ts", "b/*.ts"]);
  assert(matcher("b/x.ts") && !matcher("c/x.ts"));
  assert(TEST_FILE_REGEX.test("a.test.ts") && !TEST_FILE_REGEX.test("test.ts"));
});

Deno.test("[122] [decision 13] a guardrail in tools/ is a kind-mismatch; under a pattern of the pack's own its shape decides", async () => {
  const guardrail = module(
    `{ id: "acme.g", kind: "zero-llm", action: { "on-violation": "halt" }, check: "acme.c" }`,
  );
  await withPack({ "tools/g.mjs": guardrail }, async ({ dir }) => {
    const report = okValue(
      await runIndexer({ packDir: dir, onFileError: "collect" }),
    );
    const [error] = report.fileErrors;
    assertEquals(error?.code, "kind-mismatch");
    assertEquals(error?.filePath, "tools/g.mjs");
    assert(
      error?.message.includes("tool") && error.message.includes("guardrail"),
    );
  });
  await withPack({
    "kindgi.config.mjs": module(
      `{ pack: { id: "acme", version: "1" }, discovery: { tools: "lib/*.mjs" } }`,
    ),
    "lib/g.mjs": guardrail,
  }, async ({ dir, index }) => {
    okValue(await runIndexer({ packDir: dir }));
    assertEquals((await index()).guardrails.length, 1);
  });
});

Deno.test("[123] [decision 13] no shape is ambiguous-kind, no default no-default-export, a throw file-import-failed", async () => {
  await withPack({
    "kindgi.config.mjs": module(
      `{ pack: { id: "acme", version: "1" }, discovery: { flows: "lib/*.mjs" } }`,
    ),
    "lib/odd.mjs": module("{ hello: 1 }"),
    "tools/a-odd.mjs": module("{ hello: 1 }"),
    "tools/b-none.mjs": "export const x = 1;",
    "tools/c-throws.mjs": `throw new TypeError("not now");`,
    "tools/d-syntax.mjs": "export default {",
  }, async ({ dir }) => {
    const report = okValue(
      await runIndexer({ packDir: dir, onFileError: "collect" }),
    );
    assertEquals(
      report.fileErrors.map(({ code, filePath }) => [filePath, code]),
      [
        ["lib/odd.mjs", "ambiguous-kind"],
        ["tools/a-odd.mjs", "ambiguous-kind"],
        ["tools/b-none.mjs", "no-default-export"],
        ["tools/c-throws.mjs", "file-import-failed"],
        ["tools/d-syntax.mjs", "file-import-failed"],
      ],
    );
    assert(report.fileErrors[3]?.message.includes("not now"));
    assertEquals(
      (report.fileErrors[3]?.cause as { name: string }).name,
      "TypeError",
    );
  });
});

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
