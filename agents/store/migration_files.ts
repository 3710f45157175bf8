/**
 * The SQL files that make the tables, wherever this package comes from.
 *
 * @module
 */

import { readFile } from "node:fs/promises";

/** The files in the order in which releases made them. One that was published never changes; new ones are added. */
export const MIGRATION_FILES: readonly string[] = [
  "0000_create_agent_conversations.sql",
  "0001_create_agent_run_snapshots.sql",
  "0002_add_snapshot_parameters.sql",
  "0003_add_conversation_project.sql",
  "0004_add_snapshot_replay.sql",
  "0005_add_conversation_unregistered.sql",
  "0006_create_store_tables.sql",
  "0007_create_store_journal.sql",
  "0008_create_store_documents.sql",
  "0009_secure_store_tables.sql",
];

/** The folder of the files. */
export const MIGRATIONS_URL: URL = new URL("./migrations/", import.meta.url);

/** The text of a file; fetched where the package was imported from a server. */
export async function readMigration(name: string): Promise<string> {
  const url = new URL(name, MIGRATIONS_URL);
  if (url.protocol === "file:") return await readFile(url, "utf8");
  const answer = await fetch(url);
  if (!answer.ok) {
    throw new Error(`${url.href} can't be loaded: HTTP ${answer.status}`);
  }
  return await answer.text();
}
