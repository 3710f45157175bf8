/** Which versions a pack runs on (`spec/executors.md`, The pack's own dependencies). */

import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertStringIncludes } from "../assert.ts";
import { HAS_EXECUTORS } from "./support/service_command.ts";
import { ServiceProcess } from "./support/service_process.ts";
import { TempPack } from "./support/temp_pack.ts";

/** A folder of our own checkout: a pack in it must not meet our config or our packages. */
const OUR_FIXTURES = fileURLToPath(new URL("../fixtures", import.meta.url));

/** Uses our door for pack authors. */
const DEFINED = `
import { defineTool } from "@kindgi-deno/runtime/define";
export default defineTool({
  id: "test.defined",
  version: "1.0.0",
  description: "Says that it is there",
  input: { type: "object" },
  output: { type: "string" },
  handler: () => "defined",
});
`;

/** Answers the versions of p-limit and of the p-try below it. */
const VERSIONS = `
import { createRequire } from "node:module";
import limit from "p-limit";
import manifest from "p-limit/package.json" with { type: "json" };
const require = createRequire(import.meta.resolve("p-limit"));
export default async () => ({
  runs: await limit(1)(async () => true),
  limit: require("./package.json").version,
  same: require("./package.json").version === manifest.version,
  try: require("p-try/package.json").version,
});
`;

const LIMIT_INTEGRITY =
  "sha512-pZbTJpoUsCzV48Mc9Nh51VbwO0X9cuPFE8gYwx9BTCt9SF8/b7Zljd2fVgOxhIF/HDTKgpVzs+GPhyKfjLLFRQ==";
const TRY_INTEGRITY =
  "sha512-hMp0onDKIajHfIkdRk3P4CdCmErkYAxxDtP3Wx/4nZ3aGlau2VKh3mZpcuFkH27WQkL/3WBCPOktzA9ZOAnMQQ==";

/** Older versions than the ranges would get. */
const LOCKED = { runs: true, limit: "2.2.0", same: true, try: "2.0.0" };

const DENO_LOCK = JSON.stringify({
  version: "5",
  specifiers: { "npm:p-limit@^2.2.0": "2.2.0" },
  npm: {
    "p-limit@2.2.0": { integrity: LIMIT_INTEGRITY, dependencies: ["p-try"] },
    "p-try@2.0.0": { integrity: TRY_INTEGRITY },
  },
});

const PACKAGE_LOCK = JSON.stringify({
  name: "pack",
  lockfileVersion: 3,
  packages: {
    "": { name: "pack", dependencies: { "p-limit": "^2.2.0" } },
    "node_modules/p-limit": {
      version: "2.2.0",
      integrity: LIMIT_INTEGRITY,
      dependencies: { "p-try": "^2.0.0" },
    },
    "node_modules/p-try": { version: "2.0.0", integrity: TRY_INTEGRITY },
  },
});

/** A Zod of the pack's own, installed, with a package below it. */
const INSTALLED = {
  "package.json": JSON.stringify({ dependencies: { zod: "^3.0.0" } }),
  "node_modules/zod/package.json": JSON.stringify({
    name: "zod",
    version: "3.0.0",
    main: "index.cjs",
    dependencies: { below: "1.0.0" },
  }),
  "node_modules/zod/index.cjs":
    `exports.zod = "installed zod 3 on " + require("below");`,
  "node_modules/zod/node_modules/below/package.json": JSON.stringify({
    name: "below",
    version: "1.0.0",
  }),
  "node_modules/zod/node_modules/below/index.js":
    `module.exports = "its own below";`,
};
const USES_ZOD = `import { zod } from "zod"; export default async () => zod;`;
const INSTALLED_ZOD = "installed zod 3 on its own below";

/** Every file of a folder with its size and time. */
async function listing(folder: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    const { size, mtime } = await Deno.stat(path);
    lines.push(`${path} ${size} ${mtime?.getTime()}`);
    if (isDirectory) lines.push(...await listing(path));
  }
  return lines.sort();
}

/** What fetching a package takes on this machine. */
const NETWORK: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "DENO_CERT",
    "DENO_TLS_CA_STORE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NPM_CONFIG_REGISTRY",
  ].flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }),
);

