/**
 * Run snapshots in SQLite (`RunSnapshotBinding`).
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { PersistenceError } from "../../agent/mod.ts";
import type {
  RunSnapshotBinding,
  RunSnapshotRecord,
  RunSnapshotWriteInput,
} from "../../conversation/mod.ts";
import type { SqliteDatabase } from "./database.ts";
import { persistenceError } from "./failures.ts";

/** Snapshots of all tenants' runs. */
export class SqliteSnapshots implements RunSnapshotBinding {
  readonly #sql: SqliteDatabase;

  /** Keeps its snapshots in a database. */
  constructor(sql: SqliteDatabase) {
    this.#sql = sql;
  }

  write(input: RunSnapshotWriteInput): Promise<Result<void, PersistenceError>> {
    const { tenantId, runId, conversationId } = input;
    return this.#sql.write(() => {
      const record = {
        ...input,
        dryRun: input.dryRun === true,
        createdAt: this.#sql.clock.timestamp(),
      };
      this.#sql.know(tenantId);
      this.#sql.run(
        `INSERT INTO agent_run_snapshots (tenant_id, run_id, conversation_id, snapshot) VALUES (?, ?, ?, ?)
          ON CONFLICT DO NOTHING`,
        tenantId,
        runId,
        conversationId,
        JSON.stringify(record),
      );
      return ok(undefined);
    }).catch((thrown) =>
      err(persistenceError(`write the snapshot of run ${runId}`, thrown))
    );
  }

  read(
    tenantId: string,
    runId: string,
  ): Promise<Result<RunSnapshotRecord | null, PersistenceError>> {
    return this.#sql.read(() => {
      const row = this.#sql.get<{ snapshot: string }>(
        "SELECT snapshot FROM agent_run_snapshots WHERE tenant_id = ? AND run_id = ?",
        tenantId,
        runId,
      );
      return ok(row === undefined ? null : JSON.parse(row.snapshot));
    }).catch((thrown) =>
      err(persistenceError(`read the snapshot of run ${runId}`, thrown))
    );
  }
}
