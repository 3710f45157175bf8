/**
 * A pack's own dependencies: which flags make a process resolve exactly what the pack has locked or installed, and
 * nothing of ours (`spec/executors.md`, The pack's own dependencies).
 *
 * @module
 */

import { dirname } from "@std/path/posix/dirname";
import { join } from "@std/path/posix/join";
import { fileUrlToPath, pathToFileUrl } from "../base/file_url.ts";
import {
  copyFile,
  makeFolder,
  pathExists,
  pathExistsNow,
  runtimeExecutable,
  spawnProcess,
  writeTextFile,
} from "../base/platform.ts";
import { ok, type Result } from "../base/result.ts";
import {
  bundleEntry,
  denoToolEnvironment,
  lastLines,
  PACKAGE_ROOT,
} from "./bundle.ts";
import { readDenoConfig } from "./deno_config.ts";
import { type NpmImports, npmImports } from "./npm_imports.ts";

/** Our door for pack authors: it resolves to ours where the pack maps it nowhere. */
const DEFINE_DOOR = "@kindgi-deno/runtime/define";

/** How a pack's imports resolve. */
export interface PackImports {
  /** `deno run` and `deno cache` flags. */
  readonly flags: readonly string[];
  /** Files of ours that the pack's modules may import: they have to be readable. */
  readonly readPaths: readonly string[];
  /** Which kind of pack it is. */
  readonly source: "node_modules" | "deno.json" | "package.json" | "none";
  /** The folder that decides, where there is one. */
  readonly folder?: string;
}

/** What {@link resolvePackImports} needs. */
export interface PackImportsOptions {
  /** Where the pack's modules are. */
  readonly moduleRoot: string;
  /** A folder for the import map and the lock's copy; it has to live as long as the processes do. */
  readonly workFolder: string;
}

/** Finds out how a pack's imports resolve; nothing is written into the pack. The error is one sentence. */
export async function resolvePackImports(
  { moduleRoot, workFolder }: PackImportsOptions,
): Promise<Result<PackImports, string>> {
  const found = await findDependencyFolder(moduleRoot);
  await makeFolder(workFolder);
  if (found === undefined) return await withOwnDoor("none", workFolder);
  const { folder, config, installed } = found;
  if (config !== undefined) {
    return await fromDenoConfig(config, folder, installed, workFolder);
  }
  if (installed) {
    if (await doorIsInstalled(folder)) {
      return ok({
        flags: ["--no-config", "--no-lock", "--node-modules-dir=manual"],
        readPaths: [],
        source: "node_modules",
        folder,
      });
    }
    return await withOwnDoor("node_modules", workFolder, folder);
  }
  const imports = await npmImports(folder);
  if (imports.kind === "err") return imports;
  return await withOwnDoor("package.json", workFolder, folder, imports.value);
}

interface DependencyFolder {
  readonly folder: string;
  /** `deno.json` or `deno.jsonc`, where there is one. */
  readonly config: string | undefined;
  /** Whether there is a `node_modules`. */
  readonly installed: boolean;
}

/**
 * The nearest folder, from the module root upwards, that says what the pack depends on. Our own package never does.
 *
 * A `package.json` alone says it only where no folder above has the packages installed: in a monorepo they often are at
 * its root.
 */
async function findDependencyFolder(
  moduleRoot: string,
): Promise<DependencyFolder | undefined> {
  const ours = PACKAGE_ROOT.protocol === "file:"
    ? dirname(fileUrlToPath(new URL("x", PACKAGE_ROOT)))
    : undefined;
  let listed: DependencyFolder | undefined;
  for (let folder = moduleRoot;; folder = dirname(folder)) {
    if (folder === ours) return listed;
    const has = (name: string) => pathExistsNow(join(folder, name));
    const [json, jsonc, manifest, installed] = [
      "deno.json",
      "deno.jsonc",
      "package.json",
      "node_modules",
    ].map(has);
    const config = json ? "deno.json" : jsonc ? "deno.jsonc" : undefined;
    if (listed === undefined && (config !== undefined || installed)) {
      return {
        folder,
        config: config && join(folder, config),
        installed: installed === true,
      };
    }
    if (listed !== undefined && installed && await serves(folder, listed)) {
      return { folder, config: undefined, installed: true };
    }
    if (manifest) {
      listed ??= { folder, config: undefined, installed: false };
    }
    if (dirname(folder) === folder || has(".git")) return listed;
  }
}

/** Whether what a `package.json` below lists is installed in `folder`. */
async function serves(
  folder: string,
  listed: DependencyFolder,
): Promise<boolean> {
  const npm = await npmImports(listed.folder);
  if (npm.kind === "err") return false;
  const names = Object.keys(npm.value.imports)
    .filter((name) => !name.endsWith("/"));
  const found = await Promise.all(
    names.map((name) => pathExists(join(folder, "node_modules", name))),
  );
  // An optional one may be missing.
  return names.length === 0 || found.includes(true);
}

