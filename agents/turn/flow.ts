/**
 * The flow that every turn runs (`spec/agents_turn.md` 2).
 *
 * A change of its nodes means a new version: a run is resumed only with the version that it was started with.
 *
 * @module
 */

import {
  type BodyEdge,
  END,
  type Flow,
  type FlowEdge,
  type JsonSchema,
  type LeafNode,
  loadFlow,
  LOOP_END,
  LOOP_START,
  START,
} from "../flow/mod.ts";

/** The flow's id. */
export const AGENT_TURN_FLOW_ID = "agent.turn";
/** The flow's version. */
export const AGENT_TURN_FLOW_VERSION = "1.1.0";
/** The most model calls of a turn, whatever its budget says (`spec/decisions.md` 23). */
export const AGENT_TURN_LOOP_MAX_ITERATIONS = 32;

/** Checks everything that a turn needs, before anything is stored in the conversation. */
export const SETUP_NODE = "setup";
/** Renders the agent's instructions. */
export const RENDER_PROMPT_NODE = "render-prompt";
/** Stores the user's message. */
export const PERSIST_USER_MESSAGE_NODE = "persist-user-message";
/** Looks up what the agent remembers. */
export const RUN_RETRIEVALS_NODE = "run-retrievals";
/** Puts the first prompt together. */
export const BUILD_INITIAL_MESSAGES_NODE = "build-initial-messages";
/** The loop of model calls and tools. */
export const AGENT_LOOP_NODE = "agent-loop";
/** Calls the model; in the loop's body. */
export const MODEL_CALL_NODE = "model-call";
/** Runs the tools that it asked for; in the loop's body. */
export const DISPATCH_TOOLS_NODE = "dispatch-tools";
/** Holds the turn to its budget; in the loop's body. */
export const BUDGET_CHECK_NODE = "budget-check";
/** Judges the final answer. */
export const EVALUATE_GUARDRAILS_NODE = "evaluate-guardrails";
/** Stores the final answer. */
export const PERSIST_FINAL_MESSAGE_NODE = "persist-final-message";
/** Emits how it came about. */
export const PERSIST_PROVENANCE_NODE = "persist-provenance";
/** Puts the turn's result together. */
export const COMPOSE_RESULT_NODE = "compose-result";

const COUNT: JsonSchema = { type: "integer", minimum: 0 };

/** What an iteration of the loop answers. */
const ITERATION_OUTPUT: JsonSchema = {
  type: "object",
  properties: {
    finishReason: {
      enum: ["stop", "length", "tool-use", "content-filter", "error"],
    },
    message: { type: "object" },
    iterationAppended: { type: "array" },
    iterationUsage: {
      type: "object",
      properties: {
        promptTokens: COUNT,
        completionTokens: COUNT,
        costUsd: { type: "number", minimum: 0 },
      },
      required: ["promptTokens", "completionTokens", "costUsd"],
      additionalProperties: false,
    },
    provider: {
      type: "object",
      properties: { id: { type: "string" }, model: { type: "string" } },
      required: ["id", "model"],
      additionalProperties: false,
    },
    finishedTurn: { type: "boolean" },
    nextMessages: { type: "array" },
    errorPayload: { type: "object" },
  },
  required: [
    "finishReason",
    "message",
    "iterationAppended",
    "iterationUsage",
    "provider",
    "finishedTurn",
    "nextMessages",
  ],
  additionalProperties: false,
};

const OUTER_NODES = [
  SETUP_NODE,
  RENDER_PROMPT_NODE,
  PERSIST_USER_MESSAGE_NODE,
  RUN_RETRIEVALS_NODE,
  BUILD_INITIAL_MESSAGES_NODE,
  AGENT_LOOP_NODE,
  EVALUATE_GUARDRAILS_NODE,
  PERSIST_FINAL_MESSAGE_NODE,
  PERSIST_PROVENANCE_NODE,
  COMPOSE_RESULT_NODE,
] as const;

const BODY_NODES = [
  MODEL_CALL_NODE,
  DISPATCH_TOOLS_NODE,
  BUDGET_CHECK_NODE,
] as const;

/** The flow that every turn runs: a chain of nodes around a loop that ends when the model has no more tools to call. */
export const AGENT_TURN_FLOW: Flow = loaded({
  id: AGENT_TURN_FLOW_ID,
  version: AGENT_TURN_FLOW_VERSION,
  name: "A turn of an agent",
  nodes: OUTER_NODES.map((id) =>
    id !== AGENT_LOOP_NODE ? leaf(id) : {
      id,
      kind: "loop",
      loopKind: "while",
      evaluationTiming: "after",
      maxIterations: AGENT_TURN_LOOP_MAX_ITERATIONS,
      collectAllIterations: true,
      exitCondition: {
        op: "truthy",
        value: { path: "iterationOutput.finishedTurn" },
      },
      outputSchema: ITERATION_OUTPUT,
      body: {
        nodes: BODY_NODES.map(leaf),
        edges: chain(LOOP_START, BODY_NODES, LOOP_END, "body-e", 1),
      },
    }
  ),
  edges: chain(START, OUTER_NODES, END, "e", 0) as FlowEdge[],
});

/** A node whose handler is registered under its own id. */
function leaf(id: string): LeafNode {
  return { id, kind: "tool", ref: id };
}

function chain(
  start: string,
  nodes: readonly string[],
  end: string,
  prefix: string,
  first: number,
): BodyEdge[] {
  const places = [start, ...nodes, end];
  return places.slice(1).map((to, index) => ({
    id: `${prefix}${first + index}`,
    from: places[index]!,
    to,
  }));
}

function loaded(flow: unknown): Flow {
  const result = loadFlow(flow);
  if (result.kind === "err") throw new TypeError(result.error.message);
  return result.value;
}
