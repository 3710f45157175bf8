/**
 * The handlers of a turn's nodes.
 *
 * @module
 */

import type { NodeContext, NodeHandler } from "../flow/mod.ts";
import {
  BUDGET_CHECK_NODE,
  BUILD_INITIAL_MESSAGES_NODE,
  COMPOSE_RESULT_NODE,
  DISPATCH_TOOLS_NODE,
  EVALUATE_GUARDRAILS_NODE,
  MODEL_CALL_NODE,
  PERSIST_FINAL_MESSAGE_NODE,
  PERSIST_PROVENANCE_NODE,
  PERSIST_USER_MESSAGE_NODE,
  RENDER_PROMPT_NODE,
  RUN_RETRIEVALS_NODE,
  SETUP_NODE,
} from "./flow.ts";
import { budgetCheck } from "./nodes/budget_check.ts";
import { buildInitialMessages } from "./nodes/build_initial_messages.ts";
import { composeResult } from "./nodes/compose_result.ts";
import { dispatchTools } from "./nodes/dispatch_tools.ts";
import { evaluateGuardrails } from "./nodes/evaluate_guardrails.ts";
import { modelCall } from "./nodes/model_call.ts";
import { persistFinalMessage } from "./nodes/persist_final_message.ts";
import { persistProvenance } from "./nodes/persist_provenance.ts";
import { persistUserMessage } from "./nodes/persist_user_message.ts";
import { renderPrompt } from "./nodes/render_prompt.ts";
import { runRetrievals } from "./nodes/run_retrievals.ts";
import { setup } from "./nodes/setup.ts";
import type { Turn } from "./turn.ts";
import type { WaitUntil } from "./turn_abort.ts";

/**
 * A node: what it comes to is journaled, and is all that the rest of the turn needs of it.
 *
 * It answers plain JSON data that nobody changes any more, at once where nothing has to be waited for. After a crash it may
 * run again: before an effect that rests on what was journaled it commits that.
 */
type TurnNode = (turn: Turn, context: NodeContext, input: unknown) => unknown;

const NODES: Readonly<Record<string, TurnNode>> = {
  [SETUP_NODE]: setup,
  [RENDER_PROMPT_NODE]: renderPrompt,
  [PERSIST_USER_MESSAGE_NODE]: persistUserMessage,
  [RUN_RETRIEVALS_NODE]: runRetrievals,
  [BUILD_INITIAL_MESSAGES_NODE]: buildInitialMessages,
  [MODEL_CALL_NODE]: modelCall,
  [DISPATCH_TOOLS_NODE]: dispatchTools,
  [BUDGET_CHECK_NODE]: budgetCheck,
  [EVALUATE_GUARDRAILS_NODE]: evaluateGuardrails,
  [PERSIST_FINAL_MESSAGE_NODE]: persistFinalMessage,
  [PERSIST_PROVENANCE_NODE]: persistProvenance,
  [COMPOSE_RESULT_NODE]: composeResult,
};

/**
 * Until when each node is waited for. An abort counts once the user's message is stored, and no longer once the answer is
 * about to be (`spec/durability.md`, Ending).
 */
const WAIT_UNTIL: Readonly<Record<string, WaitUntil>> = {
  [SETUP_NODE]: "wall",
  [RENDER_PROMPT_NODE]: "wall",
  [PERSIST_USER_MESSAGE_NODE]: "wall",
  [RUN_RETRIEVALS_NODE]: "abort",
  [BUILD_INITIAL_MESSAGES_NODE]: "abort",
  [MODEL_CALL_NODE]: "abort",
  [DISPATCH_TOOLS_NODE]: "abort",
  [EVALUATE_GUARDRAILS_NODE]: "abort",
};

interface TurnHandler {
  (input: unknown, context: NodeContext): unknown;
  commits?: true;
}

const ENTRIES = Object.entries(NODES);

/** The handlers of a turn: one for each node but the loop, which the run binding drives. */
export function turnHandlers(
  turn: Turn,
): Readonly<Record<string, NodeHandler>> {
  const handlers: Record<string, NodeHandler> = {};
  for (const [nodeId, run] of ENTRIES) {
    const handler: TurnHandler = (input, context) =>
      runNode(turn, nodeId, run, input, context);
    handler.commits = true;
    handlers[nodeId] = handler;
  }
  return handlers;
}

function runNode(
  turn: Turn,
  nodeId: string,
  run: TurnNode,
  input: unknown,
  context: NodeContext,
): unknown {
  const entering = turn.enter(context);
  const output = entering === undefined
    ? run(turn, context, input)
    : entering.then(() => run(turn, context, input));
  if (!(output instanceof Promise)) return cameTo(turn, nodeId, output);
  const until = WAIT_UNTIL[nodeId];
  const done = until === undefined ? output : turn.waitFor(output, until);
  return done.then((late) => cameTo(turn, nodeId, late));
}

function cameTo(turn: Turn, nodeId: string, output: unknown) {
  turn.state.apply(nodeId, output);
  // Wrapped: a result may have an `output` of its own.
  return { output, plain: true };
}
