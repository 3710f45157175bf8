/**
 * What one render has made, and how long it may go on.
 *
 * LiquidJS counts its filters and ranges but neither output nor captures, and looks at the clock only between template
 * nodes (`spec/agents_define.md` 6.1). The meter stands in for both of its limiters: output and captures are counted by
 * {@link CountingEmitter}, what filters make by `filters.ts`, and every count looks at the clock as well.
 *
 * @module
 */

import { type Emitter, toValue } from "liquidjs";
import type { LiquidBounds } from "./bounds.ts";
import type { ExceededBound } from "./errors.ts";

/** The clock is looked at after this many characters and items, each step counting as some. */
const WATCH_EVERY = 1_024;
const STEP_COST = 64;

/** Counts what a render makes and watches its deadline; shaped like LiquidJS's `Limiter`. */
export class RenderMeter {
  /** The bound that was passed, once one was. */
  exceeded: ExceededBound | undefined;
  /** Characters and list items made so far. */
  used = 0;
  readonly #memoryLimit: number;
  readonly #deadline: number;
  /** What was done since the clock was last looked at. */
  #unwatched = 0;

  /** Starts a meter whose clock began at `startedAt` (`performance.now()`). */
  constructor(limits: LiquidBounds, startedAt: number) {
    this.#memoryLimit = limits.memoryLimit;
    this.#deadline = startedAt + limits.renderLimitMs;
  }

  /** Counts characters or list items that are about to be made; amounts that aren't positive count as none. */
  use(count: number): void {
    if (count > 0) {
      if (this.used + count > this.#memoryLimit) throw this.#stop("memory");
      this.used += count;
      this.#unwatched += count;
    }
    // Looking at the clock costs as much as a small step: small ones share a look.
    this.#unwatched += STEP_COST;
    if (this.#unwatched > WATCH_EVERY) this.check(performance.now());
  }

  /** Fails when `now` is past the deadline. */
  check(now: number): void {
    this.#unwatched = 0;
    if (now > this.#deadline) throw this.#stop("time");
  }

  /** Counts what a filter answered, less what it counted itself since the meter stood at `before`. */
  useResult(result: unknown, before: number): void {
    this.use(this.#textSize(toValue(result)) - (this.used - before));
  }

  /**
   * The characters and items of a value's text. A list counts as its text, lists within it included, though it only
   * refers to its items: so nothing that turns lists into text later can grow past the limit.
   */
  #textSize(value: unknown): number {
    if (typeof value === "string") return value.length;
    if (!Array.isArray(value)) return 0;
    let size = 0;
    for (const item of value) {
      size += 1 + this.#textSize(item);
      if (size > this.#memoryLimit) throw this.#stop("memory");
    }
    return size;
  }

  #stop(bound: ExceededBound): Error {
    this.exceeded = bound;
    return new Error(`${bound} limit`);
  }
}

/** Gathers a render's text, counting every character. */
export class CountingEmitter implements Emitter {
  /** The text so far. */
  buffer = "";
  readonly #meter: RenderMeter;

  /** Makes an empty emitter that counts on `meter`. */
  constructor(meter: RenderMeter) {
    this.#meter = meter;
  }

  /** Adds a value's text: nothing for nil, the items one after another for a list. */
  write(value: unknown): void {
    const plain = toValue(value);
    if (Array.isArray(plain)) {
      for (const item of plain) this.write(item);
      return;
    }
    if (plain === undefined || plain === null) return;
    const text = String(plain);
    this.#meter.use(text.length);
    this.buffer += text;
  }
}
