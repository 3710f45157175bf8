/**
 * What a model call costs (`spec/decisions.md` 27).
 *
 * @module
 */

import type { ModelCost, ModelUsage } from "./model_provider.ts";

/**
 * The price of a call in US dollars, for a provider that reports none.
 *
 * Each token is paid once, at its own price: the parts of the prompt that went through a cache at the cache's prices, the
 * part of the completion spent on reasoning at that price, the rest at the prices of prompt and completion. A part without
 * a price of its own costs what its total does.
 */
export function priceOf(usage: ModelUsage, cost: ModelCost): number {
  const { promptTokens, completionTokens } = usage;
  const cacheRead = usage.cacheReadTokens ?? 0;
  const cacheWrite = usage.cacheWriteTokens ?? 0;
  const reasoning = usage.reasoningTokens ?? 0;
  const { promptUsdPer1kTokens, completionUsdPer1kTokens } = cost;
  const cachePrice = cost.cacheReadUsdPer1kTokens ?? promptUsdPer1kTokens;
  const writePrice = cost.cacheWriteUsdPer1kTokens ?? promptUsdPer1kTokens;
  const thinkPrice = cost.reasoningUsdPer1kTokens ?? completionUsdPer1kTokens;
  const perThousand =
    (promptTokens - cacheRead - cacheWrite) * promptUsdPer1kTokens +
    cacheRead * cachePrice + cacheWrite * writePrice +
    (completionTokens - reasoning) * completionUsdPer1kTokens +
    reasoning * thinkPrice;
  return perThousand / 1_000;
}
