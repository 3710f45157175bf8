/**
 * The date filters, in UTC whatever the process's time zone.
 *
 * LiquidJS reads and prints dates through the local time zone, which differs between a host and its render workers, and
 * which skips an hour on the days that summer time begins. These filters take the same arguments and format codes, read
 * a date without a zone as UTC, print UTC unless the template names another zone, and take `"now"` from the scope, so
 * that a render is a function of its template and scope alone.
 *
 * @module
 */

import { type Context, toValue } from "liquidjs";
import type { RenderMeter } from "./render_meter.ts";

/** What LiquidJS binds as `this` when it calls a filter. */
interface FilterCall {
  readonly context: Context;
}

const MINUTE = 60_000;
const DEFAULT_FORMAT = "%A, %B %-e, %Y at %-l:%M %P %z";

/** The filters by name. */
export const dateFilters: Record<
  string,
  (this: FilterCall, value: unknown, ...args: unknown[]) => unknown
> = {
  date(value, format, zone) {
    const text = toValue(format);
    return print(
      this.context,
      value,
      text === undefined || text === null ? DEFAULT_FORMAT : String(text),
      zone,
    );
  },
  date_to_xmlschema(value) {
    return print(this.context, value, "%Y-%m-%dT%H:%M:%S%:z");
  },
  date_to_rfc822(value) {
    return print(this.context, value, "%a, %d %b %Y %H:%M:%S %z");
  },
  date_to_string(value, type, style) {
    return printLong(this.context, value, "%b", type, style);
  },
  date_to_long_string(value, type, style) {
    return printLong(this.context, value, "%B", type, style);
  },
};

function printLong(
  context: Context,
  value: unknown,
  month: string,
  type: unknown,
  style: unknown,
): unknown {
  if (type !== "ordinal") return print(context, value, `%d ${month} %Y`);
  return print(
    context,
    value,
    style === "US" ? `${month} %-d%q, %Y` : `%-d%q ${month} %Y`,
  );
}

function print(
  context: Context,
  value: unknown,
  format: string,
  zone?: unknown,
): unknown {
  const time = timeOf(toValue(value), context);
  if (time === undefined) return value; // LiquidJS prints what isn't a date as it is
  const offset = offsetOf(toValue(zone), time);
  const moment = new Moment(time, offset, typeof zone === "string" ? zone : "");
  return strftime(
    moment,
    format,
    context.memoryLimit as unknown as RenderMeter,
  );
}

/** Milliseconds since 1970 of a value that is a date; `undefined` for anything else. */
function timeOf(value: unknown, context: Context): number | undefined {
  if (typeof value === "number") return finite(value * 1_000);
  if (typeof value !== "string") return undefined;
  if (value === "now" || value === "today") {
    const now = (context.environments as Record<string, unknown>).now;
    return typeof now === "string" ? finite(Date.parse(now)) : Date.now();
  }
  if (/^\d+$/.test(value)) return finite(Number(value) * 1_000);
  return finite(parseUtc(value));
}

function finite(time: number): number | undefined {
  return Math.abs(time) <= 8.64e15 ? time : undefined;
}

const HAS_ZONE =
  /(?:[zZ]|\b(?:UTC?|GMT|[ECMP][SD]T)|[+-]\d{2}:?\d{2}(?:\s*\([^)]*\))?)$/;
const ISO_DATE = /^[+-]?\d{4,6}(?:-\d{2}){0,2}$/;
const ISO_TIME = /^[+-]?\d{4,6}-\d{2}-\d{2}T/;

function parseUtc(text: string): number {
  if (text.length > 100) return NaN; // no date is that long, and engines scan every character
  const trimmed = text.trim();
  if (ISO_DATE.test(trimmed) || HAS_ZONE.test(trimmed)) {
    return Date.parse(trimmed);
  }
  return Date.parse(ISO_TIME.test(trimmed) ? `${trimmed}Z` : `${trimmed} UTC`);
}

/** Minutes that a zone is behind UTC, as `Date.prototype.getTimezoneOffset` has it. */
function offsetOf(zone: unknown, time: number): number {
  if (typeof zone === "number") return Number.isFinite(zone) ? zone : 0;
  if (typeof zone !== "string") return 0;
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(time);
  const part = (type: string) =>
    Number(parts.find((each) => each.type === type)?.value);
  const wall = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return Math.round((Math.floor(time / 1_000) * 1_000 - wall) / MINUTE);
}

const WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday"
  .split(" ");
const MONTHS =
  "January February March April May June July August September October November December"
    .split(" ");

/** An instant seen from a fixed distance to UTC. */
class Moment {
  /** A date whose UTC fields read as the wall clock. */
  readonly wall: Date;

  constructor(
    readonly time: number,
    readonly offset: number,
    readonly zoneName: string,
  ) {
    this.wall = new Date(time - offset * MINUTE);
  }

  get weekday(): string {
    return WEEKDAYS[this.wall.getUTCDay()] ?? "";
  }

  get month(): string {
    return MONTHS[this.wall.getUTCMonth()] ?? "";
  }

  get dayOfYear(): number {
    const { wall } = this;
    const start = Date.UTC(wall.getUTCFullYear(), 0, 1);
    return Math.floor((wall.getTime() - start) / (24 * 60 * MINUTE)) + 1;
  }

