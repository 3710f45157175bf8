/**
 * Ending a run without running anything more of it.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { KernelError } from "../kernel_errors.ts";
import type { EndRunInput, RunResult } from "../run_binding.ts";
import { runLeaseKey } from "../lease.ts";
import type { AskedJournal } from "./asked_journal.ts";
import { RunHalted } from "./halted.ts";
import { JournalWriter } from "./journal_writer.ts";
import type { LeaseKeeper } from "./lease_keeper.ts";
import { recordedResult } from "./recorded_result.ts";
import { executingElsewhere } from "./run_setup.ts";

/** Journals a run's end; for one that has ended answers its recorded result. */
export async function endRun(
  journal: AskedJournal,
  leases: LeaseKeeper,
  holder: string,
  { tenantId, runId, status, message }: EndRunInput,
): Promise<Result<RunResult, KernelError>> {
  const lease = await leases.take({
    tenantId,
    key: runLeaseKey(runId),
    holder,
    runId,
  });
  if (lease.kind === "err") return lease;
  try {
    const found = await journal.get(tenantId, runId);
    if (found.kind === "err") return found;
    const run = found.value;
    if (run.endedAt !== undefined) return await recordedResult(journal, run);
    if (lease.value === undefined) return err(executingElsewhere(runId, "end"));
    const writer = new JournalWriter(
      { journal: journal.journal, tenantId, runId, epoch: lease.value.epoch },
      {
        cancelRequested() {},
        tokensResolved() {},
        released() {},
        halted() {},
      },
    );
    writer.stage(
      `run.${status}`,
      undefined,
      JSON.stringify(
        status === "failed" ? { message } : { reason: message },
      ),
    );
    await writer.flush();
    const { projectId } = run;
    return ok({
      runId: run.runId,
      tenantId: run.tenantId,
      ...(projectId === undefined ? {} : { projectId }),
      status,
      failureMessage: message,
      endedHere: true,
    });
  } catch (thrown) {
    if (thrown instanceof RunHalted) return err(thrown.error);
    throw thrown;
  } finally {
    await lease.value?.release();
  }
}
