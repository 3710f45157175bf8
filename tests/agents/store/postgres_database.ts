/** A database for the tests of one file, and stores in it. */
import connect, { type Sql } from "postgres";
import {
  migratePostgres,
  openPostgresStore,
  type PostgresStoreOptions,
} from "../../../agents/store/postgres.ts";
import type { OpenedStore } from "./opened_store.ts";
import {
  hasSessions,
  type PostgresServer,
  postgresServer,
} from "./postgres_server.ts";

/** Whether tests may use several connections at once. */
export const HAS_SESSIONS: boolean = await hasSessions();

/** Stands for the server where there is none. */
const NOWHERE: PostgresServer = {
  kind: "pglite",
  url: () => "",
  stop: () => Promise.resolve(),
  start: () => Promise.resolve(),
};

/** Registers a test that needs several connections at once: it is ignored where there is PGlite alone. */
export function sessionTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !HAS_SESSIONS, fn });
}

/** A database with the store's tables, and a clock that tests move on. */
export class TestDatabase {
  /** The server that it is on. */
  readonly server: PostgresServer;
  /** Its address, for the tables' owner. */
  readonly url: string;

  private constructor(server: PostgresServer, url: string) {
    this.server = server;
    this.url = url;
  }

  /** Makes one, on another server than the tests' own where that is named. Without sessions it is no database at all. */
  static async make(serverName?: string): Promise<TestDatabase> {
    return HAS_SESSIONS
      ? await TestDatabase.makeAnywhere(serverName)
      : new TestDatabase({ ...NOWHERE }, "");
  }

  /** Makes one, on PGlite where there is no server: for one connection at a time. */
  static async makeAnywhere(serverName?: string): Promise<TestDatabase> {
    const server = await postgresServer(serverName);
    const name = `kindgi_${crypto.randomUUID().replaceAll("-", "")}`;
    // PGlite has one database.
    if (server.kind !== "pglite") {
      await within(
        server.url(),
        (sql) => sql.unsafe(`CREATE DATABASE ${name}`),
      );
    }
    const database = new TestDatabase(server, server.url(name));
    await database.within(async (sql) => {
      await migratePostgres(sql);
      await sql.unsafe(
        "CREATE TABLE IF NOT EXISTS test_clock (ahead interval)",
      );
      await sql.unsafe(
        `CREATE OR REPLACE FUNCTION kindgi_clock() RETURNS timestamp with time zone LANGUAGE sql VOLATILE AS $$
          SELECT clock_timestamp() + coalesce((SELECT sum(ahead) FROM test_clock), interval '0')
        $$`,
      );
    });
    return database;
  }

  /** Does work on a connection of its own. */
  within<Value>(work: (sql: Sql) => Promise<Value>): Promise<Value> {
    return within(this.url, work);
  }

  /** Opens a store for one test: empty. */
  async open(
    options: PostgresStoreOptions & { readonly prepare?: boolean } = {},
  ): Promise<OpenedStore> {
    await this.within(async (sql) => {
      const tables = await sql.unsafe<{ name: string }[]>(
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'agent_migrations'`,
      );
      await sql.unsafe(
        `TRUNCATE ${tables.map(({ name }) => name).join(", ")}`,
      );
    });
    const { prepare = true, ...rest } = options;
    const store = await openPostgresStore({
      url: this.url,
      prepare,
      ...(this.server.kind === "pglite" ? { connections: 1 } : {}),
    }, { onWarning: () => {}, ...rest });
    return {
      store,
      advance: (ms) =>
        this.within(async (sql) => {
          await sql.unsafe(
            `INSERT INTO test_clock VALUES ($1::text::interval)`,
            [`${ms} milliseconds`],
          );
        }),
      close: () => store.close(),
    };
  }
}

async function within<Value>(
  url: string,
  work: (sql: Sql) => Promise<Value>,
): Promise<Value> {
  const sql = connect(url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}
