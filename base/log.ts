/**
 * Log records: one line each, as JSON for machines or for people on a terminal (`spec/handler_runtime.md` 5).
 *
 * @module
 */
import {
  levelReaches,
  type LogLevel,
  type LogSettings,
  subsystemLevel,
} from "./log_settings.ts";
import {
  isSecretKey,
  logText,
  logValue,
  readFields,
  REDACTED,
} from "./redact.ts";

export {
  DEFAULT_LOG_SETTINGS,
  isLogLevel,
  LOG_LEVELS,
  type LogFormat,
  type LogLevel,
  type LogSettings,
  parseLogSettings,
} from "./log_settings.ts";

/** What a record is made from. */
export interface LogRecord {
  /** How serious it is. */
  readonly level: LogLevel;
  /** Who writes it, a dotted name: `pack`, `pack.tool`. */
  readonly subsystem: string;
  /** What happened, for people. */
  readonly message: string;
  /** The record's name, on a service's own lines; written as `event` and, for old readers, as `kind`. */
  readonly event?: string;
  /** What ties records together (run, tenant, trace …), in the order to write it; undefined ones are left out. */
  readonly correlation?: Readonly<Record<string, unknown>>;
  /**
   * Everything else. A field named like one that the record itself has is moved under `fields`. `inMessage`, a list of
   * names, says which ones the message already tells.
   */
  readonly fields?: object;
  /** Lifecycle lines: written whatever the levels say. */
  readonly always?: boolean;
}

/** Where records go. */
export interface RecordLog {
  /** Whether a record of this level and subsystem would be written. */
  enabled(level: LogLevel, subsystem: string): boolean;
  /** Writes a record if its level is enabled. Never throws, whatever the fields are. */
  write(record: LogRecord): void;
}

/** The logger that a tool's handler gets as `ctx.log`. */
export interface Logger {
  /** Something failed. */
  error(message: string, fields?: object): void;
  /** Something is wrong but was dealt with. */
  warn(message: string, fields?: object): void;
  /** Something worth knowing happened. */
  info(message: string, fields?: object): void;
  /** A detail for whoever looks for a fault. */
  debug(message: string, fields?: object): void;
  /** A detail too small for every day. */
  trace(message: string, fields?: object): void;
  /** A logger that puts `fields` on each of its records. */
  child(fields: object): Logger;
  /** Whether a record of this level would be written. */
  isLevelEnabled(level: LogLevel): boolean;
}

/** What {@link createRecordLog} needs. */
export interface RecordLogOptions {
  /** Levels and form. */
  readonly settings: LogSettings;
  /** Takes a record's text, newline included. */
  readonly write: (text: string) => void;
  /** Whether what `write` leads to is a terminal: decides the form `auto`, and colour. */
  readonly terminal: boolean;
  /** Whether `NO_COLOR` is set. */
  readonly noColor: boolean;
  /** The clock. */
  readonly now?: () => Date;
}

/** What other log systems call our levels. */
const SEVERITIES: Readonly<Record<LogLevel, string>> = {
  error: "ERROR",
  warn: "WARNING",
  info: "INFO",
  debug: "DEBUG",
  trace: "DEBUG",
};

/** Makes a log that writes records as the settings say. */
export function createRecordLog(options: RecordLogOptions): RecordLog {
  const { settings, terminal, noColor, now = () => new Date() } = options;
  const pretty = settings.format === "pretty" ||
    settings.format === "auto" && terminal;
  const color = pretty && terminal && !noColor;
  // Few names, asked for with every record.
  const thresholds = new Map<string, LogLevel>();

  const threshold = (subsystem: string): LogLevel => {
    const known = thresholds.get(subsystem);
    if (known !== undefined) return known;
    const level = subsystemLevel(settings, subsystem);
    if (thresholds.size < 256) thresholds.set(subsystem, level);
    return level;
  };
  const enabled = (level: LogLevel, subsystem: string): boolean =>
    levelReaches(level, threshold(subsystem));

  return {
    enabled,
    write(record) {
      if (!record.always && !enabled(record.level, record.subsystem)) return;
      try {
        const time = now().toISOString();
        options.write(
          pretty ? prettyRecord(record, time, color) : jsonRecord(record, time),
        );
      } catch {
        // The reader has gone, say. A service that stopped over a lost log line would serve nobody.
      }
    },
  };
}

