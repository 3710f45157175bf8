/**
 * `model-call`: one call of the turn's model (`spec/agents_turn.md` 4.1).
 *
 * @module
 */

import { isoTime } from "../../../base/iso_time.ts";
import { randomUUID } from "node:crypto";
import { frozenJson } from "../../../base/frozen_json.ts";
import { err, type Result } from "../../../base/result.ts";
import type { NodeContext, UsageSink } from "../../flow/mod.ts";
import {
  callModel,
  type ModelAnswer,
  type ModelCallInput,
  type ModelUsageRecord,
  recordModelUsage,
} from "../../routing/mod.ts";
import type { TurnEnvironment } from "../environment.ts";
import type { InvokeAgentError } from "../errors.ts";
import type { ModelCallOutput } from "../step_outputs.ts";
import { settled, type Turn, valueOf } from "../turn.ts";
import type { TurnWarning } from "../types.ts";

/** Finish reasons that the caller should know of: the answer may not be all of it. */
const CUT: Readonly<Record<string, string>> = {
  "length": "The model stopped at its most tokens: the answer may be cut",
  "content-filter": "The provider's content filter stopped the model",
};

/** Calls the model once, and accounts for it before its answer counts. */
export async function modelCall(
  turn: Turn,
  context: NodeContext,
): Promise<ModelCallOutput> {
  const environment = settled(turn.environment, "environment");
  const { provider, model } = environment;
  const step = turn.state.steps + 1;
  const callId = randomUUID();
  turn.abort.follow(context.abortSignal);
  turn.abort.throwIfAborted();
  if (turn.isHeard) {
    await turn.emit({
      kind: "model.call.started",
      step,
      providerId: provider.metadata.id,
      model: model.name,
    });
  }
  const answer = context.dryRun
    ? mockAnswer(environment)
    : valueOf(await call(turn, context, environment, step, callId));
  const { message, finishReason, usage, costUsd, durationMs } = answer;
  const { promptTokens, completionTokens } = usage;
  if (turn.isHeard) {
    await turn.emit({
      kind: "model.call.completed",
      step,
      finishReason,
      promptTokens,
      completionTokens,
      costUsd,
      durationMs,
    });
  }
  const warnings = warningsOf(answer);
  return {
    at: isoTime(context.clockNow()),
    step,
    callId,
    finishReason,
    message,
    iterationUsage: { promptTokens, completionTokens, costUsd },
    provider: answer.provider,
    nextMessages: [],
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

async function call(
  turn: Turn,
  context: NodeContext,
  { provider, model, fallback, toolDefinitions, blocks }: TurnEnvironment,
  step: number,
  callId: string,
): Promise<Result<ModelAnswer, InvokeAgentError>> {
  const { agent, conversationId, tenantId, projectId } = turn.input;
  const { output } = agent;
  const request: Omit<ModelCallInput, "model"> = {
    messages: [...turn.state.messages],
    ...(toolDefinitions.length === 0 ? {} : { tools: toolDefinitions }),
    ...(output === undefined || !model.features.includes("structured-output")
      ? {}
      : {
        structuredOutput: {
          name: output.name ?? "output",
          schema: output.schema,
        },
      }),
    ...settingsFor(model, blocks.modelSettings),
    abortSignal: turn.abort.signal,
  };
  const occurredAt = isoTime(context.clockNow());
  const began = performance.now();
  const answer = await callModel({
    provider,
    model,
    call: request,
    ids: { step, taken: turn.state.toolCallIds },
  });
  const record: Omit<ModelUsageRecord, "status" | "durationMs"> = {
    callId,
    tenantId,
    projectId,
    runId: context.runId,
    agentId: agent.id,
    agentVersion: agent.version,
    conversationId,
    nodeId: context.nodeId,
    step,
    providerId: provider.metadata.id,
    model: model.name,
    ...(fallback ? { fallback } : {}),
    occurredAt,
  };
  const { usage } = turn.bindings;
  if (answer.kind === "ok") {
    const { message: _, ...result } = answer.value;
    const whole: ModelUsageRecord = {
      ...record,
      status: "ok",
      result,
      durationMs: result.durationMs,
    };
    // Kept together with the answer itself where the store can, else before it.
    if (
      usage !== undefined && context.keepUsage?.(usage as UsageSink, whole)
    ) return answer;
    const recorded = await recordModelUsage(usage, whole);
    return recorded.kind === "err" ? recorded : answer;
  }
  // The provider's own error counts, whether or not the account could be kept.
  await recordModelUsage(usage, {
    ...record,
    status: "failed",
    error: failureOf(answer.error),
    durationMs: Math.round(performance.now() - began),
  });
  return answer.error.code === "model-call-aborted"
    ? err(turn.abort.error())
    : err(answer.error);
}

/** Settings that the model takes. */
function settingsFor(
  model: TurnEnvironment["model"],
  { temperature, maxOutputTokens }: TurnEnvironment["blocks"]["modelSettings"],
): Pick<ModelCallInput, "temperature" | "maxOutputTokens"> {
  return {
    ...(temperature === undefined || model.sampling === false
      ? {}
      : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

function failureOf(
  error: { readonly message: string; readonly cause?: unknown },
): NonNullable<ModelUsageRecord["error"]> {
  const { attempts } = (error.cause ?? {}) as { readonly attempts?: unknown };
  return {
    message: error.message,
    ...(typeof attempts === "number" ? { attempts } : {}),
  };
}

function warningsOf(answer: ModelAnswer): TurnWarning[] {
  const { finishReason, warnings = [] } = answer;
  const cut = CUT[finishReason];
  if (cut === undefined && warnings.length === 0) return [];
  return [
    ...(cut === undefined ? [] : [{ code: finishReason, message: cut }]),
    // A provider's own, which it might still change.
    ...frozenJson(warnings) as readonly TurnWarning[],
  ];
}

/** What stands for an answer in a dry run. */
function mockAnswer({ provider, model }: TurnEnvironment): ModelAnswer {
  const pair = `${provider.metadata.id}/${model.name}`;
  return {
    message: {
      role: "assistant",
      content: `[dry-run: ${pair} was not called]`,
    },
    finishReason: "stop",
    usage: { promptTokens: 0, completionTokens: 0 },
    costUsd: 0,
    durationMs: 0,
    provider: { id: provider.metadata.id, model: model.name },
  };
}
