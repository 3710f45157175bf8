/**
 * What a check is told about a turn (`spec/agents_turn.md` 11.1).
 *
 * @module
 */

/** A tool call as a trace tells it. */
export interface TraceToolCall {
  /** The tool's id, as it was called. */
  readonly toolId: string;
  /** The same name. */
  readonly toolName?: string;
  /** What it was called with. */
  readonly arguments?: unknown;
  /** When, as ISO 8601. */
  readonly at?: string;
}

/** What a tool answered, as a trace tells it: rejections and errors too. */
export interface TraceToolResult {
  /** The call that it answers. */
  readonly toolCallId?: string;
  /** The answer. */
  readonly output?: unknown;
  /** When, as ISO 8601. */
  readonly at?: string;
}

/** Calls of models, as a trace tells them. */
export interface TraceModelCall {
  /** The provider. */
  readonly provider: string;
  /** The model. */
  readonly model: string;
  /** Tokens read. */
  readonly promptTokens: number;
  /** Tokens written. */
  readonly completionTokens: number;
}

/** What happened in a turn. */
export interface RunTrace {
  /** The turn's run. */
  readonly runId: string;
  /** Whose turn it is. */
  readonly tenantId: string;
  /** The project. */
  readonly projectId?: string;
  /** The project's organisation. */
  readonly orgId?: string;
  /** The agent. */
  readonly agentId?: string;
  /** The final answer; JSON when it is an object. */
  readonly output: string;
  /** The tools that were called, in order. */
  readonly toolCalls: readonly TraceToolCall[];
  /** What they answered. */
  readonly toolResults: readonly TraceToolResult[];
  /** The models that were called. */
  readonly modelCalls: readonly TraceModelCall[];
  /** In which kind of run; a turn's is `runtime`. */
  readonly mode: "runtime" | "ci";
  /** What the user said. */
  readonly userInput?: unknown;
  /** The conversation. */
  readonly conversationId?: string;
  /** Which turn of it, from 1. */
  readonly turnNumber?: number;
  /** US dollars so far. */
  readonly totalCostUsd?: number;
  /** Milliseconds so far. */
  readonly durationMs?: number;
  /** Further facts, such as `steps`, `stepInput` and `structuredOutput`. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** Whatever else a runtime tells. */
  readonly [field: string]: unknown;
}
