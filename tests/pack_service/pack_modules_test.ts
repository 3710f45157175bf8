/** Loading a pack's modules: together where that can be, by themselves where one is in the way, never twice. */

import { join } from "node:path";
import {
  importPackModule,
  importTogether,
} from "../../pack_service/module_import.ts";
import { PackModules } from "../../pack_service/pack_modules.ts";
import { assert, assertEquals, assertRejects } from "../assert.ts";
import { NEEDS_TYPESCRIPT } from "../runtime.ts";

const EVALUATED = "kindgiEvaluated";

/** Runs with a folder of modules that note their names when they are evaluated; answers those in that order. */
async function evaluated(
  sources: Readonly<Record<string, string>>,
  run: (path: (name: string) => string) => Promise<void>,
): Promise<unknown> {
  const scope = globalThis as { [EVALUATED]?: string[] };
  const folder = await Deno.makeTempDir({ prefix: "modules #1 " });
  scope[EVALUATED] = [];
  try {
    for (const [name, source] of Object.entries(sources)) {
      const note = `globalThis.${EVALUATED}.push(${JSON.stringify(name)});\n`;
      await Deno.writeTextFile(join(folder, name), note + source);
    }
    await run((name) => join(folder, name));
    return scope[EVALUATED];
  } finally {
    delete scope[EVALUATED];
    await Deno.remove(folder, { recursive: true });
  }
}

/** Loads one after another, as a boot does; answers those that failed. */
async function loadAll(
  modules: PackModules,
  paths: readonly string[],
): Promise<string[]> {
  const failed: string[] = [];
  await modules.loadTogether(paths);
  for (const path of paths) {
    await modules.load(path).catch(() => failed.push(path));
  }
  return failed;
}

Deno.test(
  "modules that are imported together are the ones that each import gives, in their order",
  NEEDS_TYPESCRIPT,
  async () => {
    const sources = {
      "b.mjs": "export default 1;",
      "a.mjs": "export default 2;",
      "c.mts": "export const three: number = 3;",
    };
    const order = await evaluated(sources, async (path) => {
      const paths = Object.keys(sources).map(path);
      const modules = new PackModules(importPackModule, importTogether);
      assertEquals(await loadAll(modules, [...paths, paths[0]!]), []);
      for (const each of paths) {
        assert(modules.get(each) === await importPackModule(each));
      }
    });
    assertEquals(order, ["b.mjs", "a.mjs", "c.mts"]);
  },
);

Deno.test("a module that throws keeps none of the others from loading, and none is evaluated twice", async () => {
  const sources = {
    "first.mjs": "",
    "throws.mjs": "throw new Error('broken');",
    "last.mjs": "",
  };
  const order = await evaluated(sources, async (path) => {
    const paths = Object.keys(sources).map(path);
    const modules = new PackModules(importPackModule, importTogether);
    assertEquals(await loadAll(modules, paths), [path("throws.mjs")]);
  });
  assertEquals(order, ["first.mjs", "throws.mjs", "last.mjs"]);
});

Deno.test("a module that isn't there or can't be read is told by itself", async () => {
  const sources = {
    "one.mjs": "",
    "broken.mjs": "export default {",
    "two.mjs": "",
  };
  const order = await evaluated(sources, async (path) => {
    const paths = [...Object.keys(sources).map(path), path("missing.mjs")];
    await assertRejects(() => importTogether(paths));
    const modules = new PackModules(importPackModule, importTogether);
    assertEquals(await loadAll(modules, paths), [
      path("broken.mjs"),
      path("missing.mjs"),
    ]);
  });
  assertEquals(order, ["one.mjs", "two.mjs"]);
});

Deno.test("more modules than are imported at once all load, each once", async () => {
  const names = Array.from({ length: 1_100 }, (_, at) => `m${at}.mjs`);
  const sources = Object.fromEntries(
    names.map((name) => [name, `export default "${name}";`]),
  );
  const order = await evaluated(sources, async (path) => {
    const modules = new PackModules(importPackModule, importTogether);
    assertEquals(await loadAll(modules, names.map(path)), []);
    const last = modules.get(path(names.at(-1)!)) as { default: string };
    assertEquals(last.default, names.at(-1));
  });
  assertEquals(order, names);
});
