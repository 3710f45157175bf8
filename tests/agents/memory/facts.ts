/** Facts, and a memory that answers what it is told. */
import type {
  Fact,
  FactHit,
  MemoryError,
  MemoryQueryBinding,
  RetrievalBindings,
} from "../../../agents/memory/mod.ts";
import { createEmbeddingProviderRegistry } from "../../../agents/memory/mod.ts";
import { err, ok, type Result } from "../../../base/result.ts";

/** A fact of type `acme.note`, with other fields. */
export function fact(id: string, fields: Partial<Fact> = {}): Fact {
  return {
    id: id as Fact["id"],
    type: "acme.note",
    scope: {},
    version: 1,
    createdAt: "2026-01-01T00:00:00.000Z",
    content: `content of ${id}`,
    ...fields,
  };
}

/** Facts as a ranking, best first. */
export function ranking(...ids: string[]): FactHit[] {
  return ids.map((id, index) => ({ fact: fact(id), score: 1 / (index + 1) }));
}

/** What a {@link ToldMemory} answers. */
export interface Told {
  readonly list?: Result<Fact[], MemoryError>;
  readonly keyword?: Result<FactHit[], MemoryError>;
  readonly semantic?: Result<FactHit[], MemoryError>;
}

/** A memory that answers what it is told, and keeps what it was asked. */
export class ToldMemory implements MemoryQueryBinding {
  readonly asked: [string, Record<string, unknown>][] = [];
  readonly #told: Told;

  constructor(told: Told = {}) {
    this.#told = told;
  }

  get bindings(): RetrievalBindings {
    return { memoryBinding: this };
  }

  listFacts(input: object): Promise<Result<Fact[], MemoryError>> {
    return this.#answer("listFacts", input, this.#told.list ?? ok([]));
  }

  searchByKeyword(input: object): Promise<Result<FactHit[], MemoryError>> {
    return this.#answer("searchByKeyword", input, this.#told.keyword ?? ok([]));
  }

  searchBySemantic(input: object): Promise<Result<FactHit[], MemoryError>> {
    return this.#answer(
      "searchBySemantic",
      input,
      this.#told.semantic ?? ok([]),
    );
  }

  #answer<Value>(
    operation: string,
    input: object,
    answer: Result<Value, MemoryError>,
  ): Promise<Result<Value, MemoryError>> {
    this.asked.push([operation, { ...input }]);
    return Promise.resolve(answer);
  }
}

/** The answer of a memory that can't be reached. */
export const DOWN = err({ code: "store-down", message: "no connection" });

/** An embedding registry whose one provider counts letters `a` and `b`. */
export function embeddings() {
  const registry = createEmbeddingProviderRegistry();
  const count = (text: string, letter: string) => text.split(letter).length - 1;
  registry.register({
    embed: (text) =>
      Promise.resolve(
        new Float32Array([count(text, "a"), count(text, "b")]),
      ),
    dimensions: () => 2,
    describe: () => ({ name: "letters", version: "1", model: "letters" }),
  });
  return registry;
}
