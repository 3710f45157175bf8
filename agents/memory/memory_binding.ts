/**
 * What a turn asks of a memory: three ways to read facts (`spec/agents_turn.md` 21.4).
 *
 * @module
 */

import type { Result } from "../../base/result.ts";
import type { EmbeddingProviderRegistry } from "./embedding_registry.ts";
import type { Fact, FactInput, FactReaders, FactScope } from "./fact.ts";

/** A memory couldn't read or write. */
export interface MemoryError {
  /**
   * `embedding-unavailable` when a text can't be turned into a vector: no provider, an unknown model, or one that fails.
   * Anything else is the store's.
   */
  readonly code: string;
  /** What could not be done, and why. */
  readonly message: string;
  /** What was thrown or answered beneath. */
  readonly cause?: unknown;
}

/** What every read narrows. */
export interface FactQuery {
  /** Whose facts. */
  readonly tenantId: string;
  /** Only facts of this type. */
  readonly type?: string;
  /** Only facts that name each of these containers so. */
  readonly scope?: FactScope;
  /** What the reader may see; everything of the tenant when absent. */
  readonly readers?: FactReaders;
}

/** Which facts to list. */
export interface ListFactsInput extends FactQuery {
  /** How many at most. */
  readonly limit?: number;
}

/** Which facts to search by words. */
export interface SearchByKeywordInput extends FactQuery {
  /** The words. */
  readonly query: string;
  /** How many at most. */
  readonly topK?: number;
}

/** Which facts to search by meaning. */
export interface SearchBySemanticInput extends FactQuery {
  /** The text whose meaning is looked for. */
  readonly query: string;
  /** How many at most. */
  readonly topK?: number;
  /** Where the memory finds the provider that turns text into vectors. */
  readonly embeddingRegistry: EmbeddingProviderRegistry;
  /** The model; the sole provider's when absent. */
  readonly embeddingModel?: string;
}

/** A fact that was found. */
export interface FactHit {
  /** The fact. */
  readonly fact: Fact;
  /** How well it fits: higher is better, and only comparable within one answer. */
  readonly score?: number;
}

/** Reads facts: of one tenant, what the readers may see, what still holds. */
export interface MemoryQueryBinding {
  /** The newest facts first. */
  listFacts(input: ListFactsInput): Promise<Result<Fact[], MemoryError>>;
  /** The facts that share words with a text, best first; those that share none are left out. */
  searchByKeyword(
    input: SearchByKeywordInput,
  ): Promise<Result<FactHit[], MemoryError>>;
  /** The facts closest in meaning, best first; `embedding-unavailable` when the text can't be turned into a vector. */
  searchBySemantic(
    input: SearchBySemanticInput,
  ): Promise<Result<FactHit[], MemoryError>>;
}

/** A memory that is written as well. */
export interface MemoryStore extends MemoryQueryBinding {
  /** Remembers a fact; one that it supersedes isn't read any more. */
  writeFact(
    tenantId: string,
    input: FactInput,
  ): Promise<Result<Fact, MemoryError>>;
}
