/** The database of a Postgres store: making its tables, statements without preparation, and transactions at once. */
import connect from "postgres";
import { isAbsolute } from "node:path";
import {
  AGENTS_MIGRATIONS_DIR,
  AGENTS_TENANT_SCOPED_TABLES,
} from "../../../agents/store/migrations.ts";
import {
  migratePostgres,
  openPostgresStore,
  PostgresStoreError,
} from "../../../agents/store/postgres.ts";
import {
  assert,
  assertEquals,
  assertRejects,
  errValue,
  okValue,
} from "../../assert.ts";
import { eventually } from "../../pack_service/support/eventually.ts";
import { LONG, newRun, opened, STARTED, TENANT } from "./fixtures.ts";
import { sessionTest, TestDatabase } from "./postgres_database.ts";

const database = await TestDatabase.make();
const { kind } = database.server;

Deno.test("[131] the migrations are files in a folder, and the tables of the seed are named", async () => {
  assertEquals(
    AGENTS_TENANT_SCOPED_TABLES,
    [
      "agent_conversations",
      "agent_run_snapshots",
    ] as const,
  );
  assert(isAbsolute(AGENTS_MIGRATIONS_DIR), AGENTS_MIGRATIONS_DIR);
  const names: string[] = [];
  for await (const { name } of Deno.readDir(AGENTS_MIGRATIONS_DIR)) {
    names.push(name);
  }
  assert(names.length > 6);
  for (const name of names) assert(name.endsWith(".sql"), name);
});

sessionTest(
  "[129] [130] the migrations make the two tables and their indexes, and twice is once",
  async () => {
    await database.within(async (sql) => {
      await migratePostgres(sql);
      const count = async (table: string) => {
        const [row] = await sql.unsafe<{ n: number }[]>(
          "SELECT count(*)::integer AS n FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1",
          [table],
        );
        return row!.n;
      };
      assertEquals(await count("agent_conversations"), 14);
      assertEquals(await count("agent_run_snapshots"), 15);
      const indexes = await sql.unsafe<{ name: string; text: string }[]>(
        "SELECT indexname AS name, indexdef AS text FROM pg_indexes WHERE schemaname = 'public'",
      );
      const textOf = new Map(indexes.map(({ name, text }) => [name, text]));
      for (
        const name of [
          "agent_conversations_tenant_agent_idx",
          "agent_conversations_tenant_participant_idx",
          "agent_conversations_open_recent_idx",
          "agent_conversations_tenant_project_opened_idx",
          "agent_run_snapshots_tenant_idx",
        ]
      ) assert(textOf.has(name), name);
      const recent = textOf.get("agent_conversations_open_recent_idx")!;
      assert(recent.includes("last_message_at DESC NULLS LAST"), recent);
      assert(recent.includes("WHERE (closed_at IS NULL)"), recent);
    });
  },
);

Deno.test({
  name:
    "stores that open one new schema at once all find it made, in a schema of any name",
  ignore: kind === "pglite",
  fn: async () => {
    const schema = 'odd "name"; --';
    const stores = await Promise.all(
      Array.from(
        { length: 6 },
        () =>
          openPostgresStore({ url: database.url, connections: 2 }, {
            schema,
            onWarning: () => {},
          }),
      ),
    );
    try {
      const { id } = await opened(stores[0]!);
      const appended = await Promise.all(
        stores.flatMap((store) =>
          Array.from({ length: 10 }, () =>
            store.conversations.appendMessage({
              tenantId: TENANT,
              conversationId: id,
              role: "user",
              content: "Hello",
            }))
        ),
      );
      const sequences = appended.map((each) => okValue(each).sequence);
      assertEquals(
        sequences.sort((left, right) => left - right),
        Array.from({ length: 60 }, (_, index) => index + 1),
      );
    } finally {
      await Promise.all(stores.map((store) => store.close()));
    }
  },
});

sessionTest(
  "a schema that a later release has migrated is refused, and one with an impossible name too",
  async () => {
    await database.within(async (sql) => {
      await migratePostgres(sql, { schema: "later" });
      await sql.unsafe(
        "INSERT INTO later.agent_migrations (version, name) VALUES (99, 'later')",
      );
      const newer = await assertRejects(
        () => migratePostgres(sql, { schema: "later" }),
        PostgresStoreError,
        "this release knows",
      ) as PostgresStoreError;
      assertEquals(newer.code, "postgres-newer-version");
      for (const schema of ["", "x".repeat(64), "a\0b"]) {
        const error = await assertRejects(
          () => migratePostgres(sql, { schema }),
          PostgresStoreError,
        ) as PostgresStoreError;
        assertEquals(error.code, "postgres-invalid-options");
      }
      await sql.unsafe("DROP SCHEMA later CASCADE");
    });
  },
);

sessionTest(
  "a store works without prepared statements, and on a host's own connections",
  async () => {
    const unprepared = await database.open({ prepare: false });
    const { id } = await opened(unprepared.store);
    await unprepared.close();
    const sql = connect(database.url, { max: 2, onnotice: () => {} });
    try {
      const store = await openPostgresStore({ sql }, { onWarning: () => {} });
      okValue(await store.conversations.getConversation(TENANT, id));
      await store.close();
      const closed = errValue(
        await store.conversations.getConversation(TENANT, id),
      ) as { cause?: unknown };
      assertEquals(
        (closed.cause as PostgresStoreError).code,
        "postgres-closed",
      );
      const [row] = await sql.unsafe<{ one: number }[]>("SELECT 1 AS one");
      assertEquals(row!.one, 1, "they stay open");
    } finally {
      await sql.end();
    }
  },
);

sessionTest(
  "a start that finds a run only once another's is committed keeps no second lease",
  async () => {
    const { store, close } = await database.open();
    const sql = connect(database.url, { max: 1, onnotice: () => {} });
    const key = "conversation:c-1";
    const run = newRun({ startKey: "k" });
    try {
      const started = await sql.begin(async (other) => {
        await other.unsafe(
          "SELECT kindgi_do($1, 'journal_start', $2::text::jsonb)",
          [
            TENANT,
            JSON.stringify({
              runId: run.runId,
              startKey: run.startKey,
              definition: JSON.stringify(run),
              holder: "h-1",
              ttlMs: LONG,
              entries: [],
              effect: {},
            }),
          ],
        );
        const starting = store.journal.startExclusive!({
          run: { ...run, runId: "run-2" },
          holder: "h-2",
          ttlMs: LONG,
          entries: [STARTED],
          exclusive: key,
        });
        await eventually(
          "a start that waits",
          () =>
            database.within(async (watching) => {
              const rows = await watching.unsafe(
                "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
              );
              return rows.length > 0 || undefined;
            }),
        );
        return { starting };
      });
      const found = okValue(await started.starting);
      assertEquals(found.kind, "exists");
      assertEquals(
        okValue(await store.journal.acquire(TENANT, key, "h-3", LONG)).kind,
        "held",
      );
    } finally {
      await sql.end();
      await close();
    }
  },
);

sessionTest(
  "a database that can't be reached is told without its password",
  async () => {
    const error = await assertRejects(() =>
      openPostgresStore({ url: "postgres://me:hidden@127.0.0.1:1/none" })
    );
    assert(error instanceof PostgresStoreError);
    assertEquals(error.code, "postgres-migration-failed");
    assert(!error.message.includes("hidden"), error.message);
  },
);
