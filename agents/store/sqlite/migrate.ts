/**
 * Bringing a file's tables to what this release knows, however many processes open it at once.
 *
 * @module
 */

import { SqliteStoreError } from "./failures.ts";
import { MIGRATIONS } from "./migrations.ts";

/** What migrating asks of a connection. */
interface Sql {
  get<Row>(sql: string): Row | undefined;
  run(sql: string, value?: number): unknown;
}

/**
 * Migrates a file.
 *
 * @param transaction Does work in a writing transaction.
 * @throws {SqliteStoreError} `sqlite-newer-version` when a later release has written the file.
 */
export function migrate(
  sql: Sql,
  path: string,
  transaction: (work: () => void) => void,
): void {
  if (versionOf(sql, path) === MIGRATIONS.length) return;
  transaction(() => {
    sql.run(
      "CREATE TABLE IF NOT EXISTS agent_migrations (version INTEGER PRIMARY KEY)",
    );
    // Another process may have been first.
    const version = versionOf(sql, path);
    for (const [index, statements] of MIGRATIONS.entries()) {
      if (index < version) continue;
      for (const statement of statements) sql.run(statement);
      sql.run("INSERT INTO agent_migrations (version) VALUES (?)", index + 1);
    }
  });
}

/** Whether a file has the tables, of whatever version; `false` for one that is empty or another program's. */
export function isMigrated(sql: Sql): boolean {
  return sql.get(
    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'agent_migrations'",
  ) !== undefined;
}

function versionOf(sql: Sql, path: string): number {
  if (!isMigrated(sql)) return 0;
  const { version } = sql.get<{ version: number | null }>(
    "SELECT max(version) AS version FROM agent_migrations",
  )!;
  if (version !== null && version > MIGRATIONS.length) {
    throw new SqliteStoreError(
      "sqlite-newer-version",
      `Cannot open the SQLite store ${path}: a later release has written it (its tables are of version ${version}, this release knows ${MIGRATIONS.length}); use that release`,
    );
  }
  return version ?? 0;
}
