/**
 * One admitted call: its deadline, its caller, its answer and its record.
 *
 * @module
 */

import type {
  AbortReason,
  BegunCall,
  CallAnswer,
  CallEvents,
  Executor,
  ExecutorCall,
  ExecutorRecord,
} from "./executor.ts";
import type { CallOutcome } from "./events.ts";
import { failure } from "./error_answer.ts";
import { packError } from "./protocol.ts";
import { type CallCorrelation, callCorrelation } from "./records.ts";
import type { Timeout, Timeouts } from "./timeouts.ts";

/** How long a call runs before its caller's connection is watched: watching costs more than a short call. */
const WATCH_AFTER_MS = 50;

/** Who hears of a call's end. */
export interface InvocationListener {
  /** The call has its answer: the slot is free. `begun` is absent when the message named nothing. */
  ended(invocation: Invocation, outcome: CallOutcome): void;
  /** The handler of an ended call settled, `afterMs` after dispatch. */
  finishedLate(invocation: Invocation, afterMs: number): void;
  /** The tool wrote a line. */
  recorded(invocation: Invocation, record: ExecutorRecord): void;
}

/** What {@link Invocation} needs. */
export interface InvocationOptions {
  /** Runs the call. */
  readonly executor: Executor;
  /** The request's bytes. */
  readonly body: Uint8Array;
  /** The deadline in ms from now. */
  readonly timeoutMs: number;
  /** Reads the caller's trace context, unchecked; asked for before the answer is sent, when something is told. */
  readonly traceparent: () => string | null;
  /** Fires when the caller's connection closes; asked for only when the call takes a while. */
  readonly gone: () => AbortSignal;
  /** When the call was admitted, on the clock of `performance.now()`. */
  readonly admittedAt: number;
  /** Keeps the waits. */
  readonly timeouts: Timeouts;
  /** Hears of the end. */
  readonly listener: InvocationListener;
}

/** A call that is under way, or has ended. */
export class Invocation implements CallEvents {
  /** When the call was admitted, on the clock of `performance.now()`. */
  readonly admittedAt: number;
  /** Settles with the message to send; never rejects. */
  readonly message: Promise<Uint8Array>;

  readonly #options: InvocationOptions;
  readonly #dispatchedAt = performance.now();
  readonly #deadline: Timeout;
  readonly #watch: Timeout;
  readonly #call: ExecutorCall;
  #resolve!: (message: Uint8Array) => void;
  #begun: BegunCall | undefined;
  #correlation: CallCorrelation | undefined;
  #ended = false;
  #unwatch: (() => void) | undefined;

  /** Dispatches the call. */
  constructor(options: InvocationOptions) {
    this.#options = options;
    this.admittedAt = options.admittedAt;
    this.message = new Promise((resolve) => this.#resolve = resolve);
    const { timeouts, timeoutMs } = options;
    const now = this.#dispatchedAt;
    this.#deadline = timeouts.start(timeoutMs, () => this.#expire(), now);
    this.#watch = timeouts.start(
      WATCH_AFTER_MS,
      () => this.#watchCaller(),
      now,
    );
    this.#call = options.executor.call(options.body, this);
  }

  /** What was called; absent until pack code is about to run, and for messages that name nothing. */
  get called(): BegunCall | undefined {
    return this.#begun;
  }

  /** What the call's records carry; read with the first of them, so that all share one span. */
  correlation(): CallCorrelation {
    return this.#correlation ??= callCorrelation(
      { ...this.#begun?.ids },
      this.#options.traceparent(),
    );
  }

  /** From the executor: what is called. */
  begun(call: BegunCall): void {
    this.#begun = call;
  }

  /** From the executor: a line of the tool. */
  record(record: ExecutorRecord): void {
    this.#options.listener.recorded(this, record);
  }

  /** From the executor: the answer, wanted or not. */
  answered(answer: CallAnswer): void {
    if (!this.#ended) return this.#end(answer);
    if (answer.lost || this.#begun === undefined) return;
    const afterMs = Math.round(performance.now() - this.#dispatchedAt);
    this.#options.listener.finishedLate(this, afterMs);
  }

  #expire(): void {
    this.#giveUp(
      "deadline-exceeded",
      `did not answer within its deadline of ${this.#options.timeoutMs} ms`,
    );
  }

  #watchCaller(): void {
    const signal = this.#options.gone();
    const left = () => this.#giveUp("cancelled", "has no caller any more");
    if (signal.aborted) return left();
    signal.addEventListener("abort", left, { once: true });
    this.#unwatch = () => signal.removeEventListener("abort", left);
  }

  #giveUp(reason: AbortReason, what: string): void {
    if (this.#ended) return;
    const begun = this.#begun;
    const name = begun === undefined
      ? "The call"
      : begun.target === "tool"
      ? `Tool "${begun.id}"`
      : `Check "${begun.id}"`;
    // A record of the handler's late end needs it when the request is long gone.
    this.correlation();
    const target = begun === undefined
      ? {}
      : begun.target === "tool"
      ? { toolId: begun.id }
      : { checkId: begun.id };
    this.#end(failure(packError(reason, `${name} ${what}`, target)));
    this.#call.abort(reason);
  }

  #end(answer: CallAnswer): void {
    this.#ended = true;
    this.#deadline?.cancel();
    this.#watch?.cancel();
    this.#unwatch?.();
    this.#options.listener.ended(this, answer.outcome);
    this.#resolve(answer.message);
  }
}