/** The names that every record may use itself. */
const FIXED_NAMES: ReadonlySet<string> = new Set([
  "time",
  "level",
  "severity",
  "subsystem",
  "message",
  "event",
  "kind",
  "fields",
]);

/** Calls `each` for every field in the order to write it, those with a name that is taken last, under `fields`. */
function eachField(
  record: LogRecord,
  each: (key: string, value: unknown) => void,
): void {
  const { correlation, event, fields } = record;
  if (correlation) {
    for (const key in correlation) each(key, correlation[key]);
  }
  if (event !== undefined) {
    each("event", event);
    each("kind", event);
  }
  if (!fields) return;
  const own = readFields(fields);
  let moved: Record<string, unknown> | undefined;
  for (const key in own) {
    if (
      FIXED_NAMES.has(key) || correlation && Object.hasOwn(correlation, key)
    ) {
      moved ??= Object.create(null) as Record<string, unknown>;
      moved[key] = own[key];
    } else each(key, own[key]);
  }
  if (moved) each("fields", moved);
}

function jsonRecord(record: LogRecord, time: string): string {
  const { level, subsystem, message } = record;
  // Written piece by piece: in an object, keys like "0" would go before the time, and "__proto__" would be lost.
  let line = `{"time":"${time}","level":"${level}","severity":"${
    SEVERITIES[level]
  }","subsystem":${JSON.stringify(subsystem)},"message":${
    JSON.stringify(logText(message))
  }`;
  eachField(record, (key, value) => {
    const text = fieldJson(key, value);
    if (text !== undefined) line += `,${JSON.stringify(key)}:${text}`;
  });
  return `${line}}\n`;
}

/** A field's value as JSON, secrets masked; `undefined` when there is none to write. */
function fieldJson(key: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (isSecretKey(key)) return `"${REDACTED}"`;
  // The usual case, kept clear of the walk over objects.
  if (typeof value === "string") return JSON.stringify(logText(value));
  return JSON.stringify(logValue(value));
}

const COLORS: Readonly<Record<LogLevel, string>> = {
  error: "\x1b[31m",
  warn: "\x1b[33m",
  info: "\x1b[32m",
  debug: "\x1b[36m",
  trace: "\x1b[90m",
};

function prettyRecord(record: LogRecord, time: string, color: boolean): string {
  const { level, subsystem, message } = record;
  const paint = (code: string, text: string): string =>
    color ? `${code}${text}\x1b[0m` : text;
  const told = toldInMessage(record.fields);
  let line = `${paint("\x1b[90m", time.slice(11, 23))} ${
    paint(COLORS[level], level.toUpperCase().padEnd(5))
  } ${paint("\x1b[90m", subsystem)} ${visible(logText(message))}`;
  eachField(record, (key, value) => {
    if (key === "event" || key === "kind" || told.has(key)) return;
    const text = fieldJson(key, value);
    if (text !== undefined) {
      line += ` ${paint("\x1b[90m", `${visible(key)}=`)}${visible(text)}`;
    }
  });
  return `${line}\n`;
}

/** The fields that people needn't be shown again, `inMessage` itself among them. */
function toldInMessage(fields: object | undefined): ReadonlySet<unknown> {
  const names = fields && readFields(fields).inMessage;
  return new Set(Array.isArray(names) ? ["inMessage", ...names] : []);
}

/** A text without control characters: nothing that is logged may move a terminal's cursor. Newlines stay, indented. */
function visible(text: string): string {
  return text.replace(/\r?\n/g, "\n  ").replace(
    /[^\P{Cc}\n\t]/gu,
    (character) =>
      `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
