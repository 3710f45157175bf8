/**
 * Indexing a pack from start to end.
 *
 * @module
 */
import { join, resolve } from "node:path";
import { canonicalJson } from "../base/canonical_json.ts";
import { err, ok, type Result } from "../base/result.ts";
import { nextArtifactVersion } from "./build_stamp.ts";
import type { CollectedPack } from "./collect.ts";
import type { FileError, IndexerWarning, RunFailure } from "./errors.ts";
import { indexDocument } from "./index_document.ts";
import { writeAtomically } from "./write_index.ts";

/** What is indexed, where to, and how strictly. */
export interface RunIndexerOptions {
  /** The pack's root. */
  readonly packDir: string;
  /** The config, relative to the working folder; searched for in the pack's root when absent. */
  readonly configPath?: string;
  /** Where the index goes; `index.json` in the pack's root when absent. */
  readonly outputPath?: string;
  /** The build's number, for a reproducible build; `YYYYMMDD.N` when absent. */
  readonly artifactVersion?: string;
  /** The build's time, for a reproducible build; now when absent, ISO 8601 with milliseconds. */
  readonly publishedAt?: string;
  /** A build's map of source path to bundle: the sources needn't be there, and the index records their paths. */
  readonly bundleMap?: Readonly<Record<string, string>>;
  /** The folder that the map's bundles are relative to; the pack's when absent. */
  readonly moduleRoot?: string;
  /** Imports a module by its absolute path, in place of `import()`. */
  readonly importModule?: (path: string) => Promise<unknown>;
  /**
   * What a file that can't be indexed means: `fail` (default) fails the run and writes nothing, `collect` leaves its entry
   * out and lists the error (`spec/decisions.md` 13).
   */
  readonly onFileError?: "fail" | "collect";
}

/** What was indexed. */
export interface IndexReport {
  /** The pack's id. */
  readonly packId: string;
  /** The pack's version. */
  readonly packVersion: string;
  /** The build's number. */
  readonly artifactVersion: string;
  /** The build's time. */
  readonly publishedAt: string;
  /** How many entries of each kind the index has. */
  readonly counts: {
    /** Number of tools. */
    readonly tools: number;
    /** Number of guardrails. */
    readonly guardrails: number;
    /** Number of agents. */
    readonly agents: number;
    /** Number of flows. */
    readonly flows: number;
  };
  /** Where the index is, absolute. */
  readonly outputPath: string;
  /** What is wrong with files, in path order; empty unless `onFileError` is `collect`. */
  readonly fileErrors: readonly FileError[];
  /** What the pack should change. */
  readonly warnings: readonly IndexerWarning[];
}

/**
 * Writes a pack's `index.json` and answers what is in it.
 *
 * The pack's modules are imported into this program; the command (`kindgi-index`) does it in a process without rights.
 * Importing runs a module once in a program's life: to index edited modules again, start a new one. Never throws; the
 * error's code says what failed, and its `errors` list every file at fault.
 */
export async function runIndexer(
  options: RunIndexerOptions,
): Promise<Result<IndexReport, RunFailure>> {
  // The command needs this module, and reads packs elsewhere.
  const { collectPack } = await import("./collect.ts");
  const collected = await collectPack(options);
  if (collected.kind === "err") return collected;
  return await publishIndex(collected.value, options);
}

/** The part of the options that says what becomes of a pack that was read. */
export type PublishOptions = Pick<
  RunIndexerOptions,
  "packDir" | "outputPath" | "artifactVersion" | "publishedAt" | "onFileError"
>;

/** Writes the index of a pack that was read. */
export async function publishIndex(
  collected: CollectedPack,
  options: PublishOptions,
): Promise<Result<IndexReport, RunFailure>> {
  const failure = failureOf(collected, options);
  if (failure) return err(failure);
  const outputPath = outputPathOf(options);
  const now = new Date();
  const stamp = {
    artifactVersion: options.artifactVersion ??
      await nextArtifactVersion(outputPath, now),
    publishedAt: options.publishedAt ?? now.toISOString(),
  };
  const document = indexDocument(collected, stamp);
  const written = await writeAtomically(outputPath, canonicalJson(document));
  if (written.kind === "err") return written;
  return ok(indexReport(collected, stamp, outputPath));
}

/** Why files that can't be indexed fail a run, when they do. */
export function failureOf(
  { fileErrors }: CollectedPack,
  { onFileError }: PublishOptions,
): RunFailure | undefined {
  const [first] = fileErrors;
  if (!first || onFileError === "collect") return undefined;
  return { ...first, errors: fileErrors };
}

/** Where the index goes, absolute. */
export function outputPathOf({ packDir, outputPath }: PublishOptions): string {
  return resolve(outputPath ?? join(packDir, "index.json"));
}

/** What a run answers. */
export function indexReport(
  { packId, packVersion, entries, fileErrors, warnings }: CollectedPack,
  stamp: { readonly artifactVersion: string; readonly publishedAt: string },
  outputPath: string,
): IndexReport {
  return {
    packId,
    packVersion,
    artifactVersion: stamp.artifactVersion,
    publishedAt: stamp.publishedAt,
    counts: {
      tools: entries.tools.length,
      guardrails: entries.guardrails.length,
      agents: entries.agents.length,
      flows: entries.flows.length,
    },
    outputPath,
    fileErrors,
    warnings,
  };
}
