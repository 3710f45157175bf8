/**
 * One run in memory: its entries, and what they come to.
 *
 * @module
 */

import { frozenJson } from "../../base/frozen_json.ts";
import type { Timestamp } from "../agent/mod.ts";
import type {
  JournalEntry,
  NewJournalEntry,
  NewRun,
  PendingWait,
  RunStatus,
  TokenOutcome,
} from "../flow/mod.ts";
import type { LastAppend } from "./run_record.ts";
import { type RunState, type RunTokens, takeIn } from "./run_state.ts";

interface StoredEntry {
  readonly entry: NewJournalEntry;
  readonly timestamp: Timestamp;
}

/** What is saved of a run. */
export interface SavedRun {
  /** The run. */
  readonly run: NewRun;
  /** Who started it. */
  readonly starter: string;
  /** When. */
  readonly startedAt: Timestamp;
  /** Its entries, payloads as text. */
  readonly entries: readonly StoredEntry[];
  /** The last append that had a number. */
  readonly last: LastAppend | undefined;
}

/** A run. Times are the caller's, since they are the store's. */
export class MemoryRun implements RunState, RunTokens {
  /** What it was started as. */
  readonly run: NewRun;
  /** Who started it. */
  readonly starter: string;
  /** When it was started. */
  readonly startedAt: Timestamp;
  /** Where it stands. */
  status: RunStatus = "running";
  /** When it ended. */
  endedAt: Timestamp | undefined;
  /** Why it is to be cancelled. */
  cancelRequested: string | undefined;
  /** What it waits for while it is suspended. */
  waitingOn: readonly PendingWait[] = [];
  /** The last append that had a number. */
  last: LastAppend | undefined;
  readonly #entries: StoredEntry[] = [];
  // Made once there is something to keep: most runs never wait.
  #tokens: Map<string, TokenOutcome> | undefined;
  #open: Set<string> | undefined;

  /** A run without entries. */
  constructor(run: NewRun, starter: string, startedAt: Timestamp) {
    this.run = frozenJson(run) as NewRun;
    this.starter = starter;
    this.startedAt = startedAt;
  }

  /** Takes over what was saved. */
  static from({ run, starter, startedAt, entries, last }: SavedRun): MemoryRun {
    const restored = new MemoryRun(run, starter, startedAt);
    for (const { entry, timestamp } of entries) {
      restored.add([entry], timestamp);
    }
    restored.last = last;
    return restored;
  }

  /** What there is to save: plain JSON. */
  save(): SavedRun {
    const { run, starter, startedAt, last } = this;
    return { run, starter, startedAt, entries: [...this.#entries], last };
  }

  /** The sequence of the last entry. */
  get sequence(): number {
    return this.#entries.length;
  }

  /** How a token was resolved. */
  outcome(tokenId: string): TokenOutcome | undefined {
    return this.#tokens?.get(tokenId);
  }

  /** A wait for a token was opened. */
  opened(tokenId: string): void {
    (this.#open ??= new Set()).add(tokenId);
  }

  /** A token was resolved. */
  resolved(outcome: TokenOutcome): void {
    (this.#tokens ??= new Map()).set(outcome.tokenId, outcome);
    this.#open?.delete(outcome.tokenId);
  }

  /** The waits that are open. */
  openTokens(): string[] {
    return [...this.#open ?? []];
  }

  /** Appends entries; answers tokens that they open and that were resolved before. */
  add(
    entries: readonly NewJournalEntry[],
    timestamp: Timestamp,
  ): TokenOutcome[] {
    const resolved: TokenOutcome[] = [];
    for (const entry of entries) {
      this.#entries.push({ entry, timestamp });
      const before = takeIn(this, this, entry, timestamp);
      if (before !== undefined) resolved.push(before);
    }
    return resolved;
  }

  /** The entries in order: copies of the reader's own. */
  read(): JournalEntry[] {
    return this.#entries.map(({ entry, timestamp }, index) => {
      const { kind, nodeId, payload } = entry;
      return {
        sequence: index + 1,
        kind,
        ...(nodeId === undefined ? {} : { nodeId }),
        ...(payload === undefined ? {} : { payload: JSON.parse(payload) }),
        timestamp,
      };
    });
  }
}
