/**
 * What the pack service tells about itself: its events, and the log record of each (`spec/handler_runtime.md` 3.6, 5).
 *
 * @module
 */
import type { LogLevel, RecordLog } from "../base/log.ts";
import { readFields } from "../base/redact.ts";
import { newSpanId, parseTraceparent } from "../base/trace.ts";
import type { PackEvent } from "./events.ts";

/** The subsystem of the service's own records. */
export const PACK_SUBSYSTEM = "pack";
/** The subsystem of what tools write through `ctx.log`. */
export const TOOL_SUBSYSTEM = "pack.tool";

/** What ties a call's records to each other and to the caller's. */
export interface CallCorrelation {
  /** The tenant. */
  readonly tenantId?: string | undefined;
  /** The tenant's project. */
  readonly projectId?: string | undefined;
  /** The tenant's organisation. */
  readonly orgId?: string | undefined;
  /** The run. */
  readonly runId?: string | undefined;
  /** The request within the run. */
  readonly requestId?: string | undefined;
  /** The caller's trace. */
  readonly traceId?: string | undefined;
  /** The call's own span in that trace. */
  readonly spanId?: string | undefined;
}

/** The pack that a started service serves. */
export interface PackIdentity {
  /** The pack's id. */
  readonly packId: string;
  /** The version of the build. */
  readonly artifactVersion: string;
}

/** A line that a tool wrote through `ctx.log`. */
export interface ToolLine {
  /** How serious it is. */
  readonly level: LogLevel;
  /** What it says; whatever isn't a string is written as one. */
  readonly message: string;
  /** The tool's own fields. */
  readonly fields?: object | undefined;
}

/** Writes the service's events and its tools' lines as records. */
export interface PackRecords {
  /** Writes an event's record; a call's `correlation` goes with `call` and `handler-finished-late`. */
  event(event: PackEvent, correlation?: CallCorrelation): void;
  /** Writes a tool's line with the ids of its call. Never throws, whatever the line holds. */
  tool(line: ToolLine, correlation: CallCorrelation): void;
  /** Whether an event's record of this level would be written. */
  enabled(level: LogLevel): boolean;
  /** Whether a tool's line of this level would be written. */
  toolEnabled(level: LogLevel): boolean;
}

/**
 * The correlation of a call: the ids of its context that are non-empty strings, in a valid trace also the caller's
 * `traceId` and a fresh `spanId`. A check call has no context, so give none.
 */
export function callCorrelation(
  ctx: Readonly<Record<string, unknown>> | undefined,
  traceparent: string | null | undefined,
): CallCorrelation {
  const trace = parseTraceparent(traceparent);
  return {
    tenantId: text(ctx?.tenantId),
    projectId: text(ctx?.projectId),
    orgId: text(ctx?.orgId),
    runId: text(ctx?.runId),
    requestId: text(ctx?.requestId),
    traceId: trace?.traceId,
    spanId: trace && newSpanId(),
  };
}

/**
 * Makes the writer of a service's records.
 *
 * With `pack` given the records of a started service carry `packId` and `artifactVersion`; those of a service inside
 * another program don't, nor do lifecycle lines (`listening` has its own).
 */
export function createPackRecords(
  log: RecordLog,
  pack?: PackIdentity,
): PackRecords {
  // Listed even when undefined: a tool's field of such a name must not pose as the service's.
  const correlated = (correlation: CallCorrelation | undefined) => ({
    tenantId: correlation?.tenantId,
    projectId: correlation?.projectId,
    orgId: correlation?.orgId,
    runId: correlation?.runId,
    requestId: correlation?.requestId,
    traceId: correlation?.traceId,
    spanId: correlation?.spanId,
    packId: pack?.packId,
    artifactVersion: pack?.artifactVersion,
  });

  return {
    event(event, correlation) {
      const record = describe(event);
      if (!record.always && !log.enabled(record.level, PACK_SUBSYSTEM)) return;
      const { kind, ...fields } = event;
      log.write({
        level: record.level,
        subsystem: PACK_SUBSYSTEM,
        message: record.message,
        event: kind,
        ...(record.serving ? { correlation: correlated(correlation) } : {}),
        fields: { ...fields, ...record.fields },
        always: record.always === true,
      });
    },
    enabled: (level) => log.enabled(level, PACK_SUBSYSTEM),
    tool({ level, message, fields }, correlation) {
      if (!log.enabled(level, TOOL_SUBSYSTEM)) return;
      log.write({
        level,
        subsystem: TOOL_SUBSYSTEM,
        message: asText(message),
        correlation: correlated(correlation),
        fields: readFields(fields),
      });
    },
    toolEnabled: (level) => log.enabled(level, TOOL_SUBSYSTEM),
  };
}

