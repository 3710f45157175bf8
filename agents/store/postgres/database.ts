/**
 * A Postgres database as the store uses it: every statement, or every transaction, sets its tenant first. Nothing is kept
 * in sessions, so that a pooler may share connections between transactions.
 *
 * @module
 */

import type { Sql } from "postgres";
import type { Timestamp } from "../../agent/mod.ts";
import { storedText } from "../stored_text.ts";
import { begin, type Parameter, type Run } from "./begin.ts";
import { isConflict, PostgresStoreError } from "./failures.ts";

export type { Parameter } from "./begin.ts";

/** The condition that a row is the tenant's. */
const MINE = "tenant_id = current_setting('kindgi.tenant_id')";

/** How often a transaction is done that others were in the way of. */
const MAX_ATTEMPTS = 5;

/** What a database is used with. */
export interface PostgresDatabaseOptions {
  /** The connections. */
  readonly sql: Sql;
  /** Whether they are the store's to close. */
  readonly owned: boolean;
  /** The schema of the tables. */
  readonly schema: string;
  /** How long an operation may take, in milliseconds. */
  readonly waitMs: number;
}

/** A transaction for one tenant. */
export class Transaction {
  /** The database's time, in whole milliseconds. */
  readonly now: Timestamp;
  readonly #run: Run;

  /** One that has begun. */
  constructor(run: Run, now: Timestamp) {
    this.#run = run;
    this.now = now;
  }

  /**
   * Runs a statement; tables and functions are named without their schema. `{mine}` stands for the condition that a row
   * is the tenant's: a role that row security doesn't hold for sees no others' either.
   */
  run<Row>(
    statement: string,
    ...values: readonly Parameter[]
  ): Promise<readonly Row[]> {
    return this.#run<Row>(statement.replaceAll("{mine}", MINE), values);
  }
}

/** A database with the store's tables. */
export class PostgresDatabase {
  readonly #options: PostgresDatabaseOptions;
  readonly #schema: string;
  readonly #do: string;
  #closed = false;

  /** Uses connections; the tables have to be there. */
  constructor(options: PostgresDatabaseOptions) {
    this.#options = options;
    this.#schema = quotedName(options.schema);
    this.#do =
      `SELECT ${this.#schema}.kindgi_do($1, $2, $3::text::jsonb)::text AS answer`;
  }

  /** Does one of the operations that the database itself knows, in one round trip; answers what it does. */
  call<Answer>(
    tenantId: string,
    operation: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<Answer> {
    const values = [tenantName(tenantId), operation, JSON.stringify(input)];
    return this.#attempt(async () => {
      const [row] = await this.#options.sql.unsafe<
        { answer: string | null }[]
      >(this.#do, values, { prepare: true });
      const answer = row?.answer ?? null;
      return (answer === null ? null : JSON.parse(answer)) as Answer;
    });
  }

  /** Does work for a tenant in a transaction. It may be done more than once, and counts once. */
  transaction<Value>(
    tenantId: string,
    work: (transaction: Transaction) => Promise<Value>,
  ): Promise<Value> {
    const path = `${this.#schema}, pg_temp`;
    return this.#attempt(() =>
      begin(this.#options.sql, async (run) => {
        const [, rows] = await Promise.all([
          run(
            "SELECT set_config('kindgi.tenant_id', $1, true), set_config('search_path', $2, true)",
            [tenantName(tenantId), path],
          ),
          run<{ now: string }>("SELECT kindgi_time(kindgi_now()) AS now"),
        ]);
        return await work(new Transaction(run, rows[0]!.now as Timestamp));
      })
    );
  }

  /** Runs a statement that belongs to no tenant. `{schema}` stands for the schema's name. */
  async plain<Row>(statement: string): Promise<readonly Row[]> {
    return await this.#attempt(() =>
      this.#options.sql.unsafe(statement.replaceAll("{schema}", this.#schema))
    ) as unknown as Row[];
  }

  /** Closes the connections that are the store's own, once what is under way is done. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#options.owned) await this.#options.sql.end({ timeout: 5 });
  }

  async #attempt<Value>(work: () => Promise<Value>): Promise<Value> {
    for (let attempt = 1;; attempt += 1) {
      if (this.#closed) {
        throw new PostgresStoreError("postgres-closed", "the store is closed");
      }
      try {
        return await this.#inTime(work());
      } catch (thrown) {
        if (!isConflict(thrown) || attempt === MAX_ATTEMPTS) throw thrown;
      }
    }
  }

  async #inTime<Value>(work: Promise<Value>): Promise<Value> {
    const { waitMs } = this.#options;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const message = `the database hasn't answered within ${waitMs} ms`;
        reject(new PostgresStoreError("postgres-timeout", message));
      }, waitMs);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A name as SQL quotes it. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** How a tenant is called in the database: never by an empty text, which stands for none. */
export function tenantName(tenantId: string): string {
  return tenantId === "" ? '\u0001""' : storedText(tenantId);
}
