/**
 * The order of the pairs that fit: preferences, then names, then the caller's hints.
 *
 * @module
 */

import { compareCodeUnits } from "../../base/canonical_json.ts";
import { isRecord } from "../../base/result.ts";
import type { Capability } from "../agent/mod.ts";
import type { ProviderModel } from "./constraint.ts";

/** One fixed locale, so that the order is the same on every machine. */
const collator = new Intl.Collator("en");

/**
 * Orders pairs: by the summed weights of matching preferences, highest first; then by provider id, the provider's default
 * model first, and model name.
 */
export function ranked(
  pairs: readonly ProviderModel[],
  prefer: Capability["prefer"],
): ProviderModel[] {
  return pairs
    .map((pair) => ({ pair, weight: weightOf(pair, prefer) }))
    .sort((a, b) => b.weight - a.weight || compareNames(a.pair, b.pair))
    .map(({ pair }) => pair);
}

function weightOf(
  { provider, model }: ProviderModel,
  prefer: Capability["prefer"],
): number {
  // Capabilities are carried unchecked: what isn't a preference ranks nothing.
  const preferences: readonly unknown[] = Array.isArray(prefer) ? prefer : [];
  const traits: readonly unknown[] = [
    ...model.features,
    ...provider.metadata.attributes ?? [],
  ];
  let sum = 0;
  for (const preference of preferences) {
    if (!isRecord(preference) || !traits.includes(preference.feature)) continue;
    if (Number.isFinite(preference.weight)) sum += preference.weight as number;
  }
  return sum;
}

function compareNames(a: ProviderModel, b: ProviderModel): number {
  return compareText(a.provider.metadata.id, b.provider.metadata.id) ||
    Number(isDefault(b)) - Number(isDefault(a)) ||
    compareText(a.model.name, b.model.name);
}

function isDefault({ provider, model }: ProviderModel): boolean {
  return provider.metadata.defaultModel === model.name;
}

function compareText(a: string, b: string): number {
  return collator.compare(a, b) || compareCodeUnits(a, b);
}

/**
 * Moves the pairs that match the caller's hints to the front; both groups keep their order.
 *
 * With both hints only the exact pair matches, with one every pair that has it. Hints that match nothing change nothing.
 */
export function hinted(
  pairs: readonly ProviderModel[],
  preferredProvider: string | undefined,
  preferredModel: string | undefined,
): ProviderModel[] {
  const matches = ({ provider, model }: ProviderModel) =>
    (preferredProvider === undefined ||
      provider.metadata.id === preferredProvider) &&
    (preferredModel === undefined || model.name === preferredModel);
  return [
    ...pairs.filter(matches),
    ...pairs.filter((pair) => !matches(pair)),
  ];
}
