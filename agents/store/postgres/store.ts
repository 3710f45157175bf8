/**
 * A store on a database: its parts put together.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { PersistenceError, TenantId } from "../../agent/mod.ts";
import type { AgentStore } from "../contract.ts";
import { PostgresApprovals } from "./approvals.ts";
import { PostgresConversations } from "./conversations.ts";
import type { PostgresDatabase } from "./database.ts";
import { PostgresFacts } from "./facts.ts";
import { persistenceError } from "./failures.ts";
import { PostgresJournal } from "./journal.ts";
import { PostgresProvenance } from "./provenance.ts";
import { purge } from "./purge.ts";
import { PostgresSnapshots } from "./snapshots.ts";
import { knownTenants } from "./tenants.ts";
import { PostgresUsage } from "./usage.ts";

/** The store that a database holds. */
export function storeOn(database: PostgresDatabase): AgentStore {
  const usage = new PostgresUsage(database);
  return {
    conversations: new PostgresConversations(database),
    snapshots: new PostgresSnapshots(database),
    memory: new PostgresFacts(database),
    journal: new PostgresJournal(database, usage),
    approvals: new PostgresApprovals(database),
    provenance: new PostgresProvenance(database),
    usage,
    tenants: (): Promise<Result<readonly TenantId[], PersistenceError>> =>
      knownTenants(database).then(
        (tenants) => ok(tenants as TenantId[]),
        (thrown) => err(persistenceError("list tenants", thrown)),
      ),
    purge: (input) =>
      purge(database, input).then(
        (runs) => ok({ runs }),
        (thrown) => err(persistenceError("purge runs", thrown)),
      ),
    close: () => database.close(),
  };
}
