/**
 * Reading a pack in a process without rights, for the command (decision 14).
 *
 * @module
 */
import { rmSync } from "node:fs";
import { mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { err, type Result } from "../base/result.ts";
import {
  bundleEntry,
  cachePackDependencies,
  denoToolEnvironment,
  findLinks,
  type Grant,
  outwardLinks,
  type PackImports,
  PLATFORM_ENV_NAMES,
  PLATFORM_ENV_PREFIXES,
  resolvePackImports,
} from "../pack_service/pack_process.ts";
import { lacksCached, withCacheProblem } from "./cache_problem.ts";
import { type ChildEnd, type ChildStart, runChild } from "./child_process.ts";
import type { CollectedPack, CollectOptions, FileStart } from "./collect.ts";
import { findKindgiConfig } from "./config_lookup.ts";
import type { FileError, RunFailure } from "./errors.ts";
import { beforeStopping } from "./stop_signals.ts";

/** What is read, and what the pack's code may do meanwhile. */
export interface ChildCollectOptions extends
  Pick<
    CollectOptions,
    "packDir" | "configPath" | "bundleMap" | "moduleRoot"
  > {
  /** What is opened beyond reading the pack. */
  readonly grants: readonly Grant[];
  /** How long one import may take, in ms. */
  readonly importTimeoutMs: number;
  /** Names of variables that the pack's code may read, beside the platform's. */
  readonly env: readonly string[];
  /** Told of each file before it is imported. */
  readonly onFile: (file: FileStart) => void;
  /** Takes what the pack's code prints. */
  readonly onOutput: (text: string) => void;
}

/**
 * Reads a pack as {@link collectPack} does, importing its modules in a process of their own: without network, writing,
 * programs or native code, reading the pack's folder only, with the pack's own dependencies and from Deno's cache.
 */
export async function collectInChild(
  options: ChildCollectOptions,
): Promise<Result<CollectedPack, RunFailure>> {
  if (
    options.configPath === undefined && !await findKindgiConfig(options.packDir)
  ) {
    // Says that there is none; no code of the pack is needed for that.
    const { collectPack } = await import("./collect.ts");
    return await collectPack(options);
  }
  const workFolder = await mkdtemp(join(tmpdir(), "kindgi-index-"));
  const stopped = new AbortController();
  const stopListening = beforeStopping(() => {
    stopped.abort();
    rmSync(workFolder, { recursive: true, force: true });
  });
  try {
    const packDir = await realpath(options.packDir)
      .catch(() => resolve(options.packDir));
    const moduleRoot = options.moduleRoot === undefined
      ? packDir
      : resolve(options.moduleRoot);
    const imports = await resolvePackImports({ moduleRoot, workFolder });
    if (imports.kind === "err") {
      return err(unresolvable(packDir, imports.error));
    }
    const entry = await bundleEntry("indexer/child_main.ts");
    if (entry.kind === "err") return err(unresolvable(packDir, entry.error));
    const located = { ...options, packDir, moduleRoot };
    const start = await childStart(located, imports.value, entry.value);
    return await runUntilAnswered(located, imports.value, {
      ...start,
      signal: stopped.signal,
    });
  } finally {
    stopListening();
    await rm(workFolder, { recursive: true, force: true });
  }
}

type Located = ChildCollectOptions & { readonly moduleRoot: string };

/**
 * Runs the child until it answers: again with the dependencies fetched where one was missing from the cache, again with one
 * import at a time where it ended over many at once, and again without the file over which it ended.
 */
async function runUntilAnswered(
  options: Located,
  imports: PackImports,
  start: Omit<ChildStart, "oneByOne">,
): Promise<Result<CollectedPack, RunFailure>> {
  const lost: FileError[] = [];
  const config = options.configPath ??
    (await findKindgiConfig(options.packDir))?.path;
  const cached = new Set<string>();
  let cacheProblem: string | undefined;
  let oneByOne = false;
  for (;;) {
    const end = await runChild({
      ...start,
      oneByOne,
      options: { ...start.options, knownFailures: lost },
    });
    if (!end.outcome && !end.ready) {
      const reason = `the process that imports them ${end.ending}`;
      return err(unresolvable(options.packDir, reason));
    }
    if (!end.outcome && end.together) {
      oneByOne = true;
      continue;
    }
    if (!end.outcome) {
      const file = end.files.at(-1);
      if (!file) return err(endedOnConfig(config ?? options.packDir, end));
      lost.push(endedOnFile(file, end));
      continue;
    }
    const modules = [
      ...(config === undefined ? [] : [resolve(config)]),
      ...end.files.map(({ modulePath }) => modulePath),
    ].filter((path) => !cached.has(path));
    if (!lacksCached(end.outcome)) return end.outcome;
    if (modules.length === 0) {
      return cacheProblem === undefined
        ? end.outcome
        : withCacheProblem(end.outcome, cacheProblem);
    }
    // Of several packages some may have been fetched all the same: what still lacks one shows in the next round.
    cacheProblem = await cachePackDependencies(imports, modules) ??
      cacheProblem;
    for (const path of modules) cached.add(path);
  }
}

async function childStart(
  options: Located,
  imports: PackImports,
  entry: string,
): Promise<Omit<ChildStart, "signal" | "oneByOne">> {
  const { packDir, moduleRoot, configPath, bundleMap, grants } = options;
  const granted = grants.flatMap(({ kind, value }) =>
    kind === "read" && value !== undefined ? [resolve(value)] : []
  );
  const named = [
    packDir,
    moduleRoot,
    ...granted,
    ...await installedAbove(packDir),
    ...(configPath === undefined ? [] : [resolve(configPath)]),
    ...imports.readPaths,
  ];
  const real = await Promise.all(
    named.map((path) => realpath(path).catch(() => path)),
  );
  const read = [...named, ...real];
  const denied = await outwardLinks(await findLinks(packDir), read);
  const visible = visibleEnvironment(options.env);
  const others = grants.filter(({ kind }) => kind !== "read" && kind !== "env");
  return {
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      "--cached-only",
      `--allow-read=${pathList(read)}`,
      ...(denied.length === 0 ? [] : [`--deny-read=${pathList(denied)}`]),
      `--allow-env=${Object.keys(visible).join(",")}`,
      "--ignore-env",
      ...others.map(({ kind, value }) =>
        value === undefined ? `--allow-${kind}` : `--allow-${kind}=${value}`
      ),
      ...imports.flags,
      entry,
    ],
    // Deno finds its cache by the tools' variables; the pack's code can't read those.
    env: { ...denoToolEnvironment(), ...visible },
    cwd: packDir,
    options: {
      packDir,
      ...(configPath === undefined ? {} : { configPath: resolve(configPath) }),
      ...(bundleMap === undefined ? {} : { bundleMap, moduleRoot }),
      allowedFolders: granted,
    },
    silenceMs: options.importTimeoutMs,
    onFile: options.onFile,
    onOutput: options.onOutput,
  };
}

