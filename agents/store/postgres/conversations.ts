/**
 * Conversations in Postgres (`ConversationBinding`).
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { AgentError } from "../../agent/mod.ts";
import {
  type AppendMessageInput,
  type Conversation,
  CONVERSATION_CLOSED_REASON,
  type ConversationBinding,
  type ConversationMessage,
  type ConversationPage,
  type ConversationWithMessages,
  endsTurn,
  type GetWithMessagesInput,
  type ListConversationsInput,
  type ListConversationsPageInput,
  messageDraft,
  type OpenConversationInput,
  type ReadMessagesInput,
  type WaitCanceller,
} from "../../conversation/mod.ts";
import { isInScope } from "../conversation_order.ts";
import {
  conversationClosed,
  conversationNotFound,
  conversationTaken,
  newConversation,
  waitsNotCancelled,
} from "../conversation_record.ts";
import { storedText } from "../stored_text.ts";
import { withdrawWithin } from "./approval_rows.ts";
import {
  findConversation,
  insertConversation,
  listedConversations,
  loadedConversation,
  loadedMessage,
  removeConversation,
  type StoredConversation,
  type StoredMessage,
  storedMessages,
} from "./conversation_rows.ts";
import type { PostgresDatabase, Transaction } from "./database.ts";
import { persistenceError } from "./failures.ts";

type Answer<Value> = Promise<Result<Value, AgentError>>;

interface AppendedMessage {
  readonly error?:
    | "conversation-not-found"
    | "conversation-closed"
    | "invalid-message";
  readonly closedAt?: Conversation["closedAt"];
  readonly message?: StoredMessage;
  readonly sequence: number;
  readonly createdAt: ConversationMessage["createdAt"];
}

interface ReadConversation {
  readonly error?: "conversation-not-found";
  readonly conversation: StoredConversation;
  readonly messages: readonly StoredMessage[];
}

/** Conversations of all tenants. */
export class PostgresConversations implements ConversationBinding {
  readonly #database: PostgresDatabase;

