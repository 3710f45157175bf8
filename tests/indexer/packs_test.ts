/** Whole packs as people write them, indexed by the command and served by the pack service. */
import { cp } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { INDEX_SCHEMA } from "../../indexer/mod.ts";
import { compileSchema } from "../../base/json_schema.ts";
import { assert, assertEquals, assertObjectMatch, okValue } from "../assert.ts";
import { DENO_ONLY, NEEDS_TYPESCRIPT } from "../runtime.ts";
import { kindgiIndex } from "./kindgi_index.ts";
import { withPack } from "./pack_folder.ts";
import { withServedPack } from "./served_pack.ts";

const ctx = { tenantId: "t", runId: "r" };

/** Copies a fixture and hands over the copy, which lies outside this checkout. */
async function withCopyOf(
  fixture: string,
  run: (dir: string) => Promise<void>,
): Promise<void> {
  const from = fileURLToPath(
    new URL(`../fixtures/${fixture}`, import.meta.url),
  );
  const dir = await Deno.makeTempDir({ prefix: "kindgi-pack-test-" });
  try {
    await cp(from, dir, { recursive: true });
    await run(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** The names below a folder, to see that nothing was written there. */
async function listing(dir: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(dir)) names.push(name);
  return names.sort();
}

Deno.test("a Node pack is indexed and served with the Zod that it installed, 4.1, which can't convert itself", async () => {
  await withCopyOf("node_pack", async (dir) => {
    const install = await new Deno.Command("npm", {
      args: ["install", "--no-audit", "--no-fund", "--no-package-lock"],
      cwd: dir,
    }).output();
    assertEquals(install.code, 0, new TextDecoder().decode(install.stderr));
    const before = await listing(dir);
    const run = await kindgiIndex(["--pack-dir", dir, "--strict"]);
    assertEquals(run.code, 0, run.stderr);
    assertEquals(JSON.parse(run.stdout).warnings, []);
    assertEquals(await listing(dir), [...before, "index.json"].sort());

    const index = JSON.parse(await Deno.readTextFile(`${dir}/index.json`));
    assertEquals(okValue(compileSchema(INDEX_SCHEMA, "output"))(index), []);
    assertEquals(index.env, { optional: ["GREETING"], required: [] });
    assertObjectMatch(index.tools[0].input, {
      properties: { name: { description: "Whom to greet" } },
      required: ["name"],
    });
    assertEquals(index.guardrails[0].checkId, "nodepack.checks.short");

    await withServedPack(
      `${dir}/index.json`,
      { GREETING: "Ahoy" },
      async (call) => {
        const answer = await call({
          kind: "invoke",
          tool: { id: "nodepack.greet", version: "1.0.0" },
          input: { name: "Ada" },
          ctx,
        });
        assertObjectMatch(answer, {
          kind: "result",
          output: { text: "Ahoy, Ada!", zod: "4.1.12" },
        });
        const invalid = await call({
          kind: "invoke",
          tool: { id: "nodepack.greet" },
          input: { name: "" },
          ctx,
        });
        assertObjectMatch(invalid, { code: "input-validation-failed" });
        const checked = await call({
          kind: "check-invoke",
          check: { id: "nodepack.checks.short" },
          config: { maxChars: 3 },
          trace: { output: "too long" },
        });
        assertObjectMatch(checked, {
          kind: "check-result",
          result: { ok: false },
        });
      },
    );
  });
});

Deno.test(
  "a Deno pack is indexed and served with its own import map, its own Zod 4.0, and our define door",
  DENO_ONLY,
  async () => {
    await withCopyOf("deno_pack", async (dir) => {
      const before = await listing(dir);
      const run = await kindgiIndex(["--pack-dir", dir, "--strict"]);
      assertEquals(run.code, 0, run.stderr);
      assertEquals(await listing(dir), [...before, "index.json"].sort());
      const index = JSON.parse(await Deno.readTextFile(`${dir}/index.json`));
      assertEquals(okValue(compileSchema(INDEX_SCHEMA, "output"))(index), []);
      assertEquals(index.flows[0].id, "denopack.count");
      assertEquals(
        index.tools[0].input.properties.text.description,
        "The text",
      );
      assert(index.tools[0].output.additionalProperties === false);

      await withServedPack(`${dir}/index.json`, {}, async (call) => {
        const answer = await call({
          kind: "invoke",
          tool: { id: "denopack.count-words" },
          input: { text: "three short words" },
          ctx,
        });
        assertObjectMatch(answer, {
          kind: "result",
          output: { words: 3, zod: "4.0.17" },
        });
      });
    });
  },
);

Deno.test(
  "a pack keeps its own Zod also when its folder lies in this checkout",
  DENO_ONLY,
  async () => {
    const dir = fileURLToPath(
      new URL("../fixtures/deno_pack", import.meta.url),
    );
    const output = await Deno.makeTempFile();
    try {
      const run = await kindgiIndex(["--pack-dir", dir, "--output", output]);
      assertEquals(run.code, 0, run.stderr);
      const index = JSON.parse(await Deno.readTextFile(output));
      assertEquals(
        index.tools[0].input.properties.text.description,
        "The text",
      );
    } finally {
      await Deno.remove(output);
    }
  },
);

Deno.test(
  "a module may name the package and version of its Zod itself",
  DENO_ONLY,
  async () => {
    await withPack({
      "tools/a.ts": `import { z } from "npm:zod@4.1.12";
import * as mini from "npm:zod@4.0.17/mini";
export default { id: "acme.a", handler() {},
  inputZod: z.object({ q: z.string().describe("the question") }),
  outputZod: mini.object({ hits: mini.array(mini.string()) }) };`,
    }, async ({ dir, index }) => {
      const run = await kindgiIndex(["--pack-dir", dir]);
      assertEquals(run.code, 0, run.stderr);
      assertObjectMatch((await index()).tools[0], {
        input: { properties: { q: { description: "the question" } } },
        output: { required: ["hits"], additionalProperties: false },
      });
    });
  },
);

Deno.test(
  "the example's index is what indexing it gives",
  NEEDS_TYPESCRIPT,
  async () => {
    const dir = fileURLToPath(
      new URL("../../examples/support_pack", import.meta.url),
    );
    const run = await kindgiIndex(["--pack-dir", dir, "--check"]);
    assertEquals(run.code, 0, run.stderr);
    assertEquals(JSON.parse(run.stdout).warnings, []);
  },
);
