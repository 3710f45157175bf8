import fc from "fast-check";
import { compileSchema } from "../../base/json_schema.ts";
import { canonicalJson } from "../../base/canonical_json.ts";
import { indexDocument } from "../../indexer/index_document.ts";
import { INDEX_SCHEMA, runIndexer } from "../../indexer/mod.ts";
import {
  defineBuildExtension,
  prisma,
} from "../../indexer/build_extensions.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  errValue,
  okValue,
} from "../assert.ts";
import { module, tool, withPack } from "./pack_folder.ts";

const PINNED = {
  artifactVersion: "pinned",
  publishedAt: "2026-09-20T14:32:07.104Z",
};

const PACK = {
  "tools/b.mjs": tool("acme.b", `limits: { b: 1, a: { d: [2, 1], c: 0 } }`),
  "tools/a.mjs": tool("acme.a"),
  "tools/z.mjs": tool("acme.B"),
  "guardrails/g.mjs": module(
    `{ id: "acme.g", kind: "zero-llm", action: { "on-violation": "halt" }, check: "acme.c" }`,
  ),
};

Deno.test("[141] the index is canonical JSON that fits its schema", async () => {
  await withPack(PACK, async ({ dir, indexText }) => {
    okValue(await runIndexer({ packDir: dir, ...PINNED }));
    const text = await indexText();
    const index = JSON.parse(text);
    assertEquals(text, canonicalJson(index));
    assertEquals(okValue(compileSchema(INDEX_SCHEMA, "output"))(index), []);
    assertEquals(Object.keys(index), Object.keys(index).toSorted());
    assertEquals(Object.keys(index.tools[2].limits), ["a", "b"]);
    // By code unit: capitals first.
    assertEquals(
      index.tools.map(({ id }: { id: string }) => id),
      ["acme.B", "acme.a", "acme.b"],
    );
    assert(text.startsWith('{\n  "agents": [],\n'));
    assert(text.endsWith("}\n") && !text.endsWith("\n\n"));
    assert(!text.includes("\r"));
  });
});

Deno.test("[141] the schema of the index refuses other keys on the envelope and on entries", () => {
  const check = okValue(compileSchema(INDEX_SCHEMA, "output"));
  const index = {
    v: 1,
    packId: "a",
    packVersion: "1",
    artifactVersion: "x",
    publishedAt: "y",
    tools: [{ id: "a.a", input: {}, output: {}, modulePath: "a.mjs" }],
    guardrails: [],
    agents: [],
    flows: [],
  };
  assertEquals(check(index), []);
  assertEquals(check({ ...index, extra: 1 }).length, 1);
  assertEquals(check({ ...index, v: 2 }).length, 1);
  const odd = { ...index.tools[0], handler: "x" };
  assertEquals(check({ ...index, tools: [odd] }).length, 1);
  assertEquals(check({ ...index, tools: [{ id: "a" }] }).length, 3);
});

Deno.test("lists are sorted by id alone, by code unit; versions of one id stay in path order", () => {
  const entry = fc.record({
    id: fc.constantFrom("a", "b", "B", "a.b", "ä", "\u{1f600}", "\uffff"),
    version: fc.integer({ max: 9, min: 0 }).map(String),
  });
  fc.assert(fc.property(fc.array(entry), (entries) => {
    const tools = entries.map((one, at) => ({ ...one, modulePath: `${at}` }));
    const sorted = indexDocument({
      packId: "a",
      packVersion: "1",
      entries: { tools, guardrails: [], agents: [], flows: [] },
      fileCount: tools.length,
      fileErrors: [],
      warnings: [],
    }, PINNED).tools;
    assertEquals(sorted.length, tools.length);
    assert(
      tools.every((one) =>
        sorted.some((it) => canonicalJson(it) === canonicalJson(one))
      ),
    );
    for (let at = 1; at < sorted.length; at++) {
      const [before, after] = [sorted[at - 1]!, sorted[at]!];
      assert(before.id <= after.id);
      if (before.id !== after.id) continue;
      assert(Number(before.modulePath) < Number(after.modulePath));
    }
  }));
});

