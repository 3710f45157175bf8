/**
 * What a journal in memory answers of a run.
 *
 * @module
 */

import { runLeaseKey, type RunRecord } from "../flow/mod.ts";
import type { MemoryRun } from "./memory_run.ts";
import type { MemoryTenant } from "./memory_tenants.ts";
import { recordOf } from "./run_record.ts";

/** A run as journals list it, at a moment. */
export function runRecord(
  tenant: MemoryTenant,
  stored: MemoryRun,
  now: number,
): RunRecord {
  const isHeld = tenant.leases.isHeld(runLeaseKey(stored.run.runId), now);
  return recordOf(stored, isHeld, (wait) => tenant.isResolved(wait));
}
