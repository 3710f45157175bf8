/**
 * What a model provider is to the runtime: who it is, what its models can do, and one call.
 *
 * @module
 */

import type { JsonSchema, ModelFeature } from "../agent/mod.ts";

/** What tokens cost, in US dollars per 1 000. */
export interface ModelCost {
  /** Prompt tokens. */
  readonly promptUsdPer1kTokens: number;
  /** Completion tokens. */
  readonly completionUsdPer1kTokens: number;
  /** Prompt tokens read from a cache; as prompt tokens when absent. */
  readonly cacheReadUsdPer1kTokens?: number;
  /** Prompt tokens written to a cache; as prompt tokens when absent. */
  readonly cacheWriteUsdPer1kTokens?: number;
  /** Completion tokens spent on reasoning; as completion tokens when absent. */
  readonly reasoningUsdPer1kTokens?: number;
}

/** One model of a provider. */
export interface ModelInfo {
  /** Its name, unique within the provider. */
  readonly name: string;
  /** Its context window in tokens, at least 1. */
  readonly contextWindow: number;
  /** What it can do. */
  readonly features: readonly ModelFeature[];
  /** What it costs. */
  readonly cost: ModelCost;
  /** Its latency in milliseconds at the 95th percentile; a need for one fails without it. */
  readonly p95LatencyMs?: number;
  /** The most tokens that it writes in one answer. */
  readonly maxOutputTokens?: number;
  /** Whether it takes a temperature; `true` when absent. */
  readonly sampling?: boolean;
  /** How its thinking is set. */
  readonly thinking?: {
    /** Whether thinking adapts to the question or is always on. */
    readonly mode: "adaptive" | "always";
    /** The name of its lowest level. */
    readonly lowest: string;
  };
}

/** Who a provider is and which models it has. */
export interface ProviderMetadata {
  /** Its id, unique within a tenant. */
  readonly id: string;
  /** Where it runs. */
  readonly region: string;
  /** Its models, one at least. */
  readonly models: readonly ModelInfo[];
  /** The model to prefer among equals. */
  readonly defaultModel?: string;
  /** What it is good at, such as `lower-cost`: what preferences match. */
  readonly attributes?: readonly string[];
  /** What kind of capability it offers; `llm-inference` when absent. */
  readonly capabilityKind?: string;
  /** Whether it is used only when no other fits. */
  readonly fallback?: boolean;
  /** What people read about it. */
  readonly description?: string;
  /** Words to find it by: at most 32, keys of `[a-z0-9._/-]`, values of at most 256 characters. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A tool call that a model asks for. */
export interface ModelToolCall {
  /** Pairs the call with its result. */
  readonly id: string;
  /** The tool's id. */
  readonly name: string;
  /** What to call it with, as the model wrote it. */
  readonly arguments: unknown;
  /** What some providers want back with the result. */
  readonly signature?: string;
}

/** One message of a model call. */
export interface ModelMessage {
  /** Who says it. */
  readonly role: "system" | "user" | "assistant" | "tool";
  /** What is said. */
  readonly content: string;
  /** For a tool's result: the call that it answers. */
  readonly toolCallId?: string;
  /** For an assistant's message: the calls it asks for. */
  readonly toolCalls?: readonly ModelToolCall[];
}

/** A tool as a model is shown it. */
export interface ModelToolDefinition {
  /** The tool's id; the model answers with exactly this. */
  readonly name: string;
  /** What it does. */
  readonly description: string;
  /** What it takes. */
  readonly inputSchema: JsonSchema;
}

/** One call of a model. */
export interface ModelCallInput {
  /** The model's name. */
  readonly model: string;
  /** The conversation so far. */
  readonly messages: readonly ModelMessage[];
  /** The tools it may ask for. */
  readonly tools?: readonly ModelToolDefinition[];
  /** The shape that the answer must have. */
  readonly structuredOutput?: {
    /** What the answer is called. */
    readonly name: string;
    /** Its JSON Schema. */
    readonly schema: JsonSchema;
  };
  /** How freely it writes. */
  readonly temperature?: number;
  /** The most tokens to write. */
  readonly maxOutputTokens?: number;
  /** Ends the call. */
  readonly abortSignal?: AbortSignal;
}

/** Tokens of one call; parts are contained in their totals. */
export interface ModelUsage {
  /** Tokens read, cached ones included. */
  readonly promptTokens: number;
  /** Tokens written, reasoning included. */
  readonly completionTokens: number;
  /** The part of the prompt that came from a cache. */
  readonly cacheReadTokens?: number;
  /** The part of the prompt that went into a cache. */
  readonly cacheWriteTokens?: number;
  /** The part of the completion spent on reasoning. */
  readonly reasoningTokens?: number;
}

/** Why a model stopped. */
export type ModelFinishReason =
  | "stop"
  | "tool-use"
  | "length"
  | "content-filter"
  | "error"
  | "interrupted"
  | "other";

/** What a model answered. */
export interface ModelCallResult {
  /** The answer. */
  readonly message: ModelMessage;
  /** Why it stopped. */
  readonly finishReason: ModelFinishReason;
  /** The tokens it took. */
  readonly usage: ModelUsage;
  /** US dollars; absent when the provider reports none, and then priced from {@link ModelInfo.cost}. */
  readonly costUsd?: number;
  /** Milliseconds. */
  readonly durationMs: number;
  /** Who answered. */
  readonly provider: {
    /** The provider's id. */
    readonly id: string;
    /** The model's name. */
    readonly model: string;
  };
  /** What the caller should know. */
  readonly warnings?: readonly {
    /** A short name for it. */
    readonly code: string;
    /** What it means here. */
    readonly message: string;
  }[];
  /** The exact model that served the call, as the provider names it. */
  readonly servedModel?: string;
  /** The provider's own id of the request. */
  readonly providerRequestId?: string;
  /** How many attempts it took. */
  readonly attempts?: number;
  /** The provider's own account of usage. */
  readonly rawUsage?: unknown;
}

/** A model provider: a description, and one call. */
export interface ModelProvider {
  /** Who it is and which models it has. */
  readonly metadata: ProviderMetadata;
  /** Calls a model; rejects when the provider fails. */
  invoke(input: ModelCallInput): Promise<ModelCallResult>;
}
