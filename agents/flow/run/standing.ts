/**
 * Where a run stands when somebody wants to take it further.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { RunStartedPayload } from "../journal_entry.ts";
import type { KernelError } from "../kernel_errors.ts";
import type { ResumeRunInput, RunResult } from "../run_binding.ts";
import type { AskedJournal } from "./asked_journal.ts";
import { recordedResult } from "./recorded_result.ts";
import { RunProgress } from "./run_progress.ts";
import { executingElsewhere } from "./run_setup.ts";

/** The answer for a run that needs no lease to be answered for; `undefined` when it is to be taken up. */
export async function standing(
  journal: AskedJournal,
  tenantId: string,
  runId: string,
): Promise<Result<RunResult | undefined, KernelError>> {
  const found = await journal.get(tenantId, runId);
  if (found.kind === "err") return found;
  const run = found.value;
  if (run.endedAt !== undefined) return await recordedResult(journal, run);
  if (run.executing) return err(executingElsewhere(runId));
  if (run.resumable) return ok(undefined);
  const { projectId, waitingOn } = run;
  return ok({
    runId: run.runId,
    tenantId: run.tenantId,
    ...(projectId === undefined ? {} : { projectId }),
    status: "suspended",
    waitingOn,
  });
}

/** What a run's journal says, read under its lease: how far it has come, or its result if it has ended. */
export async function rebuild(
  journal: AskedJournal,
  { tenantId, runId, flow }: ResumeRunInput,
): Promise<
  Result<
    RunResult | { progress: RunProgress; started: RunStartedPayload },
    KernelError
  >
> {
  const entries = await journal.read(tenantId, runId);
  if (entries.kind === "err") return entries;
  const progress = RunProgress.from(entries.value);
  if (progress.end !== undefined) {
    const found = await journal.get(tenantId, runId);
    return found.kind === "err"
      ? found
      : await recordedResult(journal, found.value);
  }
  const started = progress.started!;
  const expected = started.flow;
  if (expected.id === flow.id && expected.version === flow.version) {
    return ok({ progress, started });
  }
  return err({
    code: "flow-mismatch",
    message:
      `Cannot resume run ${runId} with flow ${flow.id}@${flow.version}: it was started with ${expected.id}@${expected.version}`,
    runId,
    expected,
    actual: { id: flow.id, version: flow.version },
  });
}
