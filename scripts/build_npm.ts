/**
 * `deno task build:npm`: makes the npm package, in the folder `npm`.
 *
 * @module
 */

import { resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  contentsOf,
  differences,
  readContents,
  writeContents,
} from "./build_npm/contents.ts";
import { readDependencies } from "./build_npm/dependencies.ts";
import { withReachedTypes } from "./build_npm/emitted.ts";
import { DNT, type DntModule, emitWithDnt } from "./build_npm/from_dnt.ts";
import { emitWithDenoPack } from "./build_npm/from_pack.ts";
import { npmManifest } from "./build_npm/manifest.ts";
import { readPackageConfig } from "./build_npm/package_config.ts";
import { writePackage } from "./build_npm/write_package.ts";

const HELP = `Makes the npm package.

Usage:
  deno task build:npm [--builder dnt|pack] [--output DIR] [--update]

  --builder dnt|pack  what emits the JavaScript and its types: dnt, from JSR, or deno pack, which needs no registry
                      (default: dnt where JSR can be reached, else deno pack, which it says)
  --output DIR        the package's folder, which is replaced (default: npm)
  --update            write what is built to scripts/build_npm/contents.json instead of comparing with it
  -h, --help          print this, and exit

Exit codes:
  0   built, with exactly the files, doors, commands and dependencies of contents.json
  1   it couldn't be built, or differs from contents.json; every difference is listed
  2   the arguments make no sense
`;

const root = new URL("../", import.meta.url);
const contentsUrl = new URL("build_npm/contents.json", import.meta.url);

interface Settings {
  readonly builder: "dnt" | "pack" | undefined;
  readonly output: string;
  readonly update: boolean;
}

/** Runs the command; answers its exit code. */
async function main(argv: string[]): Promise<number> {
  const settings = readSettings(argv);
  if (settings === "help") {
    console.log(HELP.trimEnd());
    return 0;
  }
  if (typeof settings === "string") {
    console.error(`build:npm: ${settings}; --help says more`);
    return 2;
  }
  try {
    return await build(settings);
  } catch (error) {
    console.error(`build:npm: ${(error as Error).message}`);
    return 1;
  }
}

function readSettings(argv: string[]): Settings | "help" | string {
  try {
    const { values } = parseArgs({
      args: argv,
      options: {
        builder: { type: "string" },
        output: {
          type: "string",
          default: fileURLToPath(new URL("npm", root)),
        },
        update: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    const { builder, help, update } = values;
    if (help) return "help";
    if (builder !== undefined && builder !== "dnt" && builder !== "pack") {
      return `--builder is dnt or pack, not ${builder}`;
    }
    return {
      builder,
      output: resolve(process.env.INIT_CWD ?? "", values.output),
      update,
    };
  } catch (error) {
    return (error as Error).message;
  }
}

async function build({ builder, output, update }: Settings): Promise<number> {
  const config = await readPackageConfig(root);
  const dependencies = await readDependencies(root, config);
  const dnt = builder === "pack" ? undefined : await loadDnt(builder);
  const emitted = dnt === undefined
    ? await emitWithDenoPack(root, config)
    : await emitWithDnt(dnt, root, config, dependencies);
  const manifest = npmManifest(config, dependencies);
  const files = await writePackage(
    output,
    root,
    config,
    manifest,
    withReachedTypes(
      emitted,
      Object.values(config.exports).map((path) => path.replace("./", "")),
    ),
  );
  const contents = contentsOf(manifest, files);
  if (update) await writeContents(contentsUrl, contents);
  const differing = differences(await readContents(contentsUrl), contents);
  if (differing.length > 0) {
    console.error(
      `build:npm: ${output} differs from scripts/build_npm/contents.json:\n${
        differing.join("\n")
      }\nWhere that is meant, run deno task build:npm --update`,
    );
    return 1;
  }
  console.log(
    `${manifest.name} ${manifest.version} is in ${output}: ${files.length} files, by ${
      dnt === undefined ? "deno pack" : "dnt"
    }`,
  );
  return 0;
}

/** dnt; nothing where it can't be loaded and isn't asked for by name. */
async function loadDnt(
  builder: Settings["builder"],
): Promise<DntModule | undefined> {
  try {
    return await import(DNT);
  } catch (error) {
    const [reason] = String((error as Error).message).split("\n");
    if (builder === "dnt") {
      throw new Error(`Cannot load ${DNT} (${reason})`);
    }
    console.error(
      `build:npm: JSR can't be reached (${reason}); building from deno pack's output instead`,
    );
    return undefined;
  }
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
