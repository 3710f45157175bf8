/**
 * Why a journal refuses or fails.
 *
 * @module
 */

/** The journal couldn't do it. */
export interface JournalError {
  /**
   * - `run-not-found`: the tenant has no such run; unknown, deleted or another tenant's.
   * - `run-lease-lost`: the lease has gone to a higher epoch; nothing was written.
   * - `run-already-terminal`: the run has ended; nothing was written.
   * - `journal-error`: the store failed; a write may or may not have happened, and may be repeated.
   */
  readonly code:
    | "run-not-found"
    | "run-lease-lost"
    | "run-already-terminal"
    | "journal-error";
  /** What could not be done, to what, and why. */
  readonly message: string;
  /** What was thrown beneath. */
  readonly cause?: unknown;
}
