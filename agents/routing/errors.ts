/**
 * The errors of capabilities, providers and routing.
 *
 * @module
 */

import type {
  ComparisonOperator,
  DefinitionIssue,
  TenantId,
} from "../agent/mod.ts";

/** `defineCapability` found something wrong. */
export interface InvalidCapabilityError {
  /** The capability doesn't fit `CAPABILITY_SCHEMA`. */
  readonly code: "invalid-capability";
  /** How many issues there are, and the first of them. */
  readonly message: string;
  /** Every issue. */
  readonly issues: readonly DefinitionIssue[];
}

/** What is wrong with a provider: the first that was found, in this order. */
export type InvalidProviderReason =
  | "empty-id"
  | "empty-region"
  | "empty-models"
  | "empty-model-name"
  | "duplicate-model-name"
  | "invalid-context-window"
  | "invalid-cost"
  | "invalid-p95-latency"
  | "invalid-max-output-tokens"
  | "invalid-sampling"
  | "invalid-thinking"
  | "unknown-default-model"
  | "invalid-labels"
  | "invalid-invoke";

/** A provider can't be registered as it is. */
export interface InvalidProviderError {
  /** Its metadata or its `invoke` doesn't hold. */
  readonly code: "invalid-provider";
  /** Names the provider, the model where it is about one, and what to give instead. */
  readonly message: string;
  /** What is wrong. */
  readonly reason: InvalidProviderReason;
}

/** The tenant has a provider of this id. */
export interface DuplicateProviderError {
  /** Ids are unique within a tenant. */
  readonly code: "duplicate-provider";
  /** Names the id. */
  readonly message: string;
  /** The id. */
  readonly providerId: string;
}

/** Why a pair of provider and model doesn't satisfy one requirement; each has a `message` for people. */
export type RejectionReason =
  & {
    /** The same in words. */
    readonly message: string;
  }
  & (
    | { readonly code: "capability-kind-mismatch" }
    | { readonly code: "missing-feature"; readonly feature: string }
    | {
      readonly code: "context-window-mismatch";
      readonly observed: number;
      readonly op: ComparisonOperator;
      readonly wanted: number;
    }
    | {
      readonly code: "cost-exceeds-cap";
      readonly observedUsdPer1k: number;
      readonly op: ComparisonOperator;
      readonly wantedUsd: number;
    }
    | {
      readonly code: "region-mismatch";
      readonly observed: string;
      readonly wanted: string;
    }
    | { readonly code: "p95-latency-unknown" }
    | {
      readonly code: "p95-latency-exceeds";
      readonly observedMs: number;
      readonly op: ComparisonOperator;
      readonly wantedMs: number;
    }
    | { readonly code: "provider-on-denylist" }
    | {
      readonly code: "provider-not-in-allowlist";
      readonly allow: readonly string[];
    }
    | { readonly code: "model-on-denylist" }
    | {
      readonly code: "model-not-in-allowlist";
      readonly allow: readonly string[];
    }
    | { readonly code: "tenant-denied" }
    | { readonly code: "tenant-not-allowed" }
    | { readonly code: "tenant-model-denied" }
    | { readonly code: "tenant-model-not-allowed" }
    | {
      readonly code: "tenant-region-not-allowed";
      readonly observed: string;
      readonly allow: readonly string[];
    }
    | {
      readonly code: "tenant-cost-cap-exceeded";
      readonly observedUsd: number;
      readonly capUsd: number;
    }
    | { readonly code: "unknown-requirement" }
  );

/** One requirement that at least one pair of provider and model doesn't satisfy. */
export interface UnsatisfiedRequirement {
  /** The requirement, as a short text such as `feature:vision`. */
  readonly requirement: string;
  /** The pairs that satisfy it, as `<provider>/<model>`. */
  readonly satisfyingProviders: readonly string[];
  /** The pairs that don't. */
  readonly rejectingProviders: readonly {
    /** `<provider>/<model>`. */
    readonly id: string;
    /** Why not. */
    readonly reason: RejectionReason;
  }[];
}

/** No pair of provider and model satisfies everything. */
export interface CapabilityUnsatisfiableError {
  /** Nothing to route to. */
  readonly code: "capability-unsatisfiable";
  /** Which requirements stand in the way. */
  readonly message: string;
  /** Each requirement that rejected a pair, in the order they are looked at; empty when there are no providers. */
  readonly reasons: readonly UnsatisfiedRequirement[];
  /** The tenant, when its policy counted. */
  readonly tenantId?: TenantId;
}

/** A model gave no answer that a turn can go on with. */
export interface ModelInvocationError {
  /** The provider failed, or what it answered breaks its contract. */
  readonly code: "model-invocation-failed";
  /** Names the provider and the model, and says why. */
  readonly message: string;
  /** What the provider threw, or an error that names the field that is wrong. */
  readonly cause: unknown;
}

/** A model call was given up. */
export interface ModelCallAbortedError {
  /** The call's signal aborted; a late answer is dropped. */
  readonly code: "model-call-aborted";
  /** Names the provider and the model. */
  readonly message: string;
}
