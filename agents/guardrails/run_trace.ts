/**
 * Building what checks are told of a turn (`spec/agents_turn.md` 11.1).
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import type { RunTrace, TraceToolCall, TraceToolResult } from "./trace.ts";

/** A stored message, the part that a trace is made of. */
export interface TraceMessage {
  /** Who says it. */
  readonly role: string;
  /** What: a text, or for an agent that calls tools `{ text, toolCalls }`. */
  readonly content: unknown;
  /** For a tool's result: the call that it answers. */
  readonly toolCall?: {
    /** The call's id. */
    readonly invocationId: string;
  };
  /** When, as ISO 8601. */
  readonly createdAt: string;
}

/** What a turn knows of itself when its answer is judged. */
export interface RunTraceInput {
  /** The run. */
  readonly runId: string;
  /** Whose turn. */
  readonly tenantId: string;
  /** The project. */
  readonly projectId?: string;
  /** The project's organisation. */
  readonly orgId?: string;
  /** The agent's id. */
  readonly agentId: string;
  /** The conversation. */
  readonly conversationId: string;
  /** Which turn of it, from 1. */
  readonly turnNumber: number;
  /** What the user said. */
  readonly userMessage: string;
  /** The answer that is judged. */
  readonly output: unknown;
  /** The messages that the turn stored. */
  readonly messages: readonly TraceMessage[];
  /** What the turn used. */
  readonly usage: {
    /** Model calls. */
    readonly steps: number;
    /** Tokens read. */
    readonly promptTokens: number;
    /** Tokens written. */
    readonly completionTokens: number;
    /** US dollars. */
    readonly totalCostUsd: number;
    /** Milliseconds. */
    readonly durationMs: number;
  };
  /** The turn's structured input, where it has one. */
  readonly stepInput?: unknown;
  /** The typed answer, where the agent has one. */
  readonly structuredOutput?: unknown;
}

/** What stands for provider and model in a trace: the record is the sum over all of a turn's calls. */
const ALL_CALLS = "turn-total";

/**
 * Builds the trace of a turn.
 *
 * Calls are read from the messages, those that were rejected, unknown or failed too; results likewise. The models' calls
 * are one record with the turn's totals.
 */
export function buildRunTrace(input: RunTraceInput): RunTrace {
  const { projectId, orgId, messages, usage, stepInput, structuredOutput } =
    input;
  return {
    runId: input.runId,
    tenantId: input.tenantId,
    ...(projectId === undefined ? {} : { projectId }),
    ...(orgId === undefined ? {} : { orgId }),
    agentId: input.agentId,
    output: textOf(input.output),
    toolCalls: messages.flatMap(callsOf),
    toolResults: messages.flatMap(resultOf),
    modelCalls: [{
      provider: ALL_CALLS,
      model: ALL_CALLS,
      promptTokens: usage.promptTokens,
      completionTokens: usage.completionTokens,
    }],
    mode: "runtime",
    userInput: input.userMessage,
    conversationId: input.conversationId,
    turnNumber: input.turnNumber,
    totalCostUsd: usage.totalCostUsd,
    durationMs: usage.durationMs,
    attributes: {
      steps: usage.steps,
      ...(stepInput === undefined ? {} : { stepInput }),
      ...(structuredOutput === undefined ? {} : { structuredOutput }),
    },
  };
}

function textOf(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output ?? "");
}

function callsOf({ role, content, createdAt }: TraceMessage): TraceToolCall[] {
  if (role !== "agent" || !isRecord(content)) return [];
  const { toolCalls } = content;
  if (!Array.isArray(toolCalls)) return [];
  return toolCalls.filter(isRecord).map(({ name, arguments: args }) => ({
    toolId: String(name),
    toolName: String(name),
    arguments: args,
    at: createdAt,
  }));
}

function resultOf(message: TraceMessage): TraceToolResult[] {
  const { role, content, toolCall, createdAt } = message;
  if (role !== "tool") return [];
  return [{
    ...(toolCall === undefined ? {} : { toolCallId: toolCall.invocationId }),
    output: content,
    at: createdAt,
  }];
}
