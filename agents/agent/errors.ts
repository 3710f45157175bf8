/**
 * The errors of agents and their conversations: plain values, told apart by `code`.
 *
 * @module
 */

import type { AgentId, ConversationId, Semver } from "./ids.ts";
import type { DefinitionIssue } from "./issues.ts";

/** `defineAgent` found something wrong. */
export interface InvalidAgentError {
  /** The definition doesn't hold; nothing was made. */
  readonly code: "invalid-agent";
  /** Names the agent, how many issues there are, and the first of them. */
  readonly message: string;
  /** Every issue, in the order of the agent's fields. */
  readonly issues: readonly DefinitionIssue[];
}

/** The registry has no such agent, or none at that version. */
export interface AgentNotFoundError {
  /** Nothing is registered under the id, or under the id and version. */
  readonly code: "agent-not-found";
  /** Names the id, and the version where one was asked for. */
  readonly message: string;
  /** The id that was asked for. */
  readonly agentId: AgentId;
  /** The version that was asked for; absent when any would have done. */
  readonly version?: Semver;
}

/** The registry has this agent at this version already. */
export interface AgentAlreadyRegisteredError {
  /** A version is registered once; unregister it first, or register another. */
  readonly code: "agent-already-registered";
  /** Names the id and version. */
  readonly message: string;
  /** The agent's id. */
  readonly agentId: AgentId;
  /** The agent's version. */
  readonly version: Semver;
}

/** A conversation was opened with another agent, or another version of it. */
export interface AgentVersionMismatchError {
  /** A conversation stays with the agent version it was opened with. */
  readonly code: "agent-version-mismatch";
  /** Names the conversation and both versions. */
  readonly message: string;
  /** The conversation. */
  readonly conversationId: ConversationId;
  /** The version that it was opened with. */
  readonly expectedVersion: Semver;
  /** The version that was invoked. */
  readonly actualVersion: Semver;
}

/** The tenant has no such conversation. */
export interface ConversationNotFoundError {
  /** Unknown, deleted, or another tenant's: the answer doesn't tell which. */
  readonly code: "conversation-not-found";
  /** Names the conversation. */
  readonly message: string;
  /** The conversation that was asked for. */
  readonly conversationId: ConversationId;
}

/** The conversation takes no more messages. */
export interface ConversationClosedError {
  /** A closed conversation isn't opened again. */
  readonly code: "conversation-closed";
  /** Names the conversation. */
  readonly message: string;
  /** The conversation. */
  readonly conversationId: ConversationId;
}

/** A message can't be appended as it is. */
export interface InvalidMessageError {
  /** The role or the content is not acceptable. */
  readonly code: "invalid-message";
  /** Says what is wrong with the message. */
  readonly message: string;
  /** The same reason, short. */
  readonly reason: string;
}

/** A store couldn't read or write. */
export interface PersistenceError {
  /** The store failed; whether the write happened is unknown unless the message says so. */
  readonly code: "persistence-error";
  /** Says what could not be stored or read, and why. */
  readonly message: string;
  /** What the store threw or answered. */
  readonly cause: unknown;
}

/** Every way in which agents and conversations fail outside a turn. */
export type AgentError =
  | InvalidAgentError
  | AgentNotFoundError
  | AgentAlreadyRegisteredError
  | AgentVersionMismatchError
  | ConversationNotFoundError
  | ConversationClosedError
  | InvalidMessageError
  | PersistenceError;
