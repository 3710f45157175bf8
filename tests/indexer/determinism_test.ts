import { cp } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { assertEquals, assertNotEquals } from "../assert.ts";
import { DENO_ONLY } from "../runtime.ts";
import { kindgiIndex } from "./kindgi_index.ts";
import { module, tool, withPack } from "./pack_folder.ts";

const FILES = {
  "kindgi.config.mjs": module(
    `{ pack: { id: "acme", version: "1.0.0" }, env: { required: ["B", "A"], optional: ["c"] } }`,
  ),
  "tools/Z.mjs": tool("acme.Z"),
  "tools/a.mjs": tool("acme.a", `limits: { "10": 1, "9": 2, b: 3, a: 4 }`),
  "tools/ä.mjs": tool("acme.ä"),
  "tools/i.mjs": tool("acme.i"),
  "tools/dates.mjs":
    `export default { id: "acme.dates", input: {}, output: {}, handler() {}, limits: {
  local: new Date(2026, 2, 29, 3).toISOString(), written: new Date(0).toLocaleString(),
  sorted: ["ä", "z", "a", "I", "i"].sort(new Intl.Collator().compare), upper: "i".toLocaleUpperCase() } };`,
  "guardrails/g.mjs": module(
    `{ id: "acme.g", kind: "zero-llm", action: { "on-violation": "halt" }, check: "must-cite" }`,
  ),
};

const PINS = ["--artifact-version", "pinned", "--published-at", "then"];

Deno.test(
  "one pack gives the same bytes in two folders, time zones, languages, orders of creation and environments",
  DENO_ONLY,
  async () => {
    const texts: string[] = [];
    for (
      const [order, env] of [
        [Object.keys(FILES), {
          TZ: "America/New_York",
          LANG: "tr_TR.UTF-8",
          LC_ALL: "tr_TR.UTF-8",
          A: "1",
          NO_COLOR: "1",
        }],
        [Object.keys(FILES).reverse(), {
          TZ: "Asia/Kathmandu",
          LANG: "sv_SE.UTF-8",
          LC_ALL: "",
          DEBUG: "*",
        }],
      ] as const
    ) {
      await withPack({ "kindgi.config.mjs": "" }, async (pack) => {
        for (const name of order) {
          await pack.write({ [name]: FILES[name as keyof typeof FILES] });
        }
        const run = await kindgiIndex(["--pack-dir", ".", ...PINS], {
          cwd: pack.dir,
          env,
        });
        assertEquals(run.code, 0, run.stderr);
        texts.push(await pack.indexText());
      });
    }
    assertEquals(texts[0], texts[1]);
  },
);

Deno.test("a change of the source changes the bytes", async () => {
  await withPack(FILES, async ({ dir, write, indexText }) => {
    const text = async () => {
      const run = await kindgiIndex(["--pack-dir", dir, ...PINS]);
      assertEquals(run.code, 0, run.stderr);
      return await indexText();
    };
    const first = await text();
    await write({ "tools/a.mjs": tool("acme.a", `mutating: true`) });
    assertNotEquals(await text(), first);
  });
});

Deno.test(
  "a folder and its copy give the same bytes",
  DENO_ONLY,
  async () => {
    const from = fileURLToPath(
      new URL("../fixtures/deno_pack", import.meta.url),
    );
    const texts: string[] = [];
    for (let copy = 0; copy < 2; copy++) {
      const dir = await Deno.makeTempDir();
      try {
        await cp(from, dir, { recursive: true });
        const run = await kindgiIndex(["--pack-dir", dir, ...PINS]);
        assertEquals(run.code, 0, run.stderr);
        texts.push(await Deno.readTextFile(`${dir}/index.json`));
      } finally {
        await Deno.remove(dir, { recursive: true });
      }
    }
    assertEquals(texts[0], texts[1]);
  },
);
