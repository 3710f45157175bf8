/**
 * Facts in SQLite (`MemoryStore`).
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
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
} from "../../memory/mod.ts";
import { DEFAULT_FACTS, factRefused, newFact } from "../new_fact.ts";
import {
  searchByMeaning,
  vectorBytes,
  vectorOf,
  type Vectors,
} from "../search_by_meaning.ts";
import type { SqliteDatabase } from "./database.ts";
import { isSqliteFailure, persistenceError } from "./failures.ts";

/** Facts of all tenants. */
export class SqliteFacts implements MemoryStore {
  readonly #sql: SqliteDatabase;

  /** Keeps its facts in a database. */
  constructor(sql: SqliteDatabase) {
    this.#sql = sql;
  }

  writeFact(
    tenantId: string,
    input: FactInput,
  ): Promise<Result<Fact, MemoryError>> {
    return this.#sql.write((): Result<Fact, MemoryError> => {
      let fact: Fact;
      try {
        fact = newFact(
          input,
          (id) =>
            this.#sql.get<{ version: number }>(
              "SELECT version FROM agent_facts WHERE tenant_id = ? AND id = ?",
              tenantId,
              id,
            )?.version,
          this.#sql.clock.timestamp(),
        );
      } catch (cause) {
        if (isSqliteFailure(cause)) throw cause;
        return factRefused(cause);
      }
      this.#sql.know(tenantId);
      this.#sql.run(
        "INSERT INTO agent_facts (tenant_id, id, type, supersedes, version, fact) VALUES (?, ?, ?, ?, ?, ?)",
        tenantId,
        fact.id,
        fact.type,
        fact.supersedes,
        fact.version,
        JSON.stringify(fact),
      );
      return ok(fact);
    }).catch((thrown) => err(persistenceError("remember the fact", thrown)));
  }

  listFacts(input: ListFactsInput): Promise<Result<Fact[], MemoryError>> {
    return this.#found(input, input.limit ?? DEFAULT_FACTS);
  }

  async searchByKeyword(
    input: SearchByKeywordInput,
  ): Promise<Result<FactHit[], MemoryError>> {
    const { query, topK = DEFAULT_FACTS } = input;
    const found = await this.#found(input);
    return found.kind === "err"
      ? found
      : ok(rankByKeyword(found.value, query, topK));
  }

  searchBySemantic(
    input: SearchBySemanticInput,
  ): Promise<Result<FactHit[], MemoryError>> {
    const { tenantId } = input;
    return searchByMeaning(input, () => this.#found(input), {
      known: (facts, model) => this.#vectors(tenantId, facts, model),
      keep: (vectors, model) => this.#keepVectors(tenantId, vectors, model),
    });
  }

  /** The facts that a query may see and that hold now, the newest first. */
  #found(
    { tenantId, type, scope, readers }: FactQuery,
    limit = Infinity,
  ): Promise<Result<Fact[], MemoryError>> {
    return this.#sql.read(() => {
      const found: Fact[] = [];
      if (limit <= 0) return ok(found);
      const now = new Date(this.#sql.clock.now());
      const rows = this.#sql.each<{ fact: string }>(
        `SELECT fact FROM agent_facts AS f WHERE tenant_id = ?${
          type === undefined ? "" : " AND type = ?"
        } AND NOT EXISTS (
            SELECT 1 FROM agent_facts AS n WHERE n.tenant_id = f.tenant_id AND n.supersedes = f.id
          ) ORDER BY position DESC`,
        tenantId,
        ...(type === undefined ? [] : [type]),
      );
      for (const row of rows) {
        const fact: Fact = JSON.parse(row.fact);
        const wanted = isInScope(fact, scope) && isReadableBy(fact, readers) &&
          holdsAt(fact, now);
        if (!wanted) continue;
        found.push(fact);
        if (found.length >= limit) break;
      }
      return ok(found);
    }).catch((thrown) => err(persistenceError("read facts", thrown)));
  }

  #vectors(
    tenantId: string,
    facts: readonly Fact[],
    model: string,
  ): Promise<Result<Vectors, MemoryError>> {
    return this.#sql.read(() => {
      const vectors = new Map<string, Float32Array>();
      for (const { id } of facts) {
        const row = this.#sql.get<{ vector: Uint8Array }>(
          `SELECT v.vector FROM agent_facts AS f JOIN agent_fact_vectors AS v ON v.fact = f.position
            WHERE f.tenant_id = ? AND f.id = ? AND v.model = ?`,
          tenantId,
          id,
          model,
        );
        if (row !== undefined) vectors.set(id, vectorOf(row.vector));
      }
      return ok(vectors);
    }).catch((thrown) => err(persistenceError("read vectors", thrown)));
  }

  #keepVectors(
    tenantId: string,
    vectors: Vectors,
    model: string,
  ): Promise<Result<void, MemoryError>> {
    return this.#sql.write(() => {
      for (const [id, vector] of vectors) {
        this.#sql.run(
          `INSERT INTO agent_fact_vectors (fact, model, vector)
            SELECT position, ?, ? FROM agent_facts WHERE tenant_id = ? AND id = ? ON CONFLICT DO NOTHING`,
          model,
          vectorBytes(vector),
          tenantId,
          id,
        );
      }
      return ok(undefined);
    }).catch((thrown) => err(persistenceError("keep vectors", thrown)));
  }
}