/** Serves a pack and answers what its tools say; nothing may have been written into it. */
async function outputsOf(
  pack: TempPack,
  tools: readonly string[],
  options: {
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<unknown[]> {
  const before = await listing(pack.folder);
  const outputs: unknown[] = [];
  {
    await using service = await ServiceProcess.start({
      index: pack.index,
      ...options,
      env: { ...NETWORK, ...options.env },
    });
    for (const tool of tools) outputs.push(await service.caller.output(tool));
  }
  assertEquals(await listing(pack.folder), before, "the pack is untouched");
  return outputs;
}

for (
  const [where, parent] of [
    ["anywhere", undefined],
    ["inside our checkout", OUR_FIXTURES],
  ] as const
) {
  Deno.test(
    `a pack with node_modules runs on what is installed there, a strict tool too (${where})`,
    { ignore: !HAS_EXECUTORS },
    async () => {
      await using pack = await TempPack.write({
        tools: {
          "test.zod": { code: USES_ZOD, entry: { modulePath: "test.zod.mjs" } },
          "test.strict": {
            code: USES_ZOD,
            entry: { sandbox: "strict", modulePath: "test.strict.mjs" },
          },
          "test.defined@1.0.0": {
            code: DEFINED,
            entry: { modulePath: "test.defined@1.0.0.mjs" },
          },
        },
        files: INSTALLED,
      }, parent);
      assertEquals(
        await outputsOf(pack, ["test.zod", "test.strict", "test.defined"], {
          args: ["--module-root", `${pack.folder}/tools`],
        }),
        [INSTALLED_ZOD, INSTALLED_ZOD, "defined"],
      );
    },
  );

  Deno.test(`a pack with deno.json runs on its lock's versions (${where})`, {
    ignore: !HAS_EXECUTORS,
  }, async () => {
    await using pack = await TempPack.write({
      tools: {
        "test.versions": VERSIONS,
        "test.local": `import { local } from "#lib/local.ts";
          export default async () => local;`,
        "test.defined@1.0.0": DEFINED,
      },
      files: {
        "deno.json": JSON.stringify({
          imports: { "p-limit": "npm:p-limit@^2.2.0", "#lib/": "./lib/" },
        }),
        "deno.lock": DENO_LOCK,
        "lib/local.ts": "export const local: string = 'local';",
      },
    }, parent);
    assertEquals(
      await outputsOf(pack, ["test.versions", "test.local", "test.defined"]),
      [LOCKED, "local", "defined"],
    );
  });
}

Deno.test("a member of a Deno workspace has the root's lock and imports", {
  ignore: !HAS_EXECUTORS,
}, async () => {
  await using pack = await TempPack.write({
    tools: {
      "test.versions": {
        code: VERSIONS,
        entry: { modulePath: "versions.mjs" },
      },
      "test.local": {
        code: `export { default } from "#local";`,
        entry: { modulePath: "local.mjs" },
      },
      "test.defined@1.0.0": {
        code: DEFINED,
        entry: { modulePath: "defined.mjs" },
      },
    },
    files: {
      "deno.json": JSON.stringify({
        workspace: ["./member"],
        imports: { "p-limit": "npm:p-limit@^2.2.0", "#local": "./nowhere.js" },
      }),
      "deno.lock": DENO_LOCK,
      "member/deno.jsonc": `{
        // Its own imports win.
        "imports": { "#local": "./own.js" },
      }`,
      "member/own.js": "export default async () => 'its own';",
      "member/versions.mjs": VERSIONS,
      "member/local.mjs": `export { default } from "#local";`,
      "member/defined.mjs": DEFINED,
    },
  });
  assertEquals(
    await outputsOf(pack, ["test.versions", "test.local", "test.defined"], {
      args: ["--module-root", `${pack.folder}/member`],
    }),
    [LOCKED, "its own", "defined"],
  );
});

Deno.test("a member of an npm workspace runs on what is installed at its root", async () => {
  await using pack = await TempPack.write({
    tools: { "test.zod": { code: USES_ZOD, entry: { modulePath: "zod.mjs" } } },
    files: {
      ...INSTALLED,
      "packages/pack/package.json": JSON.stringify({
        dependencies: { zod: "^3.0.0" },
      }),
      "packages/pack/dist/package.json": JSON.stringify({ type: "module" }),
      "packages/pack/dist/zod.mjs": USES_ZOD,
    },
  });
  assertEquals(
    await outputsOf(pack, ["test.zod"], {
      args: ["--module-root", `${pack.folder}/packages/pack/dist`],
    }),
    [INSTALLED_ZOD],
  );
});

Deno.test(
  "a pack with package.json alone runs on its lock's versions; they are fetched once, and then no network is needed",
  { ignore: !HAS_EXECUTORS },
  async () => {
    await using pack = await TempPack.write({
      tools: { "test.versions": VERSIONS, "test.defined@1.0.0": DEFINED },
      files: {
        "package.json": JSON.stringify({
          type: "module",
          dependencies: { "p-limit": "^2.2.0" },
        }),
        "package-lock.json": PACKAGE_LOCK,
      },
    });
    const cache = await Deno.makeTempDir();
    try {
      await copyCache(cache, ["p-limit", "p-try", "zod"]);
      const tools = ["test.versions", "test.defined"];
      const expected = [LOCKED, "defined"];
      const env = { DENO_DIR: cache };
      assertEquals(await outputsOf(pack, tools, { env }), expected);
      const offline = {
        ...env,
        HTTP_PROXY: "http://127.0.0.1:9",
        HTTPS_PROXY: "http://127.0.0.1:9",
      };
      assertEquals(await outputsOf(pack, tools, { env: offline }), expected);

      for await (const { name } of Deno.readDir(`${cache}/npm`)) {
        await rm(`${cache}/npm/${name}/p-try`, {
          recursive: true,
          force: true,
        });
      }
      const { code, records } = await ServiceProcess.run({
        index: pack.index,
        env: offline,
      });
      assertEquals(code, 1, "what isn't there can't be had without a network");
      const { problems } = records.find(({ event }) =>
        event === "boot-failed"
      )!;
      assertStringIncludes(
        (problems as string[]).join("\n"),
        "Cannot fetch what the pack depends on",
      );
    } finally {
      await Deno.remove(cache, { recursive: true });
    }
  },
);

/** A Deno cache that holds what ours does, but for these packages. */
async function copyCache(
  folder: string,
  without: readonly string[],
): Promise<void> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
  }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout));
  for await (const { name: registry } of Deno.readDir(npmCache)) {
    await Deno.mkdir(`${folder}/npm/${registry}`, { recursive: true });
    for await (const { name } of Deno.readDir(`${npmCache}/${registry}`)) {
      if (without.includes(name)) continue;
      // Deno doesn't take a link for a package's folder.
      await new Deno.Command("cp", {
        args: [
          "-R",
          `${npmCache}/${registry}/${name}`,
          `${folder}/npm/${registry}/${name}`,
        ],
      }).output();
    }
  }
}

