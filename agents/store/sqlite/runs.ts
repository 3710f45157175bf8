/**
 * Runs in SQLite: what the journal, conversations and approvals do to them within a transaction.
 *
 * @module
 */

import type { Timestamp } from "../../agent/mod.ts";
import {
  type ListRunsInput,
  type NewRun,
  type PendingWait,
  runLeaseKey,
  type RunRecord,
  type TokenOutcome,
} from "../../flow/mod.ts";
import { cancelEntries, resolutionEntry } from "../journal_entries.ts";
import { recordOf } from "../run_record.ts";
import type { SqliteDatabase, Value } from "./database.ts";
import type { SqliteLeases } from "./leases.ts";
import { RUN_COLUMNS, type RunRow, SqliteRun } from "./run.ts";
import { loadedText } from "../stored_text.ts";

/**
 * Leaves out what certainly isn't resumable: ended runs, and parked ones whose every wait is found and open. Many turns may
 * be parked for days, and whoever looks for work looks often.
 */
const MAY_BE_RESUMABLE = ` AND ended_at IS NULL AND (
    status <> 'suspended' OR cancel_requested IS NOT NULL OR EXISTS (
      SELECT 1 FROM json_each(agent_runs.waiting_on) AS wait WHERE NOT EXISTS (
        SELECT 1 FROM agent_runs AS waited JOIN agent_run_tokens AS token ON token.run = waited.position
          WHERE waited.tenant_id = agent_runs.tenant_id AND waited.run_id = wait.value ->> 'runId'
            AND waited.ended_at IS NULL AND waited.cancel_requested IS NULL
            AND token.token_id = wait.value ->> 'tokenId' AND token.outcome IS NULL
      )
    )
  )`;

/** Runs of all tenants. */
export class SqliteRuns {
  readonly #sql: SqliteDatabase;
  readonly #leases: SqliteLeases;

  /** Keeps its runs in a database, and their leases beside them. */
  constructor(sql: SqliteDatabase, leases: SqliteLeases) {
    this.#sql = sql;
    this.#leases = leases;
  }

  /** A run by its id. */
  find(tenantId: string, runId: string): SqliteRun | undefined {
    const row = this.#sql.get<RunRow>(
      `SELECT ${RUN_COLUMNS} FROM agent_runs WHERE tenant_id = ? AND run_id = ?`,
      tenantId,
      runId,
    );
    return row === undefined ? undefined : new SqliteRun(this.#sql, row);
  }

  /** The run that an id or start key stands for already. */
  existing({ tenantId, runId, startKey }: NewRun): SqliteRun | undefined {
    const known = this.find(tenantId, runId);
    if (known !== undefined || startKey === undefined) return known;
    const row = this.#sql.get<RunRow>(
      `SELECT ${RUN_COLUMNS} FROM agent_runs WHERE tenant_id = ? AND start_key = ?`,
      tenantId,
      startKey,
    );
    return row === undefined ? undefined : new SqliteRun(this.#sql, row);
  }