Deno.test("[142] the same pack with the same pins gives the same bytes, whatever the order of keys in its source", async () => {
  await withPack(PACK, async ({ dir, write, indexText, path }) => {
    okValue(await runIndexer({ packDir: dir, ...PINNED }));
    const first = await indexText();
    okValue(await runIndexer({ packDir: dir, ...PINNED }));
    assertEquals(await indexText(), first);
    // Another file: a module that was imported stays as it was.
    await Deno.remove(path("tools/b.mjs"));
    await write({
      "tools/b2.mjs": module(
        `{ limits: { a: { c: 0, d: [2, 1] }, b: 1 }, handler: () => 1, output: { type: "object" },
  input: { type: "object" }, version: "1.0.0", id: "acme.b" }`,
      ),
    });
    okValue(await runIndexer({ packDir: dir, ...PINNED }));
    assertEquals(
      await indexText(),
      first.replace("tools/b.mjs", "tools/b2.mjs"),
    );
  });
});

Deno.test("[145] a build without a number gets the next one of the day", async () => {
  await withPack(PACK, async ({ dir, write, index }) => {
    const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");
    const run = async (artifactVersion?: string) => {
      const pin = artifactVersion === undefined ? {} : { artifactVersion };
      const report = okValue(await runIndexer({ packDir: dir, ...pin }));
      assertEquals((await index()).artifactVersion, report.artifactVersion);
      return report.artifactVersion;
    };
    assertEquals(await run(), `${day}.1`);
    assertEquals(await run(), `${day}.2`);
    assertEquals(await run("pinned"), "pinned");
    assertEquals(await run(), `${day}.1`);
    for (
      const before of [
        `{"artifactVersion":"20200101.7"}`,
        `{"artifactVersion":"${day}.x"}`,
        `{"artifactVersion":7}`,
        "[]",
        "not JSON",
      ]
    ) {
      await write({ "index.json": before });
      assertEquals(await run(), `${day}.1`);
    }
    await write({ "index.json": `{"artifactVersion":"${day}.41"}` });
    assertEquals(await run(), `${day}.42`);
  });
});

Deno.test("[146] the time is as given, else now in ISO with milliseconds", async () => {
  await withPack(PACK, async ({ dir }) => {
    const publishedAt = "whenever";
    const pinned = okValue(await runIndexer({ packDir: dir, publishedAt }));
    assertEquals(pinned.publishedAt, "whenever");
    const fresh = okValue(await runIndexer({ packDir: dir }));
    assertMatch(
      fresh.publishedAt,
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    );
  });
});

Deno.test("[147] an output path below a file is output-write-failed and leaves nothing behind", async () => {
  await withPack(PACK, async ({ dir, path, write }) => {
    await write({ "file": "" });
    for (const outputPath of [path("file/x/index.json"), path("tools")]) {
      const error = errValue(await runIndexer({ packDir: dir, outputPath }));
      assertEquals(error.code, "output-write-failed");
      assertEquals(error.filePath, outputPath);
    }
    const left = [...Deno.readDirSync(dir)].map(({ name }) => name);
    assert(!left.some((name) => name.includes(".tmp-")));
  });
});

Deno.test("[147] missing folders of the output path are made", async () => {
  await withPack(PACK, async ({ dir, path }) => {
    const outputPath = path("dist/deep/index.json");
    const report = okValue(await runIndexer({ packDir: dir, outputPath }));
    assertEquals(report.outputPath, outputPath);
    assertEquals(JSON.parse(await Deno.readTextFile(outputPath)).v, 1);
    assertEquals([...Deno.readDirSync(path("dist/deep"))].length, 1);
  });
});

Deno.test("[151] the Prisma extension generates after the install", () => {
  assertEquals(prisma({ schema: "s.prisma" }), {
    name: "prisma",
    contextFiles: ["s.prisma"],
    postInstall: [{
      bin: "prisma",
      args: ["generate", "--schema", "s.prisma"],
    }],
  });
  assertEquals(prisma({ schema: "s.prisma", config: "c.ts" }), {
    name: "prisma",
    contextFiles: ["s.prisma", "c.ts"],
    postInstall: [{ bin: "prisma", args: ["generate", "--config", "c.ts"] }],
  });
});

Deno.test("[152] defineBuildExtension answers what it is given", () => {
  const extension = { name: "mine", systemPackages: ["curl"] };
  assert(defineBuildExtension(extension) === extension);
});
