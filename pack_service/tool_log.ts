/**
 * The logger that a handler finds at `ctx.log`.
 *
 * @module
 */

import { LOG_LEVELS, type Logger, type LogLevel } from "../base/log.ts";
import { readFields } from "../base/redact.ts";

/** Where a tool's log lines go. */
export interface ToolLogSink {
  /** Whether a line of this level would be written. */
  enabled(level: LogLevel): boolean;
  /** Takes a line. */
  write(level: LogLevel, message: string, fields: object | undefined): void;
}

/** Makes a logger whose lines all carry `bound`. */
export function createToolLog(sink: ToolLogSink, bound?: object): Logger {
  const writer =
    (level: LogLevel) => (message: string, fields?: object): void => {
      if (!sink.enabled(level)) return;
      sink.write(level, asText(message), merged(bound, fields));
    };
  return {
    error: writer("error"),
    warn: writer("warn"),
    info: writer("info"),
    debug: writer("debug"),
    trace: writer("trace"),
    child: (fields) => createToolLog(sink, merged(bound, fields)),
    isLevelEnabled: (level) =>
      LOG_LEVELS.includes(level) && sink.enabled(level),
  };
}

/** Handlers are JavaScript, and may give anything as fields. */
function merged(
  bound: object | undefined,
  fields: object | undefined,
): object | undefined {
  if (bound === undefined) return fields;
  return { ...readFields(bound), ...readFields(fields) };
}

/** Handlers are JavaScript, and may give anything as a message. */
function asText(message: unknown): string {
  if (typeof message === "string") return message;
  try {
    return String(message);
  } catch {
    return "[unreadable]";
  }
}
