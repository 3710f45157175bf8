/**
 * Renders turns' instructions in child processes, for a server that runs many tenants' agents.
 *
 * A process, not a thread: a thread shares the server's heap, and nothing stops one that spins. The processes run
 * without any permission and with an empty environment.
 *
 * @module
 */

import { setTimeout as setNodeTimeout } from "node:timers";
import { tenantInputBounds } from "./bounds.ts";
import {
  boundMessage,
  TemplateRenderBudgetError,
  TemplateRenderError,
} from "./errors.ts";
import { FairQueue } from "./fair_queue.ts";
import { RenderBudget } from "./render_budget.ts";
import { admit } from "./render_template.ts";
import type { TemplateRenderer, TemplateRenderRequest } from "./renderer.ts";
import { parseAnswer, type WorkerSettings } from "./worker_messages.ts";
import { type PoolWorker, WorkerPool } from "./worker_pool.ts";
import type { WorkerEnd } from "./worker_process.ts";

export type { TemplateRenderer, TemplateRenderRequest } from "./renderer.ts";
export { TemplateRenderBudgetError, TemplateRenderError } from "./errors.ts";

/** Milliseconds past `liquid.renderLimitMs` after which a render's worker is stopped wherever it is. */
export const STOP_MARGIN_MS = 100;

/** The `code` of the error that a render after `close()` rejects with. */
export const RENDERER_CLOSED = "renderer-closed";

/** What {@link createWorkerTemplateRenderer} needs. */
export interface WorkerTemplateRendererOptions {
  /** How many processes render at once; an integer of 1 or more. One more stands by. */
  readonly workers: number;
  /** V8's cap on the old generation of each worker's heap, in MiB; an integer of 16 or more, 64 when absent. */
  readonly maxOldSpaceMb?: number;
}

/** A renderer with child processes. */
export interface WorkerTemplateRenderer extends TemplateRenderer {
  /**
   * Lets the renders it took finish, waiting ones included, then ends its workers; a later render rejects with an error
   * whose `code` is {@link RENDERER_CLOSED}. Every call answers the same promise.
   */
  close(): Promise<void>;
}

/**
 * Makes a renderer whose workers render under the bounds in force now; its workers start at once.
 *
 * Tenants that wait take turns. A render's time, and its share of its tenant's budget, count from when a worker takes
 * it; a worker's start never counts. A render past `liquid.renderLimitMs` plus {@link STOP_MARGIN_MS} has its worker
 * stopped and fails with the time limit's message, one past the worker's heap cap with the memory limit's. Idle workers
 * don't keep the process alive (`spec/agents_define.md` 6.3).
 *
 * On Deno this needs `--allow-run` for Deno's own executable (the path that `Deno.execPath()` gives), `--allow-env` for
 * `DENO_DIR`, `HOME` and `XDG_CACHE_HOME`, and `--allow-read` for this package's `deno.json` when it is used from a
 * checkout. A worker ends when this process does; one that is stuck in a step is ended with it on Linux where
 * `/usr/bin/setpriv` may be read and run. Where no worker can be started, the renders that wait reject with an error that says why.
 *
 * @throws {RangeError} If an option is out of range.
 */
export function createWorkerTemplateRenderer(
  options: WorkerTemplateRendererOptions,
): WorkerTemplateRenderer {
  const { workers, maxOldSpaceMb = 64 } = options;
  requireInteger("workers", workers, 1);
  requireInteger("maxOldSpaceMb", maxOldSpaceMb, 16);
  return new PooledRenderer(workers, maxOldSpaceMb);
}

function requireInteger(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new RangeError(
    `Can't make a worker renderer with ${name} ${value}: it must be an integer of ${least} or more`,
  );
}

/** A render that was taken and isn't settled. */
interface Job {
  readonly tenantId: string;
  readonly message: string;
  readonly resolve: (rendered: string) => void;
  readonly reject: (error: Error) => void;
}

/** A quiet moment of this length is waited for before the process that stands by is started, in milliseconds. */
const STANDBY_DELAY_MS = 20;

class PooledRenderer implements WorkerTemplateRenderer {
  readonly #bounds = tenantInputBounds();
  readonly #budget = new RenderBudget(this.#bounds.renderBudget);
  readonly #queue = new FairQueue<Job>();
  readonly #pool: WorkerPool;
  #running = 0;
  /** Keeps the process alive while something waits that nothing else keeps it alive for. */
  #keepAlive: ReturnType<typeof setInterval> | undefined;
  #standby: ReturnType<typeof setNodeTimeout> | undefined;
  #closing: Promise<void> | undefined;
  #drained = () => {};

