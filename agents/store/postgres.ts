/**
 * A store in Postgres, for many processes and tenants.
 *
 * It uses the package `postgres` (postgres.js). Nothing is kept in sessions: a pooler in transaction mode may stand between,
 * with `prepare: false` where it doesn't know prepared statements.
 *
 * @module
 */

import connect, { type Sql } from "postgres";
import type { AgentStore } from "./contract.ts";
import { PostgresDatabase } from "./postgres/database.ts";
import { migrate } from "./postgres/migrate.ts";
import { storeOn } from "./postgres/store.ts";

export { PostgresStoreError } from "./postgres/failures.ts";
export type { PostgresStoreErrorCode } from "./postgres/failures.ts";

// What the store is written in
export type * from "./mod.ts";

/** Where a store is. */
export type PostgresConnection =
  | {
    /** The server, database, role and password, as `postgres://role:password@host:port/database`. */
    readonly url: string;
    /** How many connections are kept at most; 10 when absent. */
    readonly connections?: number;
    /** Whether statements are prepared once per connection; `true` when absent. */
    readonly prepare?: boolean;
  }
  | {
    /** Connections of the host's own, from the package `postgres`; they stay the host's to close. */
    readonly sql: Sql;
  };

/** How a store is opened. */
export interface PostgresStoreOptions {
  /** The schema of the tables; `public` when absent. It is made where it is missing. */
  readonly schema?: string;
  /** How long an operation may take, in milliseconds; 30 000 when absent. Afterwards it answers an error. */
  readonly waitMs?: number;
  /** Hears what an operator should know; the standard error stream when absent. */
  readonly onWarning?: (message: string) => void;
}

/**
 * Opens a store in Postgres 13 or later, making its tables or bringing them up to date first (`spec/durability.md`,
 * Postgres).
 *
 * Every statement names its tenant, and row security holds every table to it. A role that row security doesn't hold for (a
 * superuser, or one with `BYPASSRLS`) is warned about.
 *
 * @throws {PostgresStoreError} If the database can't be migrated, or a later release has migrated it.
 */
export async function openPostgresStore(
  connection: PostgresConnection,
  options: PostgresStoreOptions = {},
): Promise<AgentStore> {
  const { schema = "public", waitMs = 30_000 } = options;
  const owned = "url" in connection;
  const sql = owned ? connectTo(connection) : connection.sql;
  try {
    await migrate(sql, schema);
    await warnOfRole(sql, options.onWarning ?? console.warn);
  } catch (thrown) {
    if (owned) await sql.end({ timeout: 5 });
    throw thrown;
  }
  return storeOn(new PostgresDatabase({ sql, owned, schema, waitMs }));
}

/**
 * Makes the tables, or brings them up to date, as {@link openPostgresStore} does: for a role that may, where the store's
 * own may not.
 *
 * @throws {PostgresStoreError} If that can't be done, or a later release has migrated the schema.
 */
export async function migratePostgres(
  sql: Sql,
  options: {
    /** The schema of the tables; `public` when absent. */
    readonly schema?: string;
  } = {},
): Promise<void> {
  await migrate(sql, options.schema ?? "public");
}

function connectTo(
  { url, connections = 10, prepare = true }: Extract<
    PostgresConnection,
    { url: string }
  >,
): Sql {
  return connect(url, {
    max: connections,
    prepare,
    connect_timeout: 10,
    // Seconds between attempts to connect, at most one: the package would come to wait for 20, which every operation then waits for too.
    backoff: (attempts: number) => Math.min(2 ** attempts / 20, 1),
    // Types of arrays, which nothing here uses: one statement less for every connection.
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: "kindgi-agents" },
  });
}

async function warnOfRole(
  sql: Sql,
  warn: (message: string) => void,
): Promise<void> {
  const [role] = await sql.unsafe<{ name: string; free: boolean }[]>(
    "SELECT rolname AS name, rolsuper OR rolbypassrls AS free FROM pg_roles WHERE rolname = current_user",
  );
  if (role?.free) {
    warn(
      `Row security doesn't hold for the database role ${role.name}: tenants are kept apart by the store's own conditions alone. Use a role without SUPERUSER and BYPASSRLS`,
    );
  }
}
