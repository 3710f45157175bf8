/**
 * Starting a run in memory, with its lease, and with a second one where that is asked for.
 *
 * @module
 */

import { ok, type Result } from "../../base/result.ts";
import {
  type HeldLease,
  type JournalError,
  type NewRun,
  runLeaseKey,
  type StartedExclusive,
  type StartedRun,
  type StartExclusiveInput,
  type StartRunInput,
} from "../flow/mod.ts";
import { leaseLost } from "./journal_errors.ts";
import type { StoreClock } from "./memory_clock.ts";
import { MemoryRun } from "./memory_run.ts";
import { runRecord } from "./memory_run_record.ts";
import type { MemoryTenant } from "./memory_tenants.ts";
import { appendedTo } from "./run_record.ts";

/** Starts a run, or answers the one that its id or start key stands for. */
export function startRun(
  tenant: MemoryTenant,
  clock: StoreClock,
  { run, holder, ttlMs, entries, within }: StartRunInput,
): Result<StartedRun, JournalError> {
  const existing = existingRun(tenant, run);
  const key = runLeaseKey(run.runId);
  if (existing !== undefined) {
    // The same start again: its answer was lost, and nothing has happened since.
    const again = existing.starter === holder && existing.last === undefined;
    const epoch = again
      ? tenant.leases.acquire(key, holder, ttlMs, false, clock.now())
      : undefined;
    return epoch?.kind === "held" && existing.endedAt === undefined
      ? ok({
        kind: "started",
        epoch: epoch.epoch,
        appended: appendedTo(existing, existing.startedAt, [], false),
      })
      : ok({
        kind: "exists",
        run: runRecord(tenant, existing, clock.now()),
      });
  }
  if (within !== undefined && !tenant.leases.holds(within)) {
    return leaseLost(run.runId, within.key);
  }
  const timestamp = clock.timestamp();
  const started = new MemoryRun(run, holder, timestamp);
  tenant.addRun(started);
  const { epoch } = tenant.leases.acquire(
    key,
    holder,
    ttlMs,
    false,
    clock.now(),
  ) as HeldLease;
  const resolved = started.add(entries, timestamp);
  if (started.endedAt !== undefined) tenant.leases.forget(key);
  const appended = appendedTo(started, timestamp, resolved, false);
  return ok({ kind: "started", epoch, appended });
}

/** Starts a run together with a second lease. */
export function startExclusive(
  tenant: MemoryTenant,
  clock: StoreClock,
  { exclusive, ...start }: StartExclusiveInput,
): Result<StartedExclusive, JournalError> {
  const { run, holder, ttlMs } = start;
  const existing = existingRun(tenant, run);
  if (existing !== undefined && existing.starter !== holder) {
    return startRun(tenant, clock, start) as Result<never, JournalError>;
  }
  const { leases } = tenant;
  const held = leases.acquire(exclusive, holder, ttlMs, false, clock.now());
  if (held.kind === "waiting") return ok({ kind: "waiting" });
  const started = startRun(tenant, clock, start);
  if (started.kind === "ok" && started.value.kind === "started") {
    return ok({ ...started.value, exclusiveEpoch: held.epoch });
  }
  leases.release(exclusive, holder);
  return started as Result<never, JournalError>;
}

/** The run that an id or start key stands for already. */
function existingRun(
  tenant: MemoryTenant,
  { runId, startKey }: NewRun,
): MemoryRun | undefined {
  return tenant.runs.get(runId) ??
    (startKey === undefined ? undefined : tenant.runByStartKey(startKey));
}
