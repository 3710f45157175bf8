/**
 * What an agent needs from a model: data that the router matches against providers (`spec/agents_define.md` 13.1).
 *
 * @module
 */

/** The kinds of capability that have a meaning here; `kind` itself is an open string. */
export const WELL_KNOWN_CAPABILITY_KINDS = [
  "llm-inference",
  "embedding",
  "gpu-compute",
  "sandbox-exec",
  "browser-session",
] as const;

/** The kind of a capability or provider that names none. */
export const DEFAULT_CAPABILITY_KIND = "llm-inference";

/** Every feature a model can be required to have: a closed list. */
export const MODEL_FEATURES = [
  "structured-output",
  "vision",
  "audio-input",
  "audio-output",
  "tool-use",
  "parallel-tool-use",
  "thinking",
  "long-context",
  "code-execution",
  "web-search",
  "file-search",
  "streaming",
  "batch",
] as const;

/** One of {@link MODEL_FEATURES}. */
export type ModelFeature = (typeof MODEL_FEATURES)[number];

/** How a number is compared: `observed op wanted`. */
export const COMPARISON_OPERATORS = [">=", ">", "=", "<=", "<"] as const;

/** One of {@link COMPARISON_OPERATORS}. */
export type ComparisonOperator = (typeof COMPARISON_OPERATORS)[number];

/** Names that are allowed and names that are refused; `deny` is looked at first, and an empty `allow` allows nothing. */
export interface AllowDenyList {
  /** The only names that pass; absent means every name. */
  readonly allow?: readonly string[];
  /** Names that never pass. */
  readonly deny?: readonly string[];
}

/** The model has this feature. */
export interface FeatureRequirement {
  /** The feature it must have. */
  readonly feature: ModelFeature;
}

/** The model's context window compares so with a number of tokens. */
export interface ContextWindowRequirement {
  /** The comparison, in tokens; `value` is at least 1. */
  readonly contextWindow: {
    /** How the window is compared with `value`. */
    readonly op: ComparisonOperator;
    /** Tokens, at least 1. */
    readonly value: number;
  };
}

/** The model's prompt price compares so with an amount. */
export interface CostRequirement {
  /** The comparison, in US dollars per 1 000 prompt tokens (not the real cost of a call). */
  readonly costPerCall: {
    /** How the price is compared with `usd`. */
    readonly op: ComparisonOperator;
    /** US dollars, at least 0. */
    readonly usd: number;
  };
}

/** The provider runs in this region. */
export interface RegionRequirement {
  /** The region, equal to the provider's. */
  readonly region: string;
}

/** The model's reported latency stays under a bound; a model that reports none doesn't fit. */
export interface LatencyRequirement {
  /** The comparison, in milliseconds at the 95th percentile. */
  readonly p95LatencyMs: {
    /** How the latency is compared with `value`. */
    readonly op: "<=" | "<";
    /** Milliseconds, at least 0. */
    readonly value: number;
  };
}

/** The provider's id is allowed. */
export interface ProvidersRequirement {
  /** Provider ids. */
  readonly providers: AllowDenyList;
}

/** The model's name is allowed. */
export interface ModelsRequirement {
  /** Model names. */
  readonly models: AllowDenyList;
}

/** One thing that a provider and model must satisfy: exactly one of the forms. */
export type Requirement =
  | FeatureRequirement
  | ContextWindowRequirement
  | CostRequirement
  | RegionRequirement
  | LatencyRequirement
  | ProvidersRequirement
  | ModelsRequirement;

/** Something nice to have: it ranks the fits and excludes nothing. */
export interface Preference {
  /** A model feature, or an attribute of a provider such as `lower-cost`. */
  readonly feature: string;
  /** What a match adds to the rank; may be negative. */
  readonly weight: number;
}

/** What is needed, and what is preferred, of a provider and model. */
export interface Capability {
  /** What kind of provider; `llm-inference` when absent. */
  readonly kind?: string;
  /** Everything that must hold. */
  readonly needs: readonly Requirement[];
  /** What ranks the ones that fit. */
  readonly prefer?: readonly Preference[];
  /** Carried for the reader and for tools; the router doesn't enforce it. */
  readonly budget?: {
    /** US dollars. */
    readonly maxCostUsd?: number;
    /** Tokens. */
    readonly maxTokens?: number;
    /** Milliseconds. */
    readonly maxDurationMs?: number;
  };
}
