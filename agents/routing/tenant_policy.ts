/**
 * What a tenant allows models to be: its `model-routing` policy.
 *
 * @module
 */

import type { AllowDenyList } from "../agent/mod.ts";

/** A tenant's bounds on routing; an absent field bounds nothing, an empty allow list allows nothing. */
export interface TenantPolicy {
  /** Whose policy it is. */
  readonly tenantId: string;
  /** Provider ids. */
  readonly providers?: AllowDenyList;
  /** Model names. */
  readonly models?: AllowDenyList;
  /** The only regions that pass. */
  readonly regionAllow?: readonly string[];
  /** The highest price in US dollars per 1 000 prompt tokens (not the real cost of a call). */
  readonly maxCostPerCallUsd?: number;
  /**
   * Meant as a cap on the tokens of a call. As in the reference it works as a floor on the context window: models whose
   * window is at least this large pass. Merging keeps the smaller (`spec/agents_define.md` 13.3, 18).
   */
  readonly maxTokensPerCall?: number;
}

/**
 * Merges two policies of a tenant into one as strict as each (`spec/agents_define.md` 11).
 *
 * Allow lists intersect, in `a`'s order; deny lists unite, `a`'s first; of two caps the smaller counts. Where one side
 * is absent the other is answered unchanged, and where both are, `undefined`. The smaller `maxTokensPerCall` is the one
 * exception: since it works as a floor, it lets through what either lets through.
 */
export function mergeTenantPolicies(
  a: TenantPolicy | undefined,
  b: TenantPolicy | undefined,
): TenantPolicy | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    tenantId: a.tenantId,
    ...present("providers", mergeLists(a.providers, b.providers)),
    ...present("models", mergeLists(a.models, b.models)),
    ...present("regionAllow", intersection(a.regionAllow, b.regionAllow)),
    ...present(
      "maxCostPerCallUsd",
      smaller(a.maxCostPerCallUsd, b.maxCostPerCallUsd),
    ),
    ...present(
      "maxTokensPerCall",
      smaller(a.maxTokensPerCall, b.maxTokensPerCall),
    ),
  };
}

function mergeLists(
  a: AllowDenyList | undefined,
  b: AllowDenyList | undefined,
): AllowDenyList | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    ...present("allow", intersection(a.allow, b.allow)),
    ...present("deny", union(a.deny, b.deny)),
  };
}

function intersection(
  a: readonly string[] | undefined,
  b: readonly string[] | undefined,
): readonly string[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return [...new Set(a)].filter((name) => b.includes(name));
}

function union(
  a: readonly string[] | undefined,
  b: readonly string[] | undefined,
): readonly string[] | undefined {
  if (a === undefined && b === undefined) return undefined;
  return [...new Set([...a ?? [], ...b ?? []])];
}

function smaller(
  a: number | undefined,
  b: number | undefined,
): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

function present<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): Partial<Record<Key, Value>> {
  return value === undefined
    ? {}
    : { [key]: value } as Partial<Record<Key, Value>>;
}
