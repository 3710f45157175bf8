/**
 * From what running pack code ended in to the answer's bytes.
 *
 * @module
 */

import { causeOf, describeThrown } from "./causes.ts";
import { failure } from "./error_answer.ts";
import type { CallAnswer } from "./executor.ts";
import type { HandlerOutcome } from "./handler_error.ts";
import { PACK_PROTOCOL_VERSION, packError } from "./protocol.ts";

/** What was called, as error messages name it. */
export type CallTargetId =
  | { readonly toolId: string }
  | { readonly checkId: string };

const encoder = new TextEncoder();
const RESULT_HEAD = `{"v":${PACK_PROTOCOL_VERSION},"kind":"result","output":`;
const CHECK_RESULT_HEAD =
  `{"v":${PACK_PROTOCOL_VERSION},"kind":"check-result","result":`;

/** Writes an outcome as the protocol's message; `withWayOut` completes the message of a denied permission. */
export function answerOf(
  outcome: HandlerOutcome,
  target: CallTargetId,
  maxOutputBytes: number,
  withWayOut: (message: string) => string,
): CallAnswer {
  if (outcome.kind === "err") {
    const { code, message, cause, issues } = outcome.error;
    const denied = code === "handler-throw" || code === "handler-import-failed";
    return failure(packError(code, denied ? withWayOut(message) : message, {
      ...target,
      ...(cause === undefined ? {} : { cause }),
      ...(issues === undefined ? {} : { issues }),
    }));
  }
  let text: string | undefined;
  try {
    text = JSON.stringify(outcome.value ?? null);
  } catch (thrown) {
    return unwritable(target, describeThrown(thrown), causeOf(thrown));
  }
  if (text === undefined) {
    return unwritable(target, `it is a ${typeof outcome.value}`);
  }
  const head = "toolId" in target ? RESULT_HEAD : CHECK_RESULT_HEAD;
  const message = encoder.encode(`${head}${text}}`);
  if (message.length > maxOutputBytes) {
    return unwritable(
      target,
      `it takes ${message.length} bytes, more than the ${maxOutputBytes} that are allowed`,
    );
  }
  return { outcome: "ok", message };
}

/** A result that can't be sent is the tool's fault, told like any output that doesn't fit (`spec/decisions.md` 6). */
function unwritable(
  target: CallTargetId,
  reason: string,
  cause?: unknown,
): CallAnswer {
  const what = "toolId" in target
    ? `output of tool "${target.toolId}"`
    : `result of check "${target.checkId}"`;
  return failure(packError(
    "output-validation-failed",
    `Cannot send the ${what}: ${reason}`,
    {
      ...target,
      ...(cause === undefined ? {} : { cause }),
      issues: [{ instancePath: "", message: `can't be sent: ${reason}` }],
    },
  ));
}
