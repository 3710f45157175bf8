/**
 * Conversations, their messages, and the binding that keeps them (`spec/agents_turn.md` 20.1).
 *
 * @module
 */

import type { Result } from "../../base/result.ts";
import type {
  AgentError,
  AgentId,
  ConversationId,
  Semver,
  TenantId,
  Timestamp,
} from "../agent/mod.ts";

/** What a conversation belongs to; the keys are the host's, `tenantId` and `projectId` by convention. */
export type ConversationScope = Readonly<Record<string, unknown>>;

/** A conversation with one agent at one version. */
export interface Conversation {
  /** Its id. */
  readonly id: ConversationId;
  /** Whose conversation. */
  readonly tenantId: TenantId;
  /** The agent; it never changes. */
  readonly agentId: AgentId;
  /** The agent's version; it never changes. */
  readonly agentVersion: Semver;
  /** What people call it. */
  readonly title: string;
  /** The end user. */
  readonly participantId?: string;
  /** The project. */
  readonly projectId?: string;
  /** What it belongs to. */
  readonly scope: ConversationScope;
  /** When it was opened. */
  readonly openedAt: Timestamp;
  /** When it was closed; absent while it is open. */
  readonly closedAt?: Timestamp;
  /** Turns completed: final answers of the agent. */
  readonly turnCount: number;
  /** When its last message was stored. */
  readonly lastMessageAt?: Timestamp;
  /** Whatever the host keeps with it. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Who says a message. */
export type MessageRole = "user" | "agent" | "tool" | "system";

/** What a message says: text, or JSON. */
export type MessageContent = string | object | number | boolean | null;

/** The call that a tool's message answers. */
export interface MessageToolCall {
  /** The tool's id, or the name that the model used for an unknown one. */
  readonly toolId: string;
  /** The call's id. */
  readonly invocationId: string;
}

/** A stored message. Absent optionals are absent keys. */
export interface ConversationMessage {
  /** Its place in the conversation: 1, 2, 3… without gaps. */
  readonly sequence: number;
  /** Who says it. */
  readonly role: MessageRole;
  /** What is said. */
  readonly content: MessageContent;
  /** For a tool's message: the call that it answers. */
  readonly toolCall?: MessageToolCall;
  /** Who exactly says it: the end user, or the agent's id. */
  readonly actor?: string;
  /** For an agent's message: `true` when it asks for tools and isn't the turn's answer. */
  readonly isIntermediate?: true;
  /** The run that appended it: messages belong to runs (`spec/durability.md`). */
  readonly runId?: string;
  /** The step of that run: a step scope such as `dispatch-tools@agent-loop#0`. */
  readonly step?: string;
  /** What makes appending it again answer this message. */
  readonly idempotencyKey?: string;
  /** When it was stored, in whole milliseconds. */
  readonly createdAt: Timestamp;
}

/** A conversation to open. */
export interface OpenConversationInput {
  /** Its id; a fresh one when absent. An id that is taken is `persistence-error`. */
  readonly id?: string;
  /** Whose conversation. */
  readonly tenantId: string;
  /** The agent. */
  readonly agentId: string;
  /** The agent's version. */
  readonly agentVersion: string;
  /** What people call it. */
  readonly title: string;
  /** The end user. */
  readonly participantId?: string;
  /** The project; `scope.projectId` when absent and that is a text. */
  readonly projectId?: string;
  /** What it belongs to. */
  readonly scope: ConversationScope;
  /** Whatever the host keeps with it. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Which conversations to list; conditions add up. */
export interface ListConversationsInput {
  /** Whose. */
  readonly tenantId: string;
  /** Only with this agent. */
  readonly agentId?: string;
  /** Only with this end user. */
  readonly participantId?: string;
  /** Only those that are open; `false` when absent. */
  readonly openOnly?: boolean;
  /** How many at most. */
  readonly limit?: number;
}

/** Where a page ended: its last conversation. */
export interface ConversationPageCursor {
  /** When that conversation was opened. */
  readonly openedAt: string;
  /** Its id. */
  readonly id: string;
}

/** Which page of conversations to list; conditions add up. */
export interface ListConversationsPageInput {
  /** Whose. */
  readonly tenantId: string;
  /** Only with this agent. */
  readonly agentId?: string;
  /** Only open ones, or only closed ones. */
  readonly status?: "open" | "closed";
  /** Only what comes strictly after this. */
  readonly before?: ConversationPageCursor;
  /** How many at most: 1 and up. */
  readonly limit: number;
  /** Only those whose scope has each of these keys with an equal value. */
  readonly scope?: ConversationScope;
}

/** A page of conversations. */
export interface ConversationPage {
  /** The conversations: the latest opened first, then by id downwards (code units). */
  readonly data: readonly Conversation[];
  /** Whether more come after the last of them. */
  readonly hasMore: boolean;
}

/** A message to append. */
export interface AppendMessageInput {
  /** Whose conversation. */
  readonly tenantId: string;
  /** The conversation. */
  readonly conversationId: string;
  /** Who says it. */
  readonly role: MessageRole;
  /** What is said; a turn stores empty answers too. */
  readonly content: MessageContent;
  /** Who exactly says it. */
  readonly actor?: string;
  /** For a tool's message: the call that it answers. */
  readonly toolCall?: MessageToolCall;
  /** Whether an agent's message asks for tools; any other message of an agent adds 1 to `turnCount`. */
  readonly isIntermediate?: boolean;
  /** The run that appends it. */
  readonly runId?: string;
  /** The step of that run. */
  readonly step?: string;
  /** A second append with this key in the conversation answers the first message, even once the conversation is closed. */
  readonly idempotencyKey?: string;
}

/** Which messages to read; conditions add up. */
export interface ReadMessagesInput {
  /** Whose conversation. */
  readonly tenantId: string;
  /** The conversation. */
  readonly conversationId: string;
  /** Only after this sequence. */
  readonly sinceSequence?: number;
  /** Only before this sequence. */
  readonly beforeSequence?: number;
  /** Only the newest so many of those. */
  readonly last?: number;
  /** Only the oldest so many of those. */
  readonly limit?: number;
  /** Only those of this run. */
  readonly runId?: string;
}

/** Cancels the waits of a conversation's runs: a part of a run binding. */
export interface WaitCanceller {
  /** Cancels every open wait of a conversation's runs. */
  cancelWaits(input: {
    /** Whose. */
    readonly tenantId: string;
    /** The conversation. */
    readonly conversationId: string;
    /** What the waits' end says. */
    readonly reason: string;
  }): Promise<
    Result<void, { readonly code: string; readonly message: string }>
  >;
}

/** The reason that closing or deleting a conversation gives to the waits it cancels. */
export const CONVERSATION_CLOSED_REASON = "conversation-closed";

/** Which conversation to read, and how many of its messages. */
export interface GetWithMessagesInput {
  /** Whose. */
  readonly tenantId: string;
  /** The conversation. */
  readonly conversationId: string;
  /** The newest so many; all of them when absent. */
  readonly last?: number;
}

/** A conversation with messages of it. */
export interface ConversationWithMessages {
  /** The conversation. */
  readonly conversation: Conversation;
  /** Its newest messages, by ascending sequence. */
  readonly messages: readonly ConversationMessage[];
}

/** Keeps conversations. Every method is tenant-scoped: another tenant's conversation doesn't exist. */
export interface ConversationBinding {
  /** Opens a conversation: no messages, no turns. */
  openConversation(
    input: OpenConversationInput,
  ): Promise<Result<Conversation, AgentError>>;
  /** A conversation; `conversation-not-found` when there is none. */
  getConversation(
    tenantId: string,
    conversationId: string,
  ): Promise<Result<Conversation, AgentError>>;
  /** The same with messages of it, in one read; where it is left out, both are read one after the other. */
  getWithMessages?(
    input: GetWithMessagesInput,
  ): Promise<Result<ConversationWithMessages, AgentError>>;
  /** Conversations, the latest opened first. */
  listConversations(
    input: ListConversationsInput,
  ): Promise<Result<Conversation[], AgentError>>;
  /** One page of conversations; the next cursor is made of the last row. */
  listConversationsPage(
    input: ListConversationsPageInput,
  ): Promise<Result<ConversationPage, AgentError>>;
  /**
   * Closes a conversation for good; closing it again answers it as it is. Withdraws its runs' pending approvals and
   * cancels their waits with {@link CONVERSATION_CLOSED_REASON}: of its own store by itself, of another through
   * `runBinding`.
   */
  closeConversation(
    tenantId: string,
    conversationId: string,
    runBinding?: WaitCanceller,
  ): Promise<Result<Conversation, AgentError>>;
  /** Deletes a conversation with its messages, snapshots, runs and approvals. */
  deleteConversation(
    tenantId: string,
    conversationId: string,
  ): Promise<Result<void, AgentError>>;
  /** Appends a message with the next sequence; `conversation-closed`, or `invalid-message` for a bad role or content. */
  appendMessage(
    input: AppendMessageInput,
  ): Promise<Result<ConversationMessage, AgentError>>;
  /** Messages by ascending sequence. */
  readMessages(
    input: ReadMessagesInput,
  ): Promise<Result<readonly ConversationMessage[], AgentError>>;
}
