/**
 * `deno task cache-pack`: fetches and makes what serving a pack needs, so that the service starts offline.
 *
 * @module
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  bundleEntry,
  cacheFolder,
  cachePackDependencies,
  denoToolEnvironment,
  readBundleMap,
  readPackIndex,
  resolvePackImports,
} from "../pack_service/mod.ts";

const HELP =
  `Fetches and makes what serving a pack needs, so that the service starts offline.

Usage:
  deno task cache-pack (--pack-dir DIR | --index PATH) [--module-root DIR] [--bundle-map PATH]

  --pack-dir DIR      the pack's folder, with its index.json
  --index PATH        the pack's index, where it lies elsewhere
  --module-root DIR   as for the service: where the index's module paths lie (default: the index's folder)
  --bundle-map PATH   as for the service: a build's map from the index's module paths to the bundles that load
  -h, --help          print this, and exit

What is fetched goes to Deno's cache (DENO_DIR), what is made goes to KINDGI_CACHE_DIR (default: kindgi-deno in the
user's cache folder); the service has to run with the same two. No code of the pack runs, and nothing is written into it.

Exit codes:
  0   all is there
  1   something couldn't be fetched or made
  2   the arguments make no sense

Example:
  deno task cache-pack --pack-dir examples/support_pack
`;

/** Where the pack is, paths absolute. */
interface PackPlace {
  readonly index: string;
  readonly moduleRoot: string;
  readonly bundleMap: string | undefined;
}

/** Runs the command; answers its exit code. */
async function main(argv: string[]): Promise<number> {
  const place = readPlace(argv);
  if (place === "help") {
    console.log(HELP.trimEnd());
    return 0;
  }
  if (typeof place === "string") {
    console.error(`cache-pack: ${place}; --help says more`);
    return 2;
  }
  const workFolder = await mkdtemp(join(tmpdir(), "kindgi-cache-"));
  try {
    const problem = await cachePack(place, workFolder);
    if (problem === undefined) {
      console.log(
        `Everything that ${place.index} needs is in Deno's cache and in ${cacheFolder()}`,
      );
      return 0;
    }
    console.error(`cache-pack: ${problem}`);
    return 1;
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

/** Where the pack is, `"help"`, or what is wrong with the line in one sentence. */
function readPlace(argv: string[]): PackPlace | string {
  let values;
  try {
    ({ values } = parseArgs({
      args: argv,
      options: {
        "pack-dir": { type: "string" },
        "index": { type: "string" },
        "module-root": { type: "string" },
        "bundle-map": { type: "string" },
        "help": { type: "boolean", short: "h" },
      },
    }));
  } catch (error) {
    return (error as Error).message;
  }
  if (values.help) return "help";
  const { "pack-dir": packDir, index } = values;
  if ((packDir === undefined) === (index === undefined)) {
    return "give either --pack-dir or --index";
  }
  // `deno task` changes into the folder of its config; paths are meant from where the user stands.
  const from = (path: string) =>
    resolve(process.env.INIT_CWD ?? process.cwd(), path);
  const indexPath = from(index ?? join(packDir!, "index.json"));
  const moduleRoot = values["module-root"];
  const bundleMap = values["bundle-map"];
  return {
    index: indexPath,
    moduleRoot: moduleRoot === undefined
      ? dirname(indexPath)
      : from(moduleRoot),
    bundleMap: bundleMap === undefined ? undefined : from(bundleMap),
  };
}

/** Does it all; answers what went wrong in one sentence, or nothing. */
async function cachePack(
  { index, moduleRoot, bundleMap }: PackPlace,
  workFolder: string,
): Promise<string | undefined> {
  const pack = await readPackIndex(index);
  if (pack.kind === "err") return pack.error;
  const bundles = bundleMap === undefined
    ? undefined
    : await readBundleMap(bundleMap);
  if (bundles?.kind === "err") return bundles.error.message;
  const { tools, guardrails } = pack.value;
  const paths = [
    ...tools.map((tool) => tool.modulePath),
    ...guardrails
      .filter((guardrail) => guardrail.checkBuiltIn !== true)
      .map((guardrail) => guardrail.checkModulePath),
  ].map((path) => resolve(moduleRoot, bundles?.value[path] ?? path));

  const front = await cacheFront();
  if (front !== undefined) return front;
  const executor = await bundleEntry("pack_service/executor_main.ts");
  if (executor.kind === "err") return executor.error;
  const imports = await resolvePackImports({ moduleRoot, workFolder });
  if (imports.kind === "err") return imports.error;
  return await cachePackDependencies(imports.value, [...new Set(paths)]);
}

/** Fetches what the service's own process imports. */
async function cacheFront(): Promise<string | undefined> {
  const ours = (path: string) =>
    fileURLToPath(new URL(`../${path}`, import.meta.url));
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "cache",
      "--quiet",
      "--config",
      ours("deno.json"),
      ours("pack_service/main.ts"),
    ],
    clearEnv: true,
    env: denoToolEnvironment(),
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  return code === 0
    ? undefined
    : `Cannot fetch what the service itself needs: ${
      new TextDecoder().decode(stderr).trim()
    }`;
}

process.exit(await main(process.argv.slice(2)));
