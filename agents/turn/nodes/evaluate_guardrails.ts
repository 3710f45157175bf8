/**
 * `evaluate-guardrails`: the final answer is judged before it is stored (`spec/agents_turn.md` 3.7, 11).
 *
 * @module
 */

import { isoTime } from "../../../base/iso_time.ts";
import { frozenJson } from "../../../base/frozen_json.ts";
import type { NodeContext } from "../../flow/mod.ts";
import {
  buildRunTrace,
  categorizeOutcomes,
  evaluateGate,
  guardrailViolation,
  type RunTrace,
} from "../../guardrails/mod.ts";
import { TurnFailure } from "../failure.ts";
import type {
  AgentLoopOutput,
  EvaluateGuardrailsOutput,
} from "../step_outputs.ts";
import { settled, type Turn } from "../turn.ts";
import { readOutput } from "../typed_output.ts";

/** Judges the answer; a violation that halts ends the turn, the others are reported. */
export function evaluateGuardrails(
  turn: Turn,
  context: NodeContext,
  input: unknown,
): EvaluateGuardrailsOutput | Promise<EvaluateGuardrailsOutput> {
  const { guardrails } = settled(turn.environment, "environment");
  if (guardrails.length > 0) return judge(turn, context, input);
  turn.abort.throwIfAborted();
  return {
    at: isoTime(context.clockNow()),
    blocking: 0,
    warnings: 0,
    other: 0,
    errors: [],
    violations: [],
  };
}

async function judge(
  turn: Turn,
  context: NodeContext,
  input: unknown,
): Promise<EvaluateGuardrailsOutput> {
  const { guardrails, tenantPolicy } = settled(turn.environment, "environment");
  const { abort, bindings, traceparent } = turn;
  const { finalOutput } = input as AgentLoopOutput;
  abort.follow(context.abortSignal);
  abort.throwIfAborted();
  const judged = await evaluateGate({
    guardrails,
    trace: traceOf(turn, context, finalOutput.message.content),
    tenantPolicy,
    abortSignal: abort.signal,
    deadlineAt: abort.deadlineAt,
    traceparent,
  }, bindings);
  abort.throwIfAborted();
  const outcomes = categorizeOutcomes(judged, guardrails);
  const { blocking, warnings, other, errors } = outcomes;
  for (const violation of [...blocking, ...warnings, ...other]) {
    const { action, severity, guardrailId, result } = violation;
    await turn.emit({
      kind: "guardrail.violated",
      action,
      severity,
      guardrailId,
      ...(result.reason === undefined ? {} : { reason: result.reason }),
    });
  }
  for (const { guardrailId, action, severity, code, message } of errors) {
    await turn.emit({
      kind: "guardrail.error",
      guardrailId,
      ...(action === undefined ? {} : { action }),
      ...(severity === undefined ? {} : { severity }),
      code,
      message,
    });
  }
  const unrecorded = errors.find(({ code }) =>
    code === "judge-usage-unrecorded"
  );
  if (unrecorded !== undefined) {
    const { message, cause } = unrecorded;
    throw new TurnFailure({ code: "persistence-error", message, cause });
  }
  const violation = guardrailViolation(outcomes);
  if (violation !== undefined) throw new TurnFailure(violation);
  // Checks are a host's code: what they answer is copied.
  return frozenJson({
    at: isoTime(context.clockNow()),
    blocking: blocking.length,
    warnings: warnings.length,
    other: other.length,
    // Causes are for whoever hears the event: they may be anything.
    errors: errors.map(({ cause: _, ...error }) => error),
    violations: [...warnings, ...other],
  }) as EvaluateGuardrailsOutput;
}

function traceOf(turn: Turn, context: NodeContext, output: string): RunTrace {
  const { tenantId, projectId, orgId, agent, conversationId, userMessage } =
    turn.input;
  const { input: stepInput } = turn.input;
  const { state } = turn;
  const typed = agent.output === undefined || context.dryRun
    ? undefined
    : readOutput(agent.output, output);
  return buildRunTrace({
    runId: context.runId,
    tenantId,
    projectId,
    ...(orgId === undefined ? {} : { orgId }),
    agentId: agent.id,
    conversationId,
    turnNumber: settled(state.setup, "setup").turnNumber,
    userMessage,
    output,
    messages: state.appended,
    usage: turn.usage(),
    ...(stepInput === undefined ? {} : { stepInput }),
    ...(typed?.kind === "ok" ? { structuredOutput: typed.value } : {}),
  });
}
