/**
 * The date filters, in UTC whatever the process's time zone.
 *
 * LiquidJS reads and prints dates through the local time zone, which differs between a host and its render workers, and
 * which skips an hour on the days that summer time begins. These filters take the same arguments and format codes, read
 * a date without a zone as UTC, print UTC unless the template names another zone, and take `"now"` from the scope, so
 * that what they print is a function of the template and its scope alone.
 *
 * @module
 */

import { type Context, toValue } from "liquidjs";
import type { RenderMeter } from "./render_meter.ts";
import { MINUTE, Moment, strftime } from "./strftime.ts";

/** What LiquidJS binds as `this` when it calls a filter. */
interface FilterCall {
  readonly context: Context;
}

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
