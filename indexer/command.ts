/**
 * The command `kindgi-index`: from arguments to an exit code.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { resolve } from "node:path";
import { canonicalJson } from "../base/canonical_json.ts";
import { runtimeName } from "../base/platform.ts";
import { isRecord, type Result } from "../base/result.ts";
import { type CommandSettings, HELP, parseArguments } from "./arguments.ts";
import { readBundleMap } from "./bundle_map.ts";
import {
  type CollectedPack,
  type CollectOptions,
  collectPack,
  type FileStart,
} from "./collect.ts";
import { collectInChild } from "./collect_in_child.ts";
import type { RunFailure } from "./errors.ts";
import { describeDifference, indexDifferences } from "./index_difference.ts";
import { indexDocument } from "./index_document.ts";
import {
  counted,
  errorLine,
  failureLine,
  type Ink,
  inkFor,
  summaryLine,
} from "./report_text.ts";
import {
  failureOf,
  type IndexReport,
  indexReport,
  outputPathOf,
  publishIndex,
  type PublishOptions,
} from "./run.ts";
import { VERSION } from "./version.ts";

/** Exit codes (`spec/handler_runtime.md` 7.8). */
const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

/** How long one module may take to import when the environment doesn't say, in ms. */
const IMPORT_TIMEOUT_MS = 60_000;

/** Progress is shown for packs of more files than this. */
const MANY_FILES = 50;

/**
 * Runs the command and answers its exit code: 0 done, 1 the run failed or the check found a difference, 2 wrong usage.
 *
 * The report goes to standard output as JSON, and nothing else does; what is for people goes to standard error.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const parsed = parseArguments(argv);
  if (parsed.kind === "err") return wrongUsage(parsed.error);
  const command = parsed.value;
  if (command.kind === "help") return print(HELP);
  if (command.kind === "version") return print(`kindgi-index v${VERSION}\n`);
  const { settings } = command;

  const restricted = settings.grants.length > 0 || settings.env.length > 0;
  if (runtimeName === "node" && restricted) {
    return wrongUsage(
      "--grant and --env need Deno, where modules are imported without rights",
    );
  }
  const importTimeoutMs = importTimeoutOf(process.env);
  if (importTimeoutMs.kind === "err") return wrongUsage(importTimeoutMs.error);
  const publishedAt = publishedAtOf(settings);
  if (publishedAt.kind === "err") return wrongUsage(publishedAt.error);
  const map = settings.bundleMap === undefined
    ? undefined
    : await readBundleMap(fromWorkingFolder(settings.bundleMap));
  if (map?.kind === "err") return wrongUsage(map.error.message);

  const ink = inkFor(
    process.stderr.isTTY === true && !process.env.NO_COLOR,
  );
  const collected = await collect(
    settings,
    map?.value,
    importTimeoutMs.value,
  );
  if (collected.kind === "err") return fail(collected.error, settings, ink);
  const options: PublishOptions = {
    packDir: fromWorkingFolder(settings.packDir),
    ...(settings.output === undefined
      ? {}
      : { outputPath: fromWorkingFolder(settings.output) }),
    ...(settings.artifactVersion === undefined
      ? {}
      : { artifactVersion: settings.artifactVersion }),
    ...(publishedAt.value === undefined
      ? {}
      : { publishedAt: publishedAt.value }),
    onFileError: settings.keepGoing ? "collect" : "fail",
  };
  if (settings.check) {
    return await check(collected.value, options, settings, ink);
  }
  const outcome = await publishIndex(collected.value, options);
  if (outcome.kind === "err") return fail(outcome.error, settings, ink);
  return finish(outcome.value, settings, ink, "written");
}

/** Reads the pack, in a process without rights where the runtime has such. */
async function collect(
  settings: CommandSettings,
  bundleMap: CollectOptions["bundleMap"],
  importTimeoutMs: number,
): Promise<Result<CollectedPack, RunFailure>> {
  const progress = progressOn(settings);
  const options = {
    packDir: fromWorkingFolder(settings.packDir),
    ...(settings.config === undefined
      ? {}
      : { configPath: fromWorkingFolder(settings.config) }),
    ...(bundleMap === undefined ? {} : { bundleMap }),
    ...(settings.moduleRoot === undefined
      ? {}
      : { moduleRoot: fromWorkingFolder(settings.moduleRoot) }),
    onFile: progress.show,
  };
  try {
    return runtimeName === "node"
      ? await withoutStandardOutput(() => collectPack(options))
      : await collectInChild({
        ...options,
        grants: settings.grants.map((grant) =>
          grant.kind === "read" && grant.value !== undefined
            ? { ...grant, value: fromWorkingFolder(grant.value) }
            : grant
        ),
        env: settings.env,
        importTimeoutMs,
        onOutput: (text) => {
          progress.clear();
          process.stderr.write(text);
        },
      });
  } finally {
    progress.clear();
  }
}

/** Runs something that imports pack code here; what that code prints goes to standard error, since the report is alone. */
async function withoutStandardOutput<T>(run: () => Promise<T>): Promise<T> {
  const write = process.stdout.write;
  process.stdout.write = process.stderr.write.bind(process.stderr);
  try {
    return await run();
  } finally {
    process.stdout.write = write;
  }
}

