/**
 * Conversations as rows. Everything here happens within the caller's transaction.
 *
 * @module
 */

import type { Timestamp } from "../../agent/mod.ts";
import type { Conversation } from "../../conversation/mod.ts";
import { runLeaseKey } from "../../flow/mod.ts";
import { newestFirst } from "../conversation_order.ts";
import type { SqliteDatabase, Value } from "./database.ts";
import { loadedText } from "../stored_text.ts";

/** A row of `agent_conversations`. */
export interface ConversationRow {
  /** Its place. */
  readonly position: number;
  /** When it was closed. */
  readonly closed_at: Timestamp | null;
  /** When its last message was stored. */
  readonly last_message_at: Timestamp | null;
  /** Turns completed. */
  readonly turn_count: number;
  /** Messages stored. */
  readonly message_count: number;
  /** The conversation as it was opened, as JSON. */
  readonly conversation: string;
}

/** The columns of a {@link ConversationRow}. */
export const CONVERSATION_COLUMNS =
  "position, closed_at, last_message_at, turn_count, message_count, conversation";

/** The conversation that a row tells. */
export function conversationOf(row: ConversationRow): Conversation {
  const opened: Conversation = JSON.parse(row.conversation);
  return {
    ...opened,
    turnCount: row.turn_count,
    ...(row.last_message_at === null
      ? {}
      : { lastMessageAt: row.last_message_at }),
    ...(row.closed_at === null ? {} : { closedAt: row.closed_at }),
  };
}

/** Inserts a conversation without messages. */
export function insertConversation(
  sql: SqliteDatabase,
  conversation: Conversation,
): void {
  sql.know(conversation.tenantId);
  sql.run(
    `INSERT INTO agent_conversations (tenant_id, id, agent_id, participant_id, opened_at, conversation)
      VALUES (?, ?, ?, ?, ?, ?)`,
    conversation.tenantId,
    conversation.id,
    conversation.agentId,
    conversation.participantId,
    conversation.openedAt,
    JSON.stringify(conversation),
  );
}

/** Which conversations to list. */
export interface ListedConversations {
  /** Whose. */
  readonly tenantId: string;
  /** Only with this agent. */
  readonly agentId: string | undefined;
  /** Only with this end user. */
  readonly participantId?: string | undefined;
  /** Only open ones, or only closed ones. */
  readonly status: "open" | "closed" | undefined;
  /** Only those opened then or earlier. */
  readonly openedUntil?: string | undefined;
}

/** Conversations, the latest opened first, then by id downwards: as many as wanted of those that fit. */
export function listedConversations(
  sql: SqliteDatabase,
  wanted: ListedConversations,
  limit = Infinity,
  fits: (conversation: Conversation) => boolean = () => true,
): Conversation[] {
  const { tenantId, agentId, participantId, status, openedUntil } = wanted;
  let conditions = "tenant_id = ?";
  const values: Value[] = [tenantId];
  if (agentId !== undefined) {
    conditions += " AND agent_id = ?";
    values.push(agentId);
  }
  if (participantId !== undefined) {
    conditions += " AND participant_id = ?";
    values.push(participantId);
  }
  if (status !== undefined) {
    conditions += ` AND closed_at IS ${status === "open" ? "" : "NOT "}NULL`;
  }
  if (openedUntil !== undefined) {
    conditions += " AND opened_at <= ?";
    values.push(openedUntil);
  }
  const rows = sql.each<ConversationRow>(
    `SELECT ${CONVERSATION_COLUMNS} FROM agent_conversations WHERE ${conditions} ORDER BY opened_at DESC`,
    ...values,
  );
  const found: Conversation[] = [];
  for (const row of rows) {
    const conversation = conversationOf(row);
    // SQLite compares text byte by byte, ids are ordered by code units: those opened at once are sorted below.
    if (
      found.length >= limit &&
      found.at(-1)?.openedAt !== conversation.openedAt
    ) break;
    if (fits(conversation)) found.push(conversation);
  }
  return found.sort(newestFirst).slice(0, limit);
}

/** Removes a conversation with its messages, snapshots, runs and approvals. */
export function removeConversation(
  sql: SqliteDatabase,
  tenantId: string,
  id: string,
  position: number,
): void {
  const runs =
    "SELECT run_id FROM agent_runs WHERE tenant_id = ?1 AND conversation_id = ?2";
  sql.run(
    `DELETE FROM agent_approvals WHERE tenant_id = ?1 AND (conversation_id = ?2 OR run_id IN (${runs}))`,
    tenantId,
    id,
  );
  sql.run(
    "DELETE FROM agent_run_snapshots WHERE tenant_id = ? AND conversation_id = ?",
    tenantId,
    id,
  );
  const removed = sql.all<{ run_id: string }>(
    "DELETE FROM agent_runs WHERE tenant_id = ? AND conversation_id = ? RETURNING run_id",
    tenantId,
    id,
  );
  for (const { run_id } of removed) {
    sql.run(
      "DELETE FROM agent_leases WHERE tenant_id = ? AND key = ?",
      tenantId,
      runLeaseKey(loadedText(run_id)),
    );
  }
  sql.run("DELETE FROM agent_conversations WHERE position = ?", position);
}
