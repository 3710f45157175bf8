/**
 * Telling a handler that its answer isn't wanted any more.
 *
 * @module
 */

import type { AbortReason } from "./executor.ts";

/** One call's abort signal. */
export class CallAbort {
  readonly #controller = new AbortController();

  /** The signal that the handler gets. */
  readonly signal: AbortSignal = this.#controller.signal;

  /** Fires the signal. */
  abort(reason: AbortReason): void {
    this.#controller.abort(abortError(reason));
  }
}

/** A `TimeoutError` for a deadline, an `AbortError` for a caller who has gone. */
function abortError(reason: AbortReason): DOMException {
  return reason === "deadline-exceeded"
    ? new DOMException("The call's deadline has passed", "TimeoutError")
    : new DOMException("The caller has gone", "AbortError");
}
