/**
 * Running something under an exclusive key: one run at a time, in order of arrival.
 *
 * @module
 */

import { err, type Result } from "../../../base/result.ts";
import type { KernelError } from "../kernel_errors.ts";
import type { ExclusiveKey, RunResult } from "../run_binding.ts";
import type { KeptLease, LeaseKeeper, LeaseRequest } from "./lease_keeper.ts";

/** Who takes a key. */
export type Taker = Omit<LeaseRequest, "key">;

/** Waits for an exclusive key where there is one, does the work, and gives the key up. */
export async function withinExclusive(
  leases: LeaseKeeper,
  exclusive: ExclusiveKey | undefined,
  taker: Taker,
  work: (
    within: KeptLease | undefined,
  ) => Promise<Result<RunResult, KernelError>>,
): Promise<Result<RunResult, KernelError>> {
  if (exclusive === undefined) return await work(undefined);
  const { key, signal } = exclusive;
  const taken = await leases.wait({ ...taker, key }, (listener) => {
    if (signal?.aborted) listener();
    signal?.addEventListener("abort", listener, { once: true });
    return () => signal?.removeEventListener("abort", listener);
  });
  if (taken.kind === "err") return taken;
  if (taken.value === undefined) {
    const { runId } = taker;
    return err({
      code: "run-wait-aborted",
      message:
        `Stopped waiting for ${key}: run ${runId} was not taken up, and nothing was journaled`,
      runId,
    });
  }
  try {
    return await work(taken.value);
  } finally {
    await taken.value.release();
  }
}
