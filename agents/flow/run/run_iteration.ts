/**
 * What both kinds of loop do alike: one iteration, its end, and the loop's output.
 *
 * @module
 */

import type { LoopStopReason } from "../journal_entry.ts";
import type { LoopNode } from "../types.ts";
import type { Execution, StepPosition } from "./execution.ts";
import { misfit } from "./flow_plan.ts";
import { Frame, loopPart, type LoopProgress } from "./frame.ts";
import { type Done, type Failed, failed, type Outcome } from "./outcome.ts";

/** Runs a loop's body once, or takes an iteration further that had begun. */
export async function runIteration(
  execution: Execution,
  node: LoopNode,
  loop: LoopProgress,
  iteration: number,
  input: unknown,
  position: StepPosition,
): Promise<Outcome> {
  let frame = loop.frames.get(iteration);
  if (frame === undefined) {
    frame = new Frame(position.frame, node.id, iteration);
    loop.frames.set(iteration, frame);
    execution.writer.stage(
      "iteration.started",
      node.id,
      `{"iteration":${iteration}${loopPart(position.frame)}}`,
    );
  }
  const outcome = await execution.parts.runGraph(execution, node.body, {
    frame,
    input,
    scope: position.scope,
    heldKeys: position.heldKeys,
    maxParallelism: execution.parts.flow.maxParallelism,
  });
  return outcome.kind === "failed"
    ? failed(`[body-failure] ${outcome.message}`)
    : outcome;
}

/** How an iteration ended. */
export interface IterationEnd {
  /** The iteration, from 0. */
  readonly iteration: number;
  /** Its output. */
  readonly output: unknown;
  /** That as JSON text, where it was written already. */
  readonly text?: string | undefined;
  /** What the exit condition answered behind it. */
  readonly exitConditionResult?: boolean | undefined;
  /** Why the loop stops behind it. */
  readonly stopReason?: LoopStopReason | undefined;
}

/** Journals an iteration's end; answers the loop's failure when its output doesn't fit the loop's schema. */
export function completeIteration(
  execution: Execution,
  node: LoopNode,
  loop: LoopProgress,
  frame: Frame,
  { iteration, output, text, exitConditionResult, stopReason }: IterationEnd,
): Failed | undefined {
  const problem = misfit(node.outputSchema, output);
  const reason = problem === undefined ? stopReason : "body-failure";
  let payload = `{"iteration":${iteration}`;
  if (output !== undefined) {
    payload += `,"output":${text ?? JSON.stringify(output)}`;
  }
  payload += `,"outputSchemaValid":${problem === undefined}`;
  if (exitConditionResult !== undefined) {
    payload += `,"exitConditionResult":${exitConditionResult}`;
  }
  if (reason !== undefined) payload += `,"stopReason":"${reason}"`;
  execution.writer.stage(
    "iteration.completed",
    node.id,
    `${payload}${loopPart(frame)}}`,
  );
  if (problem !== undefined) {
    return failed(
      `[body-failure] The output of iteration ${iteration} of loop ${node.id} doesn't fit its schema: ${problem}`,
    );
  }
  loop.complete(iteration, output, text);
  loop.stopReason = reason ?? loop.stopReason;
  return undefined;
}

/** A loop's output once it has stopped: `{ finalOutput, iterations, stopReason, outputs? }`. */
export function loopOutput(
  node: LoopNode,
  loop: LoopProgress,
  stopReason: string,
): Done {
  const { outputs } = loop;
  const iterations = outputs.length;
  const output: Record<string, unknown> = {
    // No iteration, or one without output: JSON has null for it.
    finalOutput: outputs[iterations - 1] ?? null,
    iterations,
    stopReason,
  };
  if (node.collectAllIterations) {
    output.outputs = Object.freeze(outputs.map((each) => each ?? null));
  }
  return {
    kind: "done",
    // Its parts are the run's own already.
    output: Object.freeze(output),
    text: textOf(node, loop, stopReason),
  };
}

/** The loop's output as JSON text, put together from its iterations' where those were written here. */
function textOf(
  node: LoopNode,
  { outputs, texts }: LoopProgress,
  stopReason: string,
): string | undefined {
  const iterations = outputs.length;
  let all = "";
  for (let at = 0; at < iterations; at++) {
    const text = outputs[at] === undefined ? "null" : texts[at];
    if (text === undefined) return undefined;
    all += at === 0 ? text : `,${text}`;
  }
  const last = iterations === 0 || outputs[iterations - 1] === undefined
    ? "null"
    : texts[iterations - 1];
  const collected = node.collectAllIterations ? `,"outputs":[${all}]` : "";
  return `{"finalOutput":${last},"iterations":${iterations},"stopReason":"${stopReason}"${collected}}`;
}
