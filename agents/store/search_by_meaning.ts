/**
 * Searching facts by meaning: the same in every store, whatever it keeps vectors in.
 *
 * @module
 */

import { ok, type Result } from "../../base/result.ts";
import {
  embed,
  type EmbeddedFact,
  type Fact,
  type FactHit,
  type MemoryError,
  rankBySimilarity,
  type SearchBySemanticInput,
  searchText,
} from "../memory/mod.ts";
import { DEFAULT_FACTS } from "./new_fact.ts";

/** Vectors of one model, by the facts' ids. Facts never change, so neither do their vectors. */
export type Vectors = ReadonlyMap<string, Float32Array>;

/** The vectors that a store keeps. */
export interface VectorKeeper {
  /** Those of these facts that are known. */
  known(
    facts: readonly Fact[],
    model: string,
  ): Promise<Result<Vectors, MemoryError>>;
  /** Keeps more; at least one. */
  keep(vectors: Vectors, model: string): Promise<Result<void, MemoryError>>;
}

/**
 * Ranks facts by how close they are to a query; what isn't known yet of them is embedded first, and kept.
 *
 * @param find The facts to rank; asked only when the query itself could be embedded.
 */
export async function searchByMeaning(
  input: SearchBySemanticInput,
  find: () => Promise<Result<readonly Fact[], MemoryError>>,
  keeper: VectorKeeper,
): Promise<Result<FactHit[], MemoryError>> {
  const { query, topK = DEFAULT_FACTS, embeddingRegistry } = input;
  const wanted = await embed(embeddingRegistry, query, input.embeddingModel);
  if (wanted.kind === "err") return wanted;
  const { model, vector } = wanted.value;
  const found = await find();
  if (found.kind === "err") return found;
  const known = await keeper.known(found.value, model);
  if (known.kind === "err") return known;
  const facts: EmbeddedFact[] = [];
  const fresh = new Map<string, Float32Array>();
  for (const fact of found.value) {
    let own = known.value.get(fact.id);
    if (own === undefined) {
      const made = await embed(embeddingRegistry, searchText(fact), model);
      if (made.kind === "err") return made;
      own = made.value.vector;
      fresh.set(fact.id, own);
    }
    facts.push({ fact, vector: own });
  }
  if (fresh.size > 0) {
    const kept = await keeper.keep(fresh, model);
    if (kept.kind === "err") return kept;
  }
  return ok(rankBySimilarity(facts, vector, topK));
}

/** A vector's bytes: 32-bit floats, the lowest byte first on every machine. */
export function vectorBytes(vector: Float32Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [index, value] of vector.entries()) {
    view.setFloat32(index * 4, value, true);
  }
  return new Uint8Array(view.buffer);
}

/** The vector that bytes stand for. */
export function vectorOf(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from(
    { length: bytes.byteLength / 4 },
    (_, index) => view.getFloat32(index * 4, true),
  );
}
