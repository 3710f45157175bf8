/**
 * Reading a pack: its config, its files, their entries. Nothing is written here.
 *
 * @module
 */
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { err, isRecord, ok, type Result } from "../base/result.ts";
import {
  type PackEnvDeclaration,
  resolvePackEnv,
} from "../pack_service/pack_process.ts";
import { type LoadedConfig, loadKindgiConfig, packLanguage } from "./config.ts";
import {
  classify,
  type DiscoveredFile,
  discoverFiles,
  resolveDiscovery,
} from "./discovery.ts";
import { TakenIds } from "./duplicates.ts";
import type { IndexEntry } from "./entry_fields.ts";
import {
  describeCause,
  type FileError,
  type IndexerWarning,
  type RunFailure,
  thrownMessage,
} from "./errors.ts";
import { type ImportTogether, ManyModules } from "./import_many.ts";
import { indexFile, type KindEntry, type ModuleSource } from "./index_file.ts";
import { placesOutside } from "./places.ts";
import { KIND_FOLDERS, PRIMITIVE_KINDS, type PrimitiveKind } from "./kinds.ts";

/** Which pack is read, and how. */
export interface CollectOptions {
  /** The pack's root. */
  readonly packDir: string;
  /** Its config, where that isn't to be searched for. */
  readonly configPath?: string;
  /** A build's map of source path to bundle: its keys are the files, its values what is imported. */
  readonly bundleMap?: Readonly<Record<string, string>>;
  /** The folder that the map's bundles are relative to; the pack's when absent. */
  readonly moduleRoot?: string;
  /** Further folders that modules may lie in. */
  readonly allowedFolders?: readonly string[];
  /** Imports a module by its absolute path, in place of `import()`. */
  readonly importModule?: (path: string) => Promise<unknown>;
  /** Imports many modules at once, where that is faster; without it each is imported by itself. */
  readonly importTogether?: ImportTogether;
  /** Whether Zod may be looked for by its version: in a process that is there to read this pack, and nothing else. */
  readonly zodByVersion?: boolean;
  /** What to add to the message of a failed import. */
  readonly importAdvice?: (thrown: unknown) => string;
  /** Files that are known to fail, which are not imported again. */
  readonly knownFailures?: readonly FileError[];
  /** Told of each file before it is imported. */
  readonly onFile?: (file: FileStart) => void;
}

/** A file that is about to be imported. */
export interface FileStart {
  /** Its path from the pack's root. */
  readonly path: string;
  /** The absolute path of the module that is imported for it. */
  readonly modulePath: string;
  /** How many files came before it. */
  readonly done: number;
  /** How many files there are. */
  readonly total: number;
}

/** The lists of an index. */
export type EntryLists = {
  readonly [Kind in PrimitiveKind as (typeof KIND_FOLDERS)[Kind]]: IndexEntry[];
};

/** What was read from a pack: plain JSON throughout. */
export interface CollectedPack {
  /** The pack's id. */
  readonly packId: string;
  /** The pack's version. */
  readonly packVersion: string;
  /** The environment that it declares, when it declares any. */
  readonly env?: PackEnvDeclaration;
  /** The entries in path order. */
  readonly entries: EntryLists;
  /** How many files were looked at. */
  readonly fileCount: number;
  /** What is wrong with files, in path order; each has no entry. */
  readonly fileErrors: readonly FileError[];
  /** What the pack should change. */
  readonly warnings: readonly IndexerWarning[];
}

/** Reads a pack: config → language → env → files → entries (`spec/handler_runtime.md` 7.1). Never throws. */
export async function collectPack(
  options: CollectOptions,
): Promise<Result<CollectedPack, RunFailure>> {
  const loaded = await loadKindgiConfig(options.packDir, options.configPath);
  if (loaded.kind === "err") return loaded;
  const config = loaded.value;
  const refusal = refuseLanguage(config) ?? refuseDiscovery(config);
  if (refusal) return err(refusal);
  const env = resolvePackEnv(config.env);
  if (env.kind === "err") {
    return err({
      code: "config-invalid",
      message:
        `Cannot use the \`env\` of the pack's config: ${env.error.message}.`,
      field: "env",
    });
  }
  const files = await filesOf(options, config);
  if (files.kind === "err") return files;

  const collected = await collectFiles(
    files.value,
    await moduleSource(options, config.pack.id),
    options,
  );
  return ok({
    packId: config.pack.id,
    packVersion: config.pack.version,
    ...(env.value === undefined ? {} : { env: env.value }),
    fileCount: files.value.length,
    ...collected,
  });
}

