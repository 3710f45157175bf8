import {
  findKindgiConfig,
  loadKindgiConfig,
  packLanguage,
  runIndexer,
} from "../../indexer/mod.ts";
import {
  assert,
  assertEquals,
  assertStringIncludes,
  errValue,
  okValue,
} from "../assert.ts";
import { NEEDS_TYPESCRIPT } from "../runtime.ts";
import { module, tool, withPack } from "./pack_folder.ts";

async function withEmptyFolder(
  run: (dir: string) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await run(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("[112] a folder without a config is config-not-found", async () => {
  await withEmptyFolder(async (dir) => {
    const error = errValue(await loadKindgiConfig(dir));
    assertEquals(error.code, "config-not-found");
    assertStringIncludes(error.message, "kindgi.config.ts");
    assertEquals(errValue(await runIndexer({ packDir: dir })).code, error.code);
  });
});

Deno.test("where there is no folder that is said, not what should be in it", async () => {
  await withEmptyFolder(async (dir) => {
    await Deno.writeTextFile(`${dir}/file`, "");
    for (const name of ["missing", "file"]) {
      const error = errValue(await loadKindgiConfig(`${dir}/${name}`));
      assertEquals(error.code, "config-not-found");
      assertStringIncludes(error.message, `${dir}/${name}: there is no such`);
    }
  });
});

Deno.test("[112] a config that throws is config-parse-failed with the reason", async () => {
  await withPack(
    { "kindgi.config.mjs": `throw new Error("no luck today");` },
    async ({ dir, path }) => {
      const error = errValue(await loadKindgiConfig(dir));
      assertEquals(error.code, "config-parse-failed");
      assertStringIncludes(error.message, "no luck today");
      assertEquals(error.filePath, path("kindgi.config.mjs"));
    },
  );
});

for (
  const [what, source, named] of [
    ["no default export", "export const pack = {};", "default export"],
    ["a default that is no object", module("42"), "not an object"],
    ["no pack", module("{}"), "`pack`"],
    [
      "a getter that throws",
      module("{ get pack() { throw 'gotcha'; } }"),
      "gotcha",
    ],
    ["no id", module(`{ pack: { version: "1.0.0" } }`), "`pack.id`"],
    [
      "an empty version",
      module(`{ pack: { id: "a", version: "" } }`),
      "`pack.version`",
    ],
    [
      "an unknown language",
      module(`{ pack: { id: "a", version: "1" }, language: "cobol" }`),
      "`language`",
    ],
    [
      "[116] java in a module",
      module(`{ pack: { id: "a", version: "1" }, language: "java" }`),
      "`language`",
    ],
  ] as const
) {
  const number = what.startsWith("[") ? "" : "[112] ";
  Deno.test(`${number}${what} is config-parse-failed and named`, async () => {
    await withPack({ "kindgi.config.mjs": source }, async ({ dir }) => {
      const error = errValue(await loadKindgiConfig(dir));
      assertEquals(error.code, "config-parse-failed");
      assertStringIncludes(error.message, named);
    });
  });
}

Deno.test(
  "[113] of .mjs and .js side by side the .mjs counts",
  NEEDS_TYPESCRIPT,
  async () => {
    await withPack({
      "kindgi.config.js": module(`{ pack: { id: "js", version: "1" } }`),
      "kindgi.config.mjs": module(`{ pack: { id: "mjs", version: "1" } }`),
    }, async ({ dir, path, write }) => {
      assertEquals(okValue(await loadKindgiConfig(dir)).pack.id, "mjs");
      await write({
        "kindgi.config.ts": module(
          `{ pack: { id: "ts" as string, version: "1" } }`,
        ),
      });
      assertEquals(okValue(await loadKindgiConfig(dir)).pack.id, "ts");
      assertEquals(await findKindgiConfig(dir), {
        path: path("kindgi.config.ts"),
        format: "module",
      });
    });
  },
);

Deno.test("[113] an edited config gives its new values in the same process", async () => {
  await withPack({}, async ({ dir, path, write }) => {
    assertEquals(okValue(await loadKindgiConfig(dir)).pack.version, "1.0.0");
    await write({
      "kindgi.config.mjs": module(`{ pack: { id: "acme", version: "2.0.0" } }`),
    });
    const later = new Date(Date.now() + 5_000);
    await Deno.utime(path("kindgi.config.mjs"), later, later);
    assertEquals(okValue(await loadKindgiConfig(dir)).pack.version, "2.0.0");
  });
});

Deno.test("a config keeps the keys that the loader doesn't know", async () => {
  await withPack({
    "kindgi.config.mjs": module(
      `{ pack: { id: "a", version: "1" }, dev: { port: 3 }, image: { extensions: [] } }`,
    ),
  }, async ({ dir }) => {
    const config = okValue(await loadKindgiConfig(dir));
    assertEquals(config.dev, { port: 3 });
    assertEquals(config.image, { extensions: [] });
    assertEquals(packLanguage(config), "node");
  });
});

Deno.test("an explicit config path skips the search, and must be there", async () => {
  await withPack({
    "conf/other.mjs": module(`{ pack: { id: "other", version: "1" } }`),
  }, async ({ dir, path }) => {
    const given = okValue(await loadKindgiConfig(dir, path("conf/other.mjs")));
    assertEquals(given.pack.id, "other");
    const missing = errValue(await loadKindgiConfig(dir, path("nowhere.mjs")));
    assertEquals(missing.code, "config-not-found");
    assertEquals(missing.filePath, path("nowhere.mjs"));
  });
});

Deno.test("[114] a pyproject table is a Python pack's config, which is not indexed here", async () => {
  await withPack({
    "pyproject.toml": `[tool.kindgi.pack]\nid = "acme"\nversion = "1.0.0"\n`,
  }, async ({ dir, path }) => {
    const config = okValue(await loadKindgiConfig(dir));
    assertEquals(config.language, "python");
    assertEquals(config.pack, { id: "acme", version: "1.0.0" });
    assertEquals(await findKindgiConfig(dir), {
      path: path("pyproject.toml"),
      format: "pyproject",
    });
    const error = errValue(await runIndexer({ packDir: dir }));
    assertEquals(error.code, "language-mismatch");
    assertStringIncludes(error.message, "python -m kindgi.pack index");
  });
});

Deno.test("[114] a pyproject without the table is no pack", async () => {
  await withPack(
    { "pyproject.toml": `[project]\nname = "x"\n` },
    async ({ dir, path }) => {
      assertEquals(await findKindgiConfig(dir), undefined);
      assertEquals(
        errValue(await loadKindgiConfig(dir)).code,
        "config-not-found",
      );
      const named = await loadKindgiConfig(dir, path("pyproject.toml"));
      assertEquals(errValue(named).code, "config-not-found");
    },
  );
});

Deno.test("[114] broken TOML counts only when a line of it opens the table", async () => {
  await withPack(
    { "pyproject.toml": `[tool.kindgi.pack]\nid = \n` },
    async ({ dir, write }) => {
      assertEquals(
        errValue(await loadKindgiConfig(dir)).code,
        "config-parse-failed",
      );
      await write({ "pyproject.toml": `[project]\nname = \n` });
      assertEquals(
        errValue(await loadKindgiConfig(dir)).code,
        "config-not-found",
      );
    },
  );
});

Deno.test("a pyproject that says language node is indexed here", async () => {
  await withPack({
    "pyproject.toml":
      `[tool.kindgi]\nlanguage = "node"\n[tool.kindgi.pack]\nid = "acme"\nversion = "1.0.0"\n`,
    "tools/a.mjs": tool("acme.a"),
  }, async ({ dir }) => {
    assertEquals(okValue(await runIndexer({ packDir: dir })).counts.tools, 1);
  });
});

const JSON_CONFIG = (language: string) =>
  `{"pack":{"id":"acme","version":"1.0.0"}${language}}`;

Deno.test("[116] a JSON config next to a module is config-invalid and both are named", async () => {
  await withPack({
    "kindgi.config.mjs": module(`{ pack: { id: "a", version: "1" } }`),
    "kindgi.config.json": JSON_CONFIG(`,"language":"java"`),
  }, async ({ dir, path }) => {
    const error = errValue(await loadKindgiConfig(dir));
    assertEquals(error.code, "config-invalid");
    assertStringIncludes(error.message, "kindgi.config.mjs");
    assertStringIncludes(error.message, "kindgi.config.json");
    assertEquals(await findKindgiConfig(dir), {
      path: path("kindgi.config.mjs"),
      format: "module",
      conflictsWith: path("kindgi.config.json"),
    });
  });
});

Deno.test("[116] a JSON config alone must say java or scala", async () => {
  await withPack(
    { "kindgi.config.json": JSON_CONFIG(`,"language":"java"`) },
    async ({ dir, path, write }) => {
      assertEquals(okValue(await loadKindgiConfig(dir)).language, "java");
      assertEquals((await findKindgiConfig(dir))?.format, "json");
      const mismatch = errValue(await runIndexer({ packDir: dir }));
      assertEquals(mismatch.code, "language-mismatch");
      assertStringIncludes(mismatch.message, "com.kindgi.pack.Main index");
      for (const language of [`,"language":"node"`, ""]) {
        await write({ "kindgi.config.json": JSON_CONFIG(language) });
        const error = errValue(await loadKindgiConfig(dir));
        assertEquals(error.code, "config-parse-failed");
        assertEquals(error.filePath, path("kindgi.config.json"));
      }
    },
  );
});

Deno.test("[117] a bad env is config-invalid before any file is looked for", async () => {
  await withPack({
    "kindgi.config.mjs": module(
      `{ pack: { id: "a", version: "1" }, env: { required: ["1X", "KINDGI_Y"], optional: "Z" } }`,
    ),
  }, async ({ dir }) => {
    const error = errValue(await runIndexer({ packDir: dir }));
    assertEquals(error.code, "config-invalid");
    assertEquals(error.field, "env");
    for (const problem of ["1X", "KINDGI_Y", "optional"]) {
      assertStringIncludes(error.message, problem);
    }
  });
});

Deno.test("the environment that a pack declares is in the index, sorted, and only when it declares one", async () => {
  await withPack({
    "kindgi.config.mjs": module(
      `{ pack: { id: "a", version: "1" }, env: { required: ["B", "A"] } }`,
    ),
    "tools/a.mjs": tool("a.a"),
  }, async ({ dir, index }) => {
    okValue(await runIndexer({ packDir: dir }));
    assertEquals((await index()).env, { optional: [], required: ["A", "B"] });
  });
  await withPack({ "tools/a.mjs": tool("acme.a") }, async ({ dir, index }) => {
    okValue(await runIndexer({ packDir: dir }));
    assert(!("env" in await index()));
  });
});

Deno.test("a discovery that is no set of patterns is config-invalid", async () => {
  for (const discovery of [`["tools"]`, `{ tools: ["a", "b"] }`]) {
    await withPack({
      "kindgi.config.mjs": module(
        `{ pack: { id: "a", version: "1" }, discovery: ${discovery} }`,
      ),
    }, async ({ dir }) => {
      const error = errValue(await runIndexer({ packDir: dir }));
      assertEquals(error.code, "config-invalid");
      assertEquals(error.field, "discovery");
    });
  }
});