Deno.test(
  "a pack that maps or installs our door itself gets what it asks for",
  { ignore: !HAS_EXECUTORS },
  async () => {
    const own = `export const defineTool = () => async () => "the pack's own";`;
    await using mapped = await TempPack.write({
      tools: { "test.defined@1.0.0": DEFINED },
      files: {
        "deno.json": JSON.stringify({
          imports: { "@kindgi-deno/runtime/define": "./own.js" },
        }),
        "own.js": own,
      },
    }, OUR_FIXTURES);
    assertEquals(await outputsOf(mapped, ["test.defined"]), ["the pack's own"]);

    await using installed = await TempPack.write({
      tools: { "test.defined@1.0.0": DEFINED },
      files: {
        "node_modules/@kindgi-deno/runtime/package.json": JSON.stringify({
          name: "@kindgi-deno/runtime",
          version: "9.0.0",
          type: "module",
          exports: { "./define": "./define.js" },
        }),
        "node_modules/@kindgi-deno/runtime/define.js": own,
        "package.json": JSON.stringify({
          dependencies: { "@kindgi-deno/runtime": "9.0.0" },
        }),
      },
    });
    assertEquals(await outputsOf(installed, ["test.defined"]), [
      "the pack's own",
    ]);
  },
);

Deno.test("a pack without dependencies has our door and nothing else of ours", {
  ignore: !HAS_EXECUTORS,
}, async () => {
  await using pack = await TempPack.write({
    tools: {
      "test.defined@1.0.0": DEFINED,
      "test.ours": `export default async () => {
        const found = [];
        for (const name of ["ajv", "zod", "liquidjs", "semver"]) {
          try { await import(name); found.push(name); } catch { /* as it should be */ }
        }
        return found;
      };`,
    },
  }, OUR_FIXTURES);
  assertEquals(await outputsOf(pack, ["test.defined", "test.ours"]), [
    "defined",
    [],
  ]);
});

Deno.test("a dependency that is nowhere fails the boot by its name", async () => {
  await using pack = await TempPack.write({
    tools: { "test.missing": `import "nowhere"; export default () => 1;` },
  });
  const { code, records } = await ServiceProcess.run({ index: pack.index });
  assertEquals(code, 1);
  const { problems } = records.find(({ event }) => event === "boot-failed")!;
  assert((problems as string[])[0]!.startsWith("test.missing: "));
  assertStringIncludes((problems as string[])[0]!, "nowhere");
});
