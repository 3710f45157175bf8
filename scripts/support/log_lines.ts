/**
 * Log records of a command, as the environment wants them.
 *
 * @module
 */
import process from "node:process";
import {
  createRecordLog,
  LOG_LEVELS,
  type Logger,
  type LogLevel,
  parseLogSettings,
} from "../../base/log.ts";
import { wantsNoColor } from "../../base/platform.ts";
import { CannotStart } from "./cannot_start.ts";

/**
 * A logger that writes records on standard error: `KINDGI_LOG_LEVEL`, `KINDGI_LOG_LEVELS` and `KINDGI_LOG_FORMAT` say which
 * and how.
 *
 * @throws {CannotStart} If they make no sense.
 */
export function commandLog(subsystem: string): Logger {
  const settings = parseLogSettings(process.env);
  if (settings.kind === "err") throw new CannotStart(settings.error.join("; "));
  const log = createRecordLog({
    settings: settings.value,
    write: (text) => console.error(text.trimEnd()),
    terminal: Deno.stderr.isTerminal(),
    noColor: wantsNoColor(),
  });
  const loggerOf = (bound: object): Logger => {
    const writer = (level: LogLevel) => (message: string, fields?: object) =>
      log.write({
        level,
        subsystem,
        message,
        fields: { ...bound, ...fields },
      });
    return {
      error: writer("error"),
      warn: writer("warn"),
      info: writer("info"),
      debug: writer("debug"),
      trace: writer("trace"),
      child: (fields) => loggerOf({ ...bound, ...fields }),
      isLevelEnabled: (level) =>
        LOG_LEVELS.includes(level) && log.enabled(level, subsystem),
    };
  };
  return loggerOf({});
}
