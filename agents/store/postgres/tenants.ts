/**
 * The tenants that a database knows: what work over all of them goes through, one after the other.
 *
 * @module
 */

import { loadedText } from "../stored_text.ts";
import type { PostgresDatabase } from "./database.ts";

/** Every tenant that ever wrote. */
export async function knownTenants(
  database: PostgresDatabase,
): Promise<string[]> {
  const rows = await database.plain<{ tenant_id: string }>(
    "SELECT tenant_id FROM {schema}.agent_tenants ORDER BY tenant_id",
  );
  return rows.map(({ tenant_id }) => loadedText(tenant_id));
}
