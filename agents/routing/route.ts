/**
 * The router: which provider and model a capability goes to.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import type { Capability, TenantId } from "../agent/mod.ts";
import {
  type Constraint,
  kindConstraint,
  type ProviderModel,
} from "./constraint.ts";
import type {
  CapabilityUnsatisfiableError,
  UnsatisfiedRequirement,
} from "./errors.ts";
import type { ModelInfo, ModelProvider } from "./model_provider.ts";
import { hinted, ranked } from "./ranking.ts";
import { requirementConstraint } from "./requirement_constraint.ts";
import { tenantConstraints } from "./tenant_constraints.ts";
import type { TenantPolicy } from "./tenant_policy.ts";

/** What to route. */
export interface RouteInput {
  /** What is needed and preferred. */
  readonly capability: Capability;
  /** The tenant's providers. */
  readonly providers: readonly ModelProvider[];
  /** The tenant's bounds. */
  readonly tenantPolicy?: TenantPolicy | undefined;
  /** The provider to put first where it fits. */
  readonly preferredProvider?: string | undefined;
  /** The model to put first where it fits. */
  readonly preferredModel?: string | undefined;
}

/** Where a capability goes. */
export interface Route {
  /** The provider. */
  readonly provider: ModelProvider;
  /** Its model. */
  readonly model: ModelInfo;
  /** Why, in one sentence. */
  readonly reason: string;
  /** The others that fit, in order. */
  readonly alternates: readonly ProviderModel[];
  /** Whether only fallback providers fit. */
  readonly fallback: boolean;
}

/**
 * Routes a capability to a provider and model (`spec/agents_define.md` 13.3).
 *
 * A pair of provider and model fits when it satisfies everything: the kind, each need, then the tenant's policy. Fallback
 * providers count only when no other fits. Those that fit are ranked by preference, then by name, and the caller's hints
 * move matching pairs to the front: they never lift a fallback over another, nor bring back what doesn't fit.
 *
 * Pure and deterministic: the order of `providers` doesn't matter as long as their ids differ.
 *
 * `costPerCall` and `maxCostPerCallUsd` compare the model's price per 1 000 prompt tokens, not the cost of a call.
 * `maxTokensPerCall` asks for a context window of at least that size.
 */
export function route(
  input: RouteInput,
): Result<Route, CapabilityUnsatisfiableError> {
  const { capability, tenantPolicy } = input;
  const constraints = constraintsOf(capability, tenantPolicy);
  const pairs = input.providers.flatMap((provider) =>
    provider.metadata.models.map((model) => ({ provider, model }))
  );
  const fitting = pairs.filter((pair) =>
    constraints.every(({ judge }) => judge(pair) === undefined)
  );
  const regular = fitting.filter(({ provider }) => !isFallback(provider));
  const fallback = regular.length === 0;
  const [pick, ...alternates] = hinted(
    ranked(fallback ? fitting : regular, capability?.prefer),
    input.preferredProvider,
    input.preferredModel,
  );
  if (pick === undefined) {
    return err(unsatisfiable(constraints, pairs, tenantPolicy));
  }
  const reason = reasonFor(pick, constraints.length, fallback, input);
  return ok({ ...pick, reason, alternates, fallback });
}

/** Everything that must hold, in the order of diagnosis. A capability is carried unchecked, so it may be anything. */
function constraintsOf(
  capability: Capability | null | undefined,
  tenantPolicy: TenantPolicy | undefined,
): Constraint[] {
  const needs: unknown = capability?.needs;
  return [
    kindConstraint(capability?.kind),
    ...(Array.isArray(needs) ? needs : [needs]).map(requirementConstraint),
    ...tenantConstraints(tenantPolicy),
  ];
}

function isFallback(provider: ModelProvider): boolean {
  return provider.metadata.fallback === true;
}

function pairId({ provider, model }: ProviderModel): string {
  return `${provider.metadata.id}/${model.name}`;
}

function reasonFor(
  pick: ProviderModel,
  constraints: number,
  fallback: boolean,
  { capability, tenantPolicy }: RouteInput,
): string {
  const notes = [
    `satisfies ${
      constraints === 1 ? "1 constraint" : `${constraints} constraints`
    }`,
    ...(tenantPolicy === undefined ? [] : ["tenant policy applied"]),
    ...(capability.prefer?.length ? ["ranked by preferences"] : []),
    ...(fallback ? ["fallback: no regular provider fits"] : []),
  ];
  return `${pairId(pick)}: ${notes.join("; ")}`;
}

function unsatisfiable(
  constraints: readonly Constraint[],
  pairs: readonly ProviderModel[],
  tenantPolicy: TenantPolicy | undefined,
): CapabilityUnsatisfiableError {
  const reasons = constraints
    .map((constraint) => verdictsOn(constraint, pairs))
    .filter(({ rejectingProviders }) => rejectingProviders.length > 0);
  const why = pairs.length === 0
    ? "the tenant has no provider; register one"
    : `no provider and model satisfies all of ${
      reasons.map(({ requirement }) => requirement).join(", ")
    }`;
  return {
    code: "capability-unsatisfiable",
    message: `Cannot route the capability: ${why}`,
    reasons,
    ...(tenantPolicy === undefined
      ? {}
      : { tenantId: tenantPolicy.tenantId as TenantId }),
  };
}

function verdictsOn(
  { label, judge }: Constraint,
  pairs: readonly ProviderModel[],
): UnsatisfiedRequirement {
  const satisfyingProviders: string[] = [];
  const rejectingProviders:
    UnsatisfiedRequirement["rejectingProviders"][number][] = [];
  for (const pair of pairs) {
    const reason = judge(pair);
    if (reason === undefined) satisfyingProviders.push(pairId(pair));
    else rejectingProviders.push({ id: pairId(pair), reason });
  }
  return { requirement: label, satisfyingProviders, rejectingProviders };
}
