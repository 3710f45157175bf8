/**
 * The key by which a tool knows a repeated call (`spec/handler_runtime.md` 11, `spec/agents_turn.md` 19).
 *
 * @module
 */

import { nameUuid } from "../../base/name_uuid.ts";

const NAMESPACE = "a70d5bff-e713-4322-b2ea-9d5c4926a861";

/** What makes a tool call the same call. */
export interface ToolCallIdentity {
  /** The run. */
  readonly runId: string;
  /** The step: for a call of a turn `dispatch-tools@agent-loop#<iteration>`, the iteration from 0. */
  readonly stepScope: string;
  /** The tool. */
  readonly toolId: string;
  /** The model's id of the call, unique only within its answer; absent where no model asked. */
  readonly callId?: string;
}

/** The idempotency key of a tool call: a version 5 UUID, the same in every process and after every crash. */
export function toolIdempotencyKey(call: ToolCallIdentity): string {
  const { runId, stepScope, toolId, callId } = call;
  const parts = [runId, stepScope, toolId];
  if (callId !== undefined) parts.push(callId);
  return nameUuid(NAMESPACE, JSON.stringify(parts));
}
