/**
 * Runs in memory (`RunJournal`). Every method does its work before it first waits, so each is one atomic step.
 *
 * @module
 */

import { ok, type Result } from "../../base/result.ts";
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
} from "../flow/mod.ts";
import type { ModelUsageRecord } from "../routing/mod.ts";
import { cancelEntries, resolutionEntry } from "./journal_entries.ts";
import { leaseLost, runEnded, runNotFound } from "./journal_errors.ts";
import type { StoreClock } from "./memory_clock.ts";
import { runRecord } from "./memory_run_record.ts";
import { startExclusive, startRun } from "./memory_run_start.ts";
import type { MemoryTenants } from "./memory_tenants.ts";
import type { MemoryUsage } from "./memory_usage.ts";
import { appendedTo } from "./run_record.ts";

/** How many runs are listed when nobody says. */
const LIST_LIMIT = 1_000;

type Answer<Value> = Promise<Result<Value, JournalError>>;

/** Runs of all tenants. */
export class MemoryJournal implements RunJournal {
  readonly #tenants: MemoryTenants;
  readonly #clock: StoreClock;
  readonly #usage: MemoryUsage;

  /** Keeps its runs with the tenants, and records that come along in the account. */
  constructor(tenants: MemoryTenants, clock: StoreClock, usage: MemoryUsage) {
    this.#tenants = tenants;
    this.#clock = clock;
    this.#usage = usage;
  }

