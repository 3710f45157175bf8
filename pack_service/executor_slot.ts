/**
 * The place of one executor: starts its process, hands it calls, and replaces it when it is lost.
 *
 * @module
 */

import { lastLines } from "./bundle.ts";
import type { ExecutorBlockedEvent, ExecutorLostEvent } from "./events.ts";
import type {
  AbortReason,
  ExecutorProblem,
  ExecutorRecord,
} from "./executor.ts";
import {
  type ExecutorLaunch,
  type ExecutorOutput,
  launchExecutor,
} from "./executor_launch.ts";
import type { ExecutorProcess } from "./executor_process.ts";
import type { ProcessLoss, SentCall } from "./process_loss.ts";

/** The first wait before a lost executor is replaced; it doubles up to {@link MAX_BACKOFF_MS}. */
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;
/** How long calls wait for a silent executor before that is recorded. */
const BLOCKED_RECORD_MS = 1_000;

/** What {@link ExecutorSlot} needs. */
export interface SlotOptions {
  /** How to start the process. */
  readonly launch: ExecutorLaunch;
  /** Where sockets are made. */
  readonly socketFolder: string;
  /** Where its output goes. */
  readonly output: ExecutorOutput;
  /** After how long without a call it is stopped until the next one, in ms; never when absent. */
  readonly idleMs?: number;
  /** Hears what should be recorded. */
  readonly tell: (event: ExecutorLostEvent | ExecutorBlockedEvent) => void;
  /** Hears of what pack code did outside of a call. */
  readonly record: (record: ExecutorRecord) => void;
  /** Takes calls that never began when the process was lost: another executor may be free for them. */
  readonly placeAgain?: (calls: readonly SentCall[]) => void;
}

/** One executor's place. */
export class ExecutorSlot {
  readonly #options: SlotOptions;
  readonly #queue: SentCall[] = [];
  #process: ExecutorProcess | undefined;
  /** Settles when the start that is under way has ended, well or not. */
  #starting: Promise<readonly ExecutorProblem[]> | undefined;
  #everUp = false;
  #stopped = false;
  #backoffMs = MIN_BACKOFF_MS;
  #restart: ReturnType<typeof setTimeout> | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #blocked: ReturnType<typeof setTimeout> | undefined;
  #toldBlocked = false;

  /** Starts nothing yet. */
  constructor(options: SlotOptions) {
    this.#options = options;
  }

  /** Which executor it is. */
  get name(): string {
    return this.#options.launch.name;
  }

  /** Whether a call that comes now is sent at once. */
  get free(): boolean {
    return this.#process !== undefined && !this.#process.silent();
  }

  /** How many calls it has, waiting ones included. */
  get load(): number {
    return this.#queue.length + (this.#process?.load ?? 0);
  }

  /** Whether its process is there. */
  get up(): boolean {
    return this.#process !== undefined;
  }

  /** Whether its process has ever been there. */
  get everUp(): boolean {
    return this.#everUp;
  }

