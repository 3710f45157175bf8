/**
 * One tool call of a turn: agreed to, authorised, run, and its result stored (`spec/agents_turn.md` 5, 6).
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import type { ConversationMessage } from "../conversation/mod.ts";
import type { NodeContext } from "../flow/mod.ts";
import {
  decideFailedCall,
  type FailedToolCall,
  invokeTool,
  type ToolContext,
  toolIdempotencyKey,
  toolInvocationFailed,
} from "../tools/mod.ts";
import { TurnFailure } from "./failure.ts";
import { notAuthorized, type PlannedCall } from "./plan_calls.ts";
import { SILENT_LOG } from "./silent_log.ts";
import { storeMessage } from "./store_message.ts";
import type { ToolGates } from "./tool_gates.ts";
import { settled, type Turn } from "./turn.ts";
import type { TurnTool } from "./resolve_tools.ts";

/** A call to run. */
export interface ToolCallToRun {
  /** The call. */
  readonly planned: PlannedCall;
  /** The model call that asked for it. */
  readonly step: number;
  /** The step's gates. */
  readonly gates: ToolGates;
  /** Failed calls of the turn that have gone back to the model so far. */
  readonly retries: number;
}

/** Runs a call and stores what the model gets for it; a failure that doesn't go back to the model ends the turn. */
export async function runToolCall(
  turn: Turn,
  context: NodeContext,
  { planned, step, gates, retries }: ToolCallToRun,
): Promise<ConversationMessage> {
  turn.abort.throwIfAborted();
  const { call, tool, gated } = planned;
  const about = {
    step,
    toolId: tool?.tool.id ?? call.name,
    invocationId: call.id,
  };
  const store = (content: unknown): Promise<ConversationMessage> =>
    storeMessage(turn, context, `result:${call.id}`, {
      role: "tool",
      content: (content ?? "") as ConversationMessage["content"],
      toolCall: { toolId: about.toolId, invocationId: call.id },
    });
  const fail = async (
    error: FailedToolCall,
  ): Promise<ConversationMessage> => {
    await turn.emit({
      kind: "tool.failed",
      ...about,
      error: shortError(error),
    });
    const { toolErrors } = settled(turn.environment, "environment");
    const decision = decideFailedCall({
      error,
      policy: toolErrors,
      used: retries,
    });
    if (decision.kind === "fail") throw new TurnFailure(decision.error);
    return await store(decision.content);
  };
  if (tool === undefined || gated === undefined) {
    return await fail(planned.refused!);
  }

  const decision = await gates.decision(gated);
  turn.abort.throwIfAborted();
  const version = {
    toolVersion: tool.resolvedVersion,
    toolVersionRange: tool.requestedRange,
  };
  const started = () =>
    turn.emit({
      kind: "tool.started",
      ...about,
      ...version,
      arguments: call.arguments,
    });
  const complete = async (output: unknown, durationMs: number) => {
    const message = await store(output);
    await turn.emit({
      kind: "tool.completed",
      ...about,
      ...version,
      output: message.content,
      durationMs,
    });
    return message;
  };
  if (decision !== undefined && !decision.approved) {
    const { rationale } = decision;
    await started();
    return await complete({
      status: "rejected",
      ...(rationale === undefined ? {} : { rationale }),
    }, 0);
  }
  const denied = await refusal(turn, context, tool);
  turn.abort.throwIfAborted();
  if (denied !== undefined) return await fail(denied);
  // A process that lost its run while an earlier call ran doesn't run the next one too.
  await context.commit?.();
  await started();
  const began = performance.now();
  const outcome = await invokeTool(
    tool.tool,
    call.arguments,
    toolContext(turn, context, call.id, tool),
    { maxResultBytes: turn.bindings.maxToolResultBytes },
  );
  if (outcome.kind === "ok") {
    return await complete(
      outcome.value,
      Math.round(performance.now() - began),
    );
  }
  turn.abort.throwIfAborted();
  return await fail(
    toolInvocationFailed(tool.tool.id, outcome.error, call.arguments),
  );
}

/** Why the turn's principal may not make the call; `undefined` when it may, or nobody has to ask. */
async function refusal(
  turn: Turn,
  context: NodeContext,
  { tool, resolvedVersion }: TurnTool,
): Promise<FailedToolCall | undefined> {
  const { principal, authz, tenantId, conversationId } = turn.input;
  if (principal === undefined) return undefined;
  const answer = await context.authorize?.({
    tenantId,
    principal,
    ...(authz === undefined ? {} : { authz }),
    toolId: tool.id,
    toolVersion: resolvedVersion,
    conversationId,
    runId: context.runId,
  });
  return answer?.allowed === true
    ? undefined
    : notAuthorized(tool.id, answer?.reason);
}

function toolContext(
  turn: Turn,
  context: NodeContext,
  callId: string,
  { tool, resolvedVersion }: TurnTool,
): ToolContext {
  const { input, bindings, abort, traceparent } = turn;
  const { tenantId, projectId, orgId, principal, conversationId } = input;
  const { runId, stepScope } = context;
  const { blocks } = settled(turn.environment, "environment");
  const { resolveSecret, log = SILENT_LOG } = bindings;
  return {
    tenantId,
    runId,
    projectId,
    ...(orgId === undefined ? {} : { orgId }),
    requestId: callId,
    // A plain value: V8 keeps an accessor in the object's hidden class, and with it the turn until a full collection.
    idempotencyKey: toolIdempotencyKey({
      runId,
      stepScope,
      toolId: tool.id,
      callId,
    }),
    abortSignal: abort.signal,
    deadlineAt: abort.deadlineAt,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(principal === undefined ? {} : { principal }),
    ...(resolveSecret === undefined ? {} : { resolveSecret }),
    ...(blocks.settings === undefined ? {} : { settings: blocks.settings }),
    log: log.child({
      runId,
      tenantId,
      conversationId,
      toolId: tool.id,
      toolVersion: resolvedVersion,
      requestId: callId,
    }),
    record: (key, decide) =>
      context.record(`tool-call:${callId}:${tool.id}:${key}`, decide),
  };
}

/** What an event says of a failed call: the call's own error, not the turn's around it. */
function shortError(
  error: FailedToolCall,
): { readonly code: string; readonly message: string } {
  const cause = error.code === "tool-invocation-failed"
    ? error.cause
    : undefined;
  return {
    code: isRecord(cause) && typeof cause.code === "string"
      ? cause.code
      : error.code,
    message: error.message,
  };
}
