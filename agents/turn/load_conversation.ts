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

/** Loads the turn's conversation: it has to be open, and opened with this agent at this version. */
export async function loadConversation(
  { input, bindings }: Turn,
): Promise<Result<Conversation, InvokeAgentError>> {
  const { tenantId, agent } = input;
  const conversationId = input.conversationId as ConversationId;
  let found: Result<Conversation, InvokeAgentError>;
  try {
    found = await bindings.conversationBinding.getConversation(
      tenantId,
      conversationId,
    );
  } catch (thrown) {
    return err({
      code: "persistence-error",
      message: `Cannot read conversation ${conversationId}: ${
        reasonOf(thrown)
      }`,
      cause: thrown,
    });
  }
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
