/**
 * What agents remember, and how it is found again.
 *
 * @module
 */

// Embeddings
export { createEmbeddingProviderRegistry } from "./embedding_registry.ts";
export type {
  AmbiguousEmbeddingProviderError,
  DuplicateEmbeddingModelError,
  EmbeddingDescription,
  EmbeddingProvider,
  EmbeddingProviderRegistry,
  EmbeddingResolutionError,
  NoEmbeddingProviderError,
  UnknownEmbeddingModelError,
} from "./embedding_registry.ts";
