/**
 * The result of a run that has ended, as its journal has it.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { KernelError } from "../kernel_errors.ts";
import type { RunResult } from "../run_binding.ts";
import type { RunRecord } from "../run_record.ts";
import type { AskedJournal } from "./asked_journal.ts";
import { RunProgress } from "./run_progress.ts";

/** Reads the result of a run that has ended. */
export async function recordedResult(
  journal: AskedJournal,
  { tenantId, runId, projectId }: RunRecord,
): Promise<Result<RunResult, KernelError>> {
  const entries = await journal.read(tenantId, runId);
  if (entries.kind === "err") return entries;
  // The end is the last entry; nothing else of the run is of use any more.
  const { end } = RunProgress.from(entries.value.slice(-1));
  if (end === undefined) {
    return err({
      code: "journal-error",
      message: `Cannot read the result of run ${runId}: its journal has no end`,
      runId,
    });
  }
  return ok({
    runId,
    tenantId,
    ...(projectId === undefined ? {} : { projectId }),
    status: end.status,
    ...(end.output === undefined ? {} : { output: end.output }),
    ...(end.message === undefined ? {} : { failureMessage: end.message }),
  });
}