  start(input: StartRunInput): Answer<StartedRun> {
    return Promise.resolve(
      startRun(this.#tenants.of(input.run.tenantId), this.#clock, input),
    );
  }

  startExclusive(input: StartExclusiveInput): Answer<StartedExclusive> {
    return Promise.resolve(
      startExclusive(this.#tenants.of(input.run.tenantId), this.#clock, input),
    );
  }

  keepsUsageOf(sink: object): boolean {
    return sink === this.#usage;
  }

  append(input: AppendInput): Answer<Appended> {
    const written = this.#write(input);
    return Promise.resolve(
      written.kind === "err" ? written : ok(written.value.appended),
    );
  }

  park(input: ParkInput): Answer<Parked> {
    const tenant = this.#tenants.of(input.tenantId);
    const run = tenant.runs.get(input.runId);
    const mayPark = run !== undefined && run.cancelRequested === undefined &&
      input.waitingOn.every((wait) => !tenant.isResolved(wait));
    const written = this.#write(input, mayPark ? input.waitingOn : undefined);
    if (written.kind === "err") return Promise.resolve(written);
    const { appended, parked } = written.value;
    if (parked) return Promise.resolve(ok({ kind: "parked", appended }));
    const resolved = input.waitingOn.flatMap(({ runId, tokenId }) => {
      const outcome = runId === input.runId ? run?.outcome(tokenId) : undefined;
      return outcome === undefined ? [] : [outcome];
    });
    return Promise.resolve(ok({ kind: "go-on", appended, resolved }));
  }

  resolveToken(
    { tenantId, runId, outcome }: ResolveTokenInput,
  ): Answer<TokenResolution> {
    const run = this.#tenants.of(tenantId).runs.get(runId);
    if (run === undefined) return Promise.resolve(runNotFound(runId));
    const known = run.outcome(outcome.tokenId);
    if (known !== undefined) {
      return Promise.resolve(ok({ outcome: known, first: false }));
    }
    if (run.endedAt !== undefined) return Promise.resolve(runEnded(runId));
    run.add([resolutionEntry(outcome)], this.#clock.timestamp());
    return Promise.resolve(
      ok({ outcome: run.outcome(outcome.tokenId)!, first: true }),
    );
  }

  requestCancel(
    tenantId: string,
    runId: string,
    reason: string,
  ): Answer<RunRecord> {
    const tenant = this.#tenants.of(tenantId);
    const run = tenant.runs.get(runId);
    if (run === undefined) return Promise.resolve(runNotFound(runId));
    if (run.endedAt !== undefined) return Promise.resolve(runEnded(runId));
    if (run.cancelRequested === undefined) {
      run.add(
        [{
          kind: "run.cancel-requested",
          payload: JSON.stringify({ reason }),
        }, ...cancelEntries(run.openTokens(), reason)],
        this.#clock.timestamp(),
      );
    }
    return Promise.resolve(ok(runRecord(tenant, run, this.#clock.now())));
  }

  read(tenantId: string, runId: string): Answer<readonly JournalEntry[]> {
    const run = this.#tenants.of(tenantId).runs.get(runId);
    return Promise.resolve(
      run === undefined ? runNotFound(runId) : ok(run.read()),
    );
  }

  get(tenantId: string, runId: string): Answer<RunRecord | null> {
    const tenant = this.#tenants.of(tenantId);
    const run = tenant.runs.get(runId);
    return Promise.resolve(
      ok(run === undefined ? null : runRecord(tenant, run, this.#clock.now())),
    );
  }

  list(input: ListRunsInput): Answer<readonly RunRecord[]> {
    const { tenantId, conversationId, parentRunId, status, resumable } = input;
    const { limit = LIST_LIMIT } = input;
    const tenant = this.#tenants.of(tenantId);
    const runs = conversationId === undefined
      ? [...tenant.runs.values()]
      : tenant.runsOf(conversationId);
    const found: RunRecord[] = [];
    for (let at = runs.length - 1; at >= 0 && found.length < limit; at--) {
      const run = runs[at]!;
      if (status !== undefined && run.status !== status) continue;
      if (
        parentRunId !== undefined && run.run.parent?.runId !== parentRunId
      ) continue;
      const record = runRecord(tenant, run, this.#clock.now());
      if (resumable !== undefined && record.resumable !== resumable) continue;
      found.push(record);
    }
    return Promise.resolve(ok(found));
  }

  remove(tenantId: string, runId: string): Answer<void> {
    this.#tenants.of(tenantId).removeRun(runId);
    return Promise.resolve(ok(undefined));
  }

  acquire(
    tenantId: string,
    key: string,
    holder: string,
    ttlMs: number,
    options?: { readonly wait?: boolean },
  ): Answer<HeldLease | WaitingLease> {
    const { leases } = this.#tenants.of(tenantId);
    const wait = options?.wait ?? true;
    return Promise.resolve(
      ok(leases.acquire(key, holder, ttlMs, wait, this.#clock.now())),
    );
  }

  renew(
    tenantId: string,
    key: string,
    holder: string,
    epoch: number,
    ttlMs: number,
  ): Answer<{ readonly cancelRequested?: string }> {
    const tenant = this.#tenants.of(tenantId);
    const now = this.#clock.now();
    if (!tenant.leases.renew(key, holder, epoch, ttlMs, now)) {
      return Promise.resolve(leaseLost(holder, key));
    }
    const cancelRequested = tenant.runByLease(key)?.cancelRequested;
    return Promise.resolve(
      ok(cancelRequested === undefined ? {} : { cancelRequested }),
    );
  }

  release(tenantId: string, key: string, holder: string): Answer<void> {
    this.#tenants.of(tenantId).leases.release(key, holder);
    return Promise.resolve(ok(undefined));
  }

  /** Cancels every open wait of a conversation's runs: what closing it does in the same step. */
  cancelWaits(tenantId: string, conversationId: string, reason: string): void {
    for (const run of this.#tenants.of(tenantId).runsOf(conversationId)) {
      if (run.endedAt !== undefined) continue;
      run.add(cancelEntries(run.openTokens(), reason), this.#clock.timestamp());
    }
  }

  /** Appends under a lease, and parks when that is asked for. */
  #write(
    input: AppendInput,
    waitingOn?: readonly PendingWait[],
  ): Result<
    { readonly appended: Appended; readonly parked: boolean },
    JournalError
  > {
    const { tenantId, runId, epoch, number, entries, within } = input;
    const tenant = this.#tenants.of(tenantId);
    const run = tenant.runs.get(runId);
    if (run === undefined) return runNotFound(runId);
    const { last } = run;
    if (last?.epoch === epoch && last.number === number) {
      return ok({ appended: last.appended, parked: last.parked });
    }
    if (run.endedAt !== undefined) return runEnded(runId);
    const key = runLeaseKey(runId);
    if (!tenant.leases.holds({ key, epoch })) return leaseLost(runId, key);
    if (within !== undefined && !tenant.leases.holds(within)) {
      return leaseLost(runId, within.key);
    }
    for (const record of input.usage ?? []) {
      this.#usage.keep(record as ModelUsageRecord);
    }
    const timestamp = this.#clock.timestamp();
    const resolved = run.add(entries, timestamp);
    const parked = waitingOn !== undefined;
    if (parked) {
      run.add(
        [{ kind: "run.suspended", payload: JSON.stringify({ waitingOn }) }],
        timestamp,
      );
      tenant.leases.free(key);
    }
    if (run.endedAt !== undefined) tenant.leases.forget(key);
    const released = input.release === true && within !== undefined &&
      (parked || run.endedAt !== undefined);
    if (released) tenant.leases.free(within.key);
    const appended = appendedTo(run, timestamp, resolved, released);
    run.last = { epoch, number, appended, parked };
    return ok({ appended, parked });
  }
}
