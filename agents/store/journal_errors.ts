/**
 * Why a journal refuses: the same words in every store.
 *
 * @module
 */

import { err, type Result } from "../../base/result.ts";
import type { JournalError } from "../flow/mod.ts";

/** The tenant has no such run. */
export function runNotFound(runId: string): Result<never, JournalError> {
  return err({
    code: "run-not-found",
    message: `Cannot find run ${runId}: the tenant has no such run`,
  });
}

/** The run has ended. */
export function runEnded(runId: string): Result<never, JournalError> {
  return err({
    code: "run-already-terminal",
    message: `Cannot change run ${runId}: it has ended`,
  });
}

/** A lease has gone to somebody else. */
export function leaseLost(
  runId: string,
  key: string,
): Result<never, JournalError> {
  return err({
    code: "run-lease-lost",
    message: `Cannot write for ${runId}: lease ${key} is somebody else's now`,
  });
}
