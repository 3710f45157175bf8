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
export async function composeResult(
  turn: Turn,
  context: NodeContext,
): Promise<AgentTurnResult> {
  const { state, input } = turn;
  const { agent, conversationId } = input;
  const { turnNumber } = settled(state.setup, "setup");
  const response = settled(state.finalMessage, "final message");
  const provider = settled(state.provider, "model call");
  const warnings = warningsOf(turn);
  const provenance = await provenanceOf(turn, context);
  return {
    runId: context.runId,
    conversationId,
    turnNumber: context.dryRun ? turnNumber - 1 : turnNumber,
    appended: state.appended,
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
async function provenanceOf(
  turn: Turn,
  context: NodeContext,
): Promise<AgentTurnResult["provenance"]> {
  if (turn.provenance !== undefined || !turn.state.recorded) {
    return turn.provenance;
  }
  return (await makeProvenance(turn, context, false))?.record;
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
