/**
 * How SQLite fails, and what is said about it.
 *
 * @module
 */

import { storeFailures } from "../store_failure.ts";

/** Why a SQLite store can't be opened or used. */
export type SqliteStoreErrorCode =
  | "sqlite-unavailable"
  | "sqlite-no-store"
  | "sqlite-not-a-database"
  | "sqlite-newer-version"
  | "sqlite-open-failed"
  | "sqlite-locked"
  | "sqlite-closed";

/**
 * Thrown by `openSqliteStore`, and the `cause` of errors that an open store answers.
 *
 * `code` says what is wrong:
 *
 * - `sqlite-unavailable`: the runtime has no `node:sqlite`.
 * - `sqlite-no-store`: there is no file, or no store in it, and none was to be made.
 * - `sqlite-not-a-database`: the file holds something else.
 * - `sqlite-newer-version`: a later release has written the file.
 * - `sqlite-open-failed`: the file can't be opened or written; `cause` is what SQLite threw.
 * - `sqlite-locked`: another connection kept the file locked for longer than the store waits.
 * - `sqlite-closed`: the store was closed.
 */
export class SqliteStoreError extends Error {
  /** What is wrong. */
  readonly code: SqliteStoreErrorCode;

  /** An error with a code; the message says what can't be done, why, and what to do. */
  constructor(code: SqliteStoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "SqliteStoreError";
    this.code = code;
  }
}

// Result codes of SQLite, without what their higher bytes add.
const BUSY = 5;
const LOCKED = 6;
const READ_ONLY = 8;
const INPUT_OUTPUT = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;

const UNOPENED =
  "the file can't be opened; check that it is a file, that its folder exists, and that both may be read and written";

/** Whether something thrown is SQLite's own. */
export function isSqliteFailure(thrown: unknown): thrown is Error {
  return thrown instanceof Error && "code" in thrown &&
    thrown.code === "ERR_SQLITE_ERROR";
}

/** Whether another connection is in the way; trying again later may help. */
export function isBusy(thrown: unknown): boolean {
  if (!isSqliteFailure(thrown)) return false;
  const code = resultCode(thrown);
  return code === BUSY || code === LOCKED ||
    code === undefined && /database (table )?is locked/.test(thrown.message);
}

/** Whether the file holds something else than a database. */
export function isNotADatabase(thrown: unknown): boolean {
  return resultCode(thrown) === NOT_A_DATABASE;
}

/** Why something failed, and what to do about it. */
export function reasonOf(thrown: unknown): string {
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  switch (resultCode(thrown)) {
    case READ_ONLY:
      return "the database file is read-only; make it and its folder writable";
    case FULL:
      return "the disk or the database is full; free some space";
    case INPUT_OUTPUT:
      return `the disk failed (${said}); check it and its free space`;
    case CORRUPT:
      return `the database file is damaged (${said}); restore it from a copy`;
    case CANNOT_OPEN:
      return UNOPENED;
    case NOT_A_DATABASE:
      return "the file is not a SQLite database";
    default:
      // Deno gives no code where it can't even make the connection.
      return said.startsWith("unable to open database file") ? UNOPENED : said;
  }
}

function resultCode(thrown: unknown): number | undefined {
  if (!isSqliteFailure(thrown) || !("errcode" in thrown)) return undefined;
  return typeof thrown.errcode === "number" ? thrown.errcode & 0xff : undefined;
}

/** What this store answers when something can't be read or written. */
export const { persistenceError, journalError } = storeFailures(reasonOf);
