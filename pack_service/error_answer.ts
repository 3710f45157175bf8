/**
 * Error messages of the protocol as answers to a call.
 *
 * @module
 */

import type { CallAnswer } from "./executor.ts";
import type { PackErrorMessage } from "./protocol.ts";

const encoder = new TextEncoder();

/** An error message as an answer. */
export function failure(error: PackErrorMessage): CallAnswer {
  return { outcome: error.code, message: encoder.encode(errorText(error)) };
}

function errorText(error: PackErrorMessage): string {
  try {
    return JSON.stringify(error);
  } catch {
    // The params of an issue may hold what the input held, at any depth.
    const { issues: _issues, cause: _cause, ...rest } = error;
    return JSON.stringify(rest);
  }
}
