/**
 * What a journal in memory answers of a run.
 *
 * @module
 */

import type { RunId, TenantId } from "../agent/mod.ts";
import {
  type Appended,
  runLeaseKey,
  type RunRecord,
  type TokenOutcome,
} from "../flow/mod.ts";
import type { MemoryRun } from "./memory_run.ts";
import type { MemoryTenant } from "./memory_tenants.ts";

/** A run as journals list it, at a moment. */
export function runRecord(
  tenant: MemoryTenant,
  stored: MemoryRun,
  now: number,
): RunRecord {
  const { run, status, endedAt, cancelRequested, waitingOn } = stored;
  const { projectId, agent, parent, startKey } = run;
  const executing = endedAt === undefined &&
    tenant.leases.isHeld(runLeaseKey(run.runId), now);
  const waits = status === "suspended" && cancelRequested === undefined &&
    !waitingOn.some((wait) => tenant.isResolved(wait));
  return {
    runId: run.runId as RunId,
    tenantId: run.tenantId as TenantId,
    ...(projectId === undefined ? {} : { projectId }),
    flow: run.flow,
    ...(agent === undefined ? {} : { agent }),
    ...(parent === undefined ? {} : { parent }),
    ...(startKey === undefined ? {} : { startKey }),
    dryRun: run.dryRun === true,
    status,
    executing,
    resumable: endedAt === undefined && !executing && !waits,
    ...(cancelRequested === undefined ? {} : { cancelRequested }),
    waitingOn,
    startedAt: stored.startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    sequence: stored.sequence,
  };
}

/** What an append answers. */
export function appendedTo(
  run: MemoryRun,
  timestamp: Appended["timestamp"],
  resolved: readonly TokenOutcome[],
  released: boolean,
): Appended {
  const { sequence, cancelRequested } = run;
  return {
    sequence,
    timestamp,
    ...(cancelRequested === undefined ? {} : { cancelRequested }),
    ...(resolved.length === 0 ? {} : { resolved }),
    ...(released ? { released } : {}),
  };
}
