/**
 * What the command reads from its own environment.
 *
 * @module
 */
import { resolve } from "node:path";
import process from "node:process";
import { err, ok, type Result } from "../base/result.ts";

/** How long one module may take to import when the environment doesn't say, in ms. */
const IMPORT_TIMEOUT_MS = 60_000;

/** The time to publish under: the flag, else `SOURCE_DATE_EPOCH`, seconds since 1970, else none. */
export function publishedAtOf(
  publishedAt: string | undefined,
): Result<string | undefined, string> {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  if (publishedAt !== undefined || !epoch) {
    return ok(publishedAt);
  }
  const date = new Date(/^\d+$/.test(epoch) ? Number(epoch) * 1_000 : NaN);
  return Number.isNaN(date.getTime())
    ? err(`SOURCE_DATE_EPOCH is no number of seconds: ${epoch}`)
    : ok(date.toISOString());
}

/** How long one module may take to import: `KINDGI_INDEX_IMPORT_TIMEOUT_MS`. */
export function importTimeout(): Result<number, string> {
  const given = process.env.KINDGI_INDEX_IMPORT_TIMEOUT_MS;
  if (!given) return ok(IMPORT_TIMEOUT_MS);
  const value = Number(given);
  return Number.isInteger(value) && value > 0 && value < 2 ** 31
    ? ok(value)
    : err(
      `KINDGI_INDEX_IMPORT_TIMEOUT_MS is no number of milliseconds: ${given}`,
    );
}

/**
 * Where relative paths start: `KINDGI_WORKING_FOLDER`, which `deno task` needs since it runs in the folder of its config,
 * else the working folder.
 */
export function workingFolder(): string {
  return process.env.KINDGI_WORKING_FOLDER || process.cwd();
}

/** A path that may be relative to the working folder. */
export function fromWorkingFolder(path: string): string {
  return resolve(workingFolder(), path);
}
