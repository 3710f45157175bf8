/**
 * Storing a turn's messages: each belongs to its run and step, and is stored once (`spec/durability.md`, Messages).
 *
 * @module
 */

import { frozenJson } from "../../base/frozen_json.ts";
import { reasonOf, type Timestamp } from "../agent/mod.ts";
import type {
  AppendMessageInput,
  ConversationMessage,
} from "../conversation/mod.ts";
import type { NodeContext } from "../flow/mod.ts";
import { TurnFailure } from "./failure.ts";
import { type Turn, valueOf } from "./turn.ts";

/** A message of a turn. */
export type TurnMessage = Pick<
  AppendMessageInput,
  "role" | "content" | "actor" | "toolCall" | "isIntermediate"
>;

/**
 * Stores a message and answers what the store made of it, which is what counts from then on.
 *
 * @param name Names the message within its step: appending it again answers the first.
 */
export async function storeMessage(
  turn: Turn,
  context: NodeContext,
  name: string,
  message: TurnMessage,
): Promise<ConversationMessage> {
  const { tenantId, conversationId } = turn.input;
  const { runId, stepScope } = context;
  if (turn.isOver) turn.abort.throwIfAborted();
  try {
    const stored = valueOf(
      await turn.bindings.conversationBinding.appendMessage({
        tenantId,
        conversationId,
        ...message,
        runId,
        step: stepScope,
        idempotencyKey: JSON.stringify([runId, stepScope, name]),
      }),
    );
    // What is frozen is a store's own; anything else might be changed by whoever answered it.
    return Object.isFrozen(stored)
      ? stored
      : frozenJson(stored) as ConversationMessage;
  } catch (thrown) {
    if (thrown instanceof TurnFailure) throw thrown;
    throw new TurnFailure({
      code: "persistence-error",
      message: `Cannot store a message in conversation ${conversationId}: ${
        reasonOf(thrown)
      }`,
      cause: thrown,
    });
  }
}

/** A message of a dry run: stored nowhere. */
export function unstoredMessage(
  context: NodeContext,
  { role, content, actor }: TurnMessage,
): ConversationMessage {
  return {
    sequence: -1,
    role,
    content,
    ...(actor === undefined ? {} : { actor }),
    createdAt: new Date(context.clockNow()).toISOString() as Timestamp,
  };
}
