/**
 * A store on a database: its parts put together.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { PersistenceError, TenantId } from "../../agent/mod.ts";
import type { AgentStore } from "../contract.ts";
import { SqliteApprovals } from "./approvals.ts";
import { SqliteConversations } from "./conversations.ts";
import type { SqliteDatabase } from "./database.ts";
import { persistenceError } from "./failures.ts";
import { SqliteFacts } from "./facts.ts";
import { SqliteJournal } from "./journal.ts";
import { SqliteLeases } from "./leases.ts";
import { SqliteProvenance } from "./provenance.ts";
import { purge } from "./purge.ts";
import { SqliteRuns } from "./runs.ts";
import { SqliteSnapshots } from "./snapshots.ts";
import { loadedText } from "../stored_text.ts";
import { SqliteUsage } from "./usage.ts";

/** The store that a database holds. */
export function storeOn(sql: SqliteDatabase): AgentStore {
  const leases = new SqliteLeases(sql);
  const runs = new SqliteRuns(sql, leases);
  const usage = new SqliteUsage(sql);
  const approvals = new SqliteApprovals(sql, runs);
  return {
    conversations: new SqliteConversations(sql, runs, approvals),
    snapshots: new SqliteSnapshots(sql),
    memory: new SqliteFacts(sql),
    journal: new SqliteJournal(sql, runs, leases, usage),
    approvals,
    provenance: new SqliteProvenance(sql),
    usage,
    tenants: (): Promise<Result<readonly TenantId[], PersistenceError>> =>
      sql.read(() =>
        ok(
          sql.all<{ tenant_id: string }>(
            "SELECT tenant_id FROM agent_tenants ORDER BY position",
          ).map(({ tenant_id }) => loadedText(tenant_id) as TenantId),
        )
      ).catch((thrown) => err(persistenceError("list tenants", thrown))),
    purge: (input) =>
      purge(sql, input).then(
        (runs) => ok({ runs }),
        (thrown) => err(persistenceError("purge runs", thrown)),
      ),
    close: () => Promise.resolve(sql.close()),
  };
}
