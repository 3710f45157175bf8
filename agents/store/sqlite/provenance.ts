/**
 * Provenance records in SQLite (`ProvenanceStore`).
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { PersistenceError } from "../../agent/mod.ts";
import type { ProvenanceRecord } from "../../provenance/mod.ts";
import type { ProvenanceStore } from "../contract.ts";
import type { SqliteDatabase } from "./database.ts";
import { persistenceError } from "./failures.ts";

/** Provenance records of all tenants. */
export class SqliteProvenance implements ProvenanceStore {
  readonly #sql: SqliteDatabase;

  /** Keeps its records in a database. */
  constructor(sql: SqliteDatabase) {
    this.#sql = sql;
  }

  emit(record: ProvenanceRecord): Promise<Result<void, PersistenceError>> {
    return this.#sql.write(() => {
      this.#sql.know(record.tenantId);
      this.#sql.run(
        "INSERT INTO agent_provenance (tenant_id, run_id, record) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        record.tenantId,
        record.runId,
        JSON.stringify(record),
      );
      return ok(undefined);
    }).catch((thrown) =>
      err(persistenceError(`keep the record of run ${record.runId}`, thrown))
    );
  }

  get(
    tenantId: string,
    runId: string,
  ): Promise<Result<ProvenanceRecord | null, PersistenceError>> {
    return this.#sql.read(() => {
      const row = this.#sql.get<{ record: string }>(
        "SELECT record FROM agent_provenance WHERE tenant_id = ? AND run_id = ?",
        tenantId,
        runId,
      );
      return ok(row === undefined ? null : JSON.parse(row.record));
    }).catch((thrown) =>
      err(persistenceError(`read the record of run ${runId}`, thrown))
    );
  }
}
