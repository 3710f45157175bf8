/**
 * A store's clock: whole milliseconds, as numbers and as text.
 *
 * @module
 */

import { isoTime } from "../../base/iso_time.ts";
import type { Timestamp } from "../agent/mod.ts";

/** Tells the time. */
export class StoreClock {
  readonly #now: () => number;

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
    return isoTime(this.now()) as Timestamp;
  }
}