/** How an event is told. */
interface Description {
  readonly level: LogLevel;
  readonly message: string;
  /** A lifecycle line: no level holds it back. */
  readonly always?: boolean;
  /** A line of a service that has started: it names the pack, and the call if there is one. */
  readonly serving?: boolean;
  /** Fields beside the event's own. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

function describe(event: PackEvent): Description {
  switch (event.kind) {
    case "listening":
      return {
        level: "info",
        message: `listening on port ${event.port}`,
        always: true,
      };
    case "boot-failed":
      return {
        level: "error",
        message: `the pack service cannot start: ${event.problems.join("; ")}`,
        always: true,
      };
    case "config-invalid":
      return {
        level: "error",
        message: `the configuration is invalid: ${event.problems.join("; ")}`,
        always: true,
      };
    case "draining":
      return {
        level: "info",
        message: "draining: new calls are refused, running ones may finish",
        always: true,
      };
    case "stopped":
      return { level: "info", message: "stopped", always: true };
    case "missing-env":
      return {
        level: "warn",
        message: `required environment variables are unset or empty: ${
          event.names.join(", ")
        }; ${
          event.check === "strict"
            ? "calls are refused until they are set"
            : "serving anyway"
        }`,
        serving: true,
      };
    case "env-dropped":
      return {
        level: "warn",
        message:
          `environment variables that the pack doesn't declare are kept from it: ${
            event.names.join(", ")
          }`,
      };
    case "call":
      return {
        level: event.outcome === "ok" ? "info" : "warn",
        message:
          `${event.target} ${event.id} ${event.outcome} ${event.durationMs}ms`,
        serving: true,
        fields: {
          ...calledId(event),
          inMessage: ["target", "id", "outcome", "durationMs"],
        },
      };
    case "handler-finished-late":
      return {
        level: "warn",
        message:
          `${event.target} ${event.id} finished ${event.afterMs}ms after it began, when its call had already been answered`,
        serving: true,
        fields: {
          ...calledId(event),
          inMessage: ["target", "id", "afterMs"],
        },
      };
    case "executor-lost":
      return {
        level: "error",
        message: `executor ${event.executor} was lost (${event.reason}); ${
          event.calls === 1 ? "1 call" : `${event.calls} calls`
        } had begun on it and may have run`,
        serving: true,
      };
    case "executor-blocked":
      return {
        level: "warn",
        message:
          `executor ${event.executor} has been silent for ${event.silentMs}ms; ${
            event.waiting === 1 ? "1 call waits" : `${event.waiting} calls wait`
          } for it`,
        serving: true,
      };
    case "pack-unhandled":
      return {
        level: "error",
        message: event.origin === "unhandledrejection"
          ? "a promise of the pack's code was rejected and nothing handled it"
          : "the pack's code threw outside of a call",
        serving: true,
      };
    case "stats":
      return {
        level: "info",
        message: `${event.inFlight} calls in flight, ${
          Object.values(event.calls).reduce((sum, count) => sum + count, 0)
        } answered, ${event.executorsLost} executors lost`,
        serving: true,
      };
    case "sandbox-off":
      return {
        level: "warn",
        message:
          `KINDGI_PACK_SANDBOX=off: what these declare about their sandbox is not enforced: ${
            event.names.join(", ")
          }`,
      };
    case "limits-ignored":
      return {
        level: "warn",
        message:
          `limits hold only with sandbox "strict"; these declare them without it: ${
            event.names.join(", ")
          }`,
      };
  }
}

/** The id of a call's tool or check, under its own name. */
function calledId(
  event: { readonly target: "tool" | "check"; readonly id: string },
): Record<string, string> {
  return { [event.target === "tool" ? "toolId" : "checkId"]: event.id };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A message as text: handlers are JavaScript, and may give anything. */
function asText(message: unknown): string {
  if (typeof message === "string") return message;
  try {
    return String(message);
  } catch {
    return "[unreadable]";
  }
}
