/**
 * One intent's reads of one type of fact in one scope.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import { reasonOf, type RetrievalIntent } from "../agent/mod.ts";
import type { EmbeddingProviderRegistry } from "./embedding_registry.ts";
import { type FusedRanks, fuseRankings } from "./fusion.ts";
import type {
  FactHit,
  FactQuery,
  MemoryError,
  MemoryQueryBinding,
} from "./memory_binding.ts";

/** What retrieval reads from. */
export interface RetrievalBindings {
  /** The memory. */
  readonly memoryBinding: MemoryQueryBinding;
  /** Where the memory finds what turns text into vectors; without it nothing is found by meaning. */
  readonly embeddingRegistry?: EmbeddingProviderRegistry;
  /** The embedding model; the sole provider's when absent. */
  readonly embeddingModel?: string;
}

/** How far down each ranking is read before two are fused. */
const FUSION_DEPTH = 50;

/** A read that failed, and which. */
export interface ReadFailure {
  readonly operation: "listFacts" | "searchByKeyword" | "searchBySemantic";
  readonly error: MemoryError;
}

/** A fact that was found; for `both` with its place in each ranking. */
export type IntentHit = FactHit & { readonly ranks?: FusedRanks };

/** One intent's reads of one type in one scope. */
export class IntentSearch {
  /** Whether only words were looked for although meaning was asked for too. */
  degraded = false;
  readonly #intent: RetrievalIntent;
  readonly #query: FactQuery;
  readonly #text: string;
  readonly #bindings: RetrievalBindings;

  constructor(
    intent: RetrievalIntent,
    query: FactQuery,
    text: string,
    bindings: RetrievalBindings,
  ) {
    this.#intent = intent;
    this.#query = query;
    this.#text = text;
    this.#bindings = bindings;
  }

  async run(limit: number): Promise<Result<IntentHit[], ReadFailure>> {
    const { mode } = this.#intent;
    if (mode === undefined) return await this.#list(limit);
    switch (mode) {
      case "keyword":
        return await this.#byKeyword(limit);
      case "semantic":
        return await this.#bySemantic(limit);
      case "both":
        return await this.#both(limit);
    }
  }

  async #list(limit: number): Promise<Result<IntentHit[], ReadFailure>> {
    const { memoryBinding } = this.#bindings;
    const facts = await reading(
      "listFacts",
      () => memoryBinding.listFacts({ ...this.#query, limit }),
    );
    return facts.kind === "err"
      ? facts
      : ok(facts.value.map((fact) => ({ fact })));
  }

  #byKeyword(topK: number): Promise<Result<IntentHit[], ReadFailure>> {
    const { memoryBinding } = this.#bindings;
    const query = this.#text;
    return reading(
      "searchByKeyword",
      () => memoryBinding.searchByKeyword({ ...this.#query, query, topK }),
    );
  }

  async #bySemantic(topK: number): Promise<Result<IntentHit[], ReadFailure>> {
    const { memoryBinding, embeddingRegistry, embeddingModel } = this.#bindings;
    if (embeddingRegistry === undefined) {
      const message = "no embedding registry is bound";
      return err({
        operation: "searchBySemantic",
        error: { code: "embedding-unavailable", message },
      });
    }
    return await reading(
      "searchBySemantic",
      () =>
        memoryBinding.searchBySemantic({
          ...this.#query,
          query: this.#text,
          topK,
          embeddingRegistry,
          ...(embeddingModel === undefined ? {} : { embeddingModel }),
        }),
    );
  }

  async #both(limit: number): Promise<Result<IntentHit[], ReadFailure>> {
    const depth = Math.max(limit, FUSION_DEPTH);
    const [keyword, semantic] = await Promise.all([
      this.#byKeyword(depth),
      this.#bySemantic(depth),
    ]);
    if (keyword.kind === "err") return keyword;
    if (semantic.kind === "ok") {
      return ok(fuseRankings(keyword.value, semantic.value, limit));
    }
    if (semantic.error.error.code !== "embedding-unavailable") return semantic;
    this.degraded = true;
    return ok(fuseRankings(keyword.value, [], limit));
  }
}

/** Reads; a throw is a failure as an error is. */
async function reading<Value>(
  operation: ReadFailure["operation"],
  read: () => Promise<Result<Value, MemoryError>>,
): Promise<Result<Value, ReadFailure>> {
  try {
    const answer = await read();
    return answer.kind === "ok"
      ? answer
      : err({ operation, error: answer.error });
  } catch (cause) {
    const message = reasonOf(cause);
    return err({ operation, error: { code: "memory-threw", message, cause } });
  }
}
