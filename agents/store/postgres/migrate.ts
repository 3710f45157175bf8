/**
 * Bringing a schema's tables to what this release knows, however many processes do so at once.
 *
 * @module
 */

import type { Sql } from "postgres";
import { MIGRATION_FILES, readMigration } from "../migration_files.ts";
import { begin, type Run, runOn } from "./begin.ts";
import { quotedName } from "./database.ts";
import { isForbidden, PostgresStoreError, reasonOf } from "./failures.ts";

/** The key of the lock that is held while tables are made: any number that nobody else uses. */
const LOCK = 5_281_993_407;

const BREAKPOINT = "--> statement-breakpoint";

/** The longest name that Postgres keeps, in bytes. */
const MAX_NAME = 63;

/**
 * Migrates a schema: makes it where it is missing, and does the migrations that it lacks, in order and all or none.
 *
 * @throws {PostgresStoreError} If that can't be done, or a later release has migrated the schema.
 */
export async function migrate(sql: Sql, schema: string): Promise<void> {
  if (
    schema === "" || schema.includes("\0") ||
    new TextEncoder().encode(schema).length > MAX_NAME
  ) {
    throw new PostgresStoreError(
      "postgres-invalid-options",
      `Cannot use the schema ${
        JSON.stringify(schema)
      }: a name has 1 to ${MAX_NAME} bytes`,
    );
  }
  try {
    if (await versionOf(runOn(sql), schema) === MIGRATION_FILES.length) return;
    const files = await Promise.all(MIGRATION_FILES.map(readMigration));
    await begin(sql, (run) => migrateWithin(run, schema, files));
  } catch (thrown) {
    if (thrown instanceof PostgresStoreError) throw thrown;
    throw isForbidden(thrown)
      ? new PostgresStoreError(
        "postgres-not-migrated",
        `Cannot migrate schema ${schema}: ${
          reasonOf(thrown)
        }, or migrate with another role first (migratePostgres)`,
        thrown,
      )
      : new PostgresStoreError(
        "postgres-migration-failed",
        `Cannot migrate schema ${schema}: ${reasonOf(thrown)}`,
        thrown,
      );
  }
}

async function migrateWithin(
  run: Run,
  schema: string,
  files: readonly string[],
): Promise<void> {
  await run(`SELECT pg_advisory_xact_lock(${LOCK})`);
  // Another process may have been first.
  const version = await versionOf(run, schema);
  if (version === files.length) return;
  const name = quotedName(schema);
  const [row] = await run<{ found: boolean }>(
    "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS found",
    [schema],
  );
  if (!row!.found) await run(`CREATE SCHEMA ${name}`);
  await run("SELECT set_config('search_path', $1, true)", [
    `${name}, pg_temp`,
  ]);
  await run(
    `CREATE TABLE IF NOT EXISTS agent_migrations (
      version integer PRIMARY KEY,
      name text NOT NULL,
      migrated_at timestamp with time zone NOT NULL DEFAULT now()
    )`,
  );
  for (const [index, text] of files.entries()) {
    if (index < version) continue;
    for (const statement of text.split(BREAKPOINT)) {
      await run(statement);
    }
    await run(
      "INSERT INTO agent_migrations (version, name) VALUES ($1, $2)",
      [index + 1, MIGRATION_FILES[index]!],
    );
  }
}

/** How many migrations a schema has had. */
async function versionOf(
  run: Run,
  schema: string,
): Promise<number> {
  const table = `${quotedName(schema)}.agent_migrations`;
  // Not to_regclass: it may answer from a cache what was so before the lock was got.
  const [made] = await run<{ there: boolean }>(
    `SELECT EXISTS (
      SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = 'agent_migrations'
    ) AS there`,
    [schema],
  );
  if (!made!.there) return 0;
  const [migrated] = await run<{ version: number }>(
    `SELECT coalesce(max(version), 0) AS version FROM ${table}`,
  );
  const { version } = migrated!;
  if (version > MIGRATION_FILES.length) {
    throw new PostgresStoreError(
      "postgres-newer-version",
      `Cannot use schema ${schema}: a later release has migrated it (to version ${version}, this release knows ${MIGRATION_FILES.length}); use that release`,
    );
  }
  return version;
}
