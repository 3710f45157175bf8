/**
 * The agents' two tables that hosts join with their own, as Drizzle table objects, with the types of their rows.
 *
 * They describe what the migrations make; nothing here reads or writes. Documents in JSON columns stand in envelopes, as
 * `wrap` and `unwrap` of `./agents` have them.
 *
 * @module
 */

import { sql } from "drizzle-orm";
import {
  index,
  integer,
  jsonb,
  type PgColumn,
  pgTable,
  type PgTableWithColumns,
  primaryKey,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import type { AgentDocument } from "./drizzle_rows.ts";

export type {
  AgentConversationRow,
  AgentDocument,
  AgentRunSnapshotRow,
  NewAgentConversationRow,
  NewAgentRunSnapshotRow,
} from "./drizzle_rows.ts";
export type { Envelope } from "./envelope.ts";

/** What Drizzle knows of the columns' types. */
export interface AgentColumnTypes {
  /** `text`. */
  readonly text: ["string", "PgText", string, [string, ...string[]]];
  /** `integer`. */
  readonly integer: ["number", "PgInteger", number | string, undefined];
  /** `jsonb`. */
  readonly jsonb: ["json", "PgJsonb", unknown, undefined];
  /** `timestamp with time zone`. */
  readonly timestamp: ["date", "PgTimestamp", string, undefined];
}

/**
 * A column of the agents' tables.
 *
 * @internal Made of Drizzle's own types.
 */
export type AgentColumn<
  Table extends string,
  Name extends string,
  Type extends keyof AgentColumnTypes,
  Data,
  NotNull extends boolean = false,
  HasDefault extends boolean = false,
> = PgColumn<{
  name: Name;
  tableName: Table;
  dataType: AgentColumnTypes[Type][0];
  columnType: AgentColumnTypes[Type][1];
  data: Data;
  driverParam: AgentColumnTypes[Type][2];
  notNull: NotNull;
  hasDefault: HasDefault;
  isPrimaryKey: false;
  isAutoincrement: false;
  hasRuntimeDefault: false;
  enumValues: AgentColumnTypes[Type][3];
  baseColumn: never;
  identity: undefined;
  generated: undefined;
}>;

/** A text column that is always filled. */
export type AgentText<Table extends string, Name extends string> = AgentColumn<
  Table,
  Name,
  "text",
  string,
  true
>;

/**
 * The table `agent_conversations`.
 *
 * @internal Made of Drizzle's own types.
 */
export type AgentConversationsTable = PgTableWithColumns<{
  name: "agent_conversations";
  schema: undefined;
  dialect: "pg";
  columns: {
    id: AgentColumn<"agent_conversations", "id", "text", string, true, true>;
    tenantId: AgentText<"agent_conversations", "tenant_id">;
    agentId: AgentText<"agent_conversations", "agent_id">;
    agentVersion: AgentText<"agent_conversations", "agent_version">;
    title: AgentText<"agent_conversations", "title">;
    participantId: AgentColumn<
      "agent_conversations",
      "participant_id",
      "text",
      string
    >;
    projectId: AgentColumn<
      "agent_conversations",
      "project_id",
      "text",
      string
    >;
    scope: AgentColumn<
      "agent_conversations",
      "scope",
      "jsonb",
      AgentDocument,
      true
    >;
    openedAt: AgentColumn<
      "agent_conversations",
      "opened_at",
      "timestamp",
      Date,
      true,
      true
    >;
    closedAt: AgentColumn<
      "agent_conversations",
      "closed_at",
      "timestamp",
      Date
    >;
    unregisteredAt: AgentColumn<
      "agent_conversations",
      "unregistered_at",
      "timestamp",
      Date
    >;
    turnCount: AgentColumn<
      "agent_conversations",
      "turn_count",
      "integer",
      number,
      true,
      true
    >;
    lastMessageAt: AgentColumn<
      "agent_conversations",
      "last_message_at",
      "timestamp",
      Date
    >;
    metadata: AgentColumn<
      "agent_conversations",
      "metadata",
      "jsonb",
      AgentDocument
    >;
  };
}>;

/**
 * The table `agent_run_snapshots`.
 *
 * @internal Made of Drizzle's own types.
 */
export type AgentRunSnapshotsTable = PgTableWithColumns<{
  name: "agent_run_snapshots";
  schema: undefined;
  dialect: "pg";
  columns: {
    id: AgentText<"agent_run_snapshots", "id">;
    tenantId: AgentText<"agent_run_snapshots", "tenant_id">;
    projectId: AgentText<"agent_run_snapshots", "project_id">;
    conversationId: AgentText<"agent_run_snapshots", "conversation_id">;
    agentId: AgentText<"agent_run_snapshots", "agent_id">;
    agentVersion: AgentText<"agent_run_snapshots", "agent_version">;
    userMessage: AgentText<"agent_run_snapshots", "user_message">;
    parameters: AgentColumn<
      "agent_run_snapshots",
      "parameters",
      "jsonb",
      AgentDocument
    >;
    input: AgentColumn<
      "agent_run_snapshots",
      "input",
      "jsonb",
      AgentDocument
    >;
    participantId: AgentColumn<
      "agent_run_snapshots",
      "participant_id",
      "text",
      string
    >;
    dryRun: AgentColumn<
      "agent_run_snapshots",
      "dry_run",
      "integer",
      number,
      true,
      true
    >;
    principal: AgentColumn<
      "agent_run_snapshots",
      "principal",
      "jsonb",
      AgentDocument
    >;
    authz: AgentColumn<"agent_run_snapshots", "authz", "jsonb", unknown>;
    replay: AgentColumn<"agent_run_snapshots", "replay", "jsonb", unknown>;
    createdAt: AgentColumn<
      "agent_run_snapshots",
      "created_at",
      "timestamp",
      Date,
      true,
      true
    >;
  };
}>;

const moment = (name: string) => timestamp(name, { withTimezone: true });

/** Conversations (`spec/agents_define.md` 15). */
export const agentConversations: AgentConversationsTable = pgTable(
  "agent_conversations",
  {
    id: text("id").default(sql`gen_random_uuid()::text`).notNull(),
    tenantId: text("tenant_id").notNull(),
    agentId: text("agent_id").notNull(),
    agentVersion: text("agent_version").notNull(),
    title: text("title").notNull(),
    participantId: text("participant_id"),
    projectId: text("project_id"),
    scope: jsonb("scope").$type<AgentDocument>().notNull(),
    openedAt: moment("opened_at").defaultNow().notNull(),
    closedAt: moment("closed_at"),
    unregisteredAt: moment("unregistered_at"),
    turnCount: integer("turn_count").default(0).notNull(),
    lastMessageAt: moment("last_message_at"),
    metadata: jsonb("metadata").$type<AgentDocument>(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    index("agent_conversations_tenant_agent_idx")
      .on(table.tenantId, table.agentId),
    index("agent_conversations_tenant_participant_idx")
      .on(table.tenantId, table.participantId),
    index("agent_conversations_open_recent_idx")
      .on(table.tenantId, table.lastMessageAt.desc().nullsLast())
      .where(sql`${table.closedAt} IS NULL`),
    index("agent_conversations_tenant_project_opened_idx")
      .on(table.tenantId, table.projectId, table.openedAt.desc().nullsLast())
      .where(sql`${table.projectId} IS NOT NULL`),
  ],
) as unknown as AgentConversationsTable;

/** Run snapshots (`spec/agents_define.md` 15). */
export const agentRunSnapshots: AgentRunSnapshotsTable = pgTable(
  "agent_run_snapshots",
  {
    id: text("id").notNull(),
    tenantId: text("tenant_id").notNull(),
    projectId: text("project_id").notNull(),
    conversationId: text("conversation_id").notNull(),
    agentId: text("agent_id").notNull(),
    agentVersion: text("agent_version").notNull(),
    userMessage: text("user_message").notNull(),
    parameters: jsonb("parameters").$type<AgentDocument>(),
    input: jsonb("input").$type<AgentDocument>(),
    participantId: text("participant_id"),
    dryRun: integer("dry_run").default(0).notNull(),
    principal: jsonb("principal").$type<AgentDocument>(),
    authz: jsonb("authz"),
    replay: jsonb("replay"),
    createdAt: moment("created_at").defaultNow().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    index("agent_run_snapshots_tenant_idx").on(table.tenantId),
  ],
) as unknown as AgentRunSnapshotsTable;
