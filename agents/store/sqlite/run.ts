/**
 * One run in SQLite, as it stands within a transaction.
 *
 * @module
 */

import type { Timestamp } from "../../agent/mod.ts";
import type {
  JournalEntry,
  JournalEntryKind,
  NewJournalEntry,
  NewRun,
  PendingWait,
  RunStatus,
  TokenOutcome,
} from "../../flow/mod.ts";
import type { KeptRun, LastAppend } from "../run_record.ts";
import { type RunState, type RunTokens, takeIn } from "../run_state.ts";
import type { SqliteDatabase } from "./database.ts";
import { loadedText } from "../stored_text.ts";

/** A row of `agent_runs`. */
export interface RunRow {
  /** Its place among all runs. */
  readonly position: number;
  /** The `NewRun` as JSON. */
  readonly definition: string;
  /** Who started it. */
  readonly starter: string;
  /** Where it stands. */
  readonly status: RunStatus;
  /** The sequence of its last entry. */
  readonly sequence: number;
  /** Why it is to be cancelled. */
  readonly cancel_requested: string | null;
  /** What it waits for, as JSON. */
  readonly waiting_on: string;
  /** The `LastAppend` as JSON. */
  readonly last_append: string | null;
  /** When it was started. */
  readonly started_at: Timestamp;
  /** When it ended. */
  readonly ended_at: Timestamp | null;
}

/** The columns of a {@link RunRow}. */
export const RUN_COLUMNS =
  "position, definition, starter, status, sequence, cancel_requested, waiting_on, last_append, started_at, ended_at";

/** How many entries one statement inserts: calls into SQLite cost more than what they do. */
const AT_ONCE = 16;

/** The statement that inserts so many entries. */
const INSERTS = Array.from(
  { length: AT_ONCE },
  (_, index) =>
    `INSERT INTO agent_run_entries (run, sequence, kind, node_id, payload, recorded_at) VALUES ${
      Array(index + 1).fill("(?, ?, ?, ?, ?, ?)").join(", ")
    }`,
);

interface EntryRow {
  readonly sequence: number;
  readonly kind: JournalEntryKind;
  readonly node_id: string | null;
  readonly payload: string | null;
  readonly recorded_at: Timestamp;
}

/** A run. Its changes are stored by {@link SqliteRun.save}; its entries and tokens at once. */
export class SqliteRun implements KeptRun, RunState, RunTokens {
  /** Who started it. */
  readonly starter: string;
  /** When it was started. */
  readonly startedAt: Timestamp;
  /** Where it stands. */
  status: RunStatus;
  /** When it ended. */
  endedAt: Timestamp | undefined;
  /** Why it is to be cancelled. */
  cancelRequested: string | undefined;
  /** What it waits for while it is suspended. */
  waitingOn: readonly PendingWait[];
  /** The last append that had a number. */
  last: LastAppend | undefined;
  /** The sequence of its last entry. */
  sequence: number;
  readonly #sql: SqliteDatabase;
  readonly #position: number;
  readonly #definition: string;

  /** The run that a row tells. */
  constructor(sql: SqliteDatabase, row: RunRow) {
    this.#sql = sql;
    this.#position = row.position;
    this.#definition = row.definition;
    this.starter = loadedText(row.starter);
    this.startedAt = row.started_at;
    this.status = row.status;
    this.endedAt = row.ended_at ?? undefined;
    this.cancelRequested = row.cancel_requested === null
      ? undefined
      : loadedText(row.cancel_requested);
    this.waitingOn = row.waiting_on === "[]" ? [] : JSON.parse(row.waiting_on);
    this.last = row.last_append === null
      ? undefined
      : JSON.parse(row.last_append);
    this.sequence = row.sequence;
  }

  /** What it was started as. */
  get run(): NewRun {
    return JSON.parse(this.#definition);
  }

  /** How a token was resolved. */
  outcome(tokenId: string): TokenOutcome | undefined {
    const row = this.#sql.get<{ outcome: string | null }>(
      "SELECT outcome FROM agent_run_tokens WHERE run = ? AND token_id = ?",
      this.#position,
      tokenId,
    );
    return typeof row?.outcome === "string"
      ? JSON.parse(row.outcome)
      : undefined;
  }

  /** Opens a wait; one that is open already keeps its place. */
  opened(tokenId: string): void {
    this.#sql.run(
      `INSERT INTO agent_run_tokens (run, token_id, opened_by) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET opened_by = coalesce(opened_by, excluded.opened_by)`,
      this.#position,
      tokenId,
      this.sequence,
    );
  }

  /** Notes how a token was resolved. */
  resolved(outcome: TokenOutcome): void {
    this.#sql.run(
      `INSERT INTO agent_run_tokens (run, token_id, outcome) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET outcome = excluded.outcome`,
      this.#position,
      outcome.tokenId,
      JSON.stringify(outcome),
    );
  }

  /** The waits that are open, in the order in which they were opened. */
  openTokens(): string[] {
    return this.#sql.all<{ token_id: string }>(
      `SELECT token_id FROM agent_run_tokens
        WHERE run = ? AND opened_by IS NOT NULL AND outcome IS NULL ORDER BY opened_by`,
      this.#position,
    ).map((row) => loadedText(row.token_id));
  }

  /** Appends entries; answers tokens that they open and that were resolved before. */
  add(
    entries: readonly NewJournalEntry[],
    timestamp: Timestamp,
  ): TokenOutcome[] {
    const first = this.sequence + 1;
    for (let at = 0; at < entries.length; at += AT_ONCE) {
      const some = entries.slice(at, at + AT_ONCE);
      this.#sql.run(
        INSERTS[some.length - 1]!,
        ...some.flatMap(({ kind, nodeId, payload }, index) => [
          this.#position,
          first + at + index,
          kind,
          nodeId,
          payload,
          timestamp,
        ]),
      );
    }
    const resolved: TokenOutcome[] = [];
    for (const entry of entries) {
      this.sequence += 1;
      const before = takeIn(this, this, entry, timestamp);
      if (before !== undefined) resolved.push(before);
    }
    return resolved;
  }

  /** Stores where it stands. */
  save(): void {
    this.#sql.run(
      `UPDATE agent_runs SET status = ?, sequence = ?, cancel_requested = ?, waiting_on = ?, last_append = ?, ended_at = ?
        WHERE position = ?`,
      this.status,
      this.sequence,
      this.cancelRequested,
      this.waitingOn.length === 0 ? "[]" : JSON.stringify(this.waitingOn),
      this.last === undefined ? undefined : JSON.stringify(this.last),
      this.endedAt,
      this.#position,
    );
  }

  /** Its entries in order. */
  read(): JournalEntry[] {
    return this.#sql.all<EntryRow>(
      `SELECT sequence, kind, node_id, payload, recorded_at FROM agent_run_entries
        WHERE run = ? ORDER BY sequence`,
      this.#position,
    ).map(({ sequence, kind, node_id, payload, recorded_at }) => ({
      sequence,
      kind,
      ...(node_id === null ? {} : { nodeId: loadedText(node_id) }),
      ...(payload === null ? {} : { payload: JSON.parse(loadedText(payload)) }),
      timestamp: recorded_at,
    }));
  }
}
