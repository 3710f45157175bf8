/**
 * The account of model calls in Postgres (`UsageStore`).
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { PersistenceError } from "../../agent/mod.ts";
import { mended } from "../../conversation/mod.ts";
import type { ModelUsageRecord } from "../../routing/mod.ts";
import type { UsageStore, UsageTotals, UsageTotalsInput } from "../contract.ts";
import { storedText } from "../stored_text.ts";
import { usageTotals } from "../usage_totals.ts";
import type { PostgresDatabase } from "./database.ts";
import { persistenceError } from "./failures.ts";

/** A record as the database takes it. */
export type KeptCall = Readonly<Record<string, string | number | null>>;

/** A record as it is kept; refused when JSON can't hold it. */
export function keptCall(
  record: ModelUsageRecord,
): Result<KeptCall, PersistenceError> {
  let kept: ModelUsageRecord;
  try {
    kept = mended(record) as ModelUsageRecord;
  } catch (cause) {
    return err({
      code: "persistence-error",
      message:
        `Cannot record model call ${record.callId}: it can't be written as JSON`,
      cause,
    });
  }
  const { calls: _one, ...counts } = usageTotals([kept]);
  const occurredAt = new Date(record.occurredAt);
  return ok({
    ...counts,
    callId: storedText(record.callId),
    runId: storedText(record.runId),
    occurredAt: Number.isNaN(occurredAt.getTime())
      ? null
      : occurredAt.toISOString(),
    record: JSON.stringify(kept),
  });
}

/** Sums of a tenant's records. */
const TOTALS = `SELECT count(*)::float8 AS "calls",
    coalesce(sum(failed), 0)::float8 AS "failed",
    coalesce(sum(prompt_tokens), 0)::float8 AS "promptTokens",
    coalesce(sum(completion_tokens), 0)::float8 AS "completionTokens",
    coalesce(sum(cache_read_tokens), 0)::float8 AS "cacheReadTokens",
    coalesce(sum(cache_write_tokens), 0)::float8 AS "cacheWriteTokens",
    coalesce(sum(reasoning_tokens), 0)::float8 AS "reasoningTokens",
    coalesce(sum(cost_usd), 0)::float8 AS "costUsd"
  FROM agent_model_calls WHERE {mine} AND ($1::text IS NULL OR run_id = $1)
    AND ($2::boolean OR occurred_at >= $3::text::timestamp with time zone)`;

/** Model calls of all tenants. */
export class PostgresUsage implements UsageStore {
  readonly #database: PostgresDatabase;

  /** Keeps its records in a database. */
  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async record(
    record: ModelUsageRecord,
  ): Promise<Result<void, PersistenceError>> {
    const call = keptCall(record);
    if (call.kind === "err") return call;
    try {
      await this.#database.call(record.tenantId, "usage_keep", call.value);
      return ok(undefined);
    } catch (thrown) {
      return err(
        persistenceError(`record model call ${record.callId}`, thrown),
      );
    }
  }

  async totals(
    { tenantId, since, runId }: UsageTotalsInput,
  ): Promise<Result<UsageTotals, PersistenceError>> {
    const from = since === undefined ? NaN : Date.parse(since);
    try {
      const [totals] = await this.#database.transaction(
        tenantId,
        (transaction) =>
          transaction.run<UsageTotals>(
            TOTALS,
            runId === undefined ? null : storedText(runId),
            since === undefined,
            Number.isNaN(from) ? null : new Date(from).toISOString(),
          ),
      );
      return ok({
        ...totals!,
        costUsd: Math.round(totals!.costUsd * 1e9) / 1e9,
      });
    } catch (thrown) {
      return err(persistenceError("add up model calls", thrown));
    }
  }

  async list(
    { tenantId, runId }: { readonly tenantId: string; readonly runId: string },
  ): Promise<Result<readonly ModelUsageRecord[], PersistenceError>> {
    try {
      const rows = await this.#database.transaction(
        tenantId,
        (transaction) =>
          transaction.run<{ record: string }>(
            "SELECT record FROM agent_model_calls WHERE {mine} AND run_id = $1 ORDER BY position",
            storedText(runId),
          ),
      );
      return ok(rows.map(({ record }): ModelUsageRecord => JSON.parse(record)));
    } catch (thrown) {
      return err(persistenceError("list model calls", thrown));
    }
  }
}
