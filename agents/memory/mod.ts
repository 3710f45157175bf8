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

// Retrieval
export { runRetrievals } from "./retrieval.ts";
export type {
  DegradedIntent,
  Retrieval,
  RetrievalError,
  RetrievalInput,
  RetrievalWarning,
  RetrievedFact,
  SemanticUnavailableError,
} from "./retrieval.ts";
export type { RetrievalBindings } from "./intent_search.ts";
export type { RetrievalContext } from "./retrieval_scope.ts";
export { fuseRankings } from "./fusion.ts";
export type { FusedHit, FusedRanks } from "./fusion.ts";
export {
  formatRetrievedForPrompt,
  MEMORY_RULE,
  promptMemory,
} from "./prompt_block.ts";
export type { PromptMemory } from "./prompt_block.ts";

// Searching, for stores
export { rankByKeyword, searchText } from "./keyword_search.ts";
export { embed, rankBySimilarity } from "./semantic_search.ts";
export type { EmbeddedFact, Embedding } from "./semantic_search.ts";

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
