/**
 * One connection to a SQLite file: transactions that wait for others without blocking, and statements prepared once.
 *
 * @module
 */

import { existsSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StoreClock } from "../memory_clock.ts";
import { builtInSqlite } from "./driver.ts";
import {
  isBusy,
  isNotADatabase,
  reasonOf,
  SqliteStoreError,
} from "./failures.ts";
import { isMigrated, migrate } from "./migrate.ts";
import { Patience } from "./patience.ts";
import { storedText } from "../stored_text.ts";

/** What a column takes; `undefined` is an empty one. */
export type Value = string | number | Uint8Array | undefined;

/** How a database is opened. */
export interface DatabaseOptions {
  /** The file, or `:memory:`. */
  readonly path: string;
  /** How much a power cut may take. */
  readonly synchronous: "normal" | "full";
  /** How long an operation waits for other connections altogether, in milliseconds. */
  readonly waitMs: number;
  /** The clock, in milliseconds since 1970. */
  readonly clock: () => number;
  /** Whether a file without a store is refused and left as it is; `false` when absent. */
  readonly mustExist?: boolean;
}

/** How long SQLite itself waits, blocking everything: hardly. */
const BUSY_TIMEOUT_MS = 2;

/** A connection. What reads and writes do, they do at once; only getting a turn is waited for. */
export class SqliteDatabase {
  /** The store's clock. */
  readonly clock: StoreClock;
  readonly #options: DatabaseOptions;
  readonly #statements = new Map<string, StatementSync>();
  readonly #tenants = new Set<string>();
  #newTenants: string[] = [];
  #handle: DatabaseSync | undefined;
  #prepared = false;

  /**
   * Opens the file, and makes or migrates its tables. While another connection is in the way of that, the first operation
   * goes on with it.
   *
   * @throws {SqliteStoreError} If it can't be opened.
   */
  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.clock = new StoreClock(options.clock);
    const open = builtInSqlite();
    const { path, mustExist } = options;
    if (path === "") {
      // SQLite takes no name for a database that is gone when it is closed.
      throw new SqliteStoreError(
        "sqlite-open-failed",
        "Cannot open a SQLite store: its path is empty; name a file, or :memory:",
      );
    }
    if (mustExist && !existsSync(path)) throw this.#noStore("no such file");
    try {
      this.#handle = open(path);
      this.#prepare();
    } catch (thrown) {
      if (this.#handle !== undefined && isBusy(thrown)) return;
      this.close();
      throw this.#openError(thrown);
    }
  }

  /** Reads, everything as of one moment. */
  read<T>(work: () => T): Promise<T> {
    return this.#attempt("BEGIN", work);
  }

  /** Does work in a transaction of its own: all of it, or nothing when it throws. */
  write<T>(work: () => T): Promise<T> {
    return this.#attempt("BEGIN IMMEDIATE", work);
  }

  /** The first row of a query. */
  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#statement(sql).get(...values.map(bound)) as Row | undefined;
  }

  /** The rows of a query. */
  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql).all(...values.map(bound)) as Row[];
  }

  /** The rows of a query, one after the other, for callers that may stop early. */
  each<Row>(sql: string, ...values: Value[]): Iterable<Row> {
    return this.#statement(sql).iterate(
      ...values.map(bound),
    ) as Iterable<unknown> as Iterable<Row>;
  }

  /** Runs a statement; answers how many rows it changed, and the last one's position. */
  run(
    sql: string,
    ...values: Value[]
  ): { readonly changes: number; readonly position: number } {
    const { changes, lastInsertRowid } = this.#statement(sql).run(
      ...values.map(bound),
    );
    return { changes: Number(changes), position: Number(lastInsertRowid) };
  }

  /** Notes within a transaction that a tenant has written. */
  know(tenantId: string): void {
    if (this.#tenants.has(tenantId)) return;
    this.run(
      "INSERT INTO agent_tenants (tenant_id) VALUES (?) ON CONFLICT DO NOTHING",
      tenantId,
    );
    this.#newTenants.push(tenantId);
  }

  /** Closes the connection; closing it again does nothing. */
  close(): void {
    const handle = this.#handle;
    this.#handle = undefined;
    this.#statements.clear();
    handle?.close();
  }

  async #attempt<T>(begin: string, work: () => T): Promise<T> {
    let patience: Patience | undefined;
    for (;;) {
      try {
        this.#prepare();
        return this.#transaction(begin, work);
      } catch (thrown) {
        if (!isBusy(thrown)) throw thrown;
        const { path, waitMs } = this.#options;
        patience ??= new Patience(path, waitMs);
        await patience.pause(thrown);
      }
    }
  }

  #transaction<T>(begin: string, work: () => T): T {
    this.run(begin);
    this.#newTenants = [];
    try {
      const answer = work();
      this.run("COMMIT");
      for (const tenantId of this.#newTenants) this.#tenants.add(tenantId);
      return answer;
    } catch (thrown) {
      try {
        this.run("ROLLBACK");
      } catch {
        // Some failures have rolled it back already.
      }
      throw thrown;
    }
  }

  /** Sets the connection up and migrates the file; done once, and again while another connection is in the way. */
  #prepare(): void {
    if (this.#prepared) return;
    const { path, synchronous, mustExist } = this.#options;
    this.get(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (mustExist && !isMigrated(this)) {
      throw this.#noStore("no store in this file");
    }
    this.get("PRAGMA journal_mode = WAL");
    this.run(`PRAGMA synchronous = ${synchronous === "full" ? 2 : 1}`);
    this.run("PRAGMA foreign_keys = ON");
    migrate(this, path, (work) => this.#transaction("BEGIN IMMEDIATE", work));
    this.#prepared = true;
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      if (this.#handle === undefined) {
        throw new SqliteStoreError(
          "sqlite-closed",
          `the store of ${this.#options.path} is closed; open it again`,
        );
      }
      statement = this.#handle.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #noStore(what: string): SqliteStoreError {
    return new SqliteStoreError(
      "sqlite-no-store",
      `Cannot open the SQLite store ${this.#options.path}: there is ${what}`,
    );
  }

  #openError(thrown: unknown): SqliteStoreError {
    if (thrown instanceof SqliteStoreError) return thrown;
    const named = `Cannot open the SQLite store ${this.#options.path}`;
    return isNotADatabase(thrown)
      ? new SqliteStoreError(
        "sqlite-not-a-database",
        `${named}: the file holds something else; name another file`,
        thrown,
      )
      : new SqliteStoreError(
        "sqlite-open-failed",
        `${named}: ${reasonOf(thrown)}`,
        thrown,
      );
  }
}

function bound(value: Value): string | number | Uint8Array | null {
  if (value === undefined) return null;
  return typeof value === "string" ? storedText(value) : value;
}
