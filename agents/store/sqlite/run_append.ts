/**
 * Appending to a run in SQLite, and parking it.
 *
 * @module
 */

import { ok, type Result } from "../../../base/result.ts";
import {
  type Appended,
  type AppendInput,
  type JournalError,
  type PendingWait,
  runLeaseKey,
  type TokenOutcome,
} from "../../flow/mod.ts";
import { leaseLost, runEnded, runNotFound } from "../journal_errors.ts";
import { appendedTo } from "../run_record.ts";
import type { SqliteRun } from "./run.ts";
import type { StartParts } from "./run_start.ts";

/** What became of an append. */
export interface Written {
  /** What it is answered. */
  readonly appended: Appended;
  /** Whether the run was parked. */
  readonly parked: boolean;
  /** Tokens of the run itself, among those waited for, that have been resolved. */
  readonly resolved: readonly TokenOutcome[];
}

/**
 * Appends under a lease, within a transaction.
 *
 * @param keep Keeps what goes along; called when the entries are written.
 * @param waitingOn Parks the run, when none of these waits is over.
 */
export function append(
  { sql, runs, leases }: StartParts,
  input: AppendInput,
  keep: () => void,
  waitingOn?: readonly PendingWait[],
): Result<Written, JournalError> {
  const { tenantId, runId, epoch, number, entries, within } = input;
  const run = runs.find(tenantId, runId);
  if (run === undefined) return runNotFound(runId);
  const { last } = run;
  if (last?.epoch === epoch && last.number === number) {
    return ok({ ...last, resolved: resolvedOf(run, runId, waitingOn) });
  }
  if (run.endedAt !== undefined) return runEnded(runId);
  const key = runLeaseKey(runId);
  if (!leases.holds(tenantId, { key, epoch })) return leaseLost(runId, key);
  if (within !== undefined && !leases.holds(tenantId, within)) {
    return leaseLost(runId, within.key);
  }
  const parked = waitingOn !== undefined &&
    run.cancelRequested === undefined &&
    waitingOn.every((wait) => !runs.isOver(tenantId, wait));
  keep();
  const timestamp = sql.clock.timestamp();
  const opened = run.add(entries, timestamp);
  if (parked) {
    run.add(
      [{ kind: "run.suspended", payload: JSON.stringify({ waitingOn }) }],
      timestamp,
    );
    leases.free(tenantId, key);
  }
  if (run.endedAt !== undefined) leases.forget(tenantId, key);
  const released = input.release === true && within !== undefined &&
    (parked || run.endedAt !== undefined);
  if (released) leases.free(tenantId, within.key);
  const appended = appendedTo(run, timestamp, opened, released);
  run.last = { epoch, number, appended, parked };
  run.save();
  return ok({
    appended,
    parked,
    resolved: resolvedOf(run, runId, waitingOn),
  });
}

function resolvedOf(
  run: SqliteRun,
  runId: string,
  waitingOn: readonly PendingWait[] = [],
): TokenOutcome[] {
  return waitingOn.flatMap((wait) => {
    const outcome = wait.runId === runId
      ? run.outcome(wait.tokenId)
      : undefined;
    return outcome === undefined ? [] : [outcome];
  });
}
