/**
 * A conversation as it is opened, and the answers about conversations that every store gives alike.
 *
 * @module
 */

import { frozen } from "../../base/frozen_json.ts";
import { mendedText } from "../../base/mended_text.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type {
  AgentError,
  AgentId,
  ConversationId,
  Semver,
  TenantId,
  Timestamp,
} from "../agent/mod.ts";
import {
  type Conversation,
  type ConversationScope,
  mended,
  type OpenConversationInput,
} from "../conversation/mod.ts";

/** A fresh conversation, frozen; refused when JSON can't hold its scope or metadata. */
export function newConversation(
  input: OpenConversationInput,
  id: string,
  openedAt: Timestamp,
): Result<Conversation, AgentError> {
  const { tenantId, participantId, metadata, scope } = input;
  const scopeProject = typeof scope.projectId === "string"
    ? scope.projectId
    : undefined;
  const projectId = input.projectId ?? scopeProject;
  try {
    return ok(frozen({
      id: id as ConversationId,
      tenantId: tenantId as TenantId,
      agentId: input.agentId as AgentId,
      agentVersion: input.agentVersion as Semver,
      title: mendedText(input.title),
      ...(participantId === undefined ? {} : { participantId }),
      ...(projectId === undefined ? {} : { projectId }),
      scope: mended(scope) as ConversationScope,
      openedAt,
      turnCount: 0,
      ...(metadata === undefined
        ? {}
        : { metadata: mended(metadata) as ConversationScope }),
    }));
  } catch (cause) {
    return conversationFailed(
      `Cannot open conversation ${id}: its scope or metadata can't be written as JSON`,
      cause,
    );
  }
}

/** The id is taken. */
export function conversationTaken(id: string): Result<never, AgentError> {
  return conversationFailed(
    `Cannot open conversation ${id}: there is one of this id already`,
    undefined,
  );
}

/** The tenant has no such conversation. */
export function conversationNotFound(id: string): Result<never, AgentError> {
  return err({
    code: "conversation-not-found",
    message: `Cannot find conversation ${id}: the tenant has no such one`,
    conversationId: id as ConversationId,
  });
}

/** Nothing is appended any more. */
export function conversationClosed(
  { id, closedAt }: Pick<Conversation, "id" | "closedAt">,
): Result<never, AgentError> {
  return err({
    code: "conversation-closed",
    message:
      `Cannot append to conversation ${id}: it was closed at ${closedAt}`,
    conversationId: id,
  });
}

/** The conversation is closed, but a foreign run binding failed. */
export function waitsNotCancelled(
  id: string,
  error: { readonly message: string },
): Result<never, AgentError> {
  return conversationFailed(
    `Conversation ${id} is closed, but the waits of its runs couldn't be cancelled: ${error.message}`,
    error,
  );
}

function conversationFailed(
  message: string,
  cause: unknown,
): Result<never, AgentError> {
  return err({ code: "persistence-error", message, cause });
}