  /** Adds a run without entries. */
  add(run: NewRun, starter: string, startedAt: Timestamp): SqliteRun {
    const { tenantId, runId, startKey, agent, parent } = run;
    const definition = JSON.stringify(run);
    this.#sql.know(tenantId);
    const { position } = this.#sql.run(
      `INSERT INTO agent_runs
        (tenant_id, run_id, start_key, conversation_id, parent_run_id, definition, starter, status, sequence, started_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, 'running', 0, ?)`,
      tenantId,
      runId,
      startKey,
      agent?.conversationId,
      parent?.runId,
      definition,
      starter,
      startedAt,
    );
    return new SqliteRun(this.#sql, {
      position,
      definition,
      starter,
      status: "running",
      sequence: 0,
      cancel_requested: null,
      waiting_on: "[]",
      last_append: null,
      started_at: startedAt,
      ended_at: null,
    });
  }

  /** Removes a run and what belongs to it alone. */
  remove(tenantId: string, runId: string): void {
    const { changes } = this.#sql.run(
      "DELETE FROM agent_runs WHERE tenant_id = ? AND run_id = ?",
      tenantId,
      runId,
    );
    if (changes > 0) this.#leases.forget(tenantId, runLeaseKey(runId));
  }

  /** A run as it is listed. */
  record(stored: SqliteRun): RunRecord {
    const { run } = stored;
    const { tenantId, runId } = run;
    const isHeld = stored.endedAt === undefined &&
      this.#leases.isHeld(tenantId, runLeaseKey(runId));
    return recordOf(
      { ...known(stored), run },
      isHeld,
      (wait) => this.isOver(tenantId, wait),
    );
  }

  /** Runs as they are listed, the latest started first. */
  list(input: ListRunsInput & { readonly limit: number }): RunRecord[] {
    const { tenantId, status, conversationId, parentRunId, resumable } = input;
    let conditions = "tenant_id = ?";
    const values: Value[] = [tenantId];
    if (status !== undefined) {
      conditions += " AND status = ?";
      values.push(status);
    }
    if (conversationId !== undefined) {
      conditions += " AND conversation_id = ?";
      values.push(conversationId);
    }
    if (parentRunId !== undefined) {
      conditions += " AND parent_run_id = ?";
      values.push(parentRunId);
    }
    if (resumable === true) conditions += MAY_BE_RESUMABLE;
    const rows = this.#sql.each<RunRow>(
      `SELECT ${RUN_COLUMNS} FROM agent_runs WHERE ${conditions} ORDER BY position DESC`,
      ...values,
    );
    const found: RunRecord[] = [];
    if (input.limit <= 0) return found;
    for (const row of rows) {
      const record = this.record(new SqliteRun(this.#sql, row));
      if (resumable !== undefined && record.resumable !== resumable) continue;
      found.push(record);
      if (found.length >= input.limit) break;
    }
    return found;
  }

  /** Whether a wait is over: its token was resolved, or its run is. */
  isOver(tenantId: string, { runId, tokenId }: PendingWait): boolean {
    const row = this.#sql.get<{ over: number }>(
      `SELECT ended_at IS NOT NULL OR cancel_requested IS NOT NULL OR EXISTS (
          SELECT 1 FROM agent_run_tokens WHERE run = position AND token_id = ? AND outcome IS NOT NULL
        ) AS over FROM agent_runs WHERE tenant_id = ? AND run_id = ?`,
      tokenId,
      tenantId,
      runId,
    );
    return row === undefined || row.over === 1;
  }

  /** Why a run is to be cancelled, if it is. */
  cancelRequested(tenantId: string, runId: string): string | undefined {
    const row = this.#sql.get<{ cancel_requested: string | null }>(
      "SELECT cancel_requested FROM agent_runs WHERE tenant_id = ? AND run_id = ?",
      tenantId,
      runId,
    );
    return typeof row?.cancel_requested === "string"
      ? loadedText(row.cancel_requested)
      : undefined;
  }

  /** Resolves a token of a run that hasn't ended; `false` when it was resolved before. */
  resolve(run: SqliteRun, outcome: TokenOutcome): boolean {
    if (run.outcome(outcome.tokenId) !== undefined) return false;
    run.add([resolutionEntry(outcome)], this.#sql.clock.timestamp());
    run.save();
    return true;
  }

  /** Cancels every open wait of a conversation's runs. */
  cancelWaits(tenantId: string, conversationId: string, reason: string): void {
    const rows = this.#sql.all<RunRow>(
      `SELECT ${RUN_COLUMNS} FROM agent_runs
        WHERE tenant_id = ? AND conversation_id = ? AND ended_at IS NULL ORDER BY position`,
      tenantId,
      conversationId,
    );
    for (const row of rows) {
      const run = new SqliteRun(this.#sql, row);
      const entries = cancelEntries(run.openTokens(), reason);
      if (entries.length === 0) continue;
      run.add(entries, this.#sql.clock.timestamp());
      run.save();
    }
  }
}

/** What a record is made of. */
function known(
  { status, endedAt, cancelRequested, waitingOn, startedAt, sequence }:
    SqliteRun,
) {
  return { status, endedAt, cancelRequested, waitingOn, startedAt, sequence };
}