async function collectFiles(
  files: readonly DiscoveredFile[],
  source: ModuleSource,
  { knownFailures = [], onFile, importTogether }: CollectOptions,
): Promise<Pick<CollectedPack, "entries" | "fileErrors" | "warnings">> {
  const entries: EntryLists = {
    tools: [],
    guardrails: [],
    agents: [],
    flows: [],
  };
  const fileErrors: FileError[] = [];
  const warnings: IndexerWarning[] = [];
  const taken = new TakenIds();
  const failures = new Map(
    knownFailures.map((failure) => [failure.filePath, failure]),
  );
  const pathOf = ({ path }: DiscoveredFile) =>
    resolve(source.root, source.moduleOf(path));
  const modules = new ManyModules(
    files.map(pathOf),
    async (at, path) =>
      !failures.has(files[at]!.path) &&
      await source.placeOutside(path) === undefined,
    importTogether,
  );
  const importModule = (path: string) => modules.get(path, source.importModule);
  for (const [at, file] of files.entries()) {
    await modules.before(at);
    const failure = failures.get(file.path);
    if (failure) {
      fileErrors.push(failure);
      continue;
    }
    const modulePath = pathOf(file);
    onFile?.({ path: file.path, modulePath, done: at, total: files.length });
    const made = await indexFile(
      file,
      modulePath,
      { ...source, importModule },
      warnings,
    );
    if (made.kind === "err") fileErrors.push(made.error);
    else {
      const { kind, entry } = made.value;
      const first = taken.take(kind, entry, file.path);
      if (first === undefined) entries[KIND_FOLDERS[kind]].push(entry);
      else fileErrors.push(duplicate(made.value, file.path, first));
    }
  }
  return { entries, fileErrors, warnings };
}

function duplicate(
  { kind, entry }: KindEntry,
  path: string,
  first: string,
): FileError {
  const version = entry.version === undefined ? "" : ` ${entry.version}`;
  return {
    code: "manifest-validation-failed",
    message:
      `Cannot index ${kind} "${entry.id}"${version} of ${path}: ${first} has the same id already. Give one of them ` +
      `${
        kind === "guardrail" ? "another id" : "another id or version"
      }, or remove it.`,
    filePath: path,
    field: "id",
  };
}

async function filesOf(
  { packDir, bundleMap }: CollectOptions,
  config: LoadedConfig,
): Promise<Result<readonly DiscoveredFile[], RunFailure>> {
  const discovery = resolveDiscovery(config.discovery, packLanguage(config));
  const patterns = PRIMITIVE_KINDS.map((kind) => discovery[KIND_FOLDERS[kind]])
    .join(", ");
  try {
    const files = bundleMap
      ? classify(Object.keys(bundleMap), discovery)
      : await discoverFiles(packDir, discovery);
    if (files.length > 0) return ok(files);
    return err({
      code: "discovery-empty",
      message: `${
        bundleMap ? "No source path of the bundle map" : `No file of ${packDir}`
      } matches ${patterns}. Put the pack's files there, or name their places in the config's \`discovery\`.`,
      filePath: packDir,
    });
  } catch (error) {
    return err({
      code: "discovery-empty",
      message: `Cannot look for files in ${packDir}: ${thrownMessage(error)}.`,
      filePath: packDir,
      cause: describeCause(error),
    });
  }
}

async function moduleSource(
  options: CollectOptions,
  packId: string,
): Promise<ModuleSource> {
  const { packDir, bundleMap, moduleRoot } = options;
  const root = resolve(bundleMap ? moduleRoot ?? packDir : packDir);
  const allowed = [root, ...options.allowedFolders ?? []];
  return {
    packId,
    root,
    placeOutside: placesOutside(
      await Promise.all(
        allowed.map((folder) => realpath(folder).catch(() => resolve(folder))),
      ),
      // Discovery passes over links; a build's map may name one.
      bundleMap !== undefined,
    ),
    moduleOf: (path) => bundleMap?.[path] ?? path,
    importModule: options.importModule ??
      ((path) => import(pathToFileURL(path).href)),
    zodByVersion: options.zodByVersion ?? false,
    importAdvice: options.importAdvice ?? (() => ""),
  };
}

function refuseLanguage(config: LoadedConfig): RunFailure | undefined {
  const language = packLanguage(config);
  if (language === "node") return undefined;
  const command = language === "python"
    ? "python -m kindgi.pack index"
    : "com.kindgi.pack.Main index";
  return {
    code: "language-mismatch",
    message:
      `The pack is written in ${language}, which has an indexer of its own. Run \`${command}\`.`,
    field: "language",
  };
}

function refuseDiscovery(config: LoadedConfig): RunFailure | undefined {
  const refuse = (what: string): RunFailure => ({
    code: "config-invalid",
    message: `Cannot use the \`discovery\` of the pack's config: ${what}.`,
    field: "discovery",
  });
  const discovery: unknown = config.discovery;
  if (discovery === undefined) return undefined;
  if (!isRecord(discovery)) return refuse("it is not an object");
  for (const kind of PRIMITIVE_KINDS) {
    const pattern = discovery[KIND_FOLDERS[kind]];
    if (pattern === undefined || typeof pattern === "string") continue;
    return refuse(
      `\`${KIND_FOLDERS[kind]}\` is not a text; it is one glob pattern`,
    );
  }
  return undefined;
}
