/**
 * Why a run stops here without having ended.
 *
 * @module
 */

import type { KernelError } from "../kernel_errors.ts";
import type { RunRecord } from "../run_record.ts";
import type { JournalError } from "../journal_error.ts";

/** Thrown through an execution that can't go on: the run stays as its journal has it. */
export class RunHalted extends Error {
  /** What the binding answers. */
  readonly error: KernelError;

  /** Takes its message from the error. */
  constructor(error: KernelError) {
    super(error.message);
    this.name = "RunHalted";
    this.error = error;
  }
}

/** The error of a start that found a run. */
export function alreadyStarted(runId: string, run: RunRecord): KernelError {
  return {
    code: "run-already-started",
    message: run.runId === runId
      ? `Cannot start run ${runId}: there is a run of this id already; resume it, or take another id`
      : `Cannot start a run: its idempotency key stands for run ${run.runId}; resume that one`,
    runId: run.runId,
    run,
  };
}

/** A journal's error as the binding answers it. */
export function kernelError(runId: string, error: JournalError): KernelError {
  const { code, message, cause } = error;
  return cause === undefined
    ? { code, message, runId }
    : { code, message, runId, cause };
}

/** Whatever a journal threw, as an error that it might have answered. */
export function thrownByJournal(
  doing: string,
  runId: string,
  thrown: unknown,
): KernelError {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    code: "journal-error",
    message: `Cannot ${doing} run ${runId}: the journal failed: ${reason}`,
    runId,
    cause: thrown,
  };
}
