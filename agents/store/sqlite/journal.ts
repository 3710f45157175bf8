/**
 * Runs in SQLite (`RunJournal`). Every method is one transaction.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import {
  type Appended,
  type AppendInput,
  type HeldLease,
  type JournalEntry,
  type JournalError,
  type ListRunsInput,
  type Parked,
  type ParkInput,
  type PendingWait,
  type ResolveTokenInput,
  type RunJournal,
  runLeaseKey,
  type RunRecord,
  type StartedExclusive,
  type StartedRun,
  type StartExclusiveInput,
  type StartRunInput,
  type TokenResolution,
  type WaitingLease,
} from "../../flow/mod.ts";
import type { ModelUsageRecord } from "../../routing/mod.ts";
import { cancelEntries } from "../journal_entries.ts";
import { leaseLost, runEnded, runNotFound } from "../journal_errors.ts";
import type { SqliteDatabase } from "./database.ts";
import { journalError } from "./failures.ts";
import type { SqliteLeases } from "./leases.ts";
import { append, type Written } from "./run_append.ts";
import { startExclusive, type StartParts, startRun } from "./run_start.ts";
import type { SqliteRuns } from "./runs.ts";
import { keptCall, type SqliteUsage } from "./usage.ts";

/** How many runs are listed when nobody says. */
const LIST_LIMIT = 1_000;

/** What the key of a run's lease begins with. */
const RUN_LEASE = runLeaseKey("");

type Answer<Value> = Promise<Result<Value, JournalError>>;

/** Runs of all tenants. */
export class SqliteJournal implements RunJournal {
  readonly #sql: SqliteDatabase;
  readonly #runs: SqliteRuns;
  readonly #leases: SqliteLeases;
  readonly #usage: SqliteUsage;
  readonly #parts: StartParts;

  /** Keeps its runs in a database, and records that come along in the account. */
  constructor(
    sql: SqliteDatabase,
    runs: SqliteRuns,
    leases: SqliteLeases,
    usage: SqliteUsage,
  ) {
    this.#sql = sql;
    this.#runs = runs;
    this.#leases = leases;
    this.#usage = usage;
    this.#parts = { sql, runs, leases };
  }

  start(input: StartRunInput): Answer<StartedRun> {
    return this.#write(
      `start run ${input.run.runId}`,
      () => startRun(this.#parts, input),
    );
  }

  startExclusive(input: StartExclusiveInput): Answer<StartedExclusive> {
    return this.#write(
      `start run ${input.run.runId}`,
      () => startExclusive(this.#parts, input),
    );
  }

  keepsUsageOf(sink: object): boolean {
    return sink === this.#usage;
  }

  async append(input: AppendInput): Answer<Appended> {
    const written = await this.#append(input);
    return written.kind === "err" ? written : ok(written.value.appended);
  }

  async park(input: ParkInput): Answer<Parked> {
    const written = await this.#append(input, input.waitingOn);
    if (written.kind === "err") return written;
    const { appended, parked, resolved } = written.value;
    return parked
      ? ok({ kind: "parked", appended })
      : ok({ kind: "go-on", appended, resolved });
  }

  resolveToken(
    { tenantId, runId, outcome }: ResolveTokenInput,
  ): Answer<TokenResolution> {
    return this.#write(`resolve a token of run ${runId}`, (): Result<
      TokenResolution,
      JournalError
    > => {
      const run = this.#runs.find(tenantId, runId);
      if (run === undefined) return runNotFound(runId);
      const known = run.outcome(outcome.tokenId);
      if (known !== undefined) return ok({ outcome: known, first: false });
      if (run.endedAt !== undefined) return runEnded(runId);
      this.#runs.resolve(run, outcome);
      return ok({ outcome: run.outcome(outcome.tokenId)!, first: true });
    });
  }

  requestCancel(
    tenantId: string,
    runId: string,
    reason: string,
  ): Answer<RunRecord> {
    return this.#write(`cancel run ${runId}`, () => {
      const run = this.#runs.find(tenantId, runId);
      if (run === undefined) return runNotFound(runId);
      if (run.endedAt !== undefined) return runEnded(runId);
      if (run.cancelRequested === undefined) {
        run.add(
          [{
            kind: "run.cancel-requested",
            payload: JSON.stringify({ reason }),
          }, ...cancelEntries(run.openTokens(), reason)],
          this.#sql.clock.timestamp(),
        );
        run.save();
      }
      return ok(this.#runs.record(run));
    });
  }

  read(tenantId: string, runId: string): Answer<readonly JournalEntry[]> {
    return this.#read(`read the journal of run ${runId}`, () => {
      const run = this.#runs.find(tenantId, runId);
      return run === undefined ? runNotFound(runId) : ok(run.read());
    });
  }

  get(tenantId: string, runId: string): Answer<RunRecord | null> {
    return this.#read(`read run ${runId}`, () => {
      const run = this.#runs.find(tenantId, runId);
      return ok(run === undefined ? null : this.#runs.record(run));
    });
  }

  list(input: ListRunsInput): Answer<readonly RunRecord[]> {
    return this.#read(
      "list runs",
      () => ok(this.#runs.list({ limit: LIST_LIMIT, ...input })),
    );
  }

  remove(tenantId: string, runId: string): Answer<void> {
    return this.#write(
      `remove run ${runId}`,
      () => ok(this.#runs.remove(tenantId, runId)),
    );
  }

  acquire(
    tenantId: string,
    key: string,
    holder: string,
    ttlMs: number,
    options?: { readonly wait?: boolean },
  ): Answer<HeldLease | WaitingLease> {
    const wait = options?.wait ?? true;
    return this.#write(
      `acquire lease ${key}`,
      () => ok(this.#leases.acquire(tenantId, key, holder, ttlMs, wait)),
    );
  }

  renew(
    tenantId: string,
    key: string,
    holder: string,
    epoch: number,
    ttlMs: number,
  ): Answer<{ readonly cancelRequested?: string }> {
    return this.#write(`renew lease ${key}`, () => {
      if (!this.#leases.renew(tenantId, key, holder, epoch, ttlMs)) {
        return leaseLost(holder, key);
      }
      const cancelRequested = key.startsWith(RUN_LEASE)
        ? this.#runs.cancelRequested(tenantId, key.slice(RUN_LEASE.length))
        : undefined;
      return ok(cancelRequested === undefined ? {} : { cancelRequested });
    });
  }

  release(tenantId: string, key: string, holder: string): Answer<void> {
    return this.#write(
      `release lease ${key}`,
      () => ok(this.#leases.release(tenantId, key, holder)),
    );
  }

  #append(
    input: AppendInput,
    waitingOn?: readonly PendingWait[],
  ): Answer<Written> {
    // A record that JSON can't hold is left out, and doesn't stop the run.
    const calls = (input.usage ?? []).flatMap((record) => {
      const call = keptCall(record as ModelUsageRecord);
      return call.kind === "ok" ? [call.value] : [];
    });
    return this.#write(
      `append to run ${input.runId}`,
      () =>
        append(
          this.#parts,
          input,
          () => {
            for (const call of calls) this.#usage.keep(call);
          },
          waitingOn,
        ),
    );
  }

  #read<Value>(
    doing: string,
    work: () => Result<Value, JournalError>,
  ): Answer<Value> {
    return this.#sql.read(work)
      .catch((thrown) => err(journalError(doing, thrown)));
  }

  #write<Value>(
    doing: string,
    work: () => Result<Value, JournalError>,
  ): Answer<Value> {
    return this.#sql.write(work)
      .catch((thrown) => err(journalError(doing, thrown)));
  }
}
