import process from "node:process";
import { INDEX_SCHEMA, runIndexer } from "../../indexer/mod.ts";
import { compileSchema } from "../../base/json_schema.ts";
import { progressLine } from "../../indexer/progress.ts";
import { inkFor } from "../../indexer/report_text.ts";
import { VERSION } from "../../base/version.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
  okValue,
} from "../assert.ts";
import { DENO_ONLY } from "../runtime.ts";
import { COMMAND, kindgiIndex, MAIN, ON_DENO } from "./kindgi_index.ts";
import { module, tool, withPack } from "./pack_folder.ts";

const PINS = ["--artifact-version", "pinned", "--published-at", "then"];

Deno.test("[148] wrong usage exits with 2 and says what is wrong", async () => {
  await withPack({ "map.json": "[]" }, async ({ dir, path }) => {
    for (
      const [args, said] of [
        [[], "--pack-dir"],
        [["--pack-dir", dir, "--colour"], "--colour"],
        [["--pack-dir", dir, "--output"], "--output"],
        [["--pack-dir", dir, "--module-root", "dist"], "--bundle-map"],
        [["--pack-dir", dir, "--bundle-map", path("map.json")], "map.json"],
        [["--pack-dir", dir, "--bundle-map", path("none.json")], "none.json"],
        [["--pack-dir", dir, "--grant", "everything"], "everything"],
        [["--pack-dir", dir, "--env", "1X"], "1X"],
      ] as const
    ) {
      const run = await kindgiIndex(args);
      assertEquals(run.code, 2, run.stderr);
      assertEquals(run.stdout, "");
      assertStringIncludes(run.stderr, said);
      assertMatch(run.stderr, /^kindgi-index: .*\n$/);
    }
  });
});

Deno.test("[148] a missing config exits with 1 and one line", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const run = await kindgiIndex(["--pack-dir", dir]);
    assertEquals(run.code, 1);
    assertEquals(run.stdout, "");
    assertMatch(run.stderr, /^kindgi-index: config-not-found: [^\n]+\n$/);
  } finally {
    await Deno.remove(dir);
  }
});

Deno.test("[148] help and version win where they are met first", async () => {
  const help = await kindgiIndex(["--help", "--colour"]);
  assertEquals(help.code, 0);
  for (
    const flag of [
      "--pack-dir",
      "--config",
      "--output",
      "--bundle-map",
      "--module-root",
      "--artifact-version",
      "--published-at",
      "--keep-going",
      "--strict",
      "--check",
      "--grant",
      "--env",
      "--quiet",
      "--help",
      "--version",
    ]
  ) {
    assertStringIncludes(help.stdout, flag);
  }
  assert(help.stdout.split("\n").every((line) => line.length <= 100));
  assertEquals(
    (await kindgiIndex(["--pack-dir", "x", "-v"])).stdout,
    `kindgi-index v${VERSION}\n`,
  );
  assertEquals((await kindgiIndex(["--colour", "--help"])).code, 2);
  const { version } = JSON.parse(
    await Deno.readTextFile(new URL("../../deno.json", import.meta.url)),
  );
  assertEquals(VERSION, version);
});

const BROKEN = {
  "tools/a.mjs": tool("acme.a"),
  "tools/b.mjs": "throw new Error('no\\nluck');",
  "tools/c.mjs": module("{}"),
};

Deno.test("[149] [decision 13] with --keep-going a file that fails is in the report, and --strict makes it count", async () => {
  await withPack(BROKEN, async ({ dir, path, index }) => {
    const run = await kindgiIndex(["--pack-dir", dir, "--keep-going"]);
    assertEquals(run.code, 0);
    const report = JSON.parse(run.stdout);
    assertEquals(
      report.fileErrors.map(({ code }: { code: string }) => code),
      ["file-import-failed", "ambiguous-kind"],
    );
    assertEquals((await index()).tools.length, 1);
    assertStringIncludes(run.stderr, "1 tool → ");
    assertStringIncludes(run.stderr, "2 files left out");

    await Deno.remove(path("index.json"));
    const strict = await kindgiIndex([
      "--strict",
      "--keep-going",
      "--quiet",
      "--pack-dir",
      dir,
    ]);
    assertEquals(strict.code, 1);
    assertEquals(JSON.parse(strict.stdout).fileErrors.length, 2);
    assertEquals((await index()).tools.length, 1);
    const lines = strict.stderr.trimEnd().split("\n");
    assertEquals(lines.length, 2);
    assertMatch(
      lines[0]!,
      /^kindgi-index: file-import-failed: .*tools\/b\.mjs.*no luck/,
    );
    assertMatch(lines[1]!, /^kindgi-index: ambiguous-kind: .*tools\/c\.mjs/);
  });
});

