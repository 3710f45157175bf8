/**
 * Storing a turn's messages: each belongs to its run and step, and is stored once (`spec/durability.md`, Messages).
 *
 * @module
 */

import { isoTime } from "../../base/iso_time.ts";
import { frozenJson } from "../../base/frozen_json.ts";
import type { Timestamp } from "../agent/mod.ts";
import type {
  AppendMessageInput,
  ConversationMessage,
} from "../conversation/mod.ts";
import type { NodeContext } from "../flow/mod.ts";
import { askStore } from "./ask_store.ts";
import type { Turn } from "./turn.ts";

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
  const input: AppendMessageInput = {
    tenantId,
    conversationId,
    ...message,
    runId,
    step: stepScope,
    idempotencyKey: JSON.stringify([runId, stepScope, name]),
  };
  const stored = await askStore(
    `store a message in conversation ${conversationId}`,
    () => turn.bindings.conversationBinding.appendMessage(input),
  );
  // What is frozen is a store's own; anything else might be changed by whoever answered it.
  return Object.isFrozen(stored)
    ? stored
    : frozenJson(stored) as ConversationMessage;
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
    createdAt: isoTime(context.clockNow()) as Timestamp,
  };
}
