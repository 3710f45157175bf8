/**
 * The command `kindgi-index`: from arguments to an exit code.
 *
 * @module
 */
import process from "node:process";
import { readBundleMap } from "../base/bundle_map.ts";
import { runtimeName, wantsNoColor, writeText } from "../base/platform.ts";
import type { Result } from "../base/result.ts";
import { type CommandSettings, HELP, parseArguments } from "./arguments.ts";
import type { CollectedPack, CollectOptions } from "./collect.ts";
import { collectInChild } from "./collect_in_child.ts";
import { checkIndex } from "./command_check.ts";
import {
  fromWorkingFolder,
  importTimeout,
  publishedAtOf,
  workingFolder,
} from "./command_environment.ts";
import type { RunFailure } from "./errors.ts";
import { describeDifference } from "./index_difference.ts";
import { progressLine } from "./progress.ts";
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
  outputPathOf,
  publishIndex,
  type PublishOptions,
} from "./run.ts";
import { VERSION } from "../base/version.ts";

/** Exit codes (`spec/handler_runtime.md` 7.8). */
const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

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
  const importTimeoutMs = importTimeout();
  if (importTimeoutMs.kind === "err") return wrongUsage(importTimeoutMs.error);
  const publishedAt = publishedAtOf(settings.publishedAt);
  if (publishedAt.kind === "err") return wrongUsage(publishedAt.error);
  const map = settings.bundleMap === undefined
    ? undefined
    : await readBundleMap(fromWorkingFolder(settings.bundleMap));
  if (map?.kind === "err") return wrongUsage(map.error.message);

  const ink = inkFor(
    process.stderr.isTTY === true && !wantsNoColor(),
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
  const progress = progressLine(settings.quiet);
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
      ? await collectHere(options)
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

/** Reads a pack in this process. What that takes is loaded here: where a child reads packs, the command starts sooner. */
async function collectHere(
  options: CollectOptions,
): Promise<Result<CollectedPack, RunFailure>> {
  const { collectPack } = await import("./collect.ts");
  return await inUtc(() => withoutStandardOutput(() => collectPack(options)));
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

/** Runs something where local time is UTC on every machine, as it is in the process that Deno imports in. */
async function inUtc<T>(run: () => Promise<T>): Promise<T> {
  const { TZ } = process.env;
  process.env.TZ = "UTC";
  try {
    return await run();
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
}

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
  const checked = await checkIndex(collected, {
    outputPath,
    artifactVersion: settings.artifactVersion,
    publishedAt: settings.publishedAt,
  });
  if (checked.kind === "err") {
    say(`${ink.bad("check")}: ${checked.error}`);
    return FAILED;
  }
  const { report, current, differences } = checked.value;
  if (current) return finish(report, settings, ink, "current");
  for (const difference of differences) say(describeDifference(difference));
  if (differences.length === 0) {
    say("the entries are the same, and the file is not written canonically");
  }
  if (!settings.quiet) {
    const count = counted(Math.max(differences.length, 1), "difference");
    process.stderr.write(
      `${outputPath} is out of date (${count}); write it anew without --check\n`,
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
  const told = writeText("stdout", `${JSON.stringify(report, null, 2)}\n`);
  if (!told) {
    process.stderr.write(
      "kindgi-index: the report could not be written to standard output, which is full or closed\n",
    );
    return FAILED;
  }
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
