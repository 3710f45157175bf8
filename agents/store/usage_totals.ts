/**
 * Adding up model calls, for stores that do it themselves.
 *
 * @module
 */

import type { ModelUsageRecord } from "../routing/mod.ts";
import type { UsageTotals } from "./contract.ts";

/** Adds up model calls. Money is rounded to a billionth of a dollar, so that the order of calls doesn't show. */
export function usageTotals(
  records: Iterable<ModelUsageRecord>,
): UsageTotals {
  const totals = {
    calls: 0,
    failed: 0,
    promptTokens: 0,
    completionTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    costUsd: 0,
  };
  for (const { status, result } of records) {
    totals.calls += 1;
    if (status === "failed") totals.failed += 1;
    if (result === undefined) continue;
    const { usage } = result;
    totals.promptTokens += usage.promptTokens;
    totals.completionTokens += usage.completionTokens;
    totals.cacheReadTokens += usage.cacheReadTokens ?? 0;
    totals.cacheWriteTokens += usage.cacheWriteTokens ?? 0;
    totals.reasoningTokens += usage.reasoningTokens ?? 0;
    totals.costUsd += result.costUsd ?? 0;
  }
  return { ...totals, costUsd: Math.round(totals.costUsd * 1e9) / 1e9 };
}
