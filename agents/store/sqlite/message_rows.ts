/**
 * Messages as rows. Everything here happens within the caller's transaction.
 *
 * @module
 */

import type {
  ConversationMessage,
  ReadMessagesInput,
} from "../../conversation/mod.ts";
import type { SqliteDatabase, Value } from "./database.ts";

interface MessageRow {
  readonly message: string;
}

/** Which messages of a conversation to read; conditions add up. */
export type MessageRange = Omit<
  ReadMessagesInput,
  "tenantId" | "conversationId"
>;

/** The message that was appended to a conversation with a key. */
export function messageByKey(
  sql: SqliteDatabase,
  conversation: number,
  idempotencyKey: string,
): ConversationMessage | undefined {
  const row = sql.get<MessageRow>(
    "SELECT message FROM agent_messages WHERE conversation = ? AND idempotency_key = ?",
    conversation,
    idempotencyKey,
  );
  return row === undefined ? undefined : JSON.parse(row.message);
}

/** Adds a message. */
export function addMessage(
  sql: SqliteDatabase,
  conversation: number,
  message: ConversationMessage,
): void {
  sql.run(
    `INSERT INTO agent_messages (conversation, sequence, run_id, idempotency_key, message)
      VALUES (?, ?, ?, ?, ?)`,
    conversation,
    message.sequence,
    message.runId,
    message.idempotencyKey,
    JSON.stringify(message),
  );
}

/** Messages by ascending sequence. */
export function readMessages(
  sql: SqliteDatabase,
  conversation: number,
  { sinceSequence = 0, beforeSequence, last, limit, runId }: MessageRange,
): ConversationMessage[] {
  let conditions = "conversation = ? AND sequence > ?";
  const values: Value[] = [conversation, sinceSequence];
  if (beforeSequence !== undefined) {
    conditions += " AND sequence < ?";
    values.push(beforeSequence);
  }
  if (runId !== undefined) {
    conditions += " AND run_id = ?";
    values.push(runId);
  }
  // The newest so many are read backwards; less than 0 is no limit.
  const rows = last === undefined
    ? sql.all<MessageRow>(
      `SELECT message FROM agent_messages WHERE ${conditions} ORDER BY sequence LIMIT ?`,
      ...values,
      limit ?? -1,
    )
    : sql.all<MessageRow>(
      `SELECT message FROM agent_messages WHERE ${conditions} ORDER BY sequence DESC LIMIT ?`,
      ...values,
      Math.max(0, last),
    ).reverse().slice(0, limit);
  return rows.map(({ message }) => JSON.parse(message));
}
