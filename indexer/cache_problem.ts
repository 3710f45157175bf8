/**
 * Modules that failed for want of a package in Deno's cache.
 *
 * @module
 */
import { err, type Result } from "../base/result.ts";
import { isNotCached } from "../pack_service/pack_process.ts";
import type { CollectedPack } from "./collect.ts";
import type { FileError, RunFailure } from "./errors.ts";

/** Whether something failed to load for want of a package in the cache. */
export function lacksCached(
  outcome: Result<CollectedPack, RunFailure>,
): boolean {
  return outcome.kind === "err"
    ? outcome.error.code === "config-parse-failed" &&
      isNotCached(outcome.error.message)
    : outcome.value.fileErrors.some(isUncachedImport);
}

function isUncachedImport({ code, message }: FileError): boolean {
  return code === "file-import-failed" && isNotCached(message);
}

/** The same, saying of each such failure why the package could not be fetched. */
export function withCacheProblem(
  outcome: Result<CollectedPack, RunFailure>,
  problem: string,
): Result<CollectedPack, RunFailure> {
  if (outcome.kind === "err") {
    const message = `${outcome.error.message} ${problem}`;
    return err({ ...outcome.error, message });
  }
  const fileErrors = outcome.value.fileErrors.map((error) =>
    isUncachedImport(error)
      ? { ...error, message: `${error.message} ${problem}` }
      : error
  );
  return { kind: "ok", value: { ...outcome.value, fileErrors } };
}
