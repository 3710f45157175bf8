/**
 * The processes of a worker renderer: so many that render, and one more that stands by.
 *
 * @module
 */

import { setTimeout as setNodeTimeout } from "node:timers";
import {
  startWorkerProcess,
  type WorkerEnd,
  type WorkerProcess,
} from "./worker_process.ts";
import { READY } from "./worker_messages.ts";

/** A process that is ready to render, or renders. */
export interface PoolWorker {
  /**
   * Sends it a message. Its next message, or its end, is passed to the callbacks; then it is free again, or gone.
   */
  ask(message: string, callbacks: AskCallbacks): void;
  /** Gives it back without having asked it anything. */
  giveBack(): void;
  /** Ends it wherever it is, as if it had never been asked; another one takes its place. */
  discard(): void;
}

/** What comes of asking a worker; one of them is called, once. */
export interface AskCallbacks {
  /** It answered. */
  readonly onAnswer: (message: string) => void;
  /** It ended instead. */
  readonly onEnd: (end: WorkerEnd) => void;
}

/** What a pool needs. */
export interface WorkerPoolOptions {
  /** How many may render at once. */
  readonly workers: number;
  /** V8's heap cap of each, in MiB. */
  readonly maxOldSpaceMb: number;
  /** The longest answer that is taken, in bytes. */
  readonly longestMessage: number;
  /** The first message to each. */
  readonly settings: string;
  /** Called when {@link WorkerPool.take} may have something to give. */
  readonly onFree: () => void;
  /** Called when a process couldn't be started and there is no other. */
  readonly onStartFailure: (error: Error) => void;
}

/** A process that isn't ready after this many milliseconds is ended: whoever waits for it is told. */
const START_LIMIT_MS = 30_000;

/** So many starts in a row fail before those who wait are told: one may have been ended from outside. */
const START_ATTEMPTS = 3;

/** Starts processes, keeps them ready, and replaces the ones that end. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #free: Worker[] = [];
  /** Every process that has not ended, the ones that are ending included. */
  readonly #all = new Set<Worker>();
  #starting = 0;
  /** Processes that ended before they were ready, since one was. */
  #failedStarts = 0;
  #busy = 0;
  #closed = false;
  #standby = 0;
  /** Whether a process has been lost: from then on one stands by, be there a quiet moment or not. */
  #lost = false;

  /** Makes a pool and starts its workers. */
  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#startMissing();
  }

  /** A worker that is ready; `undefined` while none is, or as many render as may. */
  take(): PoolWorker | undefined {
    if (this.#busy >= this.#options.workers) return undefined;
    const worker = this.#free.shift();
    if (worker === undefined) {
      this.#startMissing();
      return undefined;
    }
    this.#busy++;
    worker.state = "busy";
    return worker;
  }

  /** Takes back a worker that wasn't asked anything. */
  giveBack(worker: Worker): void {
    this.#busy--;
    worker.state = "free";
    this.#free.push(worker);
  }

  /** Starts the process that stands by, if it isn't there: called when there is nothing else to do. */
  prepareStandby(): void {
    this.#standby = 1;
    this.#startMissing();
  }

  /** Ends every process and waits until it has. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const worker of this.#all) worker.process.kill();
    await Promise.all([...this.#all].map(({ process }) => process.ended));
  }

  #startMissing(): void {
    const target = this.#options.workers + this.#standby;
    while (
      !this.#closed && this.#free.length + this.#busy + this.#starting < target
    ) {
      if (!this.#start()) return;
    }
  }

  #start(): boolean {
    this.#starting++;
    const worker = new Worker(this);
    try {
      worker.process = startWorkerProcess({
        ...this.#options,
        onMessage: (message) => this.#onMessage(worker, message),
      });
    } catch (error) {
      this.#starting--;
      this.#reportStartFailure(
        error instanceof Error ? error.message : String(error),
      );
      return false;
    }
    this.#all.add(worker);
    worker.startLimit = setNodeTimeout(
      () => worker.process.kill(),
      START_LIMIT_MS,
    );
    worker.startLimit.unref();
    worker.process.send(this.#options.settings);
    void worker.process.ended.then((end) => this.#onEnd(worker, end));
    return true;
  }

  #onMessage(worker: Worker, message: string): void {
    if (worker.state === "starting" && message === READY) {
      this.#starting--;
      this.#failedStarts = 0;
      clearTimeout(worker.startLimit);
      this.#release(worker);
      if (this.#lost) this.prepareStandby();
    } else if (worker.state === "busy" && worker.callbacks !== undefined) {
      const { onAnswer } = worker.callbacks;
      worker.callbacks = undefined;
      onAnswer(message);
      if (worker.state !== "busy") return; // it was discarded for what it answered
      this.#busy--;
      this.#release(worker);
    } else {
      this.discard(worker); // it spoke out of turn
    }
  }

  #release(worker: Worker): void {
    worker.state = "free";
    this.#free.push(worker);
    this.#options.onFree();
  }

  #onEnd(worker: Worker, end: WorkerEnd): void {
    this.#all.delete(worker);
    const { state, callbacks } = worker;
    this.#leave(worker);
    if (state === "gone") return;
    if (state === "starting") {
      if (++this.#failedStarts < START_ATTEMPTS) return this.#startMissing();
      this.#reportStartFailure(
        `it ended (${end.how}) before it was ready; its modules must be in Deno's cache: run \`deno cache\` on the program`,
      );
      return;
    }
    callbacks?.onEnd(end);
    this.#replace();
  }

  /** Ends a process and has another take its place. */
  discard(worker: Worker): void {
    if (worker.state === "gone") return;
    this.#leave(worker);
    worker.process.kill();
    this.#replace();
  }

  /** Puts the one that stands by to work, then starts another: starting takes this thread a moment. */
  #replace(): void {
    this.#lost = true;
    this.#options.onFree();
    this.#startMissing();
  }

  /** Takes a process out of the account of its state. */
  #leave(worker: Worker): void {
    if (worker.state === "starting") this.#starting--;
    if (worker.state === "busy") this.#busy--;
    if (worker.state === "free") {
      this.#free.splice(this.#free.indexOf(worker), 1);
    }
    clearTimeout(worker.startLimit);
    worker.state = "gone";
    worker.callbacks = undefined;
  }

  #reportStartFailure(how: string): void {
    const others = this.#free.length + this.#busy + this.#starting;
    if (this.#closed || others > 0) return;
    this.#failedStarts = 0; // a later render tries again
    this.#options.onStartFailure(
      new Error(`Cannot start a render worker: ${how}`),
    );
  }
}

class Worker implements PoolWorker {
  state: "starting" | "free" | "busy" | "gone" = "starting";
  callbacks: AskCallbacks | undefined;
  process!: WorkerProcess;
  startLimit: ReturnType<typeof setNodeTimeout> | undefined;
  readonly #pool: WorkerPool;

  constructor(pool: WorkerPool) {
    this.#pool = pool;
  }

  ask(message: string, callbacks: AskCallbacks): void {
    this.callbacks = callbacks;
    this.process.send(message);
  }

  giveBack(): void {
    this.#pool.giveBack(this);
  }

  discard(): void {
    this.#pool.discard(this);
  }
}
