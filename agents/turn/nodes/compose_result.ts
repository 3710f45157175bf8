/**
 * `compose-result`: what the turn answers (`spec/agents_turn.md` 1.6, 3.10).
 *
 * @module
 */

import type { NodeContext } from "../../flow/mod.ts";
import { makeProvenance } from "../provenance_record.ts";
import { settled, type Turn } from "../turn.ts";
import { readOutput } from "../typed_output.ts";
import type { AgentTurnResult, TurnWarning } from "../types.ts";

/** Puts the result together. */
export function composeResult(
  turn: Turn,
  context: NodeContext,
): AgentTurnResult | Promise<AgentTurnResult> {
  const made = provenanceOf(turn, context);
  return made instanceof Promise
    ? made.then((provenance) => resultOf(turn, context, provenance))
    : resultOf(turn, context, made);
}

function resultOf(
  turn: Turn,
  context: NodeContext,
  provenance: AgentTurnResult["provenance"],
): AgentTurnResult {
  const { state, input } = turn;
  const { agent, conversationId } = input;
  const { turnNumber } = settled(state.setup, "setup");
  const response = settled(state.finalMessage, "final message");
  const provider = settled(state.provider, "model call");
  const warnings = warningsOf(turn);
  return {
    runId: context.runId,
    conversationId,
    turnNumber: context.dryRun ? turnNumber - 1 : turnNumber,
    appended: [...state.appended],
    response,
    retrieved: state.retrieved,
    violations: state.violations,
    usage: turn.usage(),
    provider,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(agent.output === undefined
      ? {}
      : { output: context.dryRun ? null : typedAnswer(turn) }),
    ...(provenance === undefined ? {} : { provenance }),
    ...(context.dryRun ? { dryRun: true } : {}),
  };
}

/** The record, made again when the process that kept it has died since. */
function provenanceOf(
  turn: Turn,
  context: NodeContext,
): AgentTurnResult["provenance"] | Promise<AgentTurnResult["provenance"]> {
  return turn.provenance !== undefined || !turn.state.recorded
    ? turn.provenance
    : makeProvenance(turn, context, false).then((made) => made?.record);
}

/** The answer as the agent's output: it was checked before it was stored. */
function typedAnswer({ state, input }: Turn): unknown {
  const content = state.finalMessage?.content;
  const read = readOutput(input.agent.output!, String(content));
  return read.kind === "ok" ? read.value : null;
}

/** What the caller should know: the provider first, then what came up on the way, then what isn't built. */
function warningsOf(turn: Turn): TurnWarning[] {
  const { provider, model, fallback } = settled(
    turn.environment,
    "environment",
  );
  const all = [...turn.state.warnings.values()];
  if (fallback) {
    all.unshift({
      code: "fallback-provider",
      message:
        `Only the fallback provider ${provider.metadata.id}/${model.name} fitted`,
    });
  }
  if (turn.input.agent.memory?.remember !== undefined) {
    const known = all.findIndex(({ code }) => code === "feature-unavailable");
    const message =
      "/memory/remember: agents can't write memory; the turn ran without it";
    if (known === -1) all.push({ code: "feature-unavailable", message });
    else {
      all[known] = {
        code: "feature-unavailable",
        message: `${all[known]!.message} ${message}`,
      };
    }
  }
  return all;
}
