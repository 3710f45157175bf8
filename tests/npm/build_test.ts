/** How the npm package is built. */
import { assert, assertEquals, assertStringIncludes } from "../assert.ts";
import { differences } from "../../scripts/build_npm/contents.ts";
import { withReachedTypes } from "../../scripts/build_npm/emitted.ts";
import {
  type DntOptions,
  emitWithDnt,
} from "../../scripts/build_npm/from_dnt.ts";
import { npmManifest } from "../../scripts/build_npm/manifest.ts";
import {
  type PackageConfig,
  resolveName,
} from "../../scripts/build_npm/package_config.ts";
import { npmNames } from "../../scripts/build_npm/specifiers.ts";
import { run } from "./support/commands.ts";
import { ROOT } from "./support/package_tarball.ts";

const CONFIG: PackageConfig = {
  name: "@acme/package",
  version: "1.2.3",
  license: "Apache-2.0",
  exports: {
    ".": "./mod.ts",
    "./pack-service-main": "./service/main.ts",
    "./kindgi-index-main": "./indexer/main.ts",
  },
  imports: {
    "@std/http/status": "npm:deno-std@1.4.0/http/status.js",
    "ajv": "npm:ajv@8.20.0",
    "ajv/": "npm:/ajv@8.20.0/",
    "elsewhere": "./elsewhere.ts",
  },
  publish: { include: ["mod.ts"] },
};

Deno.test("where JSR can't be reached the build says so and makes the same package", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const args = ["task", "build:npm", `--output=${folder}/package`];
    const { code, stderr } = await run(Deno.execPath(), args, {
      cwd: ROOT,
      env: { JSR_URL: "http://127.0.0.1:1/" },
    });
    assertStringIncludes(stderr, "JSR can't be reached");
    // It is compared with the list that either builder must match.
    assertEquals(code, 0, stderr);
    const insisting = await run(Deno.execPath(), [...args, "--builder=dnt"], {
      cwd: ROOT,
      env: { JSR_URL: "http://127.0.0.1:1/" },
    });
    assertEquals(insisting.code, 1);
    assertStringIncludes(insisting.stderr, "Cannot load jsr:@deno/dnt");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("dnt gets every door and exact versions, no shims and no CommonJS, and what it emits is taken", async () => {
  let asked: DntOptions | undefined;
  const dnt = {
    async build(options: DntOptions) {
      asked = options;
      await Deno.mkdir(`${options.outDir}/esm`, { recursive: true });
      await Deno.writeTextFile(`${options.outDir}/esm/mod.js`, "export {};");
      await Deno.writeTextFile(`${options.outDir}/esm/package.json`, "{}");
    },
  };
  const emitted = await emitWithDnt(dnt, new URL("file:///acme/"), CONFIG, {
    dependencies: { ajv: "8.20.0" },
    peerDependencies: { postgres: "^3.4.9" },
  });
  assertEquals([...emitted], [["mod.js", "export {};"]]);
  assertEquals(asked?.entryPoints[1], {
    name: "./pack-service-main",
    path: "/acme/service/main.ts",
  });
  assertEquals(asked?.shims, {});
  assertEquals(asked?.scriptModule, false);
  assertEquals(asked?.declaration, "inline");
  assertEquals(asked?.configFile, "file:///acme/deno.json");
  assertEquals(asked?.package.dependencies, {
    ajv: "8.20.0",
    postgres: "^3.4.9",
  });
});

Deno.test("the import map's names become npm's, in code and in types", () => {
  const code = `import { STATUS_CODE } from "@std/http/status";
import Ajv from "ajv/dist/2020.js";
const later = await import('@std/http/status');
export type { Result } from "./result.js";
`;
  assertEquals(
    npmNames(code, CONFIG.imports),
    code.replaceAll("@std/http/status", "deno-std/http/status.js"),
  );
  assertEquals(resolveName("elsewhere", CONFIG.imports), undefined);
});

Deno.test("types that no door leads to are left out, and one that is missing is named", () => {
  const files = new Map([
    ["mod.js", ""],
    ["inner.js", ""],
    ["mod.d.ts", 'export type { A } from "./a/types.js";'],
    ["a/types.d.ts", "export type A = string;"],
    ["inner.d.ts", ""],
  ]);
  assertEquals([...withReachedTypes(files, ["mod.ts"]).keys()], [
    "mod.js",
    "inner.js",
    "mod.d.ts",
    "a/types.d.ts",
  ]);
  files.delete("a/types.d.ts");
  try {
    withReachedTypes(files, ["mod.ts"]);
  } catch (error) {
    return assertStringIncludes((error as Error).message, "a/types.d.ts");
  }
  assert(false, "a missing declaration passed");
});

Deno.test("the manifest has every door and both commands, and optional peers stay optional", () => {
  const manifest = npmManifest(CONFIG, {
    dependencies: { ajv: "8.20.0" },
    peerDependencies: { postgres: "^3.4.9" },
  });
  assertEquals(Object.keys(manifest.exports), Object.keys(CONFIG.exports));
  assertEquals(manifest.exports["."], {
    types: "./esm/mod.d.ts",
    default: "./esm/mod.js",
  });
  assertEquals(manifest.bin, {
    "kindgi-index": "esm/indexer/main.js",
    "kindgi-pack-service": "esm/service/main.js",
  });
  assertEquals(manifest.peerDependenciesMeta, { postgres: { optional: true } });
});

Deno.test("a package that differs from the list is told line by line", () => {
  const listed = {
    exports: { ".": "./esm/mod.js" },
    bin: {},
    dependencies: { ajv: "8.20.0" },
    peerDependencies: {},
    files: ["esm/a.js", "esm/mod.js"],
  };
  assertEquals(differences(listed, listed), []);
  assertEquals(
    differences(listed, {
      ...listed,
      dependencies: { ajv: "8.21.0" },
      files: ["esm/b.js", "esm/mod.js"],
    }),
    [
      "- dependencies ajv: 8.20.0",
      "- esm/a.js",
      "+ dependencies ajv: 8.21.0",
      "+ esm/b.js",
    ],
  );
});
