/**
 * Times as ISO 8601.
 *
 * @module
 */

let last = Number.NaN;
let lastText = "";

/**
 * A time in milliseconds since 1970 as `new Date(time).toISOString()` writes it.
 *
 * Much happens within a millisecond, and writing dates is slow: the last one is kept.
 *
 * @throws {RangeError} If it is no time that dates can hold.
 */
export function isoTime(time: number): string {
  if (time !== last) {
    lastText = new Date(time).toISOString();
    last = time;
  }
  return lastText;
}
