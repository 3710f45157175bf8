/**
 * Conversations in SQLite (`ConversationBinding`).
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
import { isInScope, newestFirst } from "../conversation_order.ts";
import {
  conversationClosed,
  conversationNotFound,
  conversationTaken,
  newConversation,
  waitsNotCancelled,
} from "../conversation_record.ts";
import type { SqliteApprovals } from "./approvals.ts";
import {
  CONVERSATION_COLUMNS,
  conversationOf,
  type ConversationRow,
  insertConversation,
  listedConversations,
  removeConversation,
} from "./conversation_rows.ts";
import type { SqliteDatabase } from "./database.ts";
import { persistenceError } from "./failures.ts";
import { addMessage, messageByKey, readMessages } from "./message_rows.ts";
import type { SqliteRuns } from "./runs.ts";

type Answer<Value> = Promise<Result<Value, AgentError>>;

/** Conversations of all tenants. */
export class SqliteConversations implements ConversationBinding {
  readonly #sql: SqliteDatabase;
  readonly #runs: SqliteRuns;
  readonly #approvals: SqliteApprovals;

  /** Keeps its conversations in a database; closing one reaches its runs and approvals. */
  constructor(
    sql: SqliteDatabase,
    runs: SqliteRuns,
    approvals: SqliteApprovals,
  ) {
    this.#sql = sql;
    this.#runs = runs;
    this.#approvals = approvals;
  }

  openConversation(input: OpenConversationInput): Answer<Conversation> {
    const id = input.id ?? crypto.randomUUID();
    return this.#write(`open conversation ${id}`, () => {
      if (this.#row(input.tenantId, id) !== undefined) {
        return conversationTaken(id);
      }
      const opened = newConversation(input, id, this.#sql.clock.timestamp());
      if (opened.kind === "ok") insertConversation(this.#sql, opened.value);
      return opened;
    });
  }

  getConversation(tenantId: string, id: string): Answer<Conversation> {
    return this.#read(`read conversation ${id}`, () => {
      const row = this.#row(tenantId, id);
      return row === undefined
        ? conversationNotFound(id)
        : ok(conversationOf(row));
    });
  }

  getWithMessages(
    { tenantId, conversationId, last }: GetWithMessagesInput,
  ): Answer<ConversationWithMessages> {
    return this.#read(`read conversation ${conversationId}`, () => {
      const row = this.#row(tenantId, conversationId);
      if (row === undefined) return conversationNotFound(conversationId);
      const messages = readMessages(
        this.#sql,
        row.position,
        last === undefined ? {} : { last },
      );
      return ok({ conversation: conversationOf(row), messages });
    });
  }

  listConversations(input: ListConversationsInput): Answer<Conversation[]> {
    const { agentId, participantId, openOnly = false, limit } = input;
    return this.#read("list conversations", () =>
      ok(
        listedConversations(this.#sql, {
          tenantId: input.tenantId,
          agentId,
          participantId,
          status: openOnly ? "open" : undefined,
        }, limit),
      ));
  }

  listConversationsPage(
    input: ListConversationsPageInput,
  ): Answer<ConversationPage> {
    const { tenantId, agentId, status, before, limit, scope } = input;
    return this.#read("list conversations", () => {
      const found = listedConversations(
        this.#sql,
        { tenantId, agentId, status, openedUntil: before?.openedAt },
        limit + 1,
        (conversation) =>
          (before === undefined || newestFirst(before, conversation) < 0) &&
          isInScope(conversation.scope, scope),
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
    const closed = await this.#write(`close conversation ${id}`, () => {
      const row = this.#row(tenantId, id);
      if (row === undefined) return conversationNotFound(id);
      const closed_at = row.closed_at ?? this.#sql.clock.timestamp();
      this.#sql.run(
        "UPDATE agent_conversations SET closed_at = ? WHERE position = ?",
        closed_at,
        row.position,
      );
      this.#approvals.withdrawNow({ tenantId, conversationId: id });
      this.#runs.cancelWaits(tenantId, id, reason);
      return ok(conversationOf({ ...row, closed_at }));
    });
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
    return this.#write(`delete conversation ${id}`, () => {
      const row = this.#row(tenantId, id);
      if (row === undefined) return conversationNotFound(id);
      removeConversation(this.#sql, tenantId, id, row.position);
      return ok(undefined);
    });
  }

  appendMessage(input: AppendMessageInput): Answer<ConversationMessage> {
    const { tenantId, conversationId, idempotencyKey } = input;
    return this.#write(`append to conversation ${conversationId}`, () => {
      const row = this.#row(tenantId, conversationId);
      if (row === undefined) return conversationNotFound(conversationId);
      const known = idempotencyKey === undefined
        ? undefined
        : messageByKey(this.#sql, row.position, idempotencyKey);
      if (known !== undefined) return ok(known);
      if (row.closed_at !== null) {
        return conversationClosed(conversationOf(row));
      }
      const draft = messageDraft(input);
      if (draft.kind === "err") return draft;
      const message: ConversationMessage = {
        sequence: row.message_count + 1,
        ...draft.value,
        createdAt: this.#sql.clock.timestamp(),
      };
      addMessage(this.#sql, row.position, message);
      this.#sql.run(
        `UPDATE agent_conversations SET message_count = ?, last_message_at = ?, turn_count = turn_count + ?
          WHERE position = ?`,
        message.sequence,
        message.createdAt,
        endsTurn(message) ? 1 : 0,
        row.position,
      );
      return ok(message);
    });
  }

  readMessages(
    input: ReadMessagesInput,
  ): Answer<readonly ConversationMessage[]> {
    const { tenantId, conversationId } = input;
    return this.#read(`read conversation ${conversationId}`, () => {
      const row = this.#row(tenantId, conversationId);
      return row === undefined
        ? conversationNotFound(conversationId)
        : ok(readMessages(this.#sql, row.position, input));
    });
  }

  #row(tenantId: string, id: string): ConversationRow | undefined {
    return this.#sql.get<ConversationRow>(
      `SELECT ${CONVERSATION_COLUMNS} FROM agent_conversations WHERE tenant_id = ? AND id = ?`,
      tenantId,
      id,
    );
  }

  #read<Value>(
    doing: string,
    work: () => Result<Value, AgentError>,
  ): Answer<Value> {
    return this.#sql.read(work)
      .catch((thrown) => err(persistenceError(doing, thrown)));
  }

  #write<Value>(
    doing: string,
    work: () => Result<Value, AgentError>,
  ): Answer<Value> {
    return this.#sql.write(work)
      .catch((thrown) => err(persistenceError(doing, thrown)));
  }
}
