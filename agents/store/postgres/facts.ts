/**
 * Facts in Postgres (`MemoryStore`).
 *
 * @module
 */

import { Buffer } from "node:buffer";
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
import { storedText } from "../stored_text.ts";
import type { Parameter, PostgresDatabase, Transaction } from "./database.ts";
import { persistenceError } from "./failures.ts";

/** How many facts are read at once. */
const AT_ONCE = 500;

/** Facts of all tenants. */
export class PostgresFacts implements MemoryStore {
  readonly #database: PostgresDatabase;

  /** Keeps its facts in a database. */
  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async writeFact(
    tenantId: string,
    input: FactInput,
  ): Promise<Result<Fact, MemoryError>> {
    try {
      return await this.#database.transaction(tenantId, async (transaction) => {
        const replaced = await versionOf(transaction, input.supersedes);
        let fact: Fact;
        try {
          fact = newFact(input, () => replaced, transaction.now);
        } catch (cause) {
          return factRefused(cause);
        }
        await transaction.run(
          `WITH known AS (SELECT kindgi_know_tenant($1))
            INSERT INTO agent_facts (tenant_id, id, type, supersedes, version, fact)
            SELECT $1, $2, $3, $4, $5::integer, $6 FROM known`,
          storedText(tenantId),
          fact.id,
          storedText(fact.type),
          fact.supersedes === undefined ? null : storedText(fact.supersedes),
          fact.version,
          JSON.stringify(fact),
        );
        return ok(fact);
      });
    } catch (thrown) {
      return err(persistenceError("remember the fact", thrown));
    }
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
  async #found(
    { tenantId, type, scope, readers }: FactQuery,
    limit = Infinity,
  ): Promise<Result<Fact[], MemoryError>> {
    try {
      return await this.#database.transaction(tenantId, async (transaction) => {
        const now = new Date(transaction.now);
        const found: Fact[] = [];
        let before: Parameter = null;
        while (found.length < limit) {
          const rows: readonly { position: string; fact: string }[] =
            await transaction.run(
              `SELECT position::text, fact FROM agent_facts f
                WHERE f.{mine} AND ($1::text IS NULL OR type = $1) AND ($2::text IS NULL OR position < $2::text::bigint)
                  AND NOT EXISTS (SELECT FROM agent_facts n WHERE n.tenant_id = f.tenant_id AND n.supersedes = f.id)
                ORDER BY f.position DESC LIMIT ${AT_ONCE}`,
              type === undefined ? null : storedText(type),
              before,
            );
          for (const row of rows) {
            const fact: Fact = JSON.parse(row.fact);
            if (
              isInScope(fact, scope) && isReadableBy(fact, readers) &&
              holdsAt(fact, now) && found.length < limit
            ) found.push(fact);
          }
          if (rows.length < AT_ONCE) break;
          before = rows.at(-1)!.position;
        }
        return ok(found);
      });
    } catch (thrown) {
      return err(persistenceError("read facts", thrown));
    }
  }

  async #vectors(
    tenantId: string,
    facts: readonly Fact[],
    model: string,
  ): Promise<Result<Vectors, MemoryError>> {
    try {
      const rows = await this.#database.transaction(
        tenantId,
        (transaction) =>
          transaction.run<{ fact_id: string; vector: string }>(
            `SELECT fact_id, vector FROM agent_fact_vectors WHERE {mine} AND model = $1
              AND fact_id IN (SELECT jsonb_array_elements_text($2::text::jsonb))`,
            storedText(model),
            JSON.stringify(facts.map(({ id }) => id)),
          ),
      );
      return ok(
        new Map(
          rows.map((row) => [
            row.fact_id,
            vectorOf(Buffer.from(row.vector, "base64")),
          ]),
        ),
      );
    } catch (thrown) {
      return err(persistenceError("read vectors", thrown));
    }
  }

  async #keepVectors(
    tenantId: string,
    vectors: Vectors,
    model: string,
  ): Promise<Result<void, MemoryError>> {
    try {
      await this.#database.transaction(tenantId, async (transaction) => {
        for (const [factId, vector] of vectors) {
          await transaction.run(
            `INSERT INTO agent_fact_vectors (tenant_id, fact_id, model, vector)
              SELECT tenant_id, id, $2, $3 FROM agent_facts WHERE {mine} AND id = $1 ON CONFLICT DO NOTHING`,
            factId,
            storedText(model),
            Buffer.from(vectorBytes(vector)).toString("base64"),
          );
        }
      });
      return ok(undefined);
    } catch (thrown) {
      return err(persistenceError("keep vectors", thrown));
    }
  }
}

async function versionOf(
  transaction: Transaction,
  factId: string | undefined,
): Promise<number | undefined> {
  if (typeof factId !== "string") return undefined;
  const [row] = await transaction.run<{ version: number }>(
    "SELECT version FROM agent_facts WHERE {mine} AND id = $1",
    storedText(factId),
  );
  return row?.version;
}
