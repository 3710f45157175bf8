/**
 * What agents remember, and how it is found again.
 *
 * @module
 */

// Facts
export { holdsAt, isInScope, isReadableBy } from "./fact.ts";
export type {
  Fact,
  FactAttribution,
  FactInput,
  FactReaders,
  FactScope,
  FactTrust,
} from "./fact.ts";
export type {
  FactHit,
  FactQuery,
  ListFactsInput,
  MemoryError,
  MemoryQueryBinding,
  MemoryStore,
  SearchByKeywordInput,
  SearchBySemanticInput,
} from "./memory_binding.ts";

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
