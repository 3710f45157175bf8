/**
 * Why a run can't be started, taken further or touched: plain values, told apart by `code`.
 *
 * A flow that fails is no such error: it is a run with status `failed`.
 *
 * @module
 */

import type { RunRecord } from "./run_record.ts";

/** What every kernel error has. */
export interface KernelErrorBase<Code extends string> {
  /** Which error it is. */
  readonly code: Code;
  /** What could not be done, to what, and why. */
  readonly message: string;
  /** The run, where there is one. */
  readonly runId?: string;
  /** What was thrown or answered beneath. */
  readonly cause?: unknown;
}

/** The tenant has no such run. */
export type RunNotFoundError = KernelErrorBase<"run-not-found">;

/** The run was started with another flow, or another version of it. */
export interface FlowMismatchError extends KernelErrorBase<"flow-mismatch"> {
  /** The flow that the run was started with. */
  readonly expected: { readonly id: string; readonly version: string };
  /** The flow that it was to be resumed with. */
  readonly actual: { readonly id: string; readonly version: string };
}

/** The run has ended, so there is nothing to do to it. */
export type RunAlreadyTerminalError = KernelErrorBase<"run-already-terminal">;

/** A run of this id, or under this idempotency key, was started before. */
export interface RunAlreadyStartedError
  extends KernelErrorBase<"run-already-started"> {
  /** That run. */
  readonly run: RunRecord;
}

/** The journal couldn't be read or written; the run is left unfinished and can be resumed. */
export type JournalFailedError = KernelErrorBase<"journal-error">;

/** The token was resolved another way before. */
export type WaitpointError = KernelErrorBase<"waitpoint-error">;

/** A node's `ref` or a branch's `handler` is not among the run's handlers. */
export interface HandlerMissingError
  extends KernelErrorBase<"handler-missing"> {
  /** The names that are missing. */
  readonly handlers: readonly string[];
}

/** Nodes are left that can't ever run; a loaded flow never comes to that. */
export type StuckError = KernelErrorBase<"stuck">;

/** Another process has taken the run over; this one has stopped. */
export type RunLeaseLostError = KernelErrorBase<"run-lease-lost">;

/** The run is being executed, here or elsewhere. */
export type RunExecutingError = KernelErrorBase<"run-executing">;

/** The waiting in line for an exclusive key was aborted; nothing was journaled. */
export type RunWaitAbortedError = KernelErrorBase<"run-wait-aborted">;

/** Every way in which a run binding fails. */
export type KernelError =
  | RunNotFoundError
  | FlowMismatchError
  | RunAlreadyTerminalError
  | RunAlreadyStartedError
  | JournalFailedError
  | WaitpointError
  | HandlerMissingError
  | StuckError
  | RunLeaseLostError
  | RunExecutingError
  | RunWaitAbortedError;

/** The codes of {@link KernelError}. */
export type KernelErrorCode = KernelError["code"];
