/**
 * What a provider has to be before it is registered (`spec/agents_define.md` 13.2).
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import { isFilledText, isPositiveInteger, quoted } from "../agent/mod.ts";
import type { InvalidProviderReason } from "./errors.ts";

/** The first thing that is wrong with a provider. */
export interface ProviderIssue {
  /** Its code. */
  readonly reason: InvalidProviderReason;
  /** The same in words. */
  readonly message: string;
}

const MAX_LABELS = 32;
const MAX_LABEL_VALUE = 256;
const LABEL_KEY = /^[a-z0-9]([a-z0-9._/-]{0,61}[a-z0-9])?$/;
const PRICES = [
  "promptUsdPer1kTokens",
  "completionUsdPer1kTokens",
] as const;
const FURTHER_PRICES = [
  "cacheReadUsdPer1kTokens",
  "cacheWriteUsdPer1kTokens",
  "reasoningUsdPer1kTokens",
] as const;

/** The first thing that is wrong with a provider, or `undefined` when it is fine. */
export function providerIssue(provider: unknown): ProviderIssue | undefined {
  const given = isRecord(provider) ? provider : {};
  const metadata = isRecord(given.metadata) ? given.metadata : {};
  const { id, region, models, defaultModel, labels } = metadata;
  if (!isFilledText(id)) {
    return issue("empty-id", "metadata.id must be text that isn't blank");
  }
  if (!isFilledText(region)) {
    return issue(
      "empty-region",
      "metadata.region must be text that isn't blank",
    );
  }
  if (!Array.isArray(models) || models.length === 0) {
    return issue("empty-models", "metadata.models must list a model at least");
  }
  const names = new Set<unknown>();
  for (const model of models) {
    const found = modelIssue(model, names);
    if (found !== undefined) return found;
  }
  if (defaultModel !== undefined && !names.has(defaultModel)) {
    return issue(
      "unknown-default-model",
      "metadata.defaultModel must be the name of one of its models",
    );
  }
  if (labels !== undefined && !areLabels(labels)) {
    return issue(
      "invalid-labels",
      `metadata.labels must have at most ${MAX_LABELS} keys of a-z 0-9 . _ / - (1 to 63 characters, starting and ` +
        `ending with a letter or digit) with text of at most ${MAX_LABEL_VALUE} characters`,
    );
  }
  if (typeof given.invoke !== "function") {
    return issue("invalid-invoke", "invoke must be a function");
  }
  return undefined;
}

/** Checks one model; adds its name to the names seen. */
function modelIssue(
  given: unknown,
  names: Set<unknown>,
): ProviderIssue | undefined {
  const model = isRecord(given) ? given : {};
  const { name } = model;
  if (!isFilledText(name)) {
    return issue(
      "empty-model-name",
      "each model's name must be text that isn't blank",
    );
  }
  const of = `of model ${quoted(name)}`;
  if (names.has(name)) {
    return issue(
      "duplicate-model-name",
      `model ${quoted(name)} is there twice`,
    );
  }
  names.add(name);
  if (!isPositiveInteger(model.contextWindow)) {
    return issue(
      "invalid-context-window",
      `contextWindow ${of} must be tokens, an integer of 1 or more`,
    );
  }
  if (!isCost(model.cost)) {
    return issue(
      "invalid-cost",
      `the prices ${of} must be US dollars per 1 000 tokens, 0 or more`,
    );
  }
  if (model.p95LatencyMs !== undefined && !isAmount(model.p95LatencyMs)) {
    return issue(
      "invalid-p95-latency",
      `p95LatencyMs ${of} must be milliseconds, 0 or more`,
    );
  }
  if (
    model.maxOutputTokens !== undefined &&
    !isPositiveInteger(model.maxOutputTokens)
  ) {
    return issue(
      "invalid-max-output-tokens",
      `maxOutputTokens ${of} must be an integer of 1 or more`,
    );
  }
  if (model.sampling !== undefined && typeof model.sampling !== "boolean") {
    return issue("invalid-sampling", `sampling ${of} must be true or false`);
  }
  if (model.thinking !== undefined && !isThinking(model.thinking)) {
    return issue(
      "invalid-thinking",
      `thinking ${of} must be { mode: "adaptive" or "always", lowest } and nothing else`,
    );
  }
  return undefined;
}

function issue(reason: InvalidProviderReason, message: string): ProviderIssue {
  return { reason, message };
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isCost(cost: unknown): boolean {
  return isRecord(cost) && PRICES.every((price) => isAmount(cost[price])) &&
    FURTHER_PRICES.every((price) =>
      cost[price] === undefined || isAmount(cost[price])
    );
}

function isThinking(thinking: unknown): boolean {
  return isRecord(thinking) &&
    Object.keys(thinking).every((key) => key === "mode" || key === "lowest") &&
    (thinking.mode === "adaptive" || thinking.mode === "always") &&
    isFilledText(thinking.lowest);
}

function areLabels(labels: unknown): boolean {
  if (!isRecord(labels)) return false;
  const entries = Object.entries(labels);
  return entries.length <= MAX_LABELS &&
    entries.every(([key, value]) =>
      LABEL_KEY.test(key) && typeof value === "string" &&
      value.length <= MAX_LABEL_VALUE
    );
}
