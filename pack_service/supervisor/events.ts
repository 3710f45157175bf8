/**
 * What the supervisor tells its owner, and how it reads what a child writes on stderr
 * (`spec/handler_runtime.md` 5, 6).
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";

/** One line of a child's stderr that is a record rather than the pack's own output; `kind` says which. */
export interface ServiceEvent {
  /** The service's own event name (`listening`, `call` …), or `record` for any other log record. */
  readonly kind: string;
  /** The record's fields, as written. */
  readonly [field: string]: unknown;
}

/** Something that happened to the children of a supervisor. */
export type SupervisorEvent =
  /** A child listens and new calls go to it. */
  | {
    readonly kind: "started";
    readonly port: number;
    readonly indexPath: string;
  }
  /** A child didn't come up; whatever served before still does. */
  | { readonly kind: "boot-failed"; readonly problems: readonly string[] }
  /** The serving child ended unasked: its exit code, or the signal that ended it. */
  | {
    readonly kind: "exited";
    readonly code: number | null;
    readonly signal: string | null;
  }
  /** The child that ended is started again after the restart delay; attempts count from 1. */
  | { readonly kind: "restarting"; readonly attempt: number }
  /** No attempt worked: nothing serves until the next `start`. */
  | { readonly kind: "gave-up"; readonly attempts: number }
  /** A child wrote a record on stderr; `line` is the record as written. */
  | {
    readonly kind: "log";
    readonly event: ServiceEvent;
    readonly line: string;
  };

/** The events that a child may write as a bare `{"kind":…}` line, from before there were log records. */
const LEGACY_KINDS: ReadonlySet<string> = new Set([
  "listening",
  "boot-failed",
  "config-invalid",
  "missing-env",
  "draining",
  "stopped",
  "call",
  "handler-finished-late",
]);

/**
 * Reads one line of a child's stderr; `undefined` means that it is the pack's own output.
 *
 * Only a log record of subsystem `pack` with an `event` is acted on, as an event of that name. Any other record is kind
 * `record`: shown, never acted on, so that a tool which logs `event: "listening"` fools nobody. A bare `{"kind":…}`
 * line counts for eight kinds only (`spec/handler_runtime.md` 6, Reading stderr lines).
 */
export function serviceEvent(line: string): ServiceEvent | undefined {
  if (!line.startsWith("{")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  if (isLogRecord(value)) {
    const own = value.subsystem === "pack" && typeof value.event === "string";
    return { ...value, kind: own ? value.event as string : "record" };
  }
  if (typeof value.kind === "string" && LEGACY_KINDS.has(value.kind)) {
    return { ...value, kind: value.kind };
  }
  return undefined;
}

function isLogRecord(value: Record<string, unknown>): boolean {
  return typeof value.time === "string" && typeof value.level === "string" &&
    typeof value.subsystem === "string" && typeof value.message === "string";
}