  /** Starts the process; answers the problems of its imports, or why it didn't come up. */
  start(): Promise<readonly ExecutorProblem[]> {
    return this.#starting ??= this.#launch().finally(() => {
      this.#starting = undefined;
    });
  }

  /** Takes a call: sends it, or keeps it until the process is there and answers. */
  call(call: SentCall): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    if (this.#process !== undefined && this.free) this.#process.send(call);
    else {
      this.#queue.push(call);
      this.#wake();
    }
  }

  /** Ends the interest in a call. */
  abort(call: SentCall, reason: AbortReason): void {
    const waiting = this.#queue.indexOf(call);
    if (waiting !== -1) this.#queue.splice(waiting, 1);
    else this.#process?.abort(call, reason);
  }

  /** Ends the process for good. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#restart);
    clearTimeout(this.#idle);
    clearTimeout(this.#blocked);
    await this.#starting;
    await this.#process?.stop();
  }

  /** Ends the process at once and for good. */
  kill(): void {
    this.#stopped = true;
    this.#process?.kill("killed");
  }

  #answered(): void {
    this.#backoffMs = MIN_BACKOFF_MS;
    const { idleMs } = this.#options;
    if (idleMs === undefined || this.load > 0 || this.#stopped) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#goIdle(), idleMs);
  }

  async #goIdle(): Promise<void> {
    if (this.load > 0) return;
    const process = this.#process;
    this.#process = undefined;
    await process?.stop();
  }

  /** Sees to it that what waits is taken up some time. */
  #wake(): void {
    if (this.#process === undefined) {
      if (this.#restart === undefined && !this.#stopped) void this.start();
      return;
    }
    if (this.#toldBlocked) return;
    this.#blocked ??= setTimeout(() => {
      this.#blocked = undefined;
      const process = this.#process;
      if (process === undefined) return;
      const waiting = this.#queue.length + process.waiting;
      if (waiting === 0) return;
      this.#toldBlocked = true;
      this.#options.tell({
        kind: "executor-blocked",
        executor: this.name,
        silentMs: Math.round(process.silentMs()),
        waiting,
      });
    }, BLOCKED_RECORD_MS);
  }

  #notBlocked(): void {
    clearTimeout(this.#blocked);
    this.#blocked = undefined;
    this.#toldBlocked = false;
  }

  #takeUp(): void {
    this.#notBlocked();
    while (this.#queue.length > 0) {
      const process = this.#process;
      if (process === undefined || process.silent()) return this.#wake();
      process.send(this.#queue.shift()!);
    }
  }

  async #launch(): Promise<readonly ExecutorProblem[]> {
    const { launch, socketFolder, output, record } = this.#options;
    let settle: (problems: readonly ExecutorProblem[]) => void;
    const booted = new Promise<readonly ExecutorProblem[]>((resolve) => {
      settle = resolve;
    });
    const started: { process?: ExecutorProcess; loss?: ProcessLoss } = {};
    const launched = await launchExecutor(launch, socketFolder, output, {
      booted: (problems) => settle(problems),
      silent: () => this.#wake(),
      answering: () => this.#takeUp(),
      answered: () => this.#answered(),
      record,
      ended: (loss) => {
        started.loss = loss;
        settle([{
          message:
            `executor ${this.name} ended before it was ready (${loss.reason}): ${
              lastLines(loss.lastWords)
            }`,
        }]);
        if (started.process !== undefined) this.#lost(started.process, loss);
      },
    });
    if (launched.kind === "err") {
      this.#retryLater();
      return [{ message: `executor ${this.name}: ${launched.error}` }];
    }
    const process = started.process = launched.value;
    const problems = await booted;
    if (problems.length > 0) {
      await process.stop();
      this.#retryLater();
      return problems;
    }
    if (this.#stopped) {
      await process.stop();
      return [];
    }
    this.#process = process;
    this.#everUp = true;
    if (started.loss === undefined) this.#takeUp();
    else this.#lost(process, started.loss);
    return [];
  }

  #lost(process: ExecutorProcess, loss: ProcessLoss): void {
    if (this.#process !== process) return;
    this.#process = undefined;
    this.#notBlocked();
    if (this.#stopped) return;
    const { reason, exit, begun, waiting } = loss;
    this.#options.tell({
      kind: "executor-lost",
      executor: this.name,
      reason,
      calls: begun,
      ...(exit.signal === undefined
        ? { exitCode: exit.code }
        : { signal: exit.signal }),
    });
    const { placeAgain } = this.#options;
    this.#retryLater();
    if (placeAgain === undefined) this.#queue.unshift(...waiting);
    else placeAgain([...waiting, ...this.#queue.splice(0)]);
  }

  /** Only a slot that was up before is tried again: what fails at boot fails the boot. */
  #retryLater(): void {
    if (this.#stopped || !this.#everUp || this.#restart !== undefined) return;
    this.#restart = setTimeout(() => {
      this.#restart = undefined;
      void this.start();
    }, this.#backoffMs);
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
  }
}
