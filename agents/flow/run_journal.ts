/**
 * Where runs are kept: journals, the leases under which they are written, and the tokens that runs wait for
 * (`spec/durability.md`). Implemented by stores, used by the run binding.
 *
 * @module
 */

import type { Result } from "../../base/result.ts";
import type { Timestamp } from "../agent/mod.ts";
import type { JournalEntry, NewJournalEntry } from "./journal_entry.ts";
import type { JournalError } from "./journal_error.ts";
import type { HeldLease, LeaseFence, WaitingLease } from "./lease.ts";
import type {
  NewRun,
  PendingWait,
  RunRecord,
  RunStatus,
} from "./run_record.ts";

/** Starts a run: creates it, takes its lease and writes its first entries, all in one step. */
export interface StartRunInput {
  /** The run. */
  readonly run: NewRun;
  /** Who holds its lease (`runLeaseKey`). */
  readonly holder: string;
  /** For how long, in milliseconds. */
  readonly ttlMs: number;
  /** The first entries, `run.started` before all others; not empty. */
  readonly entries: readonly NewJournalEntry[];
  /** A second lease that has to be held as well. */
  readonly within?: LeaseFence;
}

/** What became of a start. */
export type StartedRun =
  | {
    /** The run was started. */
    readonly kind: "started";
    /** The epoch of its lease. */
    readonly epoch: number;
    /** What the first append answered. */
    readonly appended: Appended;
  }
  | {
    /** There is a run of this id or start key already; nothing was written. */
    readonly kind: "exists";
    /** That run. */
    readonly run: RunRecord;
  };

/** Starts a run together with a second lease, which has to be free. */
export interface StartExclusiveInput extends Omit<StartRunInput, "within"> {
  /** The key of the second lease: taken by the same holder, for as long as the run's. */
  readonly exclusive: string;
}

/** What became of a start together with a second lease. */
export type StartedExclusive =
  | {
    /** The run was started, and both leases are held. */
    readonly kind: "started";
    /** The epoch of the run's lease. */
    readonly epoch: number;
    /** The epoch of the second one. */
    readonly exclusiveEpoch: number;
    /** What the first append answered. */
    readonly appended: Appended;
  }
  | {
    /** There is a run of this id or start key already; nothing was written, no lease taken. */
    readonly kind: "exists";
    /** That run. */
    readonly run: RunRecord;
  }
  | {
    /** Somebody holds the second lease, or waits for it; nothing was written, and no place in line taken. */
    readonly kind: "waiting";
  };

/** Appends entries under a run's lease, all or none. */
export interface AppendInput {
  /** Whose run. */
  readonly tenantId: string;
  /** The run. */
  readonly runId: string;
  /** The epoch of the run's lease. */
  readonly epoch: number;
  /**
   * Which append of this epoch it is: 1, 2, 3… A number that was stored already answers what it answered and writes
   * nothing, so an append may be repeated when its answer was lost. The start's own entries have no number.
   */
  readonly number: number;
  /** The entries; may be empty for {@link RunJournal.park}. One that ends the run is the last and gives up its lease. */
  readonly entries: readonly NewJournalEntry[];
  /** A second lease that has to be held as well. */
  readonly within?: LeaseFence;
  /**
   * Gives {@link within} up in the same step when the entries end the run, or the run is parked. A journal that did so
   * says {@link Appended.released}; from any other the lease is released afterwards.
   */
  readonly release?: true;
  /** Records of the account that {@link RunJournal.keepsUsageOf} is true of, kept in the same step. */
  readonly usage?: readonly unknown[];
}

/** How a token was resolved. */
export type TokenOutcome =
  | {
    /** The token. */
    readonly tokenId: string;
    /** It was completed. */
    readonly kind: "completed";
    /** With this value: any JSON, `false`, `0`, `""` and `null` included. */
    readonly value: unknown;
  }
  | {
    /** The token. */
    readonly tokenId: string;
    /** It was cancelled. */
    readonly kind: "cancelled";
    /** Why. */
    readonly reason: string;
  };

/** What an append answers. */
export interface Appended {
  /** The sequence of its last entry. */
  readonly sequence: number;
  /** When it was stored. */
  readonly timestamp: Timestamp;
  /** Why the run is to be cancelled, once that was asked for. */
  readonly cancelRequested?: string;
  /** Tokens of `wait.suspended` entries in this append that had been resolved before. */
  readonly resolved?: readonly TokenOutcome[];
  /** The second lease was given up in the same step, as {@link AppendInput.release} asks. */
  readonly released?: true;
}

/** Parks a run: nothing of it can go on before one of the waits is resolved. */
export interface ParkInput extends AppendInput {
  /** What it waits for. */
  readonly waitingOn: readonly PendingWait[];
}

