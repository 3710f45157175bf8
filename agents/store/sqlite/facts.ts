/**
 * Facts in SQLite (`MemoryStore`).
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import {
  embed,
  type EmbeddedFact,
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
  rankBySimilarity,
  type SearchByKeywordInput,
  type SearchBySemanticInput,
  searchText,
} from "../../memory/mod.ts";
import { DEFAULT_FACTS, factRefused, newFact } from "../new_fact.ts";
import type { SqliteDatabase } from "./database.ts";
import { isSqliteFailure, persistenceError } from "./failures.ts";

/** A fact with its place. */
interface Found {
  readonly position: number;
  readonly fact: Fact;
}

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

  async listFacts(input: ListFactsInput): Promise<Result<Fact[], MemoryError>> {
    const found = await this.#found(input, input.limit ?? DEFAULT_FACTS);
    return found.kind === "err" ? found : ok(factsOf(found.value));
  }

  async searchByKeyword(
    input: SearchByKeywordInput,
  ): Promise<Result<FactHit[], MemoryError>> {
    const { query, topK = DEFAULT_FACTS } = input;
    const found = await this.#found(input);
    return found.kind === "err"
      ? found
      : ok(rankByKeyword(factsOf(found.value), query, topK));
  }

  async searchBySemantic(
    input: SearchBySemanticInput,
  ): Promise<Result<FactHit[], MemoryError>> {
    const { query, topK = DEFAULT_FACTS, embeddingRegistry } = input;
    const wanted = await embed(embeddingRegistry, query, input.embeddingModel);
    if (wanted.kind === "err") return wanted;
    const { model, vector } = wanted.value;
    const found = await this.#found(input);
    if (found.kind === "err") return found;
    const known = await this.#vectors(found.value, model);
    if (known.kind === "err") return known;
    const facts: EmbeddedFact[] = [];
    const fresh: (readonly [number, Float32Array])[] = [];
    for (const { position, fact } of found.value) {
      let own = known.value.get(position);
      if (own === undefined) {
        const made = await embed(embeddingRegistry, searchText(fact), model);
        if (made.kind === "err") return made;
        own = made.value.vector;
        fresh.push([position, own]);
      }
      facts.push({ fact, vector: own });
    }
    const kept = await this.#keepVectors(fresh, model);
    if (kept.kind === "err") return kept;
    return ok(rankBySimilarity(facts, vector, topK));
  }

  /** The facts that a query may see and that hold now, the newest first. */
  #found(
    { tenantId, type, scope, readers }: FactQuery,
    limit = Infinity,
  ): Promise<Result<Found[], MemoryError>> {
    return this.#sql.read(() => {
      const found: Found[] = [];
      if (limit <= 0) return ok(found);
      const now = new Date(this.#sql.clock.now());
      const rows = this.#sql.each<{ position: number; fact: string }>(
        `SELECT position, fact FROM agent_facts AS f WHERE tenant_id = ?${
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
        found.push({ position: row.position, fact });
        if (found.length >= limit) break;
      }
      return ok(found);
    }).catch((thrown) => err(persistenceError("read facts", thrown)));
  }

  /** The vectors of facts that are known already, by the facts' places. */
  #vectors(
    facts: readonly Found[],
    model: string,
  ): Promise<Result<Map<number, Float32Array>, MemoryError>> {
    return this.#sql.read(() => {
      const vectors = new Map<number, Float32Array>();
      for (const { position } of facts) {
        const row = this.#sql.get<{ vector: Uint8Array }>(
          "SELECT vector FROM agent_fact_vectors WHERE fact = ? AND model = ?",
          position,
          model,
        );
        if (row !== undefined) vectors.set(position, vectorOf(row.vector));
      }
      return ok(vectors);
    }).catch((thrown) => err(persistenceError("read vectors", thrown)));
  }

  #keepVectors(
    vectors: readonly (readonly [number, Float32Array])[],
    model: string,
  ): Promise<Result<void, MemoryError>> {
    if (vectors.length === 0) return Promise.resolve(ok(undefined));
    return this.#sql.write(() => {
      for (const [position, vector] of vectors) {
        this.#sql.run(
          `INSERT INTO agent_fact_vectors (fact, model, vector) SELECT position, ?, ? FROM agent_facts WHERE position = ?
            ON CONFLICT DO NOTHING`,
          model,
          bytesOf(vector),
          position,
        );
      }
      return ok(undefined);
    }).catch((thrown) => err(persistenceError("keep vectors", thrown)));
  }
}

function factsOf(found: readonly Found[]): Fact[] {
  return found.map(({ fact }) => fact);
}

/** A vector's bytes: 32-bit floats, the lowest byte first on every machine. */
function bytesOf(vector: Float32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [index, value] of vector.entries()) {
    view.setFloat32(index * 4, value, true);
  }
  return new Uint8Array(view.buffer);
}

function vectorOf(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from(
    { length: bytes.byteLength / 4 },
    (_, index) => view.getFloat32(index * 4, true),
  );
}
