/**
 * `persist-final-message`: the answer is stored, which completes the turn of the conversation (`spec/agents_turn.md` 3.8).
 *
 * @module
 */

import type { NodeContext } from "../../flow/mod.ts";
import { AGENT_LOOP_NODE } from "../flow.ts";
import type { AgentLoopOutput, StoredMessageOutput } from "../step_outputs.ts";
import {
  storeMessage,
  type TurnMessage,
  unstoredMessage,
} from "../store_message.ts";
import type { Turn } from "../turn.ts";

/** Stores the answer. From here on neither an abort nor the clock changes what comes of the turn. */
export async function persistFinalMessage(
  turn: Turn,
  context: NodeContext,
): Promise<StoredMessageOutput> {
  turn.abort.throwIfAborted();
  // The answer that is stored is the one that was given and judged.
  await context.commit?.();
  turn.abort.throwIfAborted();
  context.seal?.();
  const { finalOutput } = context
    .nodeOutputs[AGENT_LOOP_NODE] as AgentLoopOutput;
  const given: TurnMessage = {
    role: "agent",
    content: finalOutput.message.content,
    actor: turn.input.agent.id,
  };
  const message = context.dryRun
    ? unstoredMessage(context, given)
    : await storeMessage(turn, context, "answer", given);
  await turn.emit({
    kind: "agent.message",
    step: turn.state.steps,
    isFinal: true,
    message,
  });
  return { sequence: message.sequence, message };
}
