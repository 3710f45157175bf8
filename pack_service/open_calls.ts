/**
 * The calls that an executor's process has, from their sending to their answer.
 *
 * @module
 */

import { RollingMap } from "../base/rolling_map.ts";
import type { BegunCall } from "./executor.ts";
import type { SentCall } from "./process_loss.ts";

/** A call as its process knows it. */
export interface OpenCall {
  /** Its number in the frames. */
  readonly id: number;
  /** The call itself. */
  readonly call: SentCall;
  /** What it is, once its pack code is about to run. */
  begun: BegunCall | undefined;
  /** When its answer stopped being wanted, on the clock of `performance.now()`. */
  abandonedAt: number | undefined;
}

/** The open calls of one process. */
export class OpenCalls {
  readonly #calls = new RollingMap<number, OpenCall>();
  #nextId = 1;

  /** How many there are. */
  get size(): number {
    return this.#calls.size;
  }

  /** Opens a call and gives it a number. */
  open(call: SentCall): OpenCall {
    const id = this.#nextId++;
    if (this.#nextId > 0xffff_ffff) this.#nextId = 1;
    const open: OpenCall = {
      id,
      call,
      begun: undefined,
      abandonedAt: undefined,
    };
    this.#calls.set(id, open);
    return open;
  }

  /** The call with a number. */
  get(id: number): OpenCall | undefined {
    return this.#calls.get(id);
  }

  /** What is known of a call. Looks through all of them: it is asked for calls that are taken back. */
  find(call: SentCall): OpenCall | undefined {
    return this.#calls.values().find((open) => open.call === call);
  }

  /** Closes the call with a number. */
  close(id: number): OpenCall | undefined {
    return this.#calls.delete(id);
  }

  /** Those that have neither begun nor been given up. */
  waiting(): OpenCall[] {
    return this.#calls.values().filter(({ begun, abandonedAt }) =>
      begun === undefined && abandonedAt === undefined
    );
  }

  /**
   * Whether a process that hasn't answered since `silentSince` is held up by a call that nobody has wanted for `ms`: it was
   * silent when the call was given up, or no call that is still wanted has begun and could be what keeps it busy.
   */
  isHeldUp(silentSince: number, ms: number): boolean {
    const now = performance.now();
    const begun = this.#calls.values().filter((open) =>
      open.begun !== undefined
    );
    const wanted = begun.some((open) => open.abandonedAt === undefined);
    return begun.some(({ abandonedAt }) =>
      abandonedAt !== undefined && now - abandonedAt >= ms &&
      (silentSince <= abandonedAt || !wanted)
    );
  }

  /** Closes and answers those that have used more than `limitMs` of a process's CPU time, now at `cpuMs`. */
  closeOverLimit(cpuMs: number, limitMs: number): OpenCall[] {
    const over = this.#calls.values().filter(({ begun }) =>
      begun?.cpuMs !== undefined && cpuMs - begun.cpuMs > limitMs
    );
    for (const { id } of over) this.close(id);
    return over;
  }

  /** Closes all of them. */
  closeAll(): OpenCall[] {
    const all = this.#calls.values();
    for (const { id } of all) this.close(id);
    return all;
  }
}
