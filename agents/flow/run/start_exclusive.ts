/**
 * Starting a run together with its exclusive key, where the journal does both in one step.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { KernelError } from "../kernel_errors.ts";
import { runLeaseKey } from "../lease.ts";
import type { NewRun } from "../run_record.ts";
import type { RunJournal, StartedExclusive } from "../run_journal.ts";
import type { Taker } from "./exclusive.ts";
import { alreadyStarted, kernelError, thrownByJournal } from "./halted.ts";
import type { KeptLease, LeaseKeeper } from "./lease_keeper.ts";

/** Both leases of a run that was started. */
export interface BothLeases {
  /** The exclusive key's. */
  readonly within: KeptLease;
  /** The run's. */
  readonly lease: KeptLease;
}

/** Starts a run with its exclusive key; `undefined` when somebody has that key, or the journal doesn't do both. */
export async function startExclusive(
  journal: RunJournal,
  leases: LeaseKeeper,
  taker: Taker,
  exclusive: string,
  { run, started }: { readonly run: NewRun; readonly started: string },
): Promise<Result<BothLeases | undefined, KernelError>> {
  if (journal.startExclusive === undefined) return ok(undefined);
  const { runId, holder } = taker;
  const leased = { ...taker, key: runLeaseKey(runId) };
  const shared = { ...taker, key: exclusive };
  const failed = async (error: KernelError) => {
    // It may have been stored, its answer being lost.
    await leases.giveUp(leased);
    await leases.giveUp(shared);
    return err(error);
  };
  let answer: Result<StartedExclusive, Parameters<typeof kernelError>[1]>;
  try {
    answer = await journal.startExclusive({
      run,
      holder,
      ttlMs: leases.leaseMs,
      entries: [{ kind: "run.started", payload: started }],
      exclusive,
    });
  } catch (thrown) {
    return await failed(thrownByJournal("write", runId, thrown));
  }
  if (answer.kind === "err") {
    return await failed(kernelError(runId, answer.error));
  }
  const begun = answer.value;
  switch (begun.kind) {
    case "waiting":
      return ok(undefined);
    case "exists":
      return err(alreadyStarted(runId, begun.run));
    case "started":
      return ok({
        within: leases.keep(shared, begun.exclusiveEpoch),
        lease: leases.keep(leased, begun.epoch),
      });
  }
}
