/**
 * Leases in SQLite (`spec/durability.md`, leases). Everything here happens within the caller's transaction: the file is
 * what orders several processes.
 *
 * @module
 */

import type { HeldLease, LeaseFence, WaitingLease } from "../../flow/mod.ts";
import {
  acquireLease,
  freshLease,
  holdsLease,
  isLeaseHeld,
  type LeaseState,
  releaseLease,
} from "../lease_state.ts";
import type { SqliteDatabase } from "./database.ts";
import { loadedText } from "../stored_text.ts";

interface LeaseRow {
  readonly epoch: number;
  readonly holder: string | null;
  readonly expires_at: number;
  readonly line: string;
}

/** The leases of all tenants. */
export class SqliteLeases {
  readonly #sql: SqliteDatabase;

  /** Keeps its leases in a database. */
  constructor(sql: SqliteDatabase) {
    this.#sql = sql;
  }

  /** Takes a lease or a place in line. */
  acquire(
    tenantId: string,
    key: string,
    holder: string,
    ttlMs: number,
    wait: boolean,
  ): HeldLease | WaitingLease {
    const lease = this.#load(tenantId, key) ?? freshLease();
    const now = this.#sql.clock.now();
    const answer = acquireLease(lease, holder, ttlMs, wait, now);
    this.#save(tenantId, key, lease);
    return answer;
  }

  /** Renews a lease; `false` when it isn't held at that epoch any more. */
  renew(
    tenantId: string,
    key: string,
    holder: string,
    epoch: number,
    ttlMs: number,
  ): boolean {
    return this.#sql.run(
      `UPDATE agent_leases SET expires_at = ?
        WHERE tenant_id = ? AND key = ? AND holder = ? AND epoch = ?`,
      this.#sql.clock.now() + Math.ceil(ttlMs),
      tenantId,
      key,
      holder,
      epoch,
    ).changes > 0;
  }

  /** Gives up a lease or a place in line. */
  release(tenantId: string, key: string, holder: string): void {
    const lease = this.#load(tenantId, key);
    if (lease === undefined) return;
    releaseLease(lease, holder);
    this.#save(tenantId, key, lease);
  }

  /** Gives up a lease whoever holds it. */
  free(tenantId: string, key: string): void {
    this.#sql.run(
      "UPDATE agent_leases SET holder = NULL WHERE tenant_id = ? AND key = ?",
      tenantId,
      key,
    );
  }

  /** Forgets a lease whose key will never be asked for again. */
  forget(tenantId: string, key: string): void {
    this.#sql.run(
      "DELETE FROM agent_leases WHERE tenant_id = ? AND key = ?",
      tenantId,
      key,
    );
  }

  /** Whether a write under this lease still counts. */
  holds(tenantId: string, fence: LeaseFence): boolean {
    return holdsLease(this.#load(tenantId, fence.key), fence);
  }

  /** Whether somebody holds a lease whose time isn't over. */
  isHeld(tenantId: string, key: string): boolean {
    return isLeaseHeld(this.#load(tenantId, key), this.#sql.clock.now());
  }

  #load(tenantId: string, key: string): LeaseState | undefined {
    const row = this.#sql.get<LeaseRow>(
      `SELECT epoch, holder, expires_at, line FROM agent_leases
        WHERE tenant_id = ? AND key = ?`,
      tenantId,
      key,
    );
    if (row === undefined) return undefined;
    return {
      epoch: row.epoch,
      holder: row.holder === null ? undefined : loadedText(row.holder),
      expiresAt: row.expires_at,
      line: row.line === "[]" ? [] : JSON.parse(row.line),
    };
  }

  #save(tenantId: string, key: string, lease: LeaseState): void {
    this.#sql.run(
      `INSERT INTO agent_leases (tenant_id, key, epoch, holder, expires_at, line) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET epoch = excluded.epoch, holder = excluded.holder,
          expires_at = excluded.expires_at, line = excluded.line`,
      tenantId,
      key,
      lease.epoch,
      lease.holder,
      Math.ceil(lease.expiresAt),
      lease.line.length === 0 ? "[]" : JSON.stringify(lease.line),
    );
  }
}