  /** Keeps its conversations in a database. */
  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  openConversation(input: OpenConversationInput): Answer<Conversation> {
    const id = input.id ?? crypto.randomUUID();
    const { tenantId } = input;
    return this.#within(
      `open conversation ${id}`,
      tenantId,
      async (transaction) => {
        const opened = newConversation(input, id, transaction.now);
        if (opened.kind === "err") return opened;
        return await insertConversation(transaction, opened.value)
          ? opened
          : conversationTaken(id);
      },
    );
  }

  async getConversation(tenantId: string, id: string): Answer<Conversation> {
    const found = await this.getWithMessages({
      tenantId,
      conversationId: id,
      last: 0,
    });
    return found.kind === "err" ? found : ok(found.value.conversation);
  }

  async getWithMessages(
    { tenantId, conversationId, last }: GetWithMessagesInput,
  ): Answer<ConversationWithMessages> {
    try {
      const read = await this.#database.call<ReadConversation>(
        tenantId,
        "conversation_read",
        {
          conversationId: storedText(conversationId),
          ...(last === undefined ? {} : { last: Math.max(0, last) }),
        },
      );
      return read.error === undefined
        ? ok({
          conversation: loadedConversation(read.conversation, tenantId),
          messages: read.messages.map(loadedMessage),
        })
        : conversationNotFound(conversationId);
    } catch (thrown) {
      return err(
        persistenceError(`read conversation ${conversationId}`, thrown),
      );
    }
  }

  listConversations(input: ListConversationsInput): Answer<Conversation[]> {
    const { tenantId, agentId, participantId, openOnly = false, limit } = input;
    return this.#within(
      "list conversations",
      tenantId,
      async (transaction) =>
        ok(
          await listedConversations(transaction, {
            tenantId,
            agentId,
            participantId,
            status: openOnly ? "open" : undefined,
          }, limit),
        ),
    );
  }

  listConversationsPage(
    input: ListConversationsPageInput,
  ): Answer<ConversationPage> {
    const { tenantId, agentId, status, before, limit, scope } = input;
    return this.#within("list conversations", tenantId, async (transaction) => {
      const found = await listedConversations(
        transaction,
        { tenantId, agentId, status, before },
        limit + 1,
        (conversation) => isInScope(conversation.scope, scope),
      );
      return ok({ data: found.slice(0, limit), hasMore: found.length > limit });
    });
  }

  async closeConversation(
    tenantId: string,
    id: string,
    runBinding?: WaitCanceller,
  ): Answer<Conversation> {
    const reason = CONVERSATION_CLOSED_REASON;
    const closed = await this.#within(
      `close conversation ${id}`,
      tenantId,
      async (transaction): Promise<Result<Conversation, AgentError>> => {
        const found = await findConversation(transaction, id);
        if (found === undefined) return conversationNotFound(id);
        await transaction.run(
          `UPDATE agent_conversations SET closed_at = coalesce(closed_at, $2::text::timestamp with time zone) WHERE {mine} AND id = $1`,
          storedText(id),
          transaction.now,
        );
        await withdrawWithin(transaction, { tenantId, conversationId: id });
        await cancelWaits(transaction, id, reason);
        const closedAt = found.closedAt ?? transaction.now;
        return ok(loadedConversation({ ...found, closedAt }, tenantId));
      },
    );
    if (closed.kind === "err") return closed;
    const cancelled = await runBinding?.cancelWaits({
      tenantId,
      conversationId: id,
      reason,
    });
    return cancelled?.kind === "err"
      ? waitsNotCancelled(id, cancelled.error)
      : closed;
  }

  deleteConversation(tenantId: string, id: string): Answer<void> {
    return this.#within(
      `delete conversation ${id}`,
      tenantId,
      async (transaction) =>
        await removeConversation(transaction, id)
          ? ok(undefined)
          : conversationNotFound(id),
    );
  }

  async appendMessage(input: AppendMessageInput): Answer<ConversationMessage> {
    const { tenantId, conversationId, idempotencyKey } = input;
    const draft = messageDraft(input);
    const message = draft.kind === "err" ? undefined : draft.value;
    const { runId } = message ?? {};
    try {
      const answer = await this.#database.call<AppendedMessage>(
        tenantId,
        "message_append",
        {
          conversationId: storedText(conversationId),
          ...(idempotencyKey === undefined
            ? {}
            : { key: storedText(idempotencyKey) }),
          ...(message === undefined ? {} : {
            message: JSON.stringify(message),
            turns: endsTurn(message as ConversationMessage) ? 1 : 0,
            ...(runId === undefined ? {} : { runId: storedText(runId) }),
          }),
        },
      );
      switch (answer.error) {
        case "conversation-not-found":
          return conversationNotFound(conversationId);
        case "conversation-closed":
          return conversationClosed({
            id: conversationId as Conversation["id"],
            closedAt: answer.closedAt!,
          });
        case "invalid-message":
          return draft as Result<never, AgentError>;
      }
      const { sequence, createdAt } = answer;
      return ok(
        answer.message === undefined
          ? { sequence, ...message!, createdAt }
          : loadedMessage(answer.message),
      );
    } catch (thrown) {
      return err(
        persistenceError(`append to conversation ${conversationId}`, thrown),
      );
    }
  }

  readMessages(
    input: ReadMessagesInput,
  ): Answer<readonly ConversationMessage[]> {
    const { tenantId, conversationId } = input;
    return this.#within(
      `read conversation ${conversationId}`,
      tenantId,
      async (transaction) =>
        await findConversation(transaction, conversationId) === undefined
          ? conversationNotFound(conversationId)
          : ok(await storedMessages(transaction, input)),
    );
  }

  #within<Value>(
    doing: string,
    tenantId: string,
    work: (transaction: Transaction) => Promise<Result<Value, AgentError>>,
  ): Answer<Value> {
    return this.#database.transaction(tenantId, work)
      .catch((thrown) => err(persistenceError(doing, thrown)));
  }
}

/** Cancels every open wait of a conversation's runs. */
async function cancelWaits(
  transaction: Transaction,
  conversationId: string,
  reason: string,
): Promise<void> {
  const runs = await transaction.run<{ run_id: string }>(
    "SELECT run_id FROM agent_runs WHERE {mine} AND conversation_id = $1 AND ended_at IS NULL ORDER BY position FOR UPDATE",
    storedText(conversationId),
  );
  for (const { run_id } of runs) {
    await transaction.run(
      "SELECT kindgi_run_cancel_waits(r, $2) FROM agent_runs r WHERE r.{mine} AND r.run_id = $1",
      run_id,
      reason,
    );
  }
}
