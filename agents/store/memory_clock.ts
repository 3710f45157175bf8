/**
 * A store's clock: whole milliseconds, as numbers and as text.
 *
 * @module
 */

import type { Timestamp } from "../agent/mod.ts";

/** Tells the time. */
export class StoreClock {
  readonly #now: () => number;
  #ms = Number.NaN;
  #text = "" as Timestamp;

  /** @param now Milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whole milliseconds since 1970. */
  now(): number {
    return Math.floor(this.#now());
  }

  /** The same as ISO 8601. */
  timestamp(): Timestamp {
    const ms = this.now();
    // Much happens within a millisecond, and writing dates is slow.
    if (ms !== this.#ms) {
      this.#ms = ms;
      this.#text = new Date(ms).toISOString() as Timestamp;
    }
    return this.#text;
  }
}
