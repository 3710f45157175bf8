/**
 * A tenant's policy as constraints, in the order they are looked at (`spec/agents_define.md` 13.3).
 *
 * @module
 */

import { bracketed, type Constraint, unless } from "./constraint.ts";
import type { TenantPolicy } from "./tenant_policy.ts";

/** Every bound that the policy sets, denials before allowances. */
export function tenantConstraints(
  policy: TenantPolicy | undefined,
): Constraint[] {
  if (policy === undefined) return [];
  return [
    ...listConstraints(policy),
    ...capConstraints(policy),
  ];
}

function listConstraints(policy: TenantPolicy): Constraint[] {
  const { providers, models, regionAllow } = policy;
  return [
    named(
      "tenant.providers.deny",
      providers?.deny,
      (deny, { provider }) =>
        unless(!deny.includes(provider.metadata.id), {
          code: "tenant-denied",
          message: "the tenant denies the provider",
        }),
    ),
    named(
      "tenant.providers.allow",
      providers?.allow,
      (allow, { provider }) =>
        unless(allow.includes(provider.metadata.id), {
          code: "tenant-not-allowed",
          message: "the tenant doesn't allow the provider",
        }),
    ),
    named(
      "tenant.models.deny",
      models?.deny,
      (deny, { model }) =>
        unless(!deny.includes(model.name), {
          code: "tenant-model-denied",
          message: "the tenant denies the model",
        }),
    ),
    named(
      "tenant.models.allow",
      models?.allow,
      (allow, { model }) =>
        unless(allow.includes(model.name), {
          code: "tenant-model-not-allowed",
          message: "the tenant doesn't allow the model",
        }),
    ),
    named("tenant.regionAllow", regionAllow, (allow, { provider }) => {
      const { region: observed } = provider.metadata;
      return unless(allow.includes(observed), {
        code: "tenant-region-not-allowed",
        message: `the tenant doesn't allow region ${observed}`,
        observed,
        allow,
      });
    }),
  ].flat();
}

function capConstraints(policy: TenantPolicy): Constraint[] {
  const { maxCostPerCallUsd: capUsd, maxTokensPerCall: tokens } = policy;
  const constraints: Constraint[] = [];
  if (capUsd !== undefined) {
    constraints.push({
      label: `tenant.maxCostPerCallUsd<=$${capUsd}`,
      judge: ({ model: { cost: { promptUsdPer1kTokens: observedUsd } } }) =>
        unless(observedUsd <= capUsd, {
          code: "tenant-cost-cap-exceeded",
          message:
            `costs $${observedUsd} per 1 000 prompt tokens, over the tenant's cap of $${capUsd}`,
          observedUsd,
          capUsd,
        }),
    });
  }
  if (tokens !== undefined) {
    constraints.push({
      label: `tenant.maxTokensPerCall contextWindow>=${tokens}`,
      judge: ({ model: { contextWindow: observed } }) =>
        unless(observed >= tokens, {
          code: "context-window-mismatch",
          message:
            `has a context window of ${observed} tokens, under the tenant's ${tokens}`,
          observed,
          op: ">=",
          wanted: tokens,
        }),
    });
  }
  return constraints;
}

/** A constraint by a list of names, if the tenant has that list. */
function named(
  label: string,
  names: readonly string[] | undefined,
  judge: (
    names: readonly string[],
    pair: Parameters<Constraint["judge"]>[0],
  ) => ReturnType<Constraint["judge"]>,
): Constraint[] {
  if (names === undefined) return [];
  return [{
    label: `${label}${bracketed(names)}`,
    judge: (pair) => judge(names, pair),
  }];
}
