/**
 * Provenance records in Postgres.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { PersistenceError } from "../../agent/mod.ts";
import type { ProvenanceRecord } from "../../provenance/mod.ts";
import type { ProvenanceStore } from "../contract.ts";
import { storedText } from "../stored_text.ts";
import type { PostgresDatabase } from "./database.ts";
import { persistenceError } from "./failures.ts";

/** Provenance records of all tenants. */
export class PostgresProvenance implements ProvenanceStore {
  readonly #database: PostgresDatabase;

  /** Keeps its records in a database. */
  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async emit(
    record: ProvenanceRecord,
  ): Promise<Result<void, PersistenceError>> {
    const { tenantId, runId } = record;
    try {
      await this.#database.call(tenantId, "provenance_keep", {
        runId: storedText(runId),
        record: JSON.stringify(record),
      });
      return ok(undefined);
    } catch (thrown) {
      return err(persistenceError(`keep the record of run ${runId}`, thrown));
    }
  }

  async get(
    tenantId: string,
    runId: string,
  ): Promise<Result<ProvenanceRecord | null, PersistenceError>> {
    try {
      const [row] = await this.#database.transaction(
        tenantId,
        (transaction) =>
          transaction.run<{ record: string }>(
            "SELECT record FROM agent_provenance WHERE {mine} AND run_id = $1",
            storedText(runId),
          ),
      );
      return ok(row === undefined ? null : JSON.parse(row.record));
    } catch (thrown) {
      return err(persistenceError(`read the record of run ${runId}`, thrown));
    }
  }
}
