/**
 * Facts in memory (`MemoryStore`).
 *
 * @module
 */

import { ok, type Result } from "../../base/result.ts";
import {
  type Fact,
  type FactHit,
  type FactInput,
  type FactQuery,
  holdsAt,
  isInScope,
  isReadableBy,
  type ListFactsInput,
  type MemoryError,
  type MemoryStore,
  rankByKeyword,
  type SearchByKeywordInput,
  type SearchBySemanticInput,
} from "../memory/mod.ts";
import type { StoreClock } from "./memory_clock.ts";
import type { MemoryTenants } from "./memory_tenants.ts";
import { DEFAULT_FACTS, factRefused, newFact } from "./new_fact.ts";
import { searchByMeaning } from "./search_by_meaning.ts";

/** Facts of all tenants. */
export class MemoryFacts implements MemoryStore {
  readonly #tenants: MemoryTenants;
  readonly #clock: StoreClock;
  /** Vectors of facts, which never change, by model. */
  readonly #vectors = new WeakMap<Fact, Map<string, Float32Array>>();

  /** Keeps its facts with the tenants. */
  constructor(tenants: MemoryTenants, clock: StoreClock) {
    this.#tenants = tenants;
    this.#clock = clock;
  }

  writeFact(
    tenantId: string,
    input: FactInput,
  ): Promise<Result<Fact, MemoryError>> {
    const tenant = this.#tenants.of(tenantId);
    try {
      const fact = newFact(
        input,
        (id) => tenant.facts.get(id)?.version,
        this.#clock.timestamp(),
      );
      tenant.putFact(fact);
      return Promise.resolve(ok(fact));
    } catch (cause) {
      return Promise.resolve(factRefused(cause));
    }
  }

  listFacts(input: ListFactsInput): Promise<Result<Fact[], MemoryError>> {
    const { limit = DEFAULT_FACTS } = input;
    return Promise.resolve(ok(this.#found(input).slice(0, limit)));
  }

  searchByKeyword(
    input: SearchByKeywordInput,
  ): Promise<Result<FactHit[], MemoryError>> {
    const { query, topK = DEFAULT_FACTS } = input;
    return Promise.resolve(ok(rankByKeyword(this.#found(input), query, topK)));
  }

  searchBySemantic(
    input: SearchBySemanticInput,
  ): Promise<Result<FactHit[], MemoryError>> {
    const { facts } = this.#tenants.of(input.tenantId);
    const found = () => Promise.resolve(ok(this.#found(input)));
    return searchByMeaning(input, found, {
      known: (facts, model) => {
        const known = new Map<string, Float32Array>();
        for (const fact of facts) {
          const vector = this.#vectors.get(fact)?.get(model);
          if (vector !== undefined) known.set(fact.id, vector);
        }
        return Promise.resolve(ok(known));
      },
      keep: (vectors, model) => {
        for (const [id, vector] of vectors) {
          const fact = facts.get(id);
          if (fact === undefined) continue;
          const own = this.#vectors.get(fact) ?? new Map();
          this.#vectors.set(fact, own.set(model, vector));
        }
        return Promise.resolve(ok(undefined));
      },
    });
  }

  /** The facts that a query may see and that hold now, the newest first. */
  #found({ tenantId, type, scope, readers }: FactQuery): Fact[] {
    const { facts, superseded } = this.#tenants.of(tenantId);
    const now = new Date(this.#clock.now());
    return [...facts.values()].filter((fact) =>
      (type === undefined || fact.type === type) &&
      !superseded.has(fact.id) && isInScope(fact, scope) &&
      isReadableBy(fact, readers) && holdsAt(fact, now)
    ).reverse();
  }
}
