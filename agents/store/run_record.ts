/**
 * What a journal answers of a run, from what it keeps of it.
 *
 * @module
 */

import type { RunId, TenantId, Timestamp } from "../agent/mod.ts";
import type {
  Appended,
  NewRun,
  PendingWait,
  RunRecord,
  TokenOutcome,
} from "../flow/mod.ts";
import type { RunState } from "./run_state.ts";

/** What is kept of a run. */
export interface KeptRun extends Readonly<RunState> {
  /** What it was started as. */
  readonly run: NewRun;
  /** When it was started. */
  readonly startedAt: Timestamp;
  /** The sequence of its last entry. */
  readonly sequence: number;
}

/** The last append that had a number: what repeating it is answered with. */
export interface LastAppend {
  /** The epoch of the run's lease. */
  readonly epoch: number;
  /** The append's number. */
  readonly number: number;
  /** What it was answered. */
  readonly appended: Appended;
  /** Whether it parked the run. */
  readonly parked: boolean;
}

/**
 * A run as journals list it.
 *
 * @param isHeld Whether somebody holds its lease.
 * @param isOver Whether a wait is over: its token was resolved, or its run is.
 */
export function recordOf(
  stored: KeptRun,
  isHeld: boolean,
  isOver: (wait: PendingWait) => boolean,
): RunRecord {
  const { run, status, endedAt, cancelRequested, waitingOn } = stored;
  const { projectId, agent, parent, startKey } = run;
  const executing = endedAt === undefined && isHeld;
  const waits = status === "suspended" && cancelRequested === undefined &&
    !waitingOn.some(isOver);
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
  run: Pick<KeptRun, "sequence" | "cancelRequested">,
  timestamp: Timestamp,
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