  /** The week of the year, days before the first `startDay` being week 0. */
  week(startDay: number): string {
    const sinceStart = (this.wall.getUTCDay() - startDay + 7) % 7;
    return String(Math.floor((this.dayOfYear - 1 - sinceStart + 7) / 7));
  }

  zone(colon: boolean): string {
    const minutes = Math.abs(this.offset);
    const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
    return (this.offset > 0 ? "-" : "+") + two(minutes / 60) +
      (colon ? ":" : "") + two(minutes % 60);
  }

  get hour12(): string {
    return String(this.wall.getUTCHours() % 12 || 12);
  }
}

interface CodeOptions {
  readonly width: string | undefined;
  readonly colon: boolean;
  readonly meter: RenderMeter;
}

type FormatCode = (moment: Moment, options: CodeOptions) => string | number;

function ordinal(day: number): string {
  if (day >= 11 && day <= 13) return "th";
  return ["th", "st", "nd", "rd"][day % 10] ?? "th";
}

const CODES: Readonly<Record<string, FormatCode>> = {
  a: (moment) => moment.weekday.slice(0, 3),
  A: (moment) => moment.weekday,
  b: (moment) => moment.month.slice(0, 3),
  B: (moment) => moment.month,
  h: (moment) => moment.month.slice(0, 3),
  c: ({ wall }) => wall.toLocaleString("en-US", { timeZone: "UTC" }),
  x: ({ wall }) => wall.toLocaleDateString("en-US", { timeZone: "UTC" }),
  X: ({ wall }) => wall.toLocaleTimeString("en-US", { timeZone: "UTC" }),
  C: ({ wall }) => Math.floor(wall.getUTCFullYear() / 100),
  d: ({ wall }) => wall.getUTCDate(),
  e: ({ wall }) => wall.getUTCDate(),
  H: ({ wall }) => wall.getUTCHours(),
  I: (moment) => moment.hour12,
  j: (moment) => moment.dayOfYear,
  k: ({ wall }) => wall.getUTCHours(),
  l: (moment) => moment.hour12,
  L: ({ wall }) => wall.getUTCMilliseconds(),
  m: ({ wall }) => wall.getUTCMonth() + 1,
  M: ({ wall }) => wall.getUTCMinutes(),
  N: ({ wall }, { width, meter }) => {
    const digits = Number(width) || 9;
    meter.use(digits);
    return String(wall.getUTCMilliseconds()).padStart(3, "0")
      .slice(0, digits).padEnd(digits, "0");
  },
  p: ({ wall }) => wall.getUTCHours() < 12 ? "AM" : "PM",
  P: ({ wall }) => wall.getUTCHours() < 12 ? "am" : "pm",
  q: ({ wall }) => ordinal(wall.getUTCDate()),
  s: ({ time }) => Math.floor(time / 1_000),
  S: ({ wall }) => wall.getUTCSeconds(),
  u: ({ wall }) => wall.getUTCDay() || 7,
  U: (moment) => moment.week(0),
  w: ({ wall }) => wall.getUTCDay(),
  W: (moment) => moment.week(1),
  y: ({ wall }) => (wall.getUTCFullYear() % 100 + 100) % 100,
  Y: ({ wall }) => wall.getUTCFullYear(),
  z: (moment, { colon }) => moment.zone(colon),
  Z: (moment, { colon }) => moment.zoneName || moment.zone(colon),
  t: () => "\t",
  n: () => "\n",
  "%": () => "%",
};

const PAD_WIDTHS: Readonly<Record<string, number>> = {
  C: 2,
  d: 2,
  e: 2,
  H: 2,
  I: 2,
  j: 3,
  k: 2,
  l: 2,
  L: 3,
  m: 2,
  M: 2,
  S: 2,
  U: 2,
  W: 2,
  y: 2,
  Y: 4,
};
const SPACE_PADDED = new Set("aAbBceklpP");

const CODE = /%([-_0^#:]*)(\d*)[EO]?(.)/g;

function strftime(moment: Moment, format: string, meter: RenderMeter): string {
  meter.use(format.length);
  return format.replace(
    CODE,
    (input, flags: string, width: string, code: string) => {
      const text = Object.hasOwn(CODES, code)
        ? formatCode(moment, CODES[code]!, code, flags, width, meter)
        : input;
      meter.use(text.length);
      return text;
    },
  );
}

function formatCode(
  moment: Moment,
  convert: FormatCode,
  code: string,
  flags: string,
  width: string,
  meter: RenderMeter,
): string {
  let text = String(convert(moment, {
    width: width || undefined,
    colon: flags.includes(":"),
    meter,
  }));
  if (flags.includes("^")) text = text.toUpperCase();
  else if (flags.includes("#")) text = swapCase(text);
  if (flags.includes("-")) return text;
  const target = Number(width) || PAD_WIDTHS[code] || 0;
  if (target <= text.length) return text;
  meter.use(target); // before it is made
  const zeros = flags.includes("_")
    ? false
    : flags.includes("0") || !SPACE_PADDED.has(code);
  if (!zeros) return text.padStart(target, " ");
  return text.startsWith("-")
    ? `-${text.slice(1).padStart(target - 1, "0")}`
    : text.padStart(target, "0");
}

function swapCase(text: string): string {
  return /[a-z]/.test(text) ? text.toUpperCase() : text.toLowerCase();
}
