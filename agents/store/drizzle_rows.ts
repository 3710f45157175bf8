/**
 * Rows of the agents' two tables, as Drizzle reads and inserts them.
 *
 * @module
 */

import type { Envelope } from "./envelope.ts";

/** A document in a JSON column. */
export type AgentDocument = Envelope<unknown>;

/** A conversation's row as it is read. */
export interface AgentConversationRow {
  /** The id, unique within the tenant. */
  id: string;
  /** Whose it is. */
  tenantId: string;
  /** The agent. */
  agentId: string;
  /** The agent's version. */
  agentVersion: string;
  /** What people call it. */
  title: string;
  /** The end user. */
  participantId: string | null;
  /** The project. */
  projectId: string | null;
  /** What it belongs to. */
  scope: AgentDocument;
  /** When it was opened. */
  openedAt: Date;
  /** When it was closed. */
  closedAt: Date | null;
  /** When it was withdrawn from every read. */
  unregisteredAt: Date | null;
  /** Turns completed. */
  turnCount: number;
  /** When its last message was stored. */
  lastMessageAt: Date | null;
  /** What the host keeps with it. */
  metadata: AgentDocument | null;
}

/** A conversation's row as it is inserted; what has a default may be left out. */
export interface NewAgentConversationRow {
  /** The id, unique within the tenant. */
  id?: string | undefined;
  /** Whose it is. */
  tenantId: string;
  /** The agent. */
  agentId: string;
  /** The agent's version. */
  agentVersion: string;
  /** What people call it. */
  title: string;
  /** The end user. */
  participantId?: string | null | undefined;
  /** The project. */
  projectId?: string | null | undefined;
  /** What it belongs to. */
  scope: AgentDocument;
  /** When it was opened. */
  openedAt?: Date | undefined;
  /** When it was closed. */
  closedAt?: Date | null | undefined;
  /** When it was withdrawn from every read. */
  unregisteredAt?: Date | null | undefined;
  /** Turns completed. */
  turnCount?: number | undefined;
  /** When its last message was stored. */
  lastMessageAt?: Date | null | undefined;
  /** What the host keeps with it. */
  metadata?: AgentDocument | null | undefined;
}

/** A snapshot's row as it is read. */
export interface AgentRunSnapshotRow {
  /** The run. */
  id: string;
  /** Whose run it is. */
  tenantId: string;
  /** The project. */
  projectId: string;
  /** The conversation. */
  conversationId: string;
  /** The agent. */
  agentId: string;
  /** The agent's version. */
  agentVersion: string;
  /** The user's message. */
  userMessage: string;
  /** The template's parameters. */
  parameters: AgentDocument | null;
  /** The structured input. */
  input: AgentDocument | null;
  /** The end user. */
  participantId: string | null;
  /** 1 for a dry run, else 0. */
  dryRun: number;
  /** Whom the turn acts for. */
  principal: AgentDocument | null;
  /** How that principal is authorised. */
  authz: unknown;
  /** What it replays. */
  replay: unknown;
  /** When it was written. */
  createdAt: Date;
}

/** A snapshot's row as it is inserted; what has a default may be left out. */
export interface NewAgentRunSnapshotRow {
  /** The run. */
  id: string;
  /** Whose run it is. */
  tenantId: string;
  /** The project. */
  projectId: string;
  /** The conversation. */
  conversationId: string;
  /** The agent. */
  agentId: string;
  /** The agent's version. */
  agentVersion: string;
  /** The user's message. */
  userMessage: string;
  /** The template's parameters. */
  parameters?: AgentDocument | null | undefined;
  /** The structured input. */
  input?: AgentDocument | null | undefined;
  /** The end user. */
  participantId?: string | null | undefined;
  /** 1 for a dry run, else 0. */
  dryRun?: number | undefined;
  /** Whom the turn acts for. */
  principal?: AgentDocument | null | undefined;
  /** How that principal is authorised. */
  authz?: unknown;
  /** What it replays. */
  replay?: unknown;
  /** When it was written. */
  createdAt?: Date | undefined;
}
