/**
 * The account of model calls in memory (`UsageStore`).
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import type { PersistenceError } from "../agent/mod.ts";
import { mended } from "../conversation/mod.ts";
import type { ModelUsageRecord } from "../routing/mod.ts";
import type { UsageStore, UsageTotals, UsageTotalsInput } from "./contract.ts";
import type { MemoryTenants } from "./memory_tenants.ts";
import { usageTotals } from "./usage_totals.ts";

/** Model calls of all tenants. */
export class MemoryUsage implements UsageStore {
  readonly #tenants: MemoryTenants;

  /** Keeps its records with the tenants. */
  constructor(tenants: MemoryTenants) {
    this.#tenants = tenants;
  }

  /**
   * Keeps a record within the caller's step.
   *
   * @throws {TypeError} If it can't be written as JSON.
   */
  keep(record: ModelUsageRecord): void {
    const { usage } = this.#tenants.of(record.tenantId);
    if (usage.has(record.callId)) return;
    usage.set(record.callId, mended(record) as ModelUsageRecord);
  }

  record(record: ModelUsageRecord): Promise<Result<void, PersistenceError>> {
    try {
      this.keep(record);
      return Promise.resolve(ok(undefined));
    } catch (cause) {
      return Promise.resolve(err({
        code: "persistence-error",
        message:
          `Cannot record model call ${record.callId}: it can't be written as JSON`,
        cause,
      }));
    }
  }

  totals(
    { tenantId, since, runId }: UsageTotalsInput,
  ): Promise<Result<UsageTotals, PersistenceError>> {
    const from = since === undefined ? -Infinity : Date.parse(since);
    const records = [...this.#tenants.of(tenantId).usage.values()].filter(
      (record) =>
        (runId === undefined || record.runId === runId) &&
        Date.parse(record.occurredAt) >= from,
    );
    return Promise.resolve(ok(usageTotals(records)));
  }

  list(
    { tenantId, runId }: { readonly tenantId: string; readonly runId: string },
  ): Promise<Result<readonly ModelUsageRecord[], PersistenceError>> {
    const { usage } = this.#tenants.of(tenantId);
    return Promise.resolve(
      ok([...usage.values()].filter((record) => record.runId === runId)),
    );
  }
}
