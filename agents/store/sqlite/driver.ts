/**
 * Where SQLite comes from: the one that the runtime has built in. Looked for when a store is opened, not when this module
 * is imported, so that a host on a runtime without it can still import the door.
 *
 * @module
 */

import process from "node:process";
import type { DatabaseSync } from "node:sqlite";
import { SqliteStoreError } from "./failures.ts";

/** Makes connections to a file. */
export type OpenDatabase = (path: string) => DatabaseSync;

/** The part of a process that answers built-in modules; older runtimes don't have it. */
export interface BuiltInModules {
  /** A built-in module, or `undefined` where the runtime has no such one. */
  readonly getBuiltinModule?: (name: string) => unknown;
}

/**
 * The runtime's SQLite.
 *
 * @param runtime Answers built-in modules.
 * @throws {SqliteStoreError} `sqlite-unavailable` when the runtime has none.
 */
export function builtInSqlite(runtime: BuiltInModules = process): OpenDatabase {
  const sqlite = runtime.getBuiltinModule?.("node:sqlite") as
    | typeof import("node:sqlite")
    | undefined;
  if (sqlite === undefined) {
    throw new SqliteStoreError(
      "sqlite-unavailable",
      "Cannot open a SQLite store: this runtime has no built-in node:sqlite; use Deno 2.2 or later, Node 22.13 or later, or Node 22.5 with --experimental-sqlite",
    );
  }
  return (path) => new sqlite.DatabaseSync(path);
}
