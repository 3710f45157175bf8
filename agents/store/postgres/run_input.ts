/**
 * What goes to the database and comes back about runs.
 *
 * @module
 */

import type { Timestamp } from "../../agent/mod.ts";
import {
  type Appended,
  type JournalEntry,
  type JournalEntryKind,
  type NewJournalEntry,
  type PendingWait,
  runLeaseKey,
  type RunRecord,
  type RunStatus,
  type TokenOutcome,
} from "../../flow/mod.ts";
import { recordOf } from "../run_record.ts";
import { type RunState, takeIn } from "../run_state.ts";
import { loadedText, storedText } from "../stored_text.ts";

/** What the key of a run's lease begins with. */
export const RUN_LEASE: string = runLeaseKey("");

/** A run as the database tells it. */
export interface StoredRun {
  /** The `NewRun` as JSON. */
  readonly definition: string;
  /** Where it stands. */
  readonly status: RunStatus;
  /** Whether somebody advances it. */
  readonly executing: boolean;
  /** Whether a resume would take it further. */
  readonly resumable: boolean;
  /** Why it is to be cancelled. */
  readonly cancelRequested?: string;
  /** What it waits for, as JSON. */
  readonly waitingOn: string;
  /** When it was started. */
  readonly startedAt: Timestamp;
  /** When it ended. */
  readonly endedAt?: Timestamp;
  /** The sequence of its last entry. */
  readonly sequence: number;
}

/** What an append answers in the database: outcomes are JSON. */
export type StoredAppend = Omit<Appended, "resolved"> & {
  /** Tokens that had been resolved before. */
  readonly resolved?: readonly string[];
};

/** An entry as the database tells it: sequence, kind, node, payload, time. */
export type StoredEntry = readonly [
  number,
  JournalEntryKind,
  string | null,
  string | null,
  Timestamp,
];

/** A lease's key for the database: that of a run ends with how the run is called there. */
export function leaseName(key: string): string {
  return key.startsWith(RUN_LEASE)
    ? RUN_LEASE + storedText(key.slice(RUN_LEASE.length))
    : storedText(key);
}

/** A lease's key as its holder knows it. */
export function leaseKey(name: string): string {
  return name.startsWith(RUN_LEASE)
    ? RUN_LEASE + loadedText(name.slice(RUN_LEASE.length))
    : loadedText(name);
}

/** Entries for the database: kind, node, payload. */
export function storedEntries(
  entries: readonly NewJournalEntry[],
): readonly (readonly (string | null)[])[] {
  return entries.map(({ kind, nodeId, payload }) => [
    kind,
    nodeId === undefined ? null : storedText(nodeId),
    payload ?? null,
  ]);
}

/** Waits for the database. */
export function storedWaits(waits: readonly PendingWait[]): PendingWait[] {
  return waits.map((wait) => ({
    ...wait,
    runId: storedText(wait.runId),
    tokenId: storedText(wait.tokenId),
  } as PendingWait));
}

/** What entries come to, for the database, which doesn't read them. */
export function effectOf(
  entries: readonly NewJournalEntry[],
): Readonly<Record<string, unknown>> {
  const opens: (readonly [string, number])[] = [];
  const resolves: (readonly [string, string])[] = [];
  const untouched = "" as RunStatus;
  const state: RunState = {
    status: untouched,
    endedAt: undefined,
    cancelRequested: undefined,
    waitingOn: [],
  };
  for (const [index, entry] of entries.entries()) {
    takeIn(
      state,
      {
        outcome: () => undefined,
        opened: (tokenId) => opens.push([storedText(tokenId), index + 1]),
        resolved: (outcome) =>
          resolves.push([
            storedText(outcome.tokenId),
            JSON.stringify(outcome),
          ]),
      },
      entry,
      "now" as Timestamp,
    );
  }
  const { status, endedAt, cancelRequested, waitingOn } = state;
  return {
    ...(status === untouched ? {} : { status }),
    ...(waitingOn.length === 0
      ? {}
      : { waitingOn: JSON.stringify(storedWaits(waitingOn)) }),
    ...(endedAt === undefined ? {} : { ends: true }),
    ...(cancelRequested === undefined
      ? {}
      : { cancelRequested: storedText(cancelRequested) }),
    ...(opens.length === 0 ? {} : { opens }),
    ...(resolves.length === 0 ? {} : { resolves }),
  };
}

/** A run as it is listed. */
export function loadedRun(stored: StoredRun): RunRecord {
  const { definition, waitingOn, cancelRequested, executing } = stored;
  const record = recordOf(
    {
      run: JSON.parse(definition),
      status: stored.status,
      endedAt: stored.endedAt,
      cancelRequested: cancelRequested === undefined
        ? undefined
        : loadedText(cancelRequested),
      waitingOn: (JSON.parse(waitingOn) as PendingWait[]).map((wait) => ({
        ...wait,
        runId: loadedText(wait.runId) as PendingWait["runId"],
        tokenId: loadedText(wait.tokenId),
      })),
      startedAt: stored.startedAt,
      sequence: stored.sequence,
    },
    executing,
    () => false,
  );
  return { ...record, resumable: stored.resumable };
}

/** An entry as it is read. */
export function loadedEntry(
  [sequence, kind, nodeId, payload, timestamp]: StoredEntry,
): JournalEntry {
  return {
    sequence,
    kind,
    ...(nodeId === null ? {} : { nodeId: loadedText(nodeId) }),
    ...(payload === null ? {} : { payload: JSON.parse(payload) }),
    timestamp,
  };
}

/** How a token was resolved. */
export function loadedOutcome(stored: string): TokenOutcome {
  const outcome: TokenOutcome = JSON.parse(stored);
  return { ...outcome, tokenId: loadedText(outcome.tokenId) };
}

/** What an append is answered. */
export function loadedAppend(
  { resolved, cancelRequested, ...rest }: StoredAppend,
): Appended {
  return {
    ...rest,
    ...(cancelRequested === undefined
      ? {}
      : { cancelRequested: loadedText(cancelRequested) }),
    ...(resolved === undefined
      ? {}
      : { resolved: resolved.map(loadedOutcome) }),
  };
}
