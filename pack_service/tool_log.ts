/**
 * The logger that a handler finds at `ctx.log`.
 *
 * @module
 */

import { LOG_LEVELS, type Logger, type LogLevel } from "../base/log.ts";

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
      sink.write(level, String(message), merged(bound, fields));
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

function merged(
  bound: object | undefined,
  fields: object | undefined,
): object | undefined {
  if (bound === undefined) return fields;
  return fields === undefined ? bound : { ...bound, ...fields };
}
