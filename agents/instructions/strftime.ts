/**
 * Printing a moment by a format, as LiquidJS does, but from UTC fields alone.
 *
 * @module
 */

import type { RenderMeter } from "./render_meter.ts";

/** Milliseconds in a minute. */
export const MINUTE = 60_000;

const WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday"
  .split(" ");
const MONTHS =
  "January February March April May June July August September October November December"
    .split(" ");

/** An instant seen from a fixed distance to UTC. */
export class Moment {
  /** A date whose UTC fields read as the wall clock. */
  readonly wall: Date;

  /** Makes the moment `time` (milliseconds since 1970), `offset` minutes behind UTC. */
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
    const newYear = new Date(this.wall);
    newYear.setUTCMonth(0, 1);
    newYear.setUTCHours(0, 0, 0, 0);
    const elapsed = this.wall.getTime() - newYear.getTime();
    return Math.floor(elapsed / (24 * 60 * MINUTE)) + 1;
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

/**
 * Prints a moment by a format of LiquidJS's codes: `%`, flags (`-`, `_`, `0`, `^`, `#`, `:`), a width, a letter. What it
 * makes is counted before it is made.
 */
export function strftime(
  moment: Moment,
  format: string,
  meter: RenderMeter,
): string {
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
