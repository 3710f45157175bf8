/**
 * Where SQLite comes from: the one that the runtime has built in. Looked for when a store is opened, not when this module
 * is imported, so that a host on a runtime without it can still import the door.
 *
 * @module
 */

import { createRequire } from "node:module";
import type { DatabaseSync } from "node:sqlite";
import { SqliteStoreError } from "./failures.ts";

/** Makes connections to a file. */
export type OpenDatabase = (path: string) => DatabaseSync;

/**
 * The runtime's SQLite.
 *
 * @param load Loads a built-in module; tests stand in for a runtime without it.
 * @throws {SqliteStoreError} `sqlite-unavailable` when the runtime has none.
 */
export function builtInSqlite(
  load: (name: string) => unknown = createRequire(import.meta.url),
): OpenDatabase {
  let sqlite: typeof import("node:sqlite");
  try {
    sqlite = load("node:sqlite") as typeof import("node:sqlite");
  } catch (cause) {
    throw new SqliteStoreError(
      "sqlite-unavailable",
      "Cannot open a SQLite store: this runtime has no built-in node:sqlite; use Deno 2.2 or later, Node 22.13 or later, or Node 22.5 with --experimental-sqlite",
      cause,
    );
  }
  return (path) => new sqlite.DatabaseSync(path);
}
