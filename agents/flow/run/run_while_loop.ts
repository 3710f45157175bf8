/**
 * Running a loop until its exit condition holds (`spec/flow.md`, nodes).
 *
 * @module
 */

import { evaluatePredicate } from "../predicate.ts";
import type { LoopStopReason } from "../journal_entry.ts";
import type { WhileLoopNode } from "../types.ts";
import type { Execution, StepPosition } from "./execution.ts";
import type { Outcome } from "./outcome.ts";
import {
  completeIteration,
  loopOutput,
  runIteration,
} from "./run_iteration.ts";
import { loopOf } from "./run_progress.ts";

/** Runs a loop from the iteration that it has come to. */
export async function runWhileLoop(
  execution: Execution,
  node: WhileLoopNode,
  position: StepPosition,
): Promise<Outcome> {
  const { frame } = position;
  const loop = loopOf(frame.step(node.id));
  const exits = (iterationIndex: number, iterationOutput: unknown): boolean =>
    evaluatePredicate(node.exitCondition, {
      runInput: execution.parts.input,
      state: frame.state,
      nodeOutputs: frame.outputs,
      iterationIndex,
      iterationOutput,
    });
  const before = node.evaluationTiming === "before";
  for (;;) {
    if (loop.stopReason !== undefined) {
      return loopOutput(node, loop, loop.stopReason);
    }
    const index = loop.completed.size;
    const previous = index === 0 ? position.input : loop.outputs[index - 1];
    // Asked once: an iteration that has begun goes on whatever the condition says by now.
    if (
      before && !loop.frames.has(index) &&
      exits(index, index === 0 ? undefined : previous)
    ) {
      return loopOutput(node, loop, "exit-condition");
    }
    const outcome = await runIteration(
      execution,
      node,
      loop,
      index,
      previous,
      position,
    );
    if (outcome.kind !== "done") return outcome;
    const exitConditionResult = before
      ? undefined
      : exits(index, outcome.output);
    const stopReason: LoopStopReason | undefined = exitConditionResult
      ? "exit-condition"
      : index + 1 >= node.maxIterations
      ? "max-iterations"
      : undefined;
    const problem = completeIteration(execution, node, loop, frame, {
      iteration: index,
      output: outcome.output,
      text: outcome.text,
      exitConditionResult,
      stopReason,
    });
    if (problem !== undefined) return problem;
  }
}
