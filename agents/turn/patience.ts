/**
 * Waiting for what a host binds, though not for ever: nothing outlasts the wall (`spec/decisions.md` 31).
 *
 * @module
 */

/** Gives work up that doesn't end soon after it should. */
export class Patience {
  readonly #lastMs: number;
  readonly #waiting = new Set<() => void>();
  #isEnding = false;
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param lastMs Milliseconds that work has left once it is to end. */
  constructor(lastMs: number) {
    this.#lastMs = lastMs;
  }

  /** What is waited for is to end: it has a moment left. */
  end(): void {
    this.#isEnding = true;
    if (this.#waiting.size > 0) this.#count();
  }

  /**
   * Waits for work; rejects with what `giveUp` answers when it has been given up. Its outcome is dropped then, a rejection
   * too.
   */
  within<Value>(work: Promise<Value>, giveUp: () => Error): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      const onOver = () => reject(giveUp());
      this.#waiting.add(onOver);
      if (this.#isEnding) this.#count();
      work.then((value) => {
        this.#waiting.delete(onOver);
        resolve(value);
      }, (thrown) => {
        this.#waiting.delete(onOver);
        reject(thrown);
      });
    });
  }

  /** Lets go of the timer: what is waited for still is nobody's any more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #count(): void {
    // What a step that was given up still waits for keeps no process alive.
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      for (const onOver of waiting) onOver();
    }, this.#lastMs);
  }
}
