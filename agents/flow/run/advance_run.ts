/**
 * Taking a run to its end, or to where it waits.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { KernelError } from "../kernel_errors.ts";
import { resolveMapping } from "../operand.ts";
import type { RunResult } from "../run_binding.ts";
import type { Execution } from "./execution.ts";
import { misfit } from "./flow_plan.ts";
import { RunHalted } from "./halted.ts";
import { type Done, failed, type Outcome, STOPPED_OUTCOME } from "./outcome.ts";
import { ownValue } from "./own_values.ts";

/** Runs an execution until its run has ended, waits, or can't go on here. */
export async function advanceRun(
  execution: Execution,
): Promise<Result<RunResult, KernelError>> {
  try {
    for (;;) {
      const outcome = await runFlow(execution);
      if (outcome.kind !== "waiting") return ok(await end(execution, outcome));
      const parked = await execution.writer.park(outcome.waits);
      if (parked.kind === "parked") {
        return ok({
          ...resultBase(execution),
          status: "suspended",
          waitingOn: outcome.waits,
        });
      }
      // Something was resolved meanwhile: what has completed stands, the rest goes on.
    }
  } catch (thrown) {
    if (thrown instanceof RunHalted) return err(thrown.error);
    throw thrown;
  } finally {
    execution.over = true;
  }
}

async function runFlow(execution: Execution): Promise<Outcome> {
  const { flow, input, progress, scope, heldKeys, runGraph } = execution.parts;
  if (progress.cancelRequested !== undefined) {
    execution.cancel(progress.cancelRequested);
  }
  const outcome = scope.reason !== undefined
    ? STOPPED_OUTCOME
    : await runGraph(execution, flow, {
      frame: progress.frame,
      input,
      scope,
      heldKeys,
      maxParallelism: flow.maxParallelism,
    });
  if (execution.writer.error !== undefined) {
    throw new RunHalted(execution.writer.error);
  }
  return outcome.kind === "done" ? flowOutput(execution, outcome) : outcome;
}

/** The flow's own mapping over what the run has come to, where it has one. */
function flowOutput(execution: Execution, done: Done): Outcome {
  const { flow, input, progress } = execution.parts;
  if (flow.output === undefined) return done;
  const output = resolveMapping(flow.output.mapping, {
    runInput: input,
    state: progress.frame.state,
    nodeOutputs: progress.frame.outputs,
  });
  const problem = flow.output.schema === undefined
    ? undefined
    : misfit(flow.output.schema, output);
  if (problem !== undefined) {
    return failed(
      `The output of flow ${flow.id} doesn't fit its schema: ${problem}`,
    );
  }
  const { text, value } = ownValue(output);
  return { kind: "done", output: value, text };
}

/** Journals the end. Once that has begun nothing changes it any more (`spec/durability.md`, ending). */
async function end(
  execution: Execution,
  outcome: Exclude<Outcome, { kind: "waiting" }>,
): Promise<RunResult> {
  const { writer, parts } = execution;
  const base = resultBase(execution);
  switch (outcome.kind) {
    case "done": {
      const { output } = outcome;
      const text = outcome.text ?? JSON.stringify(output) as string | undefined;
      writer.stage(
        "run.completed",
        undefined,
        text === undefined ? undefined : `{"output":${text}}`,
      );
      await writer.flush();
      return output === undefined
        ? { ...base, status: "completed", endedHere: true }
        : { ...base, status: "completed", output, endedHere: true };
    }
    case "failed": {
      const { message } = outcome;
      writer.stage("run.failed", undefined, JSON.stringify({ message }));
      await writer.flush();
      return {
        ...base,
        status: "failed",
        failureMessage: message,
        endedHere: true,
      };
    }
    case "stopped": {
      const reason = parts.scope.reason!;
      if (reason.kind === "halted") throw new RunHalted(reason.error);
      writer.stage(
        "run.cancelled",
        undefined,
        JSON.stringify({ reason: reason.reason }),
      );
      await writer.flush();
      return {
        ...base,
        status: "cancelled",
        failureMessage: reason.reason,
        endedHere: true,
      };
    }
  }
}

function resultBase(
  { parts }: Execution,
): Pick<RunResult, "runId" | "tenantId" | "projectId"> {
  const { runId, tenantId, projectId } = parts.identity;
  return projectId === undefined
    ? { runId, tenantId }
    : { runId, tenantId, projectId };
}
