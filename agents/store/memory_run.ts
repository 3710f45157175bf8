/**
 * One run in memory: its entries, and what they come to.
 *
 * @module
 */

import { frozenJson } from "../../base/frozen_json.ts";
import type { Timestamp } from "../agent/mod.ts";
import type {
  Appended,
  JournalEntry,
  JournalEntryKind,
  NewJournalEntry,
  NewRun,
  PendingWait,
  RunStatus,
  TokenOutcome,
} from "../flow/mod.ts";
import { frozen } from "./memory_clock.ts";

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

/** The last append that had a number: what repeating it is answered with. */
interface LastAppend {
  readonly epoch: number;
  readonly number: number;
  readonly appended: Appended;
  readonly parked: boolean;
}

const ENDS: ReadonlySet<JournalEntryKind> = new Set([
  "run.completed",
  "run.failed",
  "run.cancelled",
]);

/** A run. Times are the caller's, since they are the store's. */
export class MemoryRun {
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
  readonly #tokens = new Map<string, TokenOutcome>();
  readonly #open = new Set<string>();

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
    return this.#tokens.get(tokenId);
  }

  /** The waits that are open. */
  openTokens(): string[] {
    return [...this.#open];
  }

  /** Appends entries; answers tokens that they open and that were resolved before. */
  add(
    entries: readonly NewJournalEntry[],
    timestamp: Timestamp,
  ): TokenOutcome[] {
    const resolved: TokenOutcome[] = [];
    for (const entry of entries) {
      this.#entries.push({ entry, timestamp });
      this.#heed(entry.kind, entry.payload, timestamp, resolved);
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

  #heed(
    kind: JournalEntryKind,
    payload: string | undefined,
    timestamp: Timestamp,
    resolved: TokenOutcome[],
  ): void {
    switch (kind) {
      case "wait.suspended": {
        const { tokenId } = JSON.parse(payload!) as { tokenId: string };
        const outcome = this.#tokens.get(tokenId);
        if (outcome === undefined) this.#open.add(tokenId);
        else resolved.push(outcome);
        break;
      }
      case "wait.resumed": {
        const { tokenId, value } = JSON.parse(payload!);
        this.#resolve(frozen({ tokenId, kind: "completed", value }));
        return;
      }
      case "wait.cancelled": {
        const { tokenId, reason } = JSON.parse(payload!);
        this.#resolve(frozen({ tokenId, kind: "cancelled", reason }));
        return;
      }
      case "run.cancel-requested":
        this.cancelRequested = (JSON.parse(payload!) as { reason: string })
          .reason;
        return;
      case "run.suspended":
        this.status = "suspended";
        this.waitingOn = frozen(
          (JSON.parse(payload!) as { waitingOn: PendingWait[] }).waitingOn,
        );
        return;
    }
    // Whoever writes anything else advances the run.
    this.status = ENDS.has(kind)
      ? kind.slice("run.".length) as RunStatus
      : "running";
    if (ENDS.has(kind)) this.endedAt = timestamp;
    if (this.waitingOn.length > 0) this.waitingOn = [];
  }

  #resolve(outcome: TokenOutcome): void {
    this.#tokens.set(outcome.tokenId, outcome);
    this.#open.delete(outcome.tokenId);
  }
}
