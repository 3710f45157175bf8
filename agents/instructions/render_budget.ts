/**
 * How much render time each tenant has used within the rolling window.
 *
 * @module
 */

import type { RenderBudgetBounds } from "./bounds.ts";

/** The window is kept in this many parts, so that a tenant's account stays small however often it renders. */
const PARTS = 60;

/** One tenant's account. */
interface Account {
  /** Milliseconds used, by the number of the window's part in which they ended; the oldest first. */
  readonly used: Map<number, number>;
  /** When each render under way began. */
  readonly running: Set<RenderUnderWay>;
}

/** A render whose time is being counted. */
export interface RenderUnderWay {
  /** Whose it is. */
  readonly tenantId: string;
  /** When a worker took it, on the clock of the budget's caller. */
  readonly startedAt: number;
}

/** Keeps the accounts. Times are milliseconds on any clock that only goes forward. */
export class RenderBudget {
  readonly #bounds: RenderBudgetBounds;
  readonly #partMs: number;
  readonly #accounts = new Map<string, Account>();
  #sweptAt = 0;

  /** Makes a budget of `bounds.ms` for each tenant within `bounds.windowMs`. */
  constructor(bounds: RenderBudgetBounds) {
    this.#bounds = bounds;
    this.#partMs = bounds.windowMs / PARTS;
  }

  /** Whether a tenant has used its budget; renders under way count with the time they have taken so far. */
  spent(tenantId: string, now: number): boolean {
    const account = this.#accounts.get(tenantId);
    if (account === undefined) return false;
    this.#forget(account, now);
    let total = 0;
    for (const ms of account.used.values()) total += ms;
    for (const { startedAt } of account.running) total += now - startedAt;
    return total >= this.#bounds.ms;
  }

  /** A worker takes a tenant's render: its time counts from now on. */
  begin(tenantId: string, now: number): RenderUnderWay {
    this.#sweep(now);
    let account = this.#accounts.get(tenantId);
    if (account === undefined) {
      account = { used: new Map(), running: new Set() };
      this.#accounts.set(tenantId, account);
    }
    const render = { tenantId, startedAt: now };
    account.running.add(render);
    return render;
  }

  /** A render ended after `ms`. */
  end(render: RenderUnderWay, ms: number, now: number): void {
    const account = this.#accounts.get(render.tenantId);
    if (account === undefined || !account.running.delete(render)) return;
    const part = Math.floor(now / this.#partMs);
    account.used.set(part, (account.used.get(part) ?? 0) + ms);
  }

  /** Forgets what was used before the window. */
  #forget(account: Account, now: number): void {
    const oldest = Math.floor((now - this.#bounds.windowMs) / this.#partMs);
    for (const part of account.used.keys()) {
      if (part >= oldest) return;
      account.used.delete(part);
    }
  }

  /** Once a window, forgets the tenants that have used nothing within it. */
  #sweep(now: number): void {
    if (now - this.#sweptAt < this.#bounds.windowMs) return;
    this.#sweptAt = now;
    for (const [tenantId, account] of this.#accounts) {
      this.#forget(account, now);
      if (account.used.size === 0 && account.running.size === 0) {
        this.#accounts.delete(tenantId);
      }
    }
  }
}