Deno.test("[decision 13] by default files that fail fail the run: nothing on stdout, nothing written", async () => {
  await withPack(BROKEN, async ({ dir, path }) => {
    const run = await kindgiIndex(["--pack-dir", dir]);
    assertEquals(run.code, 1);
    assertEquals(run.stdout, "");
    const lines = run.stderr.trimEnd().split("\n");
    assertEquals(lines.length, 3);
    assertStringIncludes(
      lines[2]!,
      "2 files can't be indexed; nothing was written",
    );
    assert(!(await exists(path("index.json"))));
    const quiet = await kindgiIndex(["--pack-dir", dir, "--quiet"]);
    assertEquals(quiet.stderr.trimEnd().split("\n").length, 2);
  });
});

Deno.test("[150] on success stdout is the report as JSON, and stderr one line for people", async () => {
  await withPack({
    "tools/a.mjs": tool("acme.a"),
    "tools/b.mjs": tool("acme.b") + `
console.log("a pack prints", { what: "it likes" });
console.error("and here too");`,
    "agents/a.mjs": module(
      `{ id: "acme.agent", version: "1.0.0", name: "A", instructions: "hi", capabilities: [], tools: [] }`,
    ),
  }, async ({ dir, path, index }) => {
    const run = await kindgiIndex(
      ["--pack-dir", ".", "--output", "dist/index.json"],
      { cwd: dir },
    );
    assertEquals(run.code, 0, run.stderr);
    const report = JSON.parse(run.stdout);
    assertEquals(Object.keys(report), [
      "packId",
      "packVersion",
      "artifactVersion",
      "publishedAt",
      "counts",
      "outputPath",
      "fileErrors",
      "warnings",
    ]);
    assertEquals(report.outputPath, path("dist/index.json"));
    assertEquals(run.stdout, `${JSON.stringify(report, null, 2)}\n`);
    assertStringIncludes(run.stderr, "a pack prints");
    assertStringIncludes(run.stderr, "and here too");
    assertStringIncludes(run.stderr, "2 tools, 1 agent → dist/index.json\n");
    assert(!run.stderr.includes("\x1b"));
    const written = JSON.parse(
      await Deno.readTextFile(path("dist/index.json")),
    );
    assertEquals(okValue(compileSchema(INDEX_SCHEMA, "output"))(written), []);
    const quiet = await kindgiIndex(["--pack-dir", dir, "--quiet"]);
    assert(!quiet.stderr.includes("→"));
    assertEquals((await index()).tools, written.tools);
  });
});

Deno.test("the command and the program write the same bytes", {
  ignore: !ON_DENO,
}, async () => {
  await withPack({
    "kindgi.config.ts":
      `export default { pack: { id: "acme", version: "1" as string }, env: { optional: ["B", "A"] } };`,
    "tools/a.ts": `import process from "node:process";
export default { id: "acme.a", input: { title: process.platform, default: -0 }, output: {}, handler() {},
  limits: { "10": 1, "9": 1, __proto__: { x: 1 }, ["__proto__"]: 2, when: new Date(0), no: undefined } };`,
    "guardrails/g.mjs":
      `export const check = { id: "acme.checks.c", evaluate() {}, configSchema: { type: "object" } };
export default { id: "acme.g", kind: "zero-llm", action: { "on-violation": "halt" }, check };`,
  }, async ({ dir, indexText }) => {
    const run = await kindgiIndex(["--pack-dir", dir, ...PINS]);
    assertEquals(run.code, 0, run.stderr);
    const fromCommand = await indexText();
    okValue(
      await runIndexer({
        packDir: dir,
        artifactVersion: "pinned",
        publishedAt: "then",
      }),
    );
    assertEquals(await indexText(), fromCommand);
  });
});

