/**
 * Time-outs for many short waits: one timer for each distinct duration instead of one for each wait.
 *
 * A platform timer costs several microseconds to set and clear, which every call would pay twice.
 *
 * @module
 */

/** The longest delay that platform timers take; longer ones fire at once (`spec/decisions.md` 7). */
export const MAX_TIMEOUT_MS = 2_147_483_647;

/** A wait that has been started. */
export interface Timeout {
  /** Ends the wait; nothing happens when it has fired or was cancelled before. */
  cancel(): void;
}

/**
 * How long a timer without waits is kept before it is given up, in ms: the next call is likely to need it. It keeps no
 * process alive.
 */
const LINGER_MS = 1_000;

/** Starts waits and fires those whose time has come. */
export class Timeouts {
  readonly #lists = new Map<number, TimeoutList>();

  /**
   * Calls `fire` after `ms` (clamped to {@link MAX_TIMEOUT_MS}) unless it is cancelled. `now` is the time on the clock of
   * `performance.now()`, for callers who have just read it.
   */
  start(
    ms: number,
    fire: () => void,
    now: number = performance.now(),
  ): Timeout {
    const duration = Math.min(ms, MAX_TIMEOUT_MS);
    let list = this.#lists.get(duration);
    if (list === undefined) {
      list = new TimeoutList(duration, () => this.#lists.delete(duration));
      this.#lists.set(duration, list);
    }
    return list.add(fire, now + duration);
  }

  /** Gives up the timers that nothing waits for. */
  rest(): void {
    for (const list of this.#lists.values()) list.rest();
  }
}

/** Waits of one duration, the first to end in front. */
class TimeoutList {
  readonly #duration: number;
  readonly #emptied: () => void;
  #first: Entry | undefined;
  #last: Entry | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(duration: number, emptied: () => void) {
    this.#duration = duration;
    this.#emptied = emptied;
  }

  add(fire: () => void, due: number): Timeout {
    const entry = new Entry(this, fire, due);
    entry.previous = this.#last;
    if (this.#last === undefined) this.#first = entry;
    else this.#last.next = entry;
    this.#last = entry;
    if (this.#timer === undefined) this.#arm(this.#duration);
    return entry;
  }

  remove(entry: Entry): void {
    if (entry.previous === undefined) this.#first = entry.next;
    else entry.previous.next = entry.next;
    if (entry.next === undefined) this.#last = entry.previous;
    else entry.next.previous = entry.previous;
    entry.previous = undefined;
    entry.next = undefined;
  }

  /** Gives up the timer when nothing waits for it. */
  rest(): void {
    if (this.#first !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#emptied();
  }

  /** All waits last equally long, so a timer set now for that time, or sooner, is never too late for the next one. */
  #arm(ms: number): void {
    this.#timer = setTimeout(
      () => this.#fireDue(),
      Math.min(ms, LINGER_MS),
    );
  }

  #fireDue(): void {
    this.#timer = undefined;
    const now = performance.now();
    // Timers may fire a fraction of a millisecond early.
    while (this.#first !== undefined && this.#first.due <= now + 1) {
      const { fire } = this.#first;
      this.#first.cancel();
      fire();
    }
    if (this.#timer !== undefined) return;
    if (this.#first === undefined) this.#emptied();
    else this.#arm(Math.max(0, this.#first.due - performance.now()));
  }
}

class Entry implements Timeout {
  previous: Entry | undefined;
  next: Entry | undefined;
  #list: TimeoutList | undefined;

  constructor(
    list: TimeoutList,
    readonly fire: () => void,
    readonly due: number,
  ) {
    this.#list = list;
  }

  cancel(): void {
    const list = this.#list;
    this.#list = undefined;
    list?.remove(this);
  }
}