/** What became of a park. */
export type Parked =
  | {
    /** The run is suspended, and its lease is free. */
    readonly kind: "parked";
    /** What the append answered. */
    readonly appended: Appended;
  }
  | {
    /**
     * The entries were appended, but the run goes on under its lease: a wait of its own has been resolved, one of a
     * subgraph's run has, or cancelling was asked for.
     */
    readonly kind: "go-on";
    /** What the append answered. */
    readonly appended: Appended;
    /** The tokens of this run, among those waited for, that have been resolved. */
    readonly resolved: readonly TokenOutcome[];
  };

/** Resolves a token, whether or not the run is executing, and whether or not it waits for it yet. */
export interface ResolveTokenInput {
  /** Whose run. */
  readonly tenantId: string;
  /** The run. */
  readonly runId: string;
  /** How. */
  readonly outcome: TokenOutcome;
}

/** What became of a token. */
export interface TokenResolution {
  /** How the token is resolved: by the first call. */
  readonly outcome: TokenOutcome;
  /** Whether this call was the first. */
  readonly first: boolean;
}

/** Which runs to list; conditions add up. */
export interface ListRunsInput {
  /** Whose runs. */
  readonly tenantId: string;
  /** Only runs that stand there. */
  readonly status?: RunStatus;
  /** Only turns of this conversation. */
  readonly conversationId?: string;
  /** Only runs that are subgraphs of this one. */
  readonly parentRunId?: string;
  /** Only runs that a resume would take further ({@link RunRecord.resumable}). */
  readonly resumable?: boolean;
  /** How many at most; 1 000 when absent. */
  readonly limit?: number;
}

/**
 * Keeps runs.
 *
 * Every method is atomic and tenant-scoped: another tenant's run doesn't exist. A method may also throw or reject, which
 * its caller takes as `journal-error`. Times and leases go by the store's clock alone.
 */
export interface RunJournal {
  /** Starts a run, or answers the one that its id or start key stands for. */
  start(input: StartRunInput): Promise<Result<StartedRun, JournalError>>;
  /**
   * The same together with a second lease, in one step. A journal that leaves it out has its callers acquire that lease
   * first.
   */
  startExclusive?(
    input: StartExclusiveInput,
  ): Promise<Result<StartedExclusive, JournalError>>;
  /**
   * Whether an append keeps {@link AppendInput.usage} for this account, which is then the same store's: each record as
   * if it had been given to `sink.record`. A journal that leaves it out keeps none.
   */
  keepsUsageOf?(sink: object): boolean;
  /** Appends entries; refused when a lease has gone to a higher epoch or the run has ended. */
  append(input: AppendInput): Promise<Result<Appended, JournalError>>;
  /** Appends the entries and, if none of the waits has been resolved, suspends the run and frees its lease. */
  park(input: ParkInput): Promise<Result<Parked, JournalError>>;
  /** Resolves a token; the first call counts. Needs no lease. */
  resolveToken(
    input: ResolveTokenInput,
  ): Promise<Result<TokenResolution, JournalError>>;
  /**
   * Asks for a run to be cancelled and cancels its open waits; asking again changes nothing. Needs no lease: whoever
   * holds it hears of it at its next append or renewal, and a suspended run becomes resumable.
   */
  requestCancel(
    tenantId: string,
    runId: string,
    reason: string,
  ): Promise<Result<RunRecord, JournalError>>;
  /** The entries in order; `run-not-found` when there is no such run. */
  read(
    tenantId: string,
    runId: string,
  ): Promise<Result<readonly JournalEntry[], JournalError>>;
  /** A run, or `null`. */
  get(
    tenantId: string,
    runId: string,
  ): Promise<Result<RunRecord | null, JournalError>>;
  /** Runs, the latest started first. */
  list(
    input: ListRunsInput,
  ): Promise<Result<readonly RunRecord[], JournalError>>;
  /** Deletes a run and all that the journal keeps of it; of an unknown run nothing. */
  remove(tenantId: string, runId: string): Promise<Result<void, JournalError>>;
  /**
   * Takes a lease, or a place in the line for it.
   *
   * A lease can be taken when it is free or its time is over, and no fresher place in line is ahead. Calling again
   * renews the place; a place that isn't renewed within its `ttlMs` drops out. The holder who calls again keeps its
   * epoch.
   *
   * @param options `wait: false` takes no place in line.
   */
  acquire(
    tenantId: string,
    key: string,
    holder: string,
    ttlMs: number,
    options?: { readonly wait?: boolean },
  ): Promise<Result<HeldLease | WaitingLease, JournalError>>;
  /**
   * Renews a lease. One whose time is over is renewed too, as long as nobody took it: a lease is lost only to a higher
   * epoch (`run-lease-lost`). For a run's lease it also tells whether cancelling was asked for.
   */
  renew(
    tenantId: string,
    key: string,
    holder: string,
    epoch: number,
    ttlMs: number,
  ): Promise<Result<{ readonly cancelRequested?: string }, JournalError>>;
  /** Gives up a lease, or a place in the line for it; what isn't held is given up already. */
  release(
    tenantId: string,
    key: string,
    holder: string,
  ): Promise<Result<void, JournalError>>;
}