Deno.test(
  "on Node the command imports in its own process, and writes the same bytes",
  DENO_ONLY,
  async () => {
    await withPack({
      "package.json": `{ "type": "module" }`,
      "tools/a.js": `console.log("a pack prints");
` + tool("acme.a"),
    }, async ({ dir, path, indexText }) => {
      const args = ["--pack-dir", dir, ...PINS];
      assertEquals((await kindgiIndex(args)).code, 0);
      const fromDeno = await indexText();
      await Deno.remove(path("index.json"));

      const bundle = path("kindgi-index.mjs");
      const bundled = await new Deno.Command(Deno.execPath(), {
        args: ["bundle", "--quiet", "--output", bundle, MAIN],
      }).output();
      assertEquals(bundled.code, 0);
      const onNode = async (more: readonly string[] = []) => {
        const run = await new Deno.Command("node", {
          args: [bundle, ...args, ...more],
        }).output();
        const [stdout, stderr] = [run.stdout, run.stderr].map((bytes) =>
          new TextDecoder().decode(bytes)
        );
        return { code: run.code, stdout: stdout!, stderr: stderr! };
      };
      const run = await onNode();
      assertEquals(run.code, 0, run.stderr);
      assertEquals(JSON.parse(run.stdout).counts.tools, 1);
      assertStringIncludes(run.stderr, "a pack prints");
      assertEquals(await indexText(), fromDeno);
      assertEquals((await onNode(["--env", "X"])).code, 2);
    });
  },
);

Deno.test("[140] the command indexes a build through its bundle map", async () => {
  await withPack({
    "map.json": `{ "tools/echo.ts": "tools/echo.mjs" }`,
    "dist/tools/echo.mjs": tool("acme.echo"),
  }, async ({ dir, path, index }) => {
    const run = await kindgiIndex([
      "--pack-dir",
      dir,
      "--bundle-map",
      path("map.json"),
      "--module-root",
      path("dist"),
    ]);
    assertEquals(run.code, 0, run.stderr);
    assertEquals((await index()).tools[0]?.modulePath, "tools/echo.ts");
  });
});

Deno.test("a report that can't be written fails the run, in one line", async () => {
  await withPack({ "tools/a.mjs": tool("acme.a") }, async ({ dir }) => {
    const { code, stderr } = await new Deno.Command("sh", {
      args: [
        "-c",
        'exec "$0" "$@" >/dev/full',
        ...COMMAND,
        ...["--pack-dir", dir],
      ],
      stdin: "null",
    }).output();
    assertEquals(code, 1);
    assertEquals(
      new TextDecoder().decode(stderr),
      "kindgi-index: the report could not be written to standard output, which is full or closed\n",
    );
  });
});

Deno.test("[decision 14] SOURCE_DATE_EPOCH is the time of a build that names none", async () => {
  await withPack({ "tools/a.mjs": tool("acme.a") }, async ({ dir, index }) => {
    const env = { SOURCE_DATE_EPOCH: "1800000000" };
    await kindgiIndex(["--pack-dir", dir], { env });
    assertEquals((await index()).publishedAt, "2027-01-15T08:00:00.000Z");
    await kindgiIndex(["--pack-dir", dir, ...PINS], { env });
    assertEquals((await index()).publishedAt, "then");
    const odd = await kindgiIndex(["--pack-dir", dir], {
      env: { SOURCE_DATE_EPOCH: "yesterday" },
    });
    assertEquals(odd.code, 2);
  });
});