/** Compares with the index on disk, which also gives the number and time of the build unless they are given. */
async function check(
  collected: CollectedPack,
  options: PublishOptions,
  settings: CommandSettings,
  ink: Ink,
): Promise<number> {
  const failure = failureOf(collected, options);
  if (failure) return fail(failure, settings, ink);
  const outputPath = outputPathOf(options);
  const say = (text: string) => process.stderr.write(`kindgi-index: ${text}\n`);
  let text: string;
  let before: unknown;
  try {
    text = await readFile(outputPath, "utf8");
    before = JSON.parse(text);
  } catch (error) {
    say(
      `${ink.bad("check")}: cannot compare with ${outputPath}: ${
        (error as Error).message
      }. Write it first, without --check.`,
    );
    return FAILED;
  }
  const onDisk = isRecord(before) ? before : {};
  const stamp = {
    artifactVersion: settings.artifactVersion ??
      String(onDisk.artifactVersion),
    publishedAt: settings.publishedAt ?? String(onDisk.publishedAt),
  };
  const document = indexDocument(collected, stamp);
  const current = canonicalJson(document);
  if (current === text) {
    const report = indexReport(collected, stamp, outputPath);
    return finish(report, settings, ink, "current");
  }
  const differences = indexDifferences(before, JSON.parse(current));
  for (const difference of differences) say(describeDifference(difference));
  if (differences.length === 0) {
    say("the entries are the same, and the file is not written canonically");
  }
  if (!settings.quiet) {
    process.stderr.write(
      `${outputPath} is out of date (${
        counted(Math.max(differences.length, 1), "difference")
      }); write it anew without --check\n`,
    );
  }
  return FAILED;
}

function finish(
  report: IndexReport,
  settings: CommandSettings,
  ink: Ink,
  what: "written" | "current",
): number {
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  for (const error of report.fileErrors) {
    process.stderr.write(errorLine(error, ink));
  }
  if (!settings.quiet) {
    process.stderr.write(summaryLine(report, workingFolder(), ink, what));
  }
  return settings.strict && report.fileErrors.length > 0 ? FAILED : DONE;
}

function fail(
  failure: RunFailure,
  settings: CommandSettings,
  ink: Ink,
): number {
  for (const error of failure.errors ?? [failure]) {
    process.stderr.write(errorLine(error, ink));
  }
  if (failure.errors && !settings.quiet) {
    process.stderr.write(failureLine(failure.errors.length));
  }
  return FAILED;
}

function wrongUsage(problem: string): number {
  process.stderr.write(
    `kindgi-index: ${problem}. See kindgi-index --help.\n`,
  );
  return WRONG_USAGE;
}

function print(text: string): number {
  process.stdout.write(text);
  return DONE;
}

/** The time to publish under: the flag, else `SOURCE_DATE_EPOCH`, seconds since 1970, else none. */
function publishedAtOf(
  { publishedAt }: CommandSettings,
): Result<string | undefined, string> {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  if (publishedAt !== undefined || !epoch) {
    return { kind: "ok", value: publishedAt };
  }
  const date = new Date(/^\d+$/.test(epoch) ? Number(epoch) * 1_000 : NaN);
  return Number.isNaN(date.getTime())
    ? {
      kind: "err",
      error: `SOURCE_DATE_EPOCH is no number of seconds: ${epoch}`,
    }
    : { kind: "ok", value: date.toISOString() };
}

/** How long one module may take to import: `KINDGI_INDEX_IMPORT_TIMEOUT_MS`. */
function importTimeoutOf(
  env: Readonly<Record<string, string | undefined>>,
): Result<number, string> {
  const given = env.KINDGI_INDEX_IMPORT_TIMEOUT_MS;
  if (!given) return { kind: "ok", value: IMPORT_TIMEOUT_MS };
  const value = Number(given);
  return Number.isInteger(value) && value > 0 && value < 2 ** 31
    ? { kind: "ok", value }
    : {
      kind: "err",
      error:
        `KINDGI_INDEX_IMPORT_TIMEOUT_MS is no number of milliseconds: ${given}`,
    };
}

/** A line that says which file is being read, where there is someone to read it. */
function progressOn(
  { quiet }: CommandSettings,
): { readonly show: (file: FileStart) => void; readonly clear: () => void } {
  const terminal = process.stderr.isTTY === true && !quiet;
  let shown = false;
  return {
    show: ({ path, done, total }) => {
      if (!terminal || total <= MANY_FILES) return;
      shown = true;
      process.stderr.write(`\r\x1b[2K${done + 1}/${total} ${path}`);
    },
    clear: () => {
      if (shown) process.stderr.write("\r\x1b[2K");
      shown = false;
    },
  };
}

/**
 * Where relative paths start: `KINDGI_WORKING_FOLDER`, which `deno task` needs since it runs in the folder of its config,
 * else the working folder.
 */
function workingFolder(): string {
  return process.env.KINDGI_WORKING_FOLDER || process.cwd();
}

function fromWorkingFolder(path: string): string {
  return resolve(workingFolder(), path);
}
