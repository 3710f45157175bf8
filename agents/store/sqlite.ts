/**
 * A store in one SQLite file, for one machine: any number of processes on it may share the file.
 *
 * It uses the SQLite that Deno and Node have built in (`node:sqlite`): Deno 2.2 or later, Node 22.13 or later, or Node 22.5
 * with `--experimental-sqlite`. Importing this module asks for nothing; opening a store does.
 *
 * @module
 */

import { shown } from "../agent/mod.ts";
import type { AgentStore } from "./contract.ts";
import { SqliteDatabase } from "./sqlite/database.ts";
import { storeOn } from "./sqlite/store.ts";

export { SqliteStoreError } from "./sqlite/failures.ts";
export type { SqliteStoreErrorCode } from "./sqlite/failures.ts";

// What the store is written in
export type * from "./mod.ts";

/** How a SQLite store is opened. */
export interface SqliteStoreOptions {
  /**
   * What a power cut may take. Neither loses anything when a process is killed.
   *
   * - `normal`, when absent: the last moments' writes may be lost; what is left is whole. Writes don't wait for the disk.
   * - `full`: nothing that was answered is lost. Every write waits for the disk.
   */
  readonly synchronous?: "normal" | "full";
  /**
   * How long an operation waits altogether while other connections write, in milliseconds; 10 000 when absent. Waiting
   * blocks nothing; afterwards the operation answers an error whose `cause` has code `sqlite-locked`.
   */
  readonly waitMs?: number;
  /**
   * Whether the store has to be there: a file that is missing, or has no store in it, is then refused with `sqlite-no-store`
   * and left as it is. `false` when absent: both are made.
   */
  readonly mustExist?: boolean;
  /** The store's clock, in milliseconds since 1970; `Date.now` when absent. Leases and deadlines go by it. */
  readonly clock?: () => number;
}

/**
 * Opens a SQLite store, making the file or bringing its tables up to date first (`spec/durability.md`, SQLite).
 *
 * Every operation is a transaction that is whole or not there. Several processes may open one file, also at once and a new
 * one: the file orders what they do, leases included. They have to be on one machine, and the file on a disk of its own: a
 * network drive's locks can't be relied on. Every process has to name it alike: a symbolic link is fine, but under a second
 * name of its own (a hard link) SQLite takes it for another file, and the two lose each other's writes.
 *
 * @param path The file; its folder has to exist. `:memory:` is a store of its own that lasts until it is closed.
 * @throws {SqliteStoreError} If the runtime has no SQLite, or the file can't be opened, isn't a database, or was written by
 * a later release.
 * @throws {TypeError} If an option is none of those above.
 */
export function openSqliteStore(
  path: string,
  options: SqliteStoreOptions = {},
): AgentStore {
  const {
    synchronous = "normal",
    waitMs = 10_000,
    clock = Date.now,
    mustExist = false,
  } = options;
  // In JavaScript anything may come; neither of these would ever be noticed.
  if (synchronous !== "normal" && synchronous !== "full") {
    throw new TypeError(
      `Cannot open a SQLite store: synchronous is ${
        shown(synchronous)
      }, neither normal nor full`,
    );
  }
  if (!(waitMs >= 0)) {
    throw new TypeError(
      `Cannot open a SQLite store: waitMs is ${
        shown(waitMs)
      }, no number of milliseconds from 0`,
    );
  }
  return storeOn(
    new SqliteDatabase({ path, synchronous, waitMs, clock, mustExist }),
  );
}
