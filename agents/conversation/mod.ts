/**
 * What a turn asks of whoever keeps its conversation: messages, and what it was started with.
 *
 * @module
 */

// Conversations
export { CONVERSATION_CLOSED_REASON } from "./conversation.ts";
export type {
  AppendMessageInput,
  Conversation,
  ConversationBinding,
  ConversationMessage,
  ConversationPage,
  ConversationPageCursor,
  ConversationScope,
  ConversationWithMessages,
  GetWithMessagesInput,
  ListConversationsInput,
  ListConversationsPageInput,
  MessageContent,
  MessageRole,
  MessageToolCall,
  OpenConversationInput,
  ReadMessagesInput,
  WaitCanceller,
} from "./conversation.ts";

// Taking messages in
export { endsTurn, mended, messageDraft } from "./message.ts";
export type { MessageDraft } from "./message.ts";

// Run snapshots
export type {
  RunSnapshotBinding,
  RunSnapshotRecord,
  RunSnapshotWriteInput,
} from "./run_snapshot.ts";

// What the contracts are written in
export type {
  AgentAlreadyRegisteredError,
  AgentError,
  AgentId,
  AgentNotFoundError,
  AgentVersionMismatchError,
  Brand,
  ConversationClosedError,
  ConversationId,
  ConversationNotFoundError,
  DefinitionIssue,
  Err,
  InvalidAgentError,
  InvalidMessageError,
  Ok,
  PersistenceError,
  Result,
  Semver,
  TenantId,
  Timestamp,
} from "../agent/mod.ts";
