/**
 * Leases of one tenant in memory: who holds what, and who waits for it in which order (`spec/durability.md`, leases).
 *
 * @module
 */

import type { HeldLease, LeaseFence, WaitingLease } from "../flow/mod.ts";

interface Lease {
  /** The highest epoch ever given out. */
  epoch: number;
  /** Who holds it at that epoch; absent once it was given up. */
  holder?: string;
  /** Until when, by the store's clock. */
  expiresAt: number;
  /** Who waits, in order of arrival. */
  line: { holder: string; expiresAt: number }[];
}

/** What is saved of leases. */
export type SavedLeases = readonly (readonly [string, Lease])[];

/** The leases of a tenant. */
export class MemoryLeases {
  readonly #leases: Map<string, Lease>;

  /** Takes over what was saved. */
  constructor(saved: SavedLeases = []) {
    this.#leases = new Map(structuredClone(saved));
  }

  /** What there is to save: plain JSON. */
  save(): SavedLeases {
    return [...this.#leases];
  }

  /** Takes a lease or a place in line. */
  acquire(
    key: string,
    holder: string,
    ttlMs: number,
    wait: boolean,
    now: number,
  ): HeldLease | WaitingLease {
    const lease = this.#lease(key);
    const expiresAt = now + ttlMs;
    if (lease.holder === holder) {
      lease.expiresAt = expiresAt;
      return { kind: "held", epoch: lease.epoch };
    }
    lease.line = lease.line.filter((place) =>
      place.expiresAt > now || place.holder === holder
    );
    const at = lease.line.findIndex((place) => place.holder === holder);
    const first = at === 0 || (at < 0 && lease.line.length === 0);
    if (first && (lease.holder === undefined || lease.expiresAt <= now)) {
      if (at === 0) lease.line.shift();
      lease.epoch += 1;
      lease.holder = holder;
      lease.expiresAt = expiresAt;
      return { kind: "held", epoch: lease.epoch };
    }
    if (!wait) return { kind: "waiting", place: 0 };
    if (at >= 0) {
      lease.line[at]!.expiresAt = expiresAt;
      return { kind: "waiting", place: at + 1 };
    }
    return {
      kind: "waiting",
      place: lease.line.push({ holder, expiresAt }),
    };
  }

  /** Renews a lease; `false` when it isn't held at that epoch any more. */
  renew(
    key: string,
    holder: string,
    epoch: number,
    ttlMs: number,
    now: number,
  ): boolean {
    const lease = this.#leases.get(key);
    if (lease?.epoch !== epoch || lease.holder !== holder) return false;
    lease.expiresAt = now + ttlMs;
    return true;
  }

  /** Gives up a lease or a place in line. */
  release(key: string, holder: string): void {
    const lease = this.#leases.get(key);
    if (lease === undefined) return;
    if (lease.holder === holder) delete lease.holder;
    lease.line = lease.line.filter((place) => place.holder !== holder);
  }

  /** Gives up a lease whoever holds it. */
  free(key: string): void {
    const lease = this.#leases.get(key);
    if (lease !== undefined) delete lease.holder;
  }

  /** Forgets a lease whose key will never be asked for again. */
  forget(key: string): void {
    this.#leases.delete(key);
  }

  /** Whether a write under this lease still counts: only a higher epoch, or giving it up, ends that. */
  holds({ key, epoch }: LeaseFence): boolean {
    const lease = this.#leases.get(key);
    return lease?.epoch === epoch && lease.holder !== undefined;
  }

  /** Whether somebody holds a lease whose time isn't over. */
  isHeld(key: string, now: number): boolean {
    const lease = this.#leases.get(key);
    return lease?.holder !== undefined && lease.expiresAt > now;
  }

  #lease(key: string): Lease {
    let lease = this.#leases.get(key);
    if (lease === undefined) {
      lease = { epoch: 0, expiresAt: 0, line: [] };
      this.#leases.set(key, lease);
    }
    return lease;
  }
}
