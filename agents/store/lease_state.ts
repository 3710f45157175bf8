/**
 * What becomes of a lease: who holds it, and who waits for it in which order (`spec/durability.md`, leases). Pure, so that
 * stores that work it out by themselves do the same.
 *
 * @module
 */

import type { HeldLease, LeaseFence, WaitingLease } from "../flow/mod.ts";

/** A lease as it stands. Times are the store's, in milliseconds. */
export interface LeaseState {
  /** The highest epoch ever given out. */
  epoch: number;
  /** Who holds it at that epoch; `undefined` once it was given up. */
  holder: string | undefined;
  /** Until when. */
  expiresAt: number;
  /** Who waits, in order of arrival. */
  line: { holder: string; expiresAt: number }[];
}

/** A lease that nobody has asked for yet. */
export function freshLease(): LeaseState {
  return { epoch: 0, holder: undefined, expiresAt: 0, line: [] };
}

/** Takes a lease or a place in line, at a moment. */
export function acquireLease(
  lease: LeaseState,
  holder: string,
  ttlMs: number,
  wait: boolean,
  now: number,
): HeldLease | WaitingLease {
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
  return { kind: "waiting", place: lease.line.push({ holder, expiresAt }) };
}

/** Gives up a lease or a place in line. */
export function releaseLease(lease: LeaseState, holder: string): void {
  if (lease.holder === holder) lease.holder = undefined;
  lease.line = lease.line.filter((place) => place.holder !== holder);
}

/** Whether a write under this lease still counts: only a higher epoch, or giving it up, ends that. */
export function holdsLease(
  lease: Pick<LeaseState, "epoch" | "holder"> | undefined,
  { epoch }: Pick<LeaseFence, "epoch">,
): boolean {
  return lease?.epoch === epoch && lease.holder !== undefined;
}

/** Whether somebody holds a lease whose time isn't over. */
export function isLeaseHeld(
  lease: Pick<LeaseState, "holder" | "expiresAt"> | undefined,
  now: number,
): boolean {
  return lease?.holder !== undefined && lease.expiresAt > now;
}
