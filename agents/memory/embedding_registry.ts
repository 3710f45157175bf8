/**
 * Providers that turn text into vectors, for semantic retrieval.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import { quoted } from "../agent/mod.ts";

/** What an embedding provider says of itself. */
export interface EmbeddingDescription {
  /** Its name. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** Its model: vectors of different models can't be compared. */
  readonly model: string;
}

/** Turns text into a vector. */
export interface EmbeddingProvider {
  /** The vector of a text; rejects when the provider fails. */
  embed(text: string): Promise<Float32Array>;
  /** How long its vectors are. */
  dimensions(): number;
  /** Who it is. */
  describe(): EmbeddingDescription;
}

/** There is a provider of this model already. */
export interface DuplicateEmbeddingModelError {
  /** One provider answers for a model. */
  readonly code: "duplicate-embedding-model";
  /** Names the model. */
  readonly message: string;
  /** The model. */
  readonly model: string;
}

/** There is no embedding provider at all. */
export interface NoEmbeddingProviderError {
  /** Nothing is registered. */
  readonly code: "no-embedding-provider";
  /** Says what to do. */
  readonly message: string;
}

/** No provider has this model. */
export interface UnknownEmbeddingModelError {
  /** Others are registered. */
  readonly code: "unknown-embedding-model";
  /** Names the model and those there are. */
  readonly message: string;
  /** The model that was asked for. */
  readonly model: string;
  /** The models there are. */
  readonly availableModels: readonly string[];
}

/** No model was named, and there are several. */
export interface AmbiguousEmbeddingProviderError {
  /** Only a sole provider is the default. */
  readonly code: "ambiguous-default-provider";
  /** Names the models there are. */
  readonly message: string;
  /** The models there are. */
  readonly availableModels: readonly string[];
}

/** Why no embedding provider can be chosen. */
export type EmbeddingResolutionError =
  | NoEmbeddingProviderError
  | UnknownEmbeddingModelError
  | AmbiguousEmbeddingProviderError;

/** Embedding providers by model. */
export interface EmbeddingProviderRegistry {
  /** How many there are. */
  readonly size: number;
  /** Adds a provider under its model. */
  register(
    provider: EmbeddingProvider,
  ): Result<void, DuplicateEmbeddingModelError>;
  /** The provider of a model. */
  getByModel(model: string): EmbeddingProvider | undefined;
  /** Whether a model has a provider. */
  has(model: string): boolean;
  /** Every provider, in the order they were added. */
  list(): EmbeddingProvider[];
  /** The provider of a model; without one, the sole provider. */
  resolve(model?: string): Result<EmbeddingProvider, EmbeddingResolutionError>;
}

/** Makes an empty embedding registry. */
export function createEmbeddingProviderRegistry(): EmbeddingProviderRegistry {
  return new MemoryEmbeddingRegistry();
}

class MemoryEmbeddingRegistry implements EmbeddingProviderRegistry {
  readonly #providers = new Map<string, EmbeddingProvider>();

  get size(): number {
    return this.#providers.size;
  }

  register(
    provider: EmbeddingProvider,
  ): Result<void, DuplicateEmbeddingModelError> {
    const { model } = provider.describe();
    if (this.has(model)) {
      return err({
        code: "duplicate-embedding-model",
        message: `Cannot register another embedding provider for model ${
          quoted(model)
        }: one answers for a model`,
        model,
      });
    }
    this.#providers.set(model, provider);
    return ok(undefined);
  }

  getByModel(model: string): EmbeddingProvider | undefined {
    return this.#providers.get(model);
  }

  has(model: string): boolean {
    return this.#providers.has(model);
  }

  list(): EmbeddingProvider[] {
    return [...this.#providers.values()];
  }

  resolve(model?: string): Result<EmbeddingProvider, EmbeddingResolutionError> {
    const availableModels = [...this.#providers.keys()];
    const [first, ...others] = this.#providers.values();
    if (first === undefined) {
      return err({
        code: "no-embedding-provider",
        message: "No embedding provider is registered: register one first",
      });
    }
    if (model !== undefined) {
      const provider = this.getByModel(model);
      if (provider !== undefined) return ok(provider);
      return err({
        code: "unknown-embedding-model",
        message: `No embedding provider has model ${quoted(model)}; there are ${
          availableModels.map(quoted).join(", ")
        }`,
        model,
        availableModels,
      });
    }
    if (others.length === 0) return ok(first);
    return err({
      code: "ambiguous-default-provider",
      message: `No embedding model is named, and there are ${
        availableModels.map(quoted).join(", ")
      }: name one`,
      availableModels,
    });
  }
}
