/**
 * Conversations and messages as rows. Everything here happens within the caller's transaction.
 *
 * @module
 */

import type { Timestamp } from "../../agent/mod.ts";
import type {
  Conversation,
  ConversationMessage,
  ConversationPageCursor,
  ReadMessagesInput,
} from "../../conversation/mod.ts";
import { unwrapOrThrow, wrap } from "../envelope.ts";
import { loadedText, storedText } from "../stored_text.ts";
import type { Parameter, Transaction } from "./database.ts";

/** How many conversations are read at once. */
const AT_ONCE = 200;

/** A message as the database tells it: sequence, the rest as JSON, time. */
export type StoredMessage = readonly [number, string, Timestamp];

/** A conversation as the database tells it; documents are in envelopes. */
export interface StoredConversation {
  /** The id. */
  readonly id: string;
  /** The agent. */
  readonly agentId: string;
  /** Its version. */
  readonly agentVersion: string;
  /** What people call it. */
  readonly title: string;
  /** The end user. */
  readonly participantId?: string;
  /** The project. */
  readonly projectId?: string;
  /** When it was opened. */
  readonly openedAt: Timestamp;
  /** When it was closed. */
  readonly closedAt?: Timestamp;
  /** Turns completed. */
  readonly turnCount: number;
  /** When its last message was stored. */
  readonly lastMessageAt?: Timestamp;
  /** What it belongs to. */
  readonly scope: unknown;
  /** What the host keeps with it. */
  readonly metadata: unknown;
}

/** A conversation from its row. */
export function loadedConversation(
  stored: StoredConversation,
  tenantId: string,
): Conversation {
  const { participantId, projectId, lastMessageAt, closedAt } = stored;
  const metadata = unwrapOrThrow(stored.metadata) ?? undefined;
  return {
    id: loadedText(stored.id),
    tenantId,
    agentId: loadedText(stored.agentId),
    agentVersion: loadedText(stored.agentVersion),
    title: stored.title,
    ...(participantId === undefined
      ? {}
      : { participantId: loadedText(participantId) }),
    ...(projectId === undefined ? {} : { projectId: loadedText(projectId) }),
    scope: unwrapOrThrow(stored.scope),
    openedAt: stored.openedAt,
    turnCount: stored.turnCount,
    ...(metadata === undefined ? {} : { metadata }),
    ...(lastMessageAt === undefined ? {} : { lastMessageAt }),
    ...(closedAt === undefined ? {} : { closedAt }),
  } as Conversation;
}

/** A message from its row. */
export function loadedMessage(
  [sequence, message, createdAt]: StoredMessage,
): ConversationMessage {
  return { sequence, ...JSON.parse(message), createdAt };
}

/** Inserts a conversation without messages; `false` when its id is taken. */
export async function insertConversation(
  transaction: Transaction,
  conversation: Conversation,
): Promise<boolean> {
  const { participantId, projectId, metadata } = conversation;
  const tenant = storedText(conversation.tenantId);
  await transaction.run("SELECT kindgi_know_tenant($1)", tenant);
  const inserted = await transaction.run(
    `INSERT INTO agent_conversations
      (id, tenant_id, agent_id, agent_version, title, participant_id, project_id, scope, opened_at, metadata)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb, $9::text::timestamp with time zone, $10::text::jsonb)
      ON CONFLICT DO NOTHING RETURNING id`,
    storedText(conversation.id),
    tenant,
    storedText(conversation.agentId),
    storedText(conversation.agentVersion),
    conversation.title,
    participantId === undefined ? null : storedText(participantId),
    projectId === undefined ? null : storedText(projectId),
    JSON.stringify(wrap(conversation.scope)),
    conversation.openedAt,
    metadata === undefined ? null : JSON.stringify(wrap(metadata)),
  );
  return inserted.length > 0;
}

/** A conversation, locked against changes. */
export async function findConversation(
  transaction: Transaction,
  id: string,
): Promise<StoredConversation | undefined> {
  const [row] = await transaction.run<{ conversation: string }>(
    `SELECT kindgi_conversation(c)::text AS conversation FROM agent_conversations c
      WHERE c.{mine} AND c.id = $1 AND c.unregistered_at IS NULL FOR UPDATE`,
    storedText(id),
  );
  return row === undefined ? undefined : JSON.parse(row.conversation);
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
  /** Only those that come after this one. */
  readonly before?: ConversationPageCursor | undefined;
}

