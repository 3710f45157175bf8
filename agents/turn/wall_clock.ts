/**
 * The wall clock of turns: one timer for all turns of a duration, since setting and clearing one of its own would cost each
 * turn more than most of its nodes.
 *
 * @module
 */

import { clearTimeout, setTimeout } from "node:timers";

type Timer = ReturnType<typeof setTimeout>;

/** A turn that is timed. */
interface Timed {
  readonly dueAt: number;
  readonly fire: () => void;
}

/** Turns of one duration, the first to be due in front; by duration. */
const lists = new Map<number, TimedList>();

/** Calls back after so many milliseconds; answers what takes that back. */
export function afterWall(ms: number, fire: () => void): () => void {
  let list = lists.get(ms);
  if (list === undefined) {
    list = new TimedList(ms);
    lists.set(ms, list);
  }
  return list.add(fire);
}

class TimedList {
  readonly #ms: number;
  readonly #timed = new Set<Timed>();
  #timer: Timer;

  constructor(ms: number) {
    this.#ms = ms;
    this.#timer = setTimeout(() => this.#due(), ms);
  }

  add(fire: () => void): () => void {
    const timed = { dueAt: performance.now() + this.#ms, fire };
    this.#timed.add(timed);
    if (this.#timed.size === 1) this.#timer.ref();
    return () => {
      this.#timed.delete(timed);
      // Nothing waits for it, and it needn't keep the process alive; the next turn is likely to need it.
      if (this.#timed.size === 0) this.#timer.unref();
    };
  }

  #due(): void {
    const now = performance.now();
    for (const timed of this.#timed) {
      // A timer may fire a little early.
      if (timed.dueAt > now + 1) break;
      this.#timed.delete(timed);
      timed.fire();
    }
    clearTimeout(this.#timer);
    const [first] = this.#timed;
    if (first === undefined) {
      lists.delete(this.#ms);
      return;
    }
    this.#timer = setTimeout(
      () => this.#due(),
      Math.max(1, first.dueAt - performance.now()),
    );
  }
}
