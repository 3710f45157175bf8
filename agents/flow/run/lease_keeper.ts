/**
 * Leases of this process: taking one, waiting in line for one, and renewing those that are held.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import { RollingMap } from "../../../base/rolling_map.ts";
import type { KernelError } from "../kernel_errors.ts";
import type { RunJournal } from "../run_journal.ts";
import { kernelError, thrownByJournal } from "./halted.ts";

/** How long a lease lasts when nobody says: 30 s (`spec/api.md`). */
export const DEFAULT_LEASE_MS = 30_000;

/** Milliseconds between looks at the line: from the first to the longest. */
const POLL_MS = { first: 5, longest: 250 };

/** A lease to take. */
export interface LeaseRequest {
  /** Whose. */
  readonly tenantId: string;
  /** What is leased. */
  readonly key: string;
  /** Who takes it: another name for every taker. */
  readonly holder: string;
  /** The run it is for. */
  readonly runId: string;
  /** Called once when somebody else turns out to hold it at a higher epoch. */
  readonly lost?: (error: KernelError) => void;
  /** Called when a renewal tells that cancelling was asked for. */
  readonly cancelRequested?: (reason: string) => void;
}

/** A lease that this process holds. */
export interface KeptLease {
  /** What is leased. */
  readonly key: string;
  /** The epoch it is held at. */
  readonly epoch: number;
  /** Whether it has gone so long without being renewed that somebody else may have it by now. */
  isStale(): boolean;
  /** Stops renewing it, for a lease that went with the last append or park. */
  drop(): void;
  /** Stops renewing it and gives it up, unless it was dropped; a journal that fails here leaves it to run out. */
  release(): Promise<void>;
}

/** A lease while it is renewed. */
interface HeldLease {
  /** Its number among those that this process has held. */
  readonly number: number;
  readonly request: LeaseRequest;
  readonly epoch: number;
  /** When its last renewal was asked for, by this process's clock: a machine that slept has one that jumped. */
  renewedAt: number;
}

/** Takes leases from a journal and renews them while they are held. */
export class LeaseKeeper {
  readonly #journal: RunJournal;
  readonly #leaseMs: number;
  readonly #held = new RollingMap<number, HeldLease>();
  #nextNumber = 1;
  /** Who waits in this process, by key: woken when one of us gives the key up. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param leaseMs How long a lease lasts without being renewed. */
  constructor(journal: RunJournal, leaseMs: number) {
    this.#journal = journal;
    this.#leaseMs = leaseMs;
  }

  /** How long a lease lasts without being renewed, in milliseconds. */
  get leaseMs(): number {
    return this.#leaseMs;
  }

  /** Renews a lease that was taken in passing, with the start of a run. */
  keep(request: LeaseRequest, epoch: number): KeptLease {
    const number = this.#nextNumber++;
    const held = { number, request, epoch, renewedAt: Date.now() };
    this.#held.set(number, held);
    this.#timer ??= setInterval(
      () => this.#renewAll(),
      Math.max(1, Math.floor(this.#leaseMs / 3)),
    );
    let kept = true;
    const drop = () => {
      if (!kept) return;
      kept = false;
      this.#held.delete(number);
      if (this.#held.size === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
      this.#wake(request);
    };
    return {
      key: request.key,
      epoch,
      isStale: () => Date.now() - held.renewedAt >= this.#leaseMs,
      drop,
      release: async () => {
        if (!kept) return;
        drop();
        await this.giveUp(request);
        this.#wake(request);
      },
    };
  }

  /** Takes a lease that is free; `undefined` when it isn't. */
  async take(
    request: LeaseRequest,
  ): Promise<Result<KeptLease | undefined, KernelError>> {
    const answer = await this.#acquire(request, false);
    if (answer.kind === "err") return answer;
    return ok(
      answer.value === undefined ? undefined : this.keep(request, answer.value),
    );
  }

  /**
   * Waits in line for a lease; `undefined` when the waiting was stopped, the place in line given up.
   *
   * @param onStop Registers what ends the waiting; answers what takes it back.
   */
  async wait(
    request: LeaseRequest,
    onStop: (listener: () => void) => () => void,
  ): Promise<Result<KeptLease | undefined, KernelError>> {
    let stopped = false;
    let freed = false;
    let wake = () => {};
    const release = onStop(() => {
      stopped = true;
      wake();
    });
    const name = lineName(request);
    const onFree = () => {
      freed = true;
      wake();
    };
    const line = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, line.add(onFree));
    try {
      for (let pause = POLL_MS.first;;) {
        freed = false;
        const answer = await this.#acquire(request, true);
        if (answer.kind === "err") return answer;
        // Only waiting is stopped: a lease that is free is taken, however late (`spec/durability.md`, Ending).
        if (answer.value !== undefined) {
          return ok(this.keep(request, answer.value));
        }
        if (stopped) break;
        if (freed) continue;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, this.#capped(pause));
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        pause = Math.min(pause * 2, POLL_MS.longest);
      }
      await this.giveUp(request);
      return ok(undefined);
    } finally {
      release();
      line.delete(onFree);
      if (line.size === 0) this.#waiting.delete(name);
    }
  }

  /** Gives up a lease or a place in line that may or may not be held. */
  async giveUp({ tenantId, key, holder }: LeaseRequest): Promise<void> {
    try {
      await this.#journal.release(tenantId, key, holder);
    } catch {
      // It runs out by itself.
    }
  }

  /** A place in line has to be renewed well within its time. */
  #capped(pause: number): number {
    return Math.min(pause, Math.max(1, Math.floor(this.#leaseMs / 3)));
  }

  async #acquire(
    { tenantId, key, holder, runId }: LeaseRequest,
    wait: boolean,
  ): Promise<Result<number | undefined, KernelError>> {
    try {
      const answer = await this.#journal.acquire(
        tenantId,
        key,
        holder,
        this.#leaseMs,
        { wait },
      );
      if (answer.kind === "err") return err(kernelError(runId, answer.error));
      return ok(
        answer.value.kind === "held" ? answer.value.epoch : undefined,
      );
    } catch (thrown) {
      return err(thrownByJournal(`lease ${key} for`, runId, thrown));
    }
  }

  #wake(request: LeaseRequest): void {
    if (this.#waiting.size === 0) return;
    for (const wake of this.#waiting.get(lineName(request)) ?? []) wake();
  }

  #renewAll(): void {
    for (const held of this.#held.values()) void this.#renew(held);
  }

  async #renew(held: HeldLease): Promise<void> {
    const { tenantId, key, holder, runId, lost, cancelRequested } =
      held.request;
    const renewedAt = Date.now();
    try {
      const answer = await this.#journal.renew(
        tenantId,
        key,
        holder,
        held.epoch,
        this.#leaseMs,
      );
      if (!this.#held.has(held.number)) return;
      if (answer.kind === "ok") {
        held.renewedAt = renewedAt;
        const reason = answer.value.cancelRequested;
        if (reason !== undefined) cancelRequested?.(reason);
      } else if (answer.error.code === "run-lease-lost") {
        this.#held.delete(held.number);
        lost?.(kernelError(runId, answer.error));
      }
    } catch {
      // A lease is lost only to a higher epoch: the next renewal may succeed.
    }
  }
}

function lineName({ tenantId, key }: LeaseRequest): string {
  return `${tenantId}\n${key}`;
}