/** Conversations, the latest opened first, then by id downwards: as many as wanted of those that fit. */
export async function listedConversations(
  transaction: Transaction,
  wanted: ListedConversations,
  limit = Infinity,
  fits: (conversation: Conversation) => boolean = () => true,
): Promise<Conversation[]> {
  const { agentId, participantId, status } = wanted;
  let after: ConversationPageCursor | undefined = wanted.before;
  const found: Conversation[] = [];
  while (found.length < limit) {
    const rows: readonly { conversation: string }[] = await transaction.run(
      `SELECT kindgi_conversation(c)::text AS conversation FROM agent_conversations c
        WHERE c.{mine} AND c.unregistered_at IS NULL AND ($1::text IS NULL OR c.agent_id = $1)
          AND ($2::text IS NULL OR c.participant_id = $2)
          AND ($3::text IS NULL OR (c.closed_at IS NULL) = ($3 = 'open'))
          AND ($4::text IS NULL OR c.opened_at < $4::text::timestamp with time zone
            OR c.opened_at = $4::text::timestamp with time zone AND c.id COLLATE "C" < $5::text COLLATE "C")
        ORDER BY c.opened_at DESC, c.id COLLATE "C" DESC LIMIT ${AT_ONCE}`,
      agentId === undefined ? null : storedText(agentId),
      participantId === undefined ? null : storedText(participantId),
      status ?? null,
      after?.openedAt ?? null,
      after === undefined ? null : storedText(after.id),
    );
    for (const row of rows) {
      const conversation = loadedConversation(
        JSON.parse(row.conversation),
        wanted.tenantId,
      );
      after = conversation;
      if (found.length < limit && fits(conversation)) found.push(conversation);
    }
    if (rows.length < AT_ONCE) break;
  }
  return found;
}

/** Messages of a conversation by ascending sequence. */
export async function storedMessages(
  transaction: Transaction,
  { conversationId, sinceSequence = 0, beforeSequence, last, limit, runId }:
    ReadMessagesInput,
): Promise<ConversationMessage[]> {
  const values: Parameter[] = [
    storedText(conversationId),
    sinceSequence,
    beforeSequence ?? null,
    runId === undefined ? null : storedText(runId),
    last === undefined ? limit ?? null : Math.max(0, last),
  ];
  const rows = await transaction.run<
    { sequence: string; message: string; created: Timestamp }
  >(
    `SELECT sequence::text, message, kindgi_time(created_at) AS created FROM agent_messages
      WHERE {mine} AND conversation_id = $1 AND sequence > $2::text::bigint
        AND ($3::text IS NULL OR sequence < $3::text::bigint) AND ($4::text IS NULL OR run_id = $4)
      ORDER BY sequence ${
      last === undefined ? "" : "DESC"
    } LIMIT $5::text::bigint`,
    ...values.map((value) => typeof value === "number" ? `${value}` : value),
  );
  const messages = rows.map((row) =>
    loadedMessage([Number(row.sequence), row.message, row.created])
  );
  // The newest so many are read backwards.
  return last === undefined ? messages : messages.reverse().slice(0, limit);
}

/** Removes a conversation with its messages, snapshots, runs and approvals; `false` when there is none. */
export async function removeConversation(
  transaction: Transaction,
  id: string,
): Promise<boolean> {
  if (await findConversation(transaction, id) === undefined) return false;
  const name = storedText(id);
  const runs = await transaction.run<{ run_id: string }>(
    "SELECT run_id FROM agent_runs WHERE {mine} AND conversation_id = $1 ORDER BY position FOR UPDATE",
    name,
  );
  for (const { run_id } of runs) await removeRun(transaction, run_id);
  for (
    const table of ["agent_approvals", "agent_messages"]
  ) {
    await transaction.run(
      `DELETE FROM ${table} WHERE {mine} AND conversation_id = $1`,
      name,
    );
  }
  await transaction.run(
    `WITH gone AS (DELETE FROM agent_run_snapshots WHERE {mine} AND conversation_id = $1 RETURNING id)
      DELETE FROM agent_run_inputs WHERE {mine} AND run_id IN (SELECT id FROM gone)`,
    name,
  );
  await transaction.run(
    "DELETE FROM agent_conversations WHERE {mine} AND id = $1",
    name,
  );
  return true;
}

/** Removes a run with its journal, tokens, lease, approvals and snapshot, by its name in the database. */
export async function removeRun(
  transaction: Transaction,
  run: string,
): Promise<void> {
  for (
    const table of [
      "agent_approvals",
      "agent_run_inputs",
      "agent_run_entries",
      "agent_run_tokens",
      "agent_runs",
    ]
  ) {
    await transaction.run(
      `DELETE FROM ${table} WHERE {mine} AND run_id = $1`,
      run,
    );
  }
  await transaction.run(
    "DELETE FROM agent_run_snapshots WHERE {mine} AND id = $1",
    run,
  );
  for (const table of ["agent_lease_places", "agent_leases"]) {
    await transaction.run(
      `DELETE FROM ${table} WHERE {mine} AND key = 'run:' || $1`,
      run,
    );
  }
}
