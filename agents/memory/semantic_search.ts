/**
 * Finding facts by meaning: the way from a text to a vector, and from vectors to a ranking.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import { reasonOf } from "../agent/mod.ts";
import type { EmbeddingProviderRegistry } from "./embedding_registry.ts";
import type { FactHit, MemoryError } from "./memory_binding.ts";

/** A text as a vector, and the model that made it: vectors of different models can't be compared. */
export interface Embedding {
  /** The vector. */
  readonly vector: Float32Array;
  /** The model. */
  readonly model: string;
}

/** A fact with its vector. */
export interface EmbeddedFact extends FactHit {
  /** The fact's vector. */
  readonly vector: Float32Array;
}

/**
 * Turns a text into a vector; every way in which that fails is `embedding-unavailable`.
 *
 * @param model The model to use; the sole provider's when absent.
 */
export async function embed(
  registry: EmbeddingProviderRegistry,
  text: string,
  model?: string,
): Promise<Result<Embedding, MemoryError>> {
  const provider = registry.resolve(model);
  if (provider.kind === "err") {
    return err({
      code: "embedding-unavailable",
      message: provider.error.message,
      cause: provider.error,
    });
  }
  try {
    const vector = await provider.value.embed(text);
    const problem = vectorProblem(vector, provider.value.dimensions());
    if (problem !== undefined) throw new TypeError(problem);
    return ok({ vector, model: provider.value.describe().model });
  } catch (cause) {
    return err({
      code: "embedding-unavailable",
      message: `Cannot turn a text into a vector: ${reasonOf(cause)}`,
      cause,
    });
  }
}

function vectorProblem(
  vector: Float32Array,
  dimensions: number,
): string | undefined {
  if (vector.length !== dimensions) {
    return `the provider answered ${vector.length} numbers, not its ${dimensions}`;
  }
  return vector.every(Number.isFinite)
    ? undefined
    : "the provider answered a vector that isn't finite";
}

/**
 * Ranks facts by how close their vectors point to a query's (cosine), best first. Vectors of another length are left out,
 * and so are vectors of zeros; ties keep the order of `facts`.
 */
export function rankBySimilarity(
  facts: readonly EmbeddedFact[],
  query: Float32Array,
  topK: number,
): FactHit[] {
  return facts
    .flatMap(({ fact, vector }) => {
      const score = similarity(query, vector);
      return score === undefined ? [] : [{ fact, score }];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, topK);
}

function similarity(a: Float32Array, b: Float32Array): number | undefined {
  if (a.length !== b.length) return undefined;
  let dot = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let index = 0; index < a.length; index++) {
    dot += a[index]! * b[index]!;
    squaresA += a[index]! ** 2;
    squaresB += b[index]! ** 2;
  }
  const length = Math.sqrt(squaresA) * Math.sqrt(squaresB);
  return length === 0 ? undefined : dot / length;
}
