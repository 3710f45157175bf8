/**
 * What `deno task dev` tells whoever watches it, a line each.
 *
 * @module
 */
import { isLogLevel } from "../../base/log.ts";
import { wantsNoColor } from "../../base/platform.ts";
import {
  createRecordLog,
  DEFAULT_LOG_SETTINGS,
  type LogLevel,
  type ServiceEvent,
} from "../../pack_service/mod.ts";

/** Prints lines on standard error. */
export interface DevLines {
  /** Something that this command did or saw. */
  say(level: "info" | "warn" | "error", message: string): void;
  /** A record of the service or of a tool; those that this command tells in its own words are left out. */
  record(event: ServiceEvent): void;
}

/** What the session itself says when a child comes up, goes, or can't start. */
const TOLD_OTHERWISE: ReadonlySet<string> = new Set([
  "listening",
  "draining",
  "stopped",
  "boot-failed",
  "config-invalid",
]);

/** Fields that a person at a terminal doesn't need: the record's own parts, and ids that tie records together. */
const NOT_SHOWN: ReadonlySet<string> = new Set([
  "time",
  "level",
  "severity",
  "subsystem",
  "message",
  "event",
  "kind",
  "tenantId",
  "projectId",
  "orgId",
  "runId",
  "requestId",
  "traceId",
  "spanId",
  "packId",
  "artifactVersion",
]);

/** Makes the printer: one form for all lines, colours where standard error is a terminal that has them and `NO_COLOR` isn't set. */
export function createDevLines(): DevLines {
  let time = new Date();
  const log = createRecordLog({
    settings: { ...DEFAULT_LOG_SETTINGS, format: "pretty" },
    write: (text) => console.error(text.trimEnd()),
    terminal: Deno.stderr.isTerminal(),
    noColor: wantsNoColor(),
    now: () => time,
  });
  return {
    say: (level, message) => {
      time = new Date();
      log.write({ level, subsystem: "dev", message });
    },
    record: (event) => {
      if (TOLD_OTHERWISE.has(event.kind)) return;
      time = timeOf(event.time);
      log.write({
        level: levelOf(event.level),
        subsystem: String(event.subsystem ?? "pack"),
        message: String(event.message ?? event.kind),
        fields: Object.fromEntries(
          Object.entries(event).filter(([name]) => !NOT_SHOWN.has(name)),
        ),
        always: true,
      });
    },
  };
}

function timeOf(value: unknown): Date {
  const time = new Date(typeof value === "string" ? value : NaN);
  return Number.isNaN(time.getTime()) ? new Date() : time;
}

function levelOf(value: unknown): LogLevel {
  return isLogLevel(value) ? value : "info";
}
