/**
 * Running a loop over the items of an array (`spec/flow.md`, nodes).
 *
 * @module
 */

import { MISSING, resolveOperand } from "../operand.ts";
import type { ForeachLoopNode } from "../types.ts";
import type { Execution, StepPosition } from "./execution.ts";
import type { LoopProgress } from "./frame.ts";
import {
  type Failed,
  failed,
  type Outcome,
  STOPPED_OUTCOME,
} from "./outcome.ts";
import { ownValue } from "./own_values.ts";
import {
  completeIteration,
  loopOutput,
  runIteration,
} from "./run_iteration.ts";
import { loopOf } from "./run_progress.ts";
import type { PendingWait } from "../run_record.ts";

/** The key under which a loop's items are recorded: they are resolved once. */
const ITEMS_KEY = "iterate-over";

/** Runs a loop's iterations, several at once where it says so. */
export async function runForeachLoop(
  execution: Execution,
  node: ForeachLoopNode,
  position: StepPosition,
): Promise<Outcome> {
  const items = itemsOf(execution, node, position);
  if (!Array.isArray(items)) {
    return failed(
      `[iterate-over-not-array] Loop ${node.id} has no array to iterate over`,
    );
  }
  const loop = loopOf(position.frame.step(node.id));
  const count = Math.min(items.length, node.maxIterations);
  const ended = await runAll(execution, node, loop, position, items, count);
  if (ended !== undefined) return ended;
  return loopOutput(
    node,
    loop,
    count < items.length ? "max-iterations" : "array-exhausted",
  );
}

/** Runs what hasn't completed of the iterations; answers what keeps the loop from its output. */
async function runAll(
  execution: Execution,
  node: ForeachLoopNode,
  loop: LoopProgress,
  position: StepPosition,
  items: readonly unknown[],
  count: number,
): Promise<Outcome | undefined> {
  // Stopped by the first iteration that fails.
  const scope = position.scope.child();
  const waits: PendingWait[] = [];
  let failure: Failed | undefined;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count && scope.reason === undefined) {
      const iteration = next++;
      if (loop.completed.has(iteration)) continue;
      let outcome = await runIteration(
        execution,
        node,
        loop,
        iteration,
        items[iteration],
        { ...position, scope },
      );
      if (outcome.kind === "waiting") waits.push(...outcome.waits);
      if (outcome.kind === "done") {
        const { output, text } = outcome;
        outcome = completeIteration(execution, node, loop, position.frame, {
          iteration,
          output,
          text,
        }) ?? outcome;
      }
      if (outcome.kind !== "failed") continue;
      failure ??= outcome;
      scope.stop({
        kind: "cancelled",
        reason: `iteration ${iteration} of loop ${node.id} failed`,
      });
    }
  };
  const width = Math.min(node.concurrency ?? 1, count);
  await Promise.all(Array.from({ length: width }, work));
  scope.close();
  if (position.scope.reason !== undefined) return STOPPED_OUTCOME;
  if (failure !== undefined) return failure;
  return waits.length > 0 ? { kind: "waiting", waits } : undefined;
}

/** The items, resolved once and recorded, since what they were resolved from may change. */
function itemsOf(
  execution: Execution,
  node: ForeachLoopNode,
  { frame, stepScope }: StepPosition,
): unknown {
  const { progress, input } = execution.parts;
  const recorded = progress.recorded(stepScope);
  if (recorded?.has(ITEMS_KEY)) return recorded.get(ITEMS_KEY);
  const items = resolveOperand(node.iterateOver, {
    runInput: input,
    state: frame.state,
    nodeOutputs: frame.outputs,
  });
  if (items === MISSING || !Array.isArray(items)) return undefined;
  const { text, value } = ownValue(items);
  execution.writer.stage(
    "value.recorded",
    node.id,
    `{"scope":${
      JSON.stringify(stepScope)
    },"key":"${ITEMS_KEY}","value":${text}}`,
  );
  progress.record(stepScope, ITEMS_KEY, value);
  return value;
}
