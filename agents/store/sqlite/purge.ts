/**
 * Removing ended runs from SQLite, a few at a time: nobody waits long for the file meanwhile.
 *
 * @module
 */

import { runLeaseKey } from "../../flow/mod.ts";
import type { PurgeInput } from "../contract.ts";
import type { SqliteDatabase } from "./database.ts";
import { loadedText } from "../stored_text.ts";

/** How many runs are removed in one transaction. */
const AT_ONCE = 100;

/** Removes ended runs with their snapshots and approvals; answers how many. */
export async function purge(
  sql: SqliteDatabase,
  { before, tenantId }: PurgeInput,
): Promise<number> {
  const ended = before.toISOString();
  for (let runs = 0;;) {
    const removed = await sql.write(() => removeSome(sql, ended, tenantId));
    runs += removed;
    if (removed < AT_ONCE) return runs;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

function removeSome(
  sql: SqliteDatabase,
  before: string,
  wanted: string | undefined,
): number {
  const rows = sql.all<{ tenant_id: string; run_id: string }>(
    `SELECT tenant_id, run_id FROM agent_runs
      WHERE ended_at < ?1 AND (?2 IS NULL OR tenant_id = ?2) LIMIT ?3`,
    before,
    wanted,
    AT_ONCE,
  );
  for (const row of rows) {
    const tenantId = loadedText(row.tenant_id);
    const runId = loadedText(row.run_id);
    for (
      const table of ["agent_approvals", "agent_run_snapshots", "agent_runs"]
    ) {
      sql.run(
        `DELETE FROM ${table} WHERE tenant_id = ? AND run_id = ?`,
        tenantId,
        runId,
      );
    }
    sql.run(
      "DELETE FROM agent_leases WHERE tenant_id = ? AND key = ?",
      tenantId,
      runLeaseKey(runId),
    );
  }
  return rows.length;
}