Deno.test("[decision 14] --check passes on a current index and names what differs in another", async () => {
  await withPack({
    "tools/a.mjs": tool("acme.a"),
    "tools/b.mjs": tool("acme.b"),
  }, async ({ dir, path, write, indexText }) => {
    const check = ["--pack-dir", dir, "--check"];
    const missing = await kindgiIndex(check);
    assertEquals([missing.code, missing.stdout], [1, ""]);
    assertStringIncludes(missing.stderr, path("index.json"));

    assertEquals((await kindgiIndex(["--pack-dir", dir])).code, 0);
    const text = await indexText();
    const current = await kindgiIndex(check);
    assertEquals(current.code, 0, current.stderr);
    assertEquals(
      JSON.parse(current.stdout).artifactVersion,
      JSON.parse(text).artifactVersion,
    );
    assertStringIncludes(current.stderr, "up to date");

    await write({
      "tools/a.mjs": tool("acme.a").replace(
        `input: { type: "object" }`,
        `input: { type: "object", required: ["q"], properties: { q: true } }`,
      ),
      "tools/c.mjs": tool("acme.c"),
    });
    await Deno.remove(path("tools/b.mjs"));
    const differs = await kindgiIndex(check);
    assertEquals([differs.code, differs.stdout], [1, ""]);
    for (
      const line of [
        "tool acme.a 1.0.0: input narrowed",
        "tool acme.b 1.0.0: removed",
        "tool acme.c 1.0.0: added",
      ]
    ) {
      assertStringIncludes(differs.stderr, line);
    }
    assertEquals(await indexText(), text);

    await write({ "index.json": text.replaceAll("  ", "\t") });
    await write({
      "tools/a.mjs": tool("acme.a"),
      "tools/b.mjs": tool("acme.b"),
    });
    await Deno.remove(path("tools/c.mjs"));
    const tabs = await kindgiIndex(check);
    assertEquals(tabs.code, 1);
    assertStringIncludes(tabs.stderr, "canonical");
    await write({ "index.json": text });
    const pinned = await kindgiIndex([...check, "--artifact-version", "other"]);
    assertStringIncludes(pinned.stderr, "pack: artifactVersion changed");

    await write({ "index.json": `{"tools": []}` });
    const foreign = await kindgiIndex(check);
    assertEquals([foreign.code, foreign.stdout], [1, ""]);
    assertStringIncludes(foreign.stderr, "it is no index");
  });
});

Deno.test("relative paths start in KINDGI_WORKING_FOLDER, which a task sets to where its user stands", async () => {
  await withPack({ "tools/a.mjs": tool("acme.a") }, async ({ dir, path }) => {
    const run = await kindgiIndex(
      [
        "--pack-dir",
        ".",
        "--config",
        "kindgi.config.mjs",
        "--output",
        "i.json",
      ],
      { env: { KINDGI_WORKING_FOLDER: dir } },
    );
    assertEquals(run.code, 0, run.stderr);
    assertEquals(JSON.parse(run.stdout).outputPath, path("i.json"));
    assertStringIncludes(run.stderr, "1 tool → i.json");
  });
});

Deno.test("on a terminal a large pack shows its progress, and colours unless NO_COLOR is set", () => {
  const written: string[] = [];
  const { write, isTTY } = process.stderr;
  process.stderr.write = ((text: string) => {
    written.push(text);
    return true;
  }) as typeof process.stderr.write;
  try {
    const file = { path: "tools/a.mjs", modulePath: "/x", done: 6 };
    for (
      const [terminal, quiet, total, shown] of [
        [true, false, 51, true],
        [true, false, 50, false],
        [true, true, 51, false],
        [false, false, 51, false],
      ] as const
    ) {
      written.length = 0;
      process.stderr.isTTY = terminal;
      const progress = progressLine(quiet);
      progress.show({ ...file, total });
      progress.clear();
      assertEquals(written.length, shown ? 2 : 0);
      if (shown) assertStringIncludes(written[0]!, "7/51 tools/a.mjs");
    }
  } finally {
    process.stderr.write = write;
    process.stderr.isTTY = isTTY;
  }
  assertEquals(inkFor(true).bad("x"), "\x1b[31mx\x1b[0m");
  assertEquals(inkFor(false).good("x"), "x");
});

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
