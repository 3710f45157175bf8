/** Packs of many files: their modules are imported many at once, and nothing else changes. */
import { collectPack } from "../../indexer/collect.ts";
import {
  assert,
  assertEquals,
  assertStringIncludes,
  okValue,
} from "../assert.ts";
import { DENO_ONLY } from "../runtime.ts";
import { kindgiIndex } from "./kindgi_index.ts";
import { tool, withPack } from "./pack_folder.ts";

/** The names of so many tools' files, in path order. */
function names(count: number): string[] {
  return Array.from(
    { length: count },
    (_, at) => `tools/t${String(at).padStart(4, "0")}.mjs`,
  );
}

/** A pack's files, each made of its own name. */
function files(
  paths: readonly string[],
  source: (path: string) => string = idTool,
): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, source(path)]));
}

function idTool(path: string): string {
  return tool(idOf(path));
}

function idOf(path: string): string {
  return `acme.${path.slice("tools/".length, -".mjs".length)}`;
}

Deno.test("the modules of a large pack are imported 500 at once, in path order", async () => {
  const paths = names(501);
  await withPack(files(paths), async ({ dir, path }) => {
    const asked: (readonly string[])[] = [];
    const collected = okValue(
      await collectPack({
        packDir: dir,
        importTogether: (group) => {
          asked.push(group);
          return Promise.all(group.map((each) => import(`file://${each}`)));
        },
        importModule: (each) =>
          Promise.reject(new Error(`${each} was imported by itself`)),
      }),
    );
    assertEquals(collected.fileErrors, []);
    assertEquals(collected.entries.tools.map(({ id }) => id), paths.map(idOf));
    const all = paths.map(path);
    assertEquals(asked, [all.slice(0, 500), all.slice(500)]);
  });
});

Deno.test("those of a small pack, and those after a group that can't be imported, are imported by themselves", async () => {
  for (const count of [3, 300]) {
    const paths = names(count);
    await withPack(files(paths), async ({ dir }) => {
      let groups = 0;
      const collected = okValue(
        await collectPack({
          packDir: dir,
          importTogether: () => {
            groups++;
            return Promise.reject(new Error("one of them is broken"));
          },
        }),
      );
      assertEquals(collected.fileErrors, []);
      assertEquals(collected.entries.tools.length, count);
      assertEquals(groups, count === 3 ? 0 : 1);
    });
  }
});

Deno.test("a module outside of the pack is not imported with the others either", async () => {
  const paths = names(250);
  await withPack({}, async (elsewhere) => {
    await elsewhere.write({ "away.mjs": tool("acme.away") });
    await withPack(files(paths), async ({ dir, path }) => {
      const bundleMap = Object.fromEntries(paths.map((each) => [each, each]));
      await Deno.remove(path(paths[7]!));
      await Deno.symlink(elsewhere.path("away.mjs"), path(paths[7]!));
      const collected = okValue(
        await collectPack({
          packDir: dir,
          bundleMap,
          importTogether: (group) => {
            assert(!group.includes(path(paths[7]!)));
            return Promise.all(group.map((each) => import(`file://${each}`)));
          },
        }),
      );
      assertEquals(
        collected.fileErrors.map(({ filePath }) => filePath),
        [paths[7]],
      );
    });
  });
});

/** Indexes 250 tools, of which some are broken; answers what is told of those by path. */
async function brokenOf(
  broken: Readonly<Record<string, string>>,
): Promise<Map<string, string>> {
  const paths = names(250);
  const told = new Map<string, string>();
  const source = (path: string) => broken[path] ?? idTool(path);
  await withPack(files(paths, source), async ({ dir, index }) => {
    const run = await kindgiIndex(["--pack-dir", dir, "--keep-going"]);
    assertEquals(run.code, 0, run.stderr);
    const { fileErrors } = JSON.parse(run.stdout) as {
      fileErrors: { filePath: string; message: string }[];
    };
    for (const { filePath, message } of fileErrors) told.set(filePath, message);
    const good = paths.filter((path) => broken[path] === undefined);
    assertEquals((await index()).tools.map(({ id }) => id), good.map(idOf));
  });
  return told;
}

Deno.test("modules of a large pack that throw or can't be read are told by themselves", async () => {
  const told = await brokenOf({
    "tools/t0003.mjs": "throw new Error('not today');",
    "tools/t0200.mjs": "export default {",
  });
  assertEquals([...told.keys()], ["tools/t0003.mjs", "tools/t0200.mjs"]);
  assertStringIncludes(told.get("tools/t0003.mjs")!, "not today");
});

Deno.test(
  "modules of a large pack that end the process are told by themselves",
  DENO_ONLY,
  async () => {
    const exit = (code: number) =>
      `import process from "node:process"; process.exit(${code});`;
    const told = await brokenOf({
      "tools/t0007.mjs": exit(3),
      "tools/t0240.mjs": exit(4),
    });
    assertEquals([...told.keys()], ["tools/t0007.mjs", "tools/t0240.mjs"]);
    const [first, second] = [...told.values()];
    assertStringIncludes(first!, "ended with exit code 3");
    assertStringIncludes(second!, "ended with exit code 4");
  },
);
