/**
 * What a turn was started with, kept for whoever resumes its run (`spec/agents_turn.md` 20.2).
 *
 * @module
 */

import type { Result } from "../../base/result.ts";
import type { PersistenceError, Timestamp } from "../agent/mod.ts";

/** A snapshot to write. */
export interface RunSnapshotWriteInput {
  /** The run. */
  readonly runId: string;
  /** Whose run. */
  readonly tenantId: string;
  /** The project. */
  readonly projectId: string;
  /** The project's organisation. */
  readonly orgId?: string;
  /** The agent. */
  readonly agentId: string;
  /** The agent's version. */
  readonly agentVersion: string;
  /** The conversation. */
  readonly conversationId: string;
  /** The user's message. */
  readonly userMessage: string;
  /** The template's parameters; they come back as they are. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** The structured input; it comes back as it is. */
  readonly input?: unknown;
  /** The end user. */
  readonly participantId?: string;
  /** Whether it is a dry run. */
  readonly dryRun?: boolean;
  /** Whom the turn acts for; it comes back as it is. */
  readonly principal?: unknown;
  /** How that principal is authorised; it comes back as it is. */
  readonly authz?: unknown;
}

/** A snapshot as it is read. Absent optionals are absent keys. */
export interface RunSnapshotRecord extends RunSnapshotWriteInput {
  /** Whether it is a dry run. */
  readonly dryRun: boolean;
  /** When it was written. */
  readonly createdAt: Timestamp;
}

/** Keeps run snapshots. */
export interface RunSnapshotBinding {
  /** Writes a snapshot: the first write of a run counts, later ones change nothing. */
  write(
    input: RunSnapshotWriteInput,
  ): Promise<Result<void, PersistenceError>>;
  /** A run's snapshot; `null` for an unknown run or another tenant's. */
  read(
    tenantId: string,
    runId: string,
  ): Promise<Result<RunSnapshotRecord | null, PersistenceError>>;
}