async function withOwnDoor(
  source: PackImports["source"],
  workFolder: string,
  folder?: string,
  npm: NpmImports = { imports: {} },
): Promise<Result<PackImports, string>> {
  const modules = source === "node_modules" ? "manual" : "none";
  const map = await writeImportMap(workFolder, npm.imports, {});
  if (map.kind === "err") return map;
  return ok({
    flags: [
      "--no-config",
      ...await writeLock(npm, workFolder),
      `--node-modules-dir=${modules}`,
      ...map.value.flags,
    ],
    readPaths: map.value.readPaths,
    source,
    ...(folder === undefined ? {} : { folder }),
  });
}

async function fromDenoConfig(
  config: string,
  folder: string,
  installed: boolean,
  workFolder: string,
): Promise<Result<PackImports, string>> {
  const read = await readDenoConfig(config);
  if (read.kind === "err") return read;
  const { imports, scopes, lock, nodeModules } = read.value;
  const flags = [
    "--config",
    config,
    `--node-modules-dir=${installed && nodeModules ? "manual" : "none"}`,
    ...await copyLock(lock, workFolder),
  ];
  const base = { source: "deno.json", folder } as const;
  if (mapsOwnDoor(imports)) return ok({ ...base, flags, readPaths: [] });
  // An import map given as a flag replaces the config's, so it has to hold the config's too.
  const map = await writeImportMap(workFolder, imports, scopes);
  if (map.kind === "err") return map;
  return ok({
    ...base,
    flags: [...flags, ...map.value.flags],
    readPaths: map.value.readPaths,
  });
}

/** The config's lock, copied so that nothing is ever written into the pack. */
async function copyLock(
  path: string | undefined,
  workFolder: string,
): Promise<string[]> {
  if (path === undefined) return ["--no-lock"];
  const copy = join(workFolder, "deno.lock");
  await copyFile(path, copy);
  return [`--lock=${copy}`, "--frozen=false"];
}

/** The lock that a pack's `package-lock.json` was turned into. */
async function writeLock(
  { lock }: NpmImports,
  workFolder: string,
): Promise<string[]> {
  if (lock === undefined) return ["--no-lock"];
  const path = join(workFolder, "deno.lock");
  await writeTextFile(path, JSON.stringify(lock));
  return [`--lock=${path}`, "--frozen=false"];
}

function mapsOwnDoor(imports: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(imports).some((name) =>
    name === DEFINE_DOOR || name === "@kindgi-deno/runtime" ||
    name === "@kindgi-deno/runtime/"
  );
}

/** Writes the import map of a pack that doesn't map our door for pack authors. */
async function writeImportMap(
  workFolder: string,
  imports: Readonly<Record<string, string>>,
  scopes: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<
  Result<
    {
      readonly flags: readonly string[];
      readonly readPaths: readonly string[];
    },
    string
  >
> {
  const door = await bundleEntry("define.ts");
  if (door.kind === "err") return door;
  const path = join(workFolder, "import_map.json");
  const map = {
    imports: { [DEFINE_DOOR]: pathToFileUrl(door.value).href, ...imports },
    ...(Object.keys(scopes).length === 0 ? {} : { scopes }),
  };
  await writeTextFile(path, JSON.stringify(map));
  return ok({ flags: [`--import-map=${path}`], readPaths: [door.value] });
}

async function doorIsInstalled(folder: string): Promise<boolean> {
  return await pathExists(
    join(folder, "node_modules", "@kindgi-deno", "runtime"),
  );
}

/**
 * Fetches what the pack's modules need from npm or https into Deno's cache, running none of the pack's code. Answers
 * what went wrong in one sentence, or `undefined`.
 */
export async function cachePackDependencies(
  imports: PackImports,
  modulePaths: readonly string[],
): Promise<string | undefined> {
  if (modulePaths.length === 0) return undefined;
  const tool = await spawnProcess({
    command: [
      runtimeExecutable(),
      "cache",
      "--quiet",
      "--allow-import",
      ...imports.flags,
      ...modulePaths,
    ],
    env: denoToolEnvironment(),
  });
  const [text, end] = await Promise.all([
    new Response(tool.stderr).text(),
    tool.ended,
    new Response(tool.stdout).text(),
  ]);
  return end.code === 0
    ? undefined
    : `Cannot fetch what the pack depends on: ${lastLines(text)}`;
}

/** Whether a failure to load says that something isn't in Deno's cache, so that fetching it may help. */
export function isNotCached(message: string): boolean {
  return /not found in cache|--cached-only|is not cached|Could not find npm package|Could not find a matching package|npm package .* not found/i
    .test(message);
}