  constructor(workers: number, maxOldSpaceMb: number) {
    const { liquid } = this.#bounds;
    const settings: WorkerSettings = { bounds: liquid };
    this.#pool = new WorkerPool({
      workers,
      maxOldSpaceMb,
      // Six bytes is the most that JSON makes of a character.
      longestMessage: 6 * liquid.memoryLimit + (1 << 20),
      settings: JSON.stringify(settings),
      onFree: () => this.#dispatch(),
      onStartFailure: (error) => this.#failWaiting(error),
    });
  }

  render(request: TemplateRenderRequest): Promise<string> {
    return new Promise((resolve, reject) => {
      const { tenantId, template, scope } = request;
      if (this.#closing !== undefined) throw rendererClosed();
      if (this.#budget.spent(tenantId, performance.now())) {
        throw this.#budgetSpent(tenantId);
      }
      const admitted = admit(template, scope, this.#bounds.liquid);
      if (admitted.kind === "err") {
        throw new TemplateRenderError(admitted.error);
      }
      const message = JSON.stringify(admitted.value);
      this.#queue.push(tenantId, { tenantId, message, resolve, reject });
      this.#dispatch();
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#standby);
    if (this.#running + this.#queue.size > 0) {
      await new Promise<void>((resolve) => this.#drained = resolve);
    }
    const keepAlive = setInterval(() => {}, 1 << 30);
    await this.#pool.close();
    clearInterval(keepAlive);
  }

  /** Gives waiting renders to free workers. */
  #dispatch(): void {
    while (this.#queue.size > 0) {
      const worker = this.#pool.take();
      if (worker === undefined) break;
      this.#start(worker);
    }
    this.#settleDown();
  }

  /** Gives a worker the next render, unless its tenant has spent its budget since it asked. */
  #start(worker: PoolWorker): void {
    let job = this.#queue.take();
    while (job && this.#budget.spent(job.tenantId, performance.now())) {
      job.reject(this.#budgetSpent(job.tenantId));
      job = this.#queue.take();
    }
    if (job === undefined) worker.giveBack();
    else this.#run(job, worker);
  }

  #run(job: Job, worker: PoolWorker): void {
    const account = this.#budget.begin(job.tenantId, performance.now());
    this.#running++;
    const finish = (ms?: number) => {
      clearTimeout(timer);
      this.#running--;
      const now = performance.now();
      const waited = now - account.startedAt;
      this.#budget.end(account, Math.min(ms ?? waited, waited), now);
    };
    const { liquid } = this.#bounds;
    let timer = setTimeout(() => {
      // An answer may have arrived while this thread was busy: it is read before the second timer fires.
      timer = setTimeout(() => {
        finish();
        job.reject(renderFailure(boundMessage("time", liquid)));
        worker.discard();
      }, 5);
    }, liquid.renderLimitMs + STOP_MARGIN_MS - 5);
    worker.ask(job.message, {
      onAnswer: (message) => {
        const answer = parseAnswer(message);
        finish(answer?.ms);
        if (answer === undefined) {
          job.reject(new Error("The render worker's answer can't be read"));
          worker.discard();
        } else if ("rendered" in answer) job.resolve(answer.rendered);
        else job.reject(new TemplateRenderError(answer));
      },
      onEnd: (end) => {
        finish(end.undelivered ? 0 : undefined);
        if (end.undelivered) this.#queue.push(job.tenantId, job);
        else job.reject(this.#endError(end));
      },
    });
  }

  #endError(end: WorkerEnd): Error {
    return end.heapExhausted
      ? renderFailure(boundMessage("memory", this.#bounds.liquid))
      : new Error(
        `The render worker ended (${end.how}) before it answered; another one takes the next render`,
      );
  }

  #failWaiting(error: Error): void {
    for (let job = this.#queue.take(); job; job = this.#queue.take()) {
      job.reject(error);
    }
    this.#settleDown();
  }

  /** What is done after every change: stay alive or not, stand by, go on closing. */
  #settleDown(): void {
    const stuck = this.#queue.size > 0 && this.#running === 0;
    if (!stuck) {
      clearInterval(this.#keepAlive);
      this.#keepAlive = undefined;
    } else {
      this.#keepAlive ??= setInterval(() => {}, 1 << 30);
    }
    if (this.#queue.size + this.#running > 0) return;
    this.#drained();
    if (this.#closing !== undefined || this.#standby !== undefined) return;
    this.#standby = setNodeTimeout(
      () => this.#pool.prepareStandby(),
      STANDBY_DELAY_MS,
    );
    this.#standby.unref();
  }

  #budgetSpent(tenantId: string): TemplateRenderBudgetError {
    return new TemplateRenderBudgetError(tenantId, this.#bounds.renderBudget);
  }
}

function renderFailure(message: string): TemplateRenderError {
  return new TemplateRenderError({ code: "render-failure", message });
}

function rendererClosed(): Error {
  return Object.assign(
    new Error("Can't render: the renderer has been closed"),
    { code: RENDERER_CLOSED },
  );
}
