/**
 * The conversation that a turn belongs to, checked.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import { type ConversationId, reasonOf } from "../agent/mod.ts";
import type { Conversation } from "../conversation/mod.ts";
import type { InvokeAgentError } from "./errors.ts";
import type { Turn } from "./turn.ts";
import type { TurnInput } from "./turn_input.ts";

/** Loads the turn's conversation: it has to be open, and opened with this agent at this version. */
export async function loadConversation(
  { input, bindings }: Turn,
): Promise<Result<Conversation, InvokeAgentError>> {
  const { tenantId, conversationId } = input;
  return checked(
    input,
    await asked(
      input,
      () =>
        bindings.conversationBinding.getConversation(tenantId, conversationId),
    ),
  );
}

/**
 * The same with the messages that its prompt needs, kept for later, where the binding reads both at once. The turn's own
 * message isn't among them yet.
 */
export async function loadWithHistory(
  turn: Turn,
): Promise<Result<Conversation, InvokeAgentError>> {
  const { input, bindings } = turn;
  const { conversationBinding } = bindings;
  const last = input.agent.conversationPolicy?.historyLimit;
  if (conversationBinding.getWithMessages === undefined || last === 0) {
    return await loadConversation(turn);
  }
  const { tenantId, conversationId } = input;
  const found = await asked(input, () =>
    conversationBinding.getWithMessages!({
      tenantId,
      conversationId,
      ...(last === undefined ? {} : { last }),
    }));
  if (found.kind === "err") return found;
  turn.history = found.value.messages;
  return checked(input, ok(found.value.conversation));
}

async function asked<Value>(
  { conversationId }: TurnInput,
  read: () => Promise<Result<Value, InvokeAgentError>>,
): Promise<Result<Value, InvokeAgentError>> {
  try {
    return await read();
  } catch (thrown) {
    return err({
      code: "persistence-error",
      message: `Cannot read conversation ${conversationId}: ${
        reasonOf(thrown)
      }`,
      cause: thrown,
    });
  }
}

function checked(
  { agent, ...input }: TurnInput,
  found: Result<Conversation, InvokeAgentError>,
): Result<Conversation, InvokeAgentError> {
  const conversationId = input.conversationId as ConversationId;
  if (found.kind === "err") return found;
  const { closedAt, agentId, agentVersion } = found.value;
  if (closedAt !== undefined) {
    return err({
      code: "conversation-closed",
      message:
        `Conversation ${conversationId} takes no more turns: it was closed at ${closedAt}`,
      conversationId,
    });
  }
  if (agentId !== agent.id || agentVersion !== agent.version) {
    return err({
      code: "agent-version-mismatch",
      message:
        `Conversation ${conversationId} was opened with ${agentId}@${agentVersion}, not with ${agent.id}@${agent.version}: a conversation stays with its agent's version`,
      conversationId,
      expectedVersion: agentVersion,
      actualVersion: agent.version,
    });
  }
  return ok(found.value);
}
