/**
 * The tenant's policies at run time: one executor for each kind.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import {
  type DefinitionIssue,
  issueSummary,
  quoted,
  reasonOf,
  validateSpec,
} from "../agent/mod.ts";
import {
  type PolicyKind,
  type PolicySpec,
  validatePolicySpec,
} from "./kinds.ts";
import { modelRoutingIssues } from "./model_routing.ts";

/** Whose policy is asked for. */
export interface PolicyContext {
  /** The tenant. */
  readonly tenantId: string;
}

/** Answers a tenant's policy of one kind, at once or later; `undefined` when the tenant has none. */
export interface PolicyExecutor<Kind extends PolicyKind = PolicyKind> {
  /** The kind it answers for. */
  readonly kind: Kind;
  /** The tenant's policy. A throw or rejection means that it can't be known, and a turn then fails. */
  evaluate(
    context: PolicyContext,
  ):
    | PolicySpec<Kind>
    | undefined
    | Promise<PolicySpec<Kind> | undefined>;
}

/** A kind of policy has an executor already. */
export interface PolicyAlreadyBoundError {
  /** Replacing an executor silently could drop a stricter policy. */
  readonly code: "policy-already-bound";
  /** Names the kind. */
  readonly message: string;
  /** The kind. */
  readonly policyKind: PolicyKind;
}

/** A tenant policy that a turn must apply could not be evaluated: the turn fails rather than run without it. */
export interface TenantPolicyUnavailableError {
  /** The executor threw, or answered something that isn't a policy of its kind. */
  readonly code: "tenant-policy-unavailable";
  /** Names the kind and why. */
  readonly message: string;
  /** The kind. */
  readonly policyKind: PolicyKind;
}

/** Policies by kind, one executor each. */
export interface PolicyRegistry {
  /** Binds an executor to its kind. */
  register<Kind extends PolicyKind>(
    executor: PolicyExecutor<Kind>,
  ): Result<void, PolicyAlreadyBoundError>;
  /** The tenant's policy; `undefined` when no executor is bound or the tenant has none. Rejects as the executor does. */
  evaluate<Kind extends PolicyKind>(
    kind: Kind,
    context: PolicyContext,
  ): Promise<PolicySpec<Kind> | undefined>;
  /** The kinds that have an executor, in the order they were bound. */
  boundKinds(): PolicyKind[];
}

/** Makes a policy registry without executors: no tenant has a policy. */
export function createPolicyRegistry(): PolicyRegistry {
  return new MemoryPolicyRegistry();
}

class MemoryPolicyRegistry implements PolicyRegistry {
  readonly #executors = new Map<PolicyKind, PolicyExecutor>();

  register<Kind extends PolicyKind>(
    executor: PolicyExecutor<Kind>,
  ): Result<void, PolicyAlreadyBoundError> {
    const { kind } = executor;
    if (this.#executors.has(kind)) {
      return err({
        code: "policy-already-bound",
        message: `Cannot bind another executor to policy kind ${
          quoted(kind)
        }: one executor answers for a kind`,
        policyKind: kind,
      });
    }
    this.#executors.set(kind, executor as PolicyExecutor);
    return ok(undefined);
  }

  async evaluate<Kind extends PolicyKind>(
    kind: Kind,
    context: PolicyContext,
  ): Promise<PolicySpec<Kind> | undefined> {
    const executor = this.#executors.get(kind);
    return await executor?.evaluate(context) as PolicySpec<Kind> | undefined;
  }

  boundKinds(): PolicyKind[] {
    return [...this.#executors.keys()];
  }
}

/**
 * Evaluates a policy that a turn must apply, and fails closed.
 *
 * A throw, a rejection, or a document that {@link validatePolicySpec} refuses is `tenant-policy-unavailable`; so is a
 * `model-routing` policy whose lists aren't lists of names or whose caps aren't numbers. Without a registry, an executor
 * or a policy the answer is `undefined`.
 */
export async function evaluateTenantPolicy<Kind extends PolicyKind>(
  registry: PolicyRegistry | undefined,
  kind: Kind,
  context: PolicyContext,
): Promise<Result<PolicySpec<Kind> | undefined, TenantPolicyUnavailableError>> {
  let spec: PolicySpec<Kind> | undefined;
  try {
    spec = await registry?.evaluate(kind, context);
  } catch (thrown) {
    return err(unavailable(kind, reasonOf(thrown)));
  }
  if (spec === undefined) return ok(undefined);
  const issues = issuesOf(kind, spec);
  return issues.length === 0
    ? ok(spec)
    : err(unavailable(kind, `it is no such policy (${issueSummary(issues)})`));
}

function issuesOf(kind: PolicyKind, spec: unknown): DefinitionIssue[] {
  if (kind !== "model-routing") return validatePolicySpec(kind, spec);
  const checked = validateSpec(spec, modelRoutingIssues);
  return checked.kind === "ok" ? [] : checked.issues;
}

function unavailable(
  policyKind: PolicyKind,
  reason: string,
): TenantPolicyUnavailableError {
  return {
    code: "tenant-policy-unavailable",
    message: `Cannot evaluate the tenant's ${policyKind} policy: ${reason}`,
    policyKind,
  };
}
