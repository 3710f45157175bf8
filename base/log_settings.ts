/**
 * How loud and in which form to log, as the environment says.
 *
 * @module
 */
import { err, ok, type Result } from "./result.ts";

/** How serious a record is. */
export type LogLevel = "error" | "warn" | "info" | "debug" | "trace";

/** Every level, the most serious first. */
export const LOG_LEVELS: readonly LogLevel[] = Object.freeze<LogLevel[]>([
  "error",
  "warn",
  "info",
  "debug",
  "trace",
]);

/** `json`: one object a line; `pretty`: for people; `auto`: pretty on a terminal, else JSON. */
export type LogFormat = "auto" | "json" | "pretty";

/** What is logged, and how. */
export interface LogSettings {
  /** The least serious level that is written where no subsystem says otherwise. */
  readonly level: LogLevel;
  /** Levels of single subsystems by dotted name; each also covers the names below it. */
  readonly levels: ReadonlyMap<string, LogLevel>;
  /** The form of a record. */
  readonly format: LogFormat;
}

/** The variable with the level of everything. */
export const LOG_LEVEL_VAR = "KINDGI_LOG_LEVEL";
/** The variable with the levels of single subsystems. */
export const LOG_LEVELS_VAR = "KINDGI_LOG_LEVELS";
/** The variable with the form. */
export const LOG_FORMAT_VAR = "KINDGI_LOG_FORMAT";

/** What holds when the environment says nothing: `info`, for all alike, `auto`. */
export const DEFAULT_LOG_SETTINGS: LogSettings = Object.freeze({
  level: "info",
  levels: new Map<string, LogLevel>(),
  format: "auto",
});

/**
 * Reads the log settings from an environment (`spec/handler_runtime.md` 4).
 *
 * `KINDGI_LOG_LEVEL` is a level, `KINDGI_LOG_LEVELS` a list like `pack=warn,pack.tool=debug`, `KINDGI_LOG_FORMAT` one of
 * `auto`, `json` and `pretty`. Unset and empty mean the default. The error lists every problem, each naming its variable.
 */
export function parseLogSettings(
  env: Readonly<Record<string, string | undefined>>,
): Result<LogSettings, string[]> {
  const problems: string[] = [];

  let level = DEFAULT_LOG_SETTINGS.level;
  const rawLevel = env[LOG_LEVEL_VAR] || undefined;
  if (rawLevel !== undefined) {
    if (isLogLevel(rawLevel)) level = rawLevel;
    else {
      problems.push(
        `${LOG_LEVEL_VAR} must be one of ${LOG_LEVELS.join(", ")}, got ${
          JSON.stringify(rawLevel)
        }`,
      );
    }
  }

  const levels = new Map<string, LogLevel>();
  for (const entry of (env[LOG_LEVELS_VAR] || undefined)?.split(",") ?? []) {
    const [name, value] = splitEntry(entry);
    if (name !== "" && isLogLevel(value)) levels.set(name, value);
    else {
      problems.push(
        `${LOG_LEVELS_VAR} must be a list of name=level with a level of ${
          LOG_LEVELS.join(", ")
        }, got the entry ${JSON.stringify(entry)}`,
      );
    }
  }

  let format = DEFAULT_LOG_SETTINGS.format;
  const rawFormat = env[LOG_FORMAT_VAR] || undefined;
  if (rawFormat !== undefined) {
    if (
      rawFormat === "auto" || rawFormat === "json" || rawFormat === "pretty"
    ) format = rawFormat;
    else {
      problems.push(
        `${LOG_FORMAT_VAR} must be one of auto, json, pretty, got ${
          JSON.stringify(rawFormat)
        }`,
      );
    }
  }

  return problems.length > 0 ? err(problems) : ok({ level, levels, format });
}

/** The level of a subsystem: its own entry, else its nearest dotted parent's, else the global one. */
export function subsystemLevel(
  settings: LogSettings,
  subsystem: string,
): LogLevel {
  for (let name = subsystem; name !== "";) {
    const level = settings.levels.get(name);
    if (level !== undefined) return level;
    name = name.slice(0, Math.max(name.lastIndexOf("."), 0));
  }
  return settings.level;
}

/** Whether a record of `level` is written where `threshold` is the least serious level. */
export function levelReaches(level: LogLevel, threshold: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(threshold);
}

/** Whether a value names a level. */
export function isLogLevel(value: unknown): value is LogLevel {
  return (LOG_LEVELS as readonly unknown[]).includes(value);
}

function splitEntry(entry: string): [name: string, value: string] {
  const at = entry.indexOf("=");
  return at < 0
    ? ["", ""]
    : [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
}
