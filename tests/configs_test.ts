import { VERSION } from "../base/version.ts";
import { assertEquals, assertMatch, assertNotEquals } from "./assert.ts";

const root = new URL("../", import.meta.url);

type Config = Record<string, unknown> & {
  readonly version: string;
  readonly imports: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly publish: { readonly include: readonly string[] };
};

async function readText(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(path, root));
}

async function readConfig(path: string): Promise<Config> {
  return JSON.parse(await readText(path));
}

/** A module of std as npm carries it, under the name that JSR carries it by; any other address as it is. */
function onJsr(address: string): string {
  const match = /^npm:deno-std@[^/]+\/([^/]+)\/(.+)\.js$/.exec(address);
  if (!match) return address;
  const [, name, module] = match;
  // What is a file there is an entry here, whose words are joined by dashes.
  const entry = module === "mod" ? "" : `/${module!.replaceAll("_", "-")}`;
  return `jsr:@std/${name}@^1${entry}`;
}

Deno.test("jsr.json maps std's modules to JSR and every other name as deno.json does", async () => {
  const [deno, jsr] = await Promise.all([
    readConfig("deno.json"),
    readConfig("jsr.json"),
  ]);
  const expected = Object.fromEntries(
    Object.entries(deno.imports).map((
      [name, address],
    ) => [name, onJsr(address)]),
  );
  assertEquals(jsr.imports, expected);
  assertNotEquals(jsr.imports, deno.imports);
});

Deno.test("jsr.json is deno.json in everything else, its lock and its own name aside", async () => {
  const [deno, jsr] = await Promise.all([
    readConfig("deno.json"),
    readConfig("jsr.json"),
  ]);
  // A lock holds for the addresses that it was made for.
  assertEquals(jsr.lock, false);
  const { imports: _, lock: _lock, publish, ...rest } = deno;
  const { imports: _jsr, lock: _none, publish: jsrPublish, ...jsrRest } = jsr;
  assertEquals(jsrRest, rest);
  assertEquals(
    jsrPublish.include.map((path) => path === "jsr.json" ? "deno.json" : path),
    [...publish.include],
  );
});

Deno.test("every name of std is the module that it is mapped to", async () => {
  const { imports } = await readConfig("jsr.json");
  for (const [name, address] of Object.entries(imports)) {
    if (name.startsWith("@std/")) {
      assertEquals(address.replace("@^1", ""), `jsr:${name}`);
    }
  }
});

Deno.test("every export is a file that is published", async () => {
  const { exports, publish } = await readConfig("deno.json");
  for (const path of Object.values(exports)) {
    await readText(path);
    const published = publish.include.some((entry) =>
      entry.endsWith("/")
        ? path.startsWith(`./${entry}`)
        : path === `./${entry}`
    );
    assertEquals(published, true, `${path} isn't published`);
  }
});

Deno.test("the version is the same everywhere", async () => {
  assertEquals((await readConfig("deno.json")).version, VERSION);
});

Deno.test("Deno is named with one exact version everywhere", async () => {
  const pinned = (await readText(".ci/deno_version")).trim();
  assertMatch(pinned, /^\d+\.\d+\.\d+$/);
  for (
    const path of ["README.md", "examples/support_pack/Containerfile"]
  ) {
    const named = [...(await readText(path)).matchAll(/deno@([^\s`"']+)/g)]
      .map(([, version]) => version);
    assertNotEquals(named.length, 0, `${path} names no version`);
    assertEquals([...new Set(named)], [pinned], path);
  }
});
