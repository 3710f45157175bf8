/**
 * Leases: who may write what, and who waits for it (`spec/durability.md`, leases).
 *
 * @module
 */

/** A lease that is held. */
export interface HeldLease {
  /** The mark of a held lease. */
  readonly kind: "held";
  /** Its number: higher than that of every earlier holder of the key. */
  readonly epoch: number;
}

/** A lease that somebody else holds, or has an older claim on. */
export interface WaitingLease {
  /** The mark of a place in line. */
  readonly kind: "waiting";
  /** The place in line, from 1 for the next; 0 when no place was asked for. */
  readonly place: number;
}

/** A lease by its key and epoch: what a write is fenced by. */
export interface LeaseFence {
  /** What is leased. */
  readonly key: string;
  /** The epoch it is held at. */
  readonly epoch: number;
}

/** The key of a run's lease. */
export function runLeaseKey(runId: string): string {
  return `run:${runId}`;
}

/** The key of a conversation's lease: its turns go one at a time. */
export function conversationLeaseKey(conversationId: string): string {
  return `conversation:${conversationId}`;
}

/** The key of the lease behind an edge policy's `concurrencyKey`. */
export function concurrencyLeaseKey(concurrencyKey: string): string {
  return `node:${concurrencyKey}`;
}
