/**
 * What a handler finds as its abort signal's reason.
 *
 * @module
 */

import type { AbortReason } from "./executor.ts";

/** A `TimeoutError` for a deadline, an `AbortError` for a caller who has gone. */
export function abortError(reason: AbortReason): DOMException {
  return reason === "deadline-exceeded"
    ? new DOMException("The call's deadline has passed", "TimeoutError")
    : new DOMException("The caller has gone", "AbortError");
}