/** The `node_modules` of the folders above a pack, up to its repository's: where a workspace installs what it needs. */
async function installedAbove(packDir: string): Promise<string[]> {
  const folders: string[] = [];
  for (let folder = packDir; dirname(folder) !== folder;) {
    if (await exists(join(folder, ".git"))) break;
    folder = dirname(folder);
    const installed = join(folder, "node_modules");
    if (await exists(installed)) folders.push(installed);
  }
  return folders;
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(() => true, () => false);
}

/** Variables that say how times and texts are written. */
const LOCALISED: ReadonlySet<string> = new Set(["TZ", "LANG", "LANGUAGE"]);

/**
 * What the pack's code can read of the environment: the platform's variables and those named, with one time zone and one
 * language wherever it runs, so that what a module writes with either is the same everywhere.
 */
function visibleEnvironment(named: readonly string[]): Record<string, string> {
  const visible: Record<string, string> = { TZ: "UTC", LANG: "C.UTF-8" };
  for (const [name, value] of Object.entries(process.env)) {
    if (value === undefined) continue;
    if (named.includes(name) || isOfPlatform(name)) visible[name] = value;
  }
  return visible;
}

function isOfPlatform(name: string): boolean {
  if (LOCALISED.has(name) || name.startsWith("LC_")) return false;
  return PLATFORM_ENV_NAMES.includes(name) ||
    PLATFORM_ENV_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/** Paths as a permission flag takes them, where a comma in one is doubled. */
function pathList(paths: readonly string[]): string {
  return [...new Set(paths)].map((path) => path.replaceAll(",", ",,"))
    .join(",");
}

function unresolvable(packDir: string, reason: string): RunFailure {
  return {
    code: "config-invalid",
    message: `Cannot import the pack's modules: ${reason}`,
    filePath: packDir,
  };
}

function endedOnConfig(path: string, { ending }: ChildEnd): RunFailure {
  return {
    code: "config-parse-failed",
    message:
      `Cannot use the config ${path}: the process that imported it ${ending}. A config must not end the ` +
      "process, nor wait for what never comes.",
    filePath: path,
  };
}

function endedOnFile(
  { path }: FileStart,
  { ending }: ChildEnd,
): FileError {
  return {
    code: "file-import-failed",
    message:
      `Cannot import ${path}: the process that imported it ${ending}. A module must not end the process, nor ` +
      "wait for what never comes.",
    filePath: path,
  };
}
