import {
  bundleEntry,
  cacheFolder,
  sourceFolders,
} from "../../pack_service/bundle.ts";
import {
  assert,
  assertEquals,
  assertStringIncludes,
  errValue,
  okValue,
} from "../assert.ts";
import { DENO_ONLY } from "../runtime.ts";

/** Runs with `KINDGI_CACHE_DIR` set to a new folder of the given mode. */
async function withCache(
  mode: number,
  run: (folder: string) => Promise<void>,
): Promise<void> {
  const before = Deno.env.get("KINDGI_CACHE_DIR");
  const folder = await Deno.makeTempDir();
  await Deno.chmod(folder, mode);
  Deno.env.set("KINDGI_CACHE_DIR", folder);
  try {
    await run(folder);
  } finally {
    if (before === undefined) Deno.env.delete("KINDGI_CACHE_DIR");
    else Deno.env.set("KINDGI_CACHE_DIR", before);
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a bundle is made once and found again", DENO_ONLY, async () => {
  await withCache(0o700, async (folder) => {
    const first = okValue(await bundleEntry("define.ts"));
    assert(first.startsWith(`${folder}/`));
    const { mtime } = await Deno.stat(first);
    assertEquals(okValue(await bundleEntry("define.ts")), first);
    assertEquals((await Deno.stat(first)).mtime, mtime);
    const text = await Deno.readTextFile(first);
    assert(!/^import .* from "(?!node:)/m.test(text), "bare imports are left");
  });
});

Deno.test(
  "a bundle's name changes with every file that is part of it",
  DENO_ONLY,
  async () => {
    const root = new URL("../../", import.meta.url).href;
    for (
      const entry of [
        "define.ts",
        "pack_service/executor_main.ts",
        "indexer/child_main.ts",
      ]
    ) {
      const info = new Deno.Command(Deno.execPath(), {
        args: ["info", "--json", `${root}${entry}`],
        stderr: "null",
      });
      const { stdout } = await info.output();
      const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as {
        readonly modules: readonly { readonly specifier: string }[];
      };
      const own = modules.map(({ specifier }) => specifier)
        .filter((specifier) => specifier.startsWith(root))
        .map((specifier) => specifier.slice(root.length));
      assert(own.includes(entry), `${entry} is one of ${own}`);
      const folders = sourceFolders(entry);
      const others = own.filter((path) =>
        path !== "define.ts" &&
        !folders.some((folder) => path.startsWith(`${folder}/`))
      );
      assertEquals(others, [], entry);
    }
  },
);

Deno.test("a cache folder that others may write into is refused, naming the way out", async () => {
  await withCache(0o777, async (folder) => {
    const problem = errValue(await bundleEntry("define.ts"));
    assertStringIncludes(problem, folder);
    assertStringIncludes(problem, "KINDGI_CACHE_DIR");
  });
});

Deno.test("the cache folder is the operator's, else the user's, else one of its own among temporary files", () => {
  assertEquals(cacheFolder({ KINDGI_CACHE_DIR: "/c" }), "/c");
  assertEquals(cacheFolder({ XDG_CACHE_HOME: "/x" }), "/x/kindgi-deno");
});
