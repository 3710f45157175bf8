/**
 * Starting a run in SQLite, with its lease, and with a second one where that is asked for.
 *
 * @module
 */

import { ok, type Result } from "../../../base/result.ts";
import {
  type HeldLease,
  type JournalError,
  runLeaseKey,
  type StartedExclusive,
  type StartedRun,
  type StartExclusiveInput,
  type StartRunInput,
} from "../../flow/mod.ts";
import { leaseLost } from "../journal_errors.ts";
import { appendedTo } from "../run_record.ts";
import type { SqliteDatabase } from "./database.ts";
import type { SqliteLeases } from "./leases.ts";
import type { SqliteRun } from "./run.ts";
import type { SqliteRuns } from "./runs.ts";

/** What a start works on. */
export interface StartParts {
  /** The database, in a transaction. */
  readonly sql: SqliteDatabase;
  /** Its runs. */
  readonly runs: SqliteRuns;
  /** Its leases. */
  readonly leases: SqliteLeases;
}

/** Starts a run, or answers the one that its id or start key stands for. */
export function startRun(
  { sql, runs, leases }: StartParts,
  { run, holder, ttlMs, entries, within }: StartRunInput,
  existing: SqliteRun | undefined = runs.existing(run),
): Result<StartedRun, JournalError> {
  const { tenantId } = run;
  const key = runLeaseKey(run.runId);
  if (existing !== undefined) {
    // The same start again: its answer was lost, and nothing has happened since.
    const again = existing.starter === holder && existing.last === undefined &&
      existing.endedAt === undefined;
    const lease = again
      ? leases.acquire(tenantId, key, holder, ttlMs, false)
      : undefined;
    return lease?.kind === "held"
      ? ok({
        kind: "started",
        epoch: lease.epoch,
        appended: appendedTo(existing, existing.startedAt, [], false),
      })
      : ok({ kind: "exists", run: runs.record(existing) });
  }
  if (within !== undefined && !leases.holds(tenantId, within)) {
    return leaseLost(run.runId, within.key);
  }
  const timestamp = sql.clock.timestamp();
  const started = runs.add(run, holder, timestamp);
  const { epoch } = leases.acquire(
    tenantId,
    key,
    holder,
    ttlMs,
    false,
  ) as HeldLease;
  const resolved = started.add(entries, timestamp);
  started.save();
  if (started.endedAt !== undefined) leases.forget(tenantId, key);
  const appended = appendedTo(started, timestamp, resolved, false);
  return ok({ kind: "started", epoch, appended });
}

/** Starts a run together with a second lease. */
export function startExclusive(
  parts: StartParts,
  { exclusive, ...start }: StartExclusiveInput,
): Result<StartedExclusive, JournalError> {
  const { run, holder, ttlMs } = start;
  const existing = parts.runs.existing(run);
  if (existing !== undefined && existing.starter !== holder) {
    return startRun(parts, start, existing) as Result<never, JournalError>;
  }
  const { leases } = parts;
  const held = leases.acquire(run.tenantId, exclusive, holder, ttlMs, false);
  if (held.kind === "waiting") return ok({ kind: "waiting" });
  const started = startRun(parts, start, existing);
  if (started.kind === "ok" && started.value.kind === "started") {
    return ok({ ...started.value, exclusiveEpoch: held.epoch });
  }
  leases.release(run.tenantId, exclusive, holder);
  return started as Result<never, JournalError>;
}
