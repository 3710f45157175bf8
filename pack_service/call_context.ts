/**
 * What a handler gets as `ctx`, made from the context that the caller sent.
 *
 * @module
 */

import type { CallAbort } from "./call_abort.ts";
import type { CallIds } from "./executor.ts";
import type { PackCallContext } from "./protocol.ts";
import { createToolLog, type ToolLogSink } from "./tool_log.ts";

const ID_NAMES = [
  "tenantId",
  "projectId",
  "orgId",
  "runId",
  "requestId",
] as const;

/** The correlation ids of a context: those that are non-empty strings (`spec/handler_runtime.md` 5). */
export function callIds(ctx: PackCallContext): CallIds {
  const ids: { -readonly [Name in keyof CallIds]: CallIds[Name] } = {};
  for (const name of ID_NAMES) {
    const value: unknown = ctx[name];
    if (typeof value === "string" && value !== "") ids[name] = value;
  }
  return ids;
}

/**
 * The handler's `ctx`: everything the caller sent, plus `abortSignal`.
 *
 * `secrets` (when sent) and `log` are there but not enumerable and read-only, so that spreading or printing the context
 * doesn't show them (`spec/handler_runtime.md` 3.3).
 */
export function callContext(
  sent: PackCallContext,
  abort: CallAbort,
  logSink: ToolLogSink,
): Record<string, unknown> {
  // The context was just parsed for this call alone, so it can become the handler's.
  const ctx = sent as unknown as Record<string, unknown>;
  if (Object.hasOwn(ctx, "secrets")) {
    Object.defineProperty(ctx, "secrets", {
      enumerable: false,
      writable: false,
    });
  }
  ctx.abortSignal = abort.signal;
  // A plain value: an accessor of its own for each call would cost more than the logger does.
  Object.defineProperty(ctx, "log", {
    enumerable: false,
    value: createToolLog(logSink),
  });
  return ctx;
}
