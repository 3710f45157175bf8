/**
 * `dispatch-tools`: what the model asked for, one call after the other (`spec/agents_turn.md` 5).
 *
 * @module
 */

import type { ConversationMessage } from "../../conversation/mod.ts";
import type { NodeContext } from "../../flow/mod.ts";
import type { ModelToolCall } from "../../routing/mod.ts";
import { isToolErrorRetry } from "../../tools/mod.ts";
import { callsOf } from "../history.ts";
import { planCalls } from "../plan_calls.ts";
import type { DispatchToolsOutput, ModelCallOutput } from "../step_outputs.ts";
import { storeMessage } from "../store_message.ts";
import { runToolCall } from "../tool_call.ts";
import { ToolGates } from "../tool_gates.ts";
import type { Turn } from "../turn.ts";

/** Runs the tools that an answer asks for; an answer that asks for none passes through. */
export function dispatchTools(
  turn: Turn,
  context: NodeContext,
  input: unknown,
): DispatchToolsOutput | Promise<DispatchToolsOutput> {
  const { step, finishReason, message, iterationUsage, provider } =
    input as ModelCallOutput;
  const answer = { step, finishReason, message, iterationUsage, provider };
  // A model that stops has answered: calls that came along are none (`spec/agents_turn.md` 4.2).
  const calls = finishReason === "tool-use" ? message.toolCalls ?? [] : [];
  if (calls.length === 0) {
    return {
      ...answer,
      iterationAppended: [],
      nextMessages: [],
      hasToolCalls: false,
    };
  }
  turn.abort.follow(context.abortSignal);
  return dispatch(turn, context, step, message.content, calls)
    .then((appended) => ({
      ...answer,
      iterationAppended: appended,
      nextMessages: [],
      hasToolCalls: true,
    }));
}

async function dispatch(
  turn: Turn,
  context: NodeContext,
  step: number,
  text: string,
  asked: readonly ModelToolCall[],
): Promise<ConversationMessage[]> {
  turn.abort.throwIfAborted();
  // What is run now is what the model asked for, whatever it would say if it were asked again.
  await context.commit?.();
  turn.abort.throwIfAborted();
  const earlier = turn.storedEarlier.filter((message) =>
    message.runId === context.runId && message.step === context.stepScope
  );
  const request = await storeRequest(turn, context, step, text, asked, earlier);
  const plan = planCalls(turn, callsOf(request), earlier);
  const gates = new ToolGates(
    turn,
    context,
    plan.flatMap(({ gated }) => gated ?? []),
  );
  await gates.open();
  const appended = [request];
  let retries = turn.state.toolRetries;
  for (const planned of plan) {
    const result = planned.result ??
      await runToolCall(turn, context, { planned, step, gates, retries });
    if (isToolErrorRetry(result.content)) retries += 1;
    appended.push(result);
  }
  return appended;
}

/** The message that asks for the tools: stored once, told once. */
async function storeRequest(
  turn: Turn,
  context: NodeContext,
  step: number,
  text: string,
  calls: readonly ModelToolCall[],
  earlier: readonly ConversationMessage[],
): Promise<ConversationMessage> {
  const ids = calls.map(({ id }) => id).join("\n");
  const known = earlier.find((message) =>
    callsOf(message).map(({ id }) => id).join("\n") === ids
  );
  const message = known ?? await storeMessage(turn, context, "calls", {
    role: "agent",
    content: { text, toolCalls: calls },
    actor: turn.input.agent.id,
    isIntermediate: true,
  });
  if (known === undefined || !turn.toldEarlier) {
    await turn.emit({ kind: "agent.message", step, isFinal: false, message });
  }
  return message;
}
