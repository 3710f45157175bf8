/**
 * Telling a handler that its answer isn't wanted any more.
 *
 * @module
 */

import type { AbortReason } from "./executor.ts";

/** One call's abort signal; made when the handler asks for it, which most never do. */
export class CallAbort {
  #controller: AbortController | undefined;
  #reason: AbortReason | undefined;

  /** The signal: the same one at every call; already aborted when the call is. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) {
        this.#controller.abort(abortError(this.#reason));
      }
    }
    return this.#controller.signal;
  }

  /** Fires the signal. */
  abort(reason: AbortReason): void {
    this.#reason ??= reason;
    this.#controller?.abort(abortError(this.#reason));
  }
}

/** A `TimeoutError` for a deadline, an `AbortError` for a caller who has gone. */
function abortError(reason: AbortReason): DOMException {
  return reason === "deadline-exceeded"
    ? new DOMException("The call's deadline has passed", "TimeoutError")
    : new DOMException("The caller has gone", "AbortError");
}
