/**
 * The wall clock of turns: one timer for all turns of a duration that are under way.
 *
 * @module
 */

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
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  add(fire: () => void): () => void {
    const timed = { dueAt: performance.now() + this.#ms, fire };
    this.#timed.add(timed);
    this.#timer ??= setTimeout(() => this.#due(), this.#ms);
    return () => {
      this.#timed.delete(timed);
      if (this.#timed.size === 0) this.#end();
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
    this.#end();
    const [first] = this.#timed;
    if (first === undefined) return;
    lists.set(this.#ms, this);
    this.#timer = setTimeout(
      () => this.#due(),
      Math.max(1, first.dueAt - performance.now()),
    );
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (lists.get(this.#ms) === this) lists.delete(this.#ms);
  }
}
