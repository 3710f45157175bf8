/**
 * Leases of one tenant in memory (`spec/durability.md`, leases).
 *
 * @module
 */

import type { HeldLease, LeaseFence, WaitingLease } from "../flow/mod.ts";
import {
  acquireLease,
  freshLease,
  holdsLease,
  isLeaseHeld,
  type LeaseState,
  releaseLease,
} from "./lease_state.ts";

/** What is saved of leases. */
export type SavedLeases = readonly (readonly [string, LeaseState])[];

/** The leases of a tenant. */
export class MemoryLeases {
  readonly #leases: Map<string, LeaseState>;

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
    return acquireLease(this.#lease(key), holder, ttlMs, wait, now);
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
    if (lease !== undefined) releaseLease(lease, holder);
  }

  /** Gives up a lease whoever holds it. */
  free(key: string): void {
    const lease = this.#leases.get(key);
    if (lease !== undefined) lease.holder = undefined;
  }

  /** Forgets a lease whose key will never be asked for again. */
  forget(key: string): void {
    this.#leases.delete(key);
  }

  /** Whether a write under this lease still counts: only a higher epoch, or giving it up, ends that. */
  holds(fence: LeaseFence): boolean {
    return holdsLease(this.#leases.get(fence.key), fence);
  }

  /** Whether somebody holds a lease whose time isn't over. */
  isHeld(key: string, now: number): boolean {
    return isLeaseHeld(this.#leases.get(key), now);
  }

  #lease(key: string): LeaseState {
    let lease = this.#leases.get(key);
    if (lease === undefined) {
      lease = freshLease();
      this.#leases.set(key, lease);
    }
    return lease;
  }
}
