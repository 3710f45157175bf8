/**
 * What is known of a step's tool calls before any of them runs.
 *
 * @module
 */

import { quoted } from "../agent/mod.ts";
import type { ConversationMessage } from "../conversation/mod.ts";
import type { ModelToolCall } from "../routing/mod.ts";
import {
  type FailedToolCall,
  readToolInput,
  toolInvocationFailed,
  unresolvedToolCall,
} from "../tools/mod.ts";
import type { TurnTool } from "./resolve_tools.ts";
import type { GatedCall } from "./tool_gates.ts";
import { settled, type Turn } from "./turn.ts";

/** A call, looked at. */
export interface PlannedCall {
  /** The call. */
  readonly call: ModelToolCall;
  /** Its tool; absent when the agent has none of that name. */
  readonly tool?: TurnTool;
  /** Why it can't run as it is. */
  readonly refused?: FailedToolCall;
  /** For one that can: whether people have to agree is for its gate to say. */
  readonly gated?: GatedCall;
  /** Its result, when an earlier part of the turn has stored it. */
  readonly result?: ConversationMessage;
}

/** Looks at each call: the tool, the arguments (before anybody is asked), the result of an earlier part. */
export function planCalls(
  turn: Turn,
  calls: readonly ModelToolCall[],
  earlier: readonly ConversationMessage[],
): PlannedCall[] {
  const { tools } = settled(turn.environment, "environment");
  return calls.map((call): PlannedCall => {
    const result = earlier.find(({ toolCall }) =>
      toolCall?.invocationId === call.id
    );
    const stored = result === undefined ? {} : { result };
    const tool = tools.get(call.name);
    if (tool === undefined) {
      return { call, refused: unresolvedToolCall(call.name), ...stored };
    }
    const input = readToolInput(tool.tool, call.arguments);
    if (input.kind === "err") {
      const refused = toolInvocationFailed(
        tool.tool.id,
        input.error,
        call.arguments,
      );
      return { call, tool, refused, ...stored };
    }
    const gated = { call, tool, answered: result !== undefined };
    return { call, tool, gated, ...stored };
  });
}

/** The error of a call that its principal may not make (`spec/decisions.md` 28). */
export function notAuthorized(
  toolId: string,
  reason: string | undefined,
): FailedToolCall {
  const message = `Calling tool ${quoted(toolId)} is not allowed${
    reason === undefined ? "" : `: ${reason}`
  }`;
  return toolInvocationFailed(
    toolId,
    { code: "not-authorized", message },
    undefined,
  );
}
