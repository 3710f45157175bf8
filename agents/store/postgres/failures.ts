/**
 * How Postgres fails, and what is said about it.
 *
 * @module
 */

import { storeFailures } from "../store_failure.ts";

/** Why a Postgres store can't be opened or used. */
export type PostgresStoreErrorCode =
  | "postgres-invalid-options"
  | "postgres-migration-failed"
  | "postgres-newer-version"
  | "postgres-not-migrated"
  | "postgres-timeout"
  | "postgres-closed";

/**
 * Thrown by `openPostgresStore` and `migratePostgres`, and the `cause` of errors that an open store answers.
 *
 * `code` says what is wrong:
 *
 * - `postgres-invalid-options`: the schema's name can't be one.
 * - `postgres-migration-failed`: the tables couldn't be made; `cause` is what the database answered.
 * - `postgres-newer-version`: a later release has migrated the schema.
 * - `postgres-not-migrated`: the tables aren't there, and the role may not make them.
 * - `postgres-timeout`: the database didn't answer in time. What was asked may have been done.
 * - `postgres-closed`: the store was closed.
 */
export class PostgresStoreError extends Error {
  /** What is wrong. */
  readonly code: PostgresStoreErrorCode;

  /** An error with a code; the message says what can't be done, why, and what to do. */
  constructor(code: PostgresStoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "PostgresStoreError";
    this.code = code;
  }
}

/** The rights of a role don't suffice. */
const INSUFFICIENT_PRIVILEGE = "42501";

/** Two transactions were in each other's way: doing one of them again is safe, since it did nothing. */
const CONFLICTS: ReadonlySet<string> = new Set(["40001", "40P01"]);

/** Whether a transaction failed since another was in its way. */
export function isConflict(thrown: unknown): boolean {
  return CONFLICTS.has(codeOf(thrown) ?? "");
}

/** Whether the role may not do what was asked. */
export function isForbidden(thrown: unknown): boolean {
  return codeOf(thrown) === INSUFFICIENT_PRIVILEGE;
}

/**
 * Whether a statement failed by what the server answered, with the connection there as before: not since that is gone, nor
 * by the answer that ends it.
 */
export function isAnswer(thrown: unknown): boolean {
  const { name, severity } = (thrown ?? {}) as {
    name?: unknown;
    severity?: unknown;
  };
  return name === "PostgresError" && severity === "ERROR";
}

/** Why something failed, and what to do about it. Never the connection's address: it may hold a password. */
export function reasonOf(thrown: unknown): string {
  const code = codeOf(thrown);
  switch (code) {
    case "ECONNREFUSED":
    case "ENOTFOUND":
    case "ECONNRESET":
    case "EPIPE":
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "CONNECT_TIMEOUT":
    case "CONNECTION_CLOSED":
    case "CONNECTION_DESTROYED":
    case "CONNECTION_ENDED":
    case "57P01":
    case "57P02":
    case "57P03":
      return `the database can't be reached (${code}); it is tried again with the next operation`;
    case INSUFFICIENT_PRIVILEGE:
      return `the role lacks a right (${
        messageOf(thrown)
      }); grant it the schema, its tables and functions`;
    default:
      return messageOf(thrown);
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function codeOf(thrown: unknown): string | undefined {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

/** What this store answers when something can't be read or written. */
export const { persistenceError, journalError } = storeFailures(reasonOf);
