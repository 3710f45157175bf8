/**
 * What ends running work from outside, made to cost next to nothing: a real `AbortSignal` exists only once somebody asks
 * for it, and what runs beneath is reached without one.
 *
 * @module
 */

import type { KernelError } from "../kernel_errors.ts";

/** Why work was stopped: it is to end, or its run can't go on here and is left as it is. */
export type StopReason =
  | { readonly kind: "cancelled"; readonly reason: string }
  | { readonly kind: "halted"; readonly error: KernelError };

/** A timer that is set for longer fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Running work that can be stopped, with everything beneath it. */
export class CancelScope {
  #reason: StopReason | undefined;
  #controller: AbortController | undefined;
  #listeners: Set<() => void> | undefined;
  #detach: (() => void) | undefined;

  /** Why it was stopped; `undefined` while it wasn't. */
  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** The same for code that knows nothing of scopes. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Stops it; only the first reason counts. */
  stop(reason: StopReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.close();
    if (this.#controller !== undefined) this.#abort(reason);
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) listener();
  }

  /** A scope that is stopped with this one, and can be alone; to be closed once its work is done. */
  child(): CancelScope {
    const child = new CancelScope();
    if (this.#reason !== undefined) child.stop(this.#reason);
    else child.#detach = this.onStop(() => child.stop(this.#reason!));
    return child;
  }

  /** Ends the connection to the scope above. */
  close(): void {
    this.#detach?.();
    this.#detach = undefined;
  }

  /** Calls back once when it is stopped; at once when it was. Answers what takes the call back. */
  onStop(listener: () => void): () => void {
    if (this.#reason !== undefined) {
      listener();
      return () => {};
    }
    const listeners = this.#listeners ??= new Set();
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** Waits so many milliseconds; `false` when it was stopped before. */
  async sleep(ms: number): Promise<boolean> {
    let left = ms;
    for (; left > LONGEST_TIMER_MS; left -= LONGEST_TIMER_MS) {
      if (!await this.#sleep(LONGEST_TIMER_MS)) return false;
    }
    return await this.#sleep(left);
  }

  #sleep(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      let release = () => {};
      const timer = setTimeout(() => {
        release();
        resolve(true);
      }, ms);
      release = this.onStop(() => {
        clearTimeout(timer);
        resolve(false);
      });
    });
  }

  #abort(reason: StopReason): void {
    const text = reason.kind === "cancelled"
      ? reason.reason
      : reason.error.message;
    this.#controller!.abort(new DOMException(text, "AbortError"));
  }
}
