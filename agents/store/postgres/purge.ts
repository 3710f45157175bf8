/**
 * Removing ended runs from Postgres, a few at a time and one tenant after the other.
 *
 * @module
 */

import type { PurgeInput } from "../contract.ts";
import { removeRun } from "./conversation_rows.ts";
import type { PostgresDatabase } from "./database.ts";
import { knownTenants } from "./tenants.ts";

/** How many runs are removed in one transaction. */
const AT_ONCE = 100;

/** Removes ended runs with their snapshots and approvals; answers how many. */
export async function purge(
  database: PostgresDatabase,
  { before, tenantId }: PurgeInput,
): Promise<number> {
  const tenants = tenantId === undefined
    ? await knownTenants(database)
    : [tenantId];
  let runs = 0;
  for (const tenant of tenants) {
    let removed: number;
    do {
      removed = await removeSome(database, tenant, before);
      runs += removed;
    } while (removed === AT_ONCE);
  }
  return runs;
}

function removeSome(
  database: PostgresDatabase,
  tenantId: string,
  before: Date,
): Promise<number> {
  return database.transaction(tenantId, async (transaction) => {
    const rows = await transaction.run<{ run_id: string }>(
      `SELECT run_id FROM agent_runs WHERE {mine} AND ended_at < $1::text::timestamp with time zone
        ORDER BY position LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED`,
      before.toISOString(),
    );
    for (const { run_id } of rows) await removeRun(transaction, run_id);
    return rows.length;
  });
}
