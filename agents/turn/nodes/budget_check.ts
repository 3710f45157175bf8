/**
 * `budget-check`: whether the turn may go on, has to stop, or is done (`spec/agents_turn.md` 4.3, 17).
 *
 * @module
 */

import type { NodeContext } from "../../flow/mod.ts";
import type { ModelMessage } from "../../routing/mod.ts";
import { TurnFailure } from "../failure.ts";
import { AGENT_TURN_LOOP_MAX_ITERATIONS } from "../flow.ts";
import { modelMessage } from "../history.ts";
import type { DispatchToolsOutput, IterationOutput } from "../step_outputs.ts";
import type { Turn } from "../turn.ts";
import { sumOfMoney } from "../turn_state.ts";
import {
  maxRepairs,
  readOutput,
  repairMessage,
  repairsIn,
} from "../typed_output.ts";

/** Model calls of a turn where the agent doesn't say. */
const DEFAULT_MAX_STEPS = 8;

/** Holds the turn to its budget; a final answer that doesn't fit the agent's output goes back to the model. */
export function budgetCheck(
  turn: Turn,
  context: NodeContext,
  input: unknown,
): IterationOutput {
  const dispatched = input as DispatchToolsOutput;
  turn.abort.throwIfAborted();
  const { budget } = turn.input.agent;
  const { state } = turn;
  const cost = sumOfMoney(state.costUsd, state.lostCostUsd);
  const maxCostUsd = budget?.maxCostUsd;
  if (maxCostUsd !== undefined && cost > maxCostUsd) {
    throw new TurnFailure({
      code: "budget-exceeded",
      message:
        `The turn has cost ${cost} US dollars, more than its budget.maxCostUsd of ${maxCostUsd}`,
      kind: "cost",
      limit: maxCostUsd,
      observed: cost,
    });
  }
  const { hasToolCalls, iterationAppended } = dispatched;
  // The loop ends at its own cap too: an answer with calls still to run is none (`spec/decisions.md` 23).
  const limit = Math.min(
    budget?.maxSteps ?? DEFAULT_MAX_STEPS,
    AGENT_TURN_LOOP_MAX_ITERATIONS,
  );
  if (hasToolCalls && state.steps >= limit) {
    throw new TurnFailure({
      code: "budget-exceeded",
      message:
        `The model still calls tools after ${state.steps} steps, and budget.maxSteps is ${limit}`,
      kind: "steps",
      limit,
      observed: state.steps,
    });
  }
  const repair = hasToolCalls || context.dryRun
    ? undefined
    : repairOf(turn, dispatched, limit);
  const { finishReason, message } = dispatched;
  const nextMessages = iterationAppended.map(modelMessage);
  const { iterationUsage, provider } = dispatched;
  return {
    finishReason,
    message,
    iterationAppended,
    iterationUsage,
    provider,
    finishedTurn: !hasToolCalls && repair === undefined,
    nextMessages: repair === undefined
      ? nextMessages
      : [...nextMessages, ...repair],
  };
}

/** The exchange that asks for a better answer; `undefined` when the answer will do. */
function repairOf(
  { input, state }: Turn,
  { message }: DispatchToolsOutput,
  limit: number,
): ModelMessage[] | undefined {
  const { output } = input.agent;
  if (output === undefined) return undefined;
  const read = readOutput(output, message.content);
  if (read.kind === "ok") return undefined;
  // Counted from this run's own part: an earlier turn's user may have written anything.
  const repairs = repairsIn(state.messages.slice(state.initialMessages));
  if (repairs < maxRepairs(output) && state.steps < limit) {
    // Without calls that came along: they weren't run, and a call without a result is refused by providers.
    const { role, content } = message;
    return [{ role, content }, repairMessage(output, read.error)];
  }
  throw new TurnFailure({
    code: "output-schema-violation",
    message: `The final answer doesn't fit the agent's output: ${
      read.error[0]
    }`,
    errors: read.error,
    attempts: repairs + 1,
  });
}
