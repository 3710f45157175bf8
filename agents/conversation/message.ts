/**
 * What a message and a snapshot look like once they are taken in: pure, so that every store does the same.
 *
 * @module
 */

import { mendedFrozenJson } from "../../base/frozen_json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { InvalidMessageError } from "../agent/mod.ts";
import type {
  AppendMessageInput,
  ConversationMessage,
  MessageContent,
} from "./conversation.ts";

const ROLES: readonly unknown[] = ["user", "agent", "tool", "system"];

/** A message without what its place in a conversation gives it. */
export type MessageDraft = Omit<ConversationMessage, "sequence" | "createdAt">;

/**
 * Takes a message in: its role and content checked, its text mended, its content a copy that JSON can hold.
 *
 * Empty text is refused but from an agent or a tool: a turn stores empty answers and results too.
 */
export function messageDraft(
  input: AppendMessageInput,
): Result<MessageDraft, InvalidMessageError> {
  const { role, actor, toolCall, runId, step, idempotencyKey } = input;
  if (!ROLES.includes(role)) {
    return refused(
      `its role ${JSON.stringify(role)} is none of ${ROLES.join(", ")}`,
    );
  }
  if (input.content === undefined) return refused("it has no content");
  let content: MessageContent;
  try {
    content = mended(input.content) as MessageContent;
  } catch (thrown) {
    return refused(
      `its content can't be written as JSON: ${(thrown as Error).message}`,
    );
  }
  const mayBeBlank = role === "agent" || role === "tool";
  if (!mayBeBlank && typeof content === "string" && content.trim() === "") {
    return refused(`the content of a ${role} message is blank`);
  }
  return ok({
    role,
    content,
    ...(toolCall === undefined ? {} : {
      toolCall: Object.freeze({
        toolId: toolCall.toolId,
        invocationId: toolCall.invocationId,
      }),
    }),
    ...(actor === undefined ? {} : { actor }),
    ...(input.isIntermediate ? { isIntermediate: true as const } : {}),
    ...(runId === undefined ? {} : { runId }),
    ...(step === undefined ? {} : { step }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
}

/** Whether a message ends a turn: an agent's that doesn't ask for tools. */
export function endsTurn({ role, isIntermediate }: MessageDraft): boolean {
  return role === "agent" && isIntermediate !== true;
}

/**
 * A copy of a value as JSON holds it, with every text in it mended: U+0000 and lone surrogates become U+FFFD
 * (`spec/durability.md`, bytes). Key order is kept.
 *
 * @throws {TypeError} If JSON can't hold it.
 */
export function mended(value: unknown): unknown {
  const copy = mendedFrozenJson(value);
  if (copy === undefined) {
    throw new TypeError(`${typeof value} is nothing that JSON can hold`);
  }
  return copy;
}

function refused(reason: string): Result<never, InvalidMessageError> {
  return err({
    code: "invalid-message",
    message: `Cannot append the message: ${reason}`,
    reason,
  });
}
