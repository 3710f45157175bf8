/**
 * The account of model calls in SQLite (`UsageStore`).
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { PersistenceError } from "../../agent/mod.ts";
import { mended } from "../../conversation/mod.ts";
import type { ModelUsageRecord } from "../../routing/mod.ts";
import type { UsageStore, UsageTotals, UsageTotalsInput } from "../contract.ts";
import type { SqliteDatabase } from "./database.ts";
import { persistenceError } from "./failures.ts";

/** A record as it is kept. */
export interface KeptCall {
  /** The record. */
  readonly record: ModelUsageRecord;
  /** The same as JSON. */
  readonly text: string;
}

/** A record as it is kept; refused when JSON can't hold it. */
export function keptCall(
  record: ModelUsageRecord,
): Result<KeptCall, PersistenceError> {
  try {
    const kept = mended(record) as ModelUsageRecord;
    return ok({ record: kept, text: JSON.stringify(kept) });
  } catch (cause) {
    return err({
      code: "persistence-error",
      message:
        `Cannot record model call ${record.callId}: it can't be written as JSON`,
      cause,
    });
  }
}

/** Sums of a tenant's records; money is rounded as {@link usageTotals} does. */
const TOTALS = `SELECT count(*) AS calls,
    coalesce(sum(record ->> '$.status' = 'failed'), 0) AS failed,
    coalesce(sum(record ->> '$.result.usage.promptTokens'), 0) AS promptTokens,
    coalesce(sum(record ->> '$.result.usage.completionTokens'), 0) AS completionTokens,
    coalesce(sum(record ->> '$.result.usage.cacheReadTokens'), 0) AS cacheReadTokens,
    coalesce(sum(record ->> '$.result.usage.cacheWriteTokens'), 0) AS cacheWriteTokens,
    coalesce(sum(record ->> '$.result.usage.reasoningTokens'), 0) AS reasoningTokens,
    coalesce(sum(record ->> '$.result.costUsd'), 0) AS costUsd
  FROM agent_model_calls WHERE tenant_id = ?1 AND (?2 IS NULL OR run_id = ?2) AND occurred_at >= ?3`;

/** The earliest moment that there is. */
const EVER = -8.64e15;

/** Model calls of all tenants. */
export class SqliteUsage implements UsageStore {
  readonly #sql: SqliteDatabase;

  /** Keeps its records in a database. */
  constructor(sql: SqliteDatabase) {
    this.#sql = sql;
  }

  record(record: ModelUsageRecord): Promise<Result<void, PersistenceError>> {
    const call = keptCall(record);
    if (call.kind === "err") return Promise.resolve(call);
    return this.#sql.write(() => ok(this.keep(call.value)))
      .catch((thrown) =>
        err(persistenceError(`record model call ${record.callId}`, thrown))
      );
  }

  /** Keeps a record within the caller's transaction. */
  keep({ record, text }: KeptCall): void {
    const occurredAt = Date.parse(record.occurredAt);
    this.#sql.know(record.tenantId);
    this.#sql.run(
      `INSERT INTO agent_model_calls (tenant_id, call_id, run_id, occurred_at, record) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING`,
      record.tenantId,
      record.callId,
      record.runId,
      Number.isNaN(occurredAt) ? undefined : occurredAt,
      text,
    );
  }

  totals(
    { tenantId, since, runId }: UsageTotalsInput,
  ): Promise<Result<UsageTotals, PersistenceError>> {
    return this.#sql.read(() => {
      const from = since === undefined ? EVER : Date.parse(since);
      const totals = this.#sql.get<UsageTotals>(
        TOTALS,
        tenantId,
        runId,
        Number.isNaN(from) ? undefined : from,
      )!;
      return ok({
        ...totals,
        costUsd: Math.round(totals.costUsd * 1e9) / 1e9,
      });
    }).catch((thrown) => err(persistenceError("add up model calls", thrown)));
  }

  list(
    { tenantId, runId }: { readonly tenantId: string; readonly runId: string },
  ): Promise<Result<readonly ModelUsageRecord[], PersistenceError>> {
    return this.#sql.read(() =>
      ok(
        this.#sql.all<{ record: string }>(
          "SELECT record FROM agent_model_calls WHERE tenant_id = ? AND run_id = ? ORDER BY position",
          tenantId,
          runId,
        ).map(({ record }): ModelUsageRecord => JSON.parse(record)),
      )
    ).catch((thrown) => err(persistenceError("list model calls", thrown)));
  }
}
