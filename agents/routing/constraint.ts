/**
 * Constraints: what a pair of provider and model must satisfy, each with a label and a reason when it doesn't.
 *
 * @module
 */

import {
  type ComparisonOperator,
  DEFAULT_CAPABILITY_KIND,
  shown,
} from "../agent/mod.ts";
import type { RejectionReason } from "./errors.ts";
import type { ModelInfo, ModelProvider } from "./model_provider.ts";

/** A provider with one of its models. */
export interface ProviderModel {
  /** The provider. */
  readonly provider: ModelProvider;
  /** One of its models. */
  readonly model: ModelInfo;
}

/** One thing that must hold. */
export interface Constraint {
  /** A short text such as `feature:vision`. */
  readonly label: string;
  /** Why a pair doesn't satisfy it; `undefined` when it does. */
  readonly judge: (pair: ProviderModel) => RejectionReason | undefined;
}

/** A reason that only has to be given when the claim is false. */
export function unless(
  claim: boolean,
  reason: RejectionReason,
): RejectionReason | undefined {
  return claim ? undefined : reason;
}

/** Names in a label: `[a,b]`. */
export function bracketed(names: readonly string[]): string {
  return `[${names.join(",")}]`;
}

/** Whether `observed op wanted` holds. */
export function compares(
  observed: number,
  op: ComparisonOperator,
  wanted: number,
): boolean {
  switch (op) {
    case ">=":
      return observed >= wanted;
    case ">":
      return observed > wanted;
    case "=":
      return observed === wanted;
    case "<=":
      return observed <= wanted;
    case "<":
      return observed < wanted;
  }
}

/** The provider offers this kind of capability. */
export function kindConstraint(wanted: unknown): Constraint {
  const kind = wanted === undefined ? DEFAULT_CAPABILITY_KIND : wanted;
  return {
    label: `capability.kind = ${typeof kind === "string" ? kind : shown(kind)}`,
    judge: ({ provider }) => {
      const offered = provider.metadata.capabilityKind ??
        DEFAULT_CAPABILITY_KIND;
      return unless(offered === kind, {
        code: "capability-kind-mismatch",
        message: `offers ${offered}`,
      });
    },
  };
}
