/** The database of a Postgres store: making its tables, statements without preparation, and a server that goes away. */
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
import { opened, TENANT } from "./fixtures.ts";
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

Deno.test({
  name:
    "a server that stops and starts again is an error meanwhile, and nothing afterwards",
  ignore: kind !== "throwaway",
  // The connections of the pool close while the server is away.
  sanitizeResources: false,
  sanitizeOps: false,
  fn: async () => {
    const own = await TestDatabase.make("kindgi-stopped-postgres");
    const { server } = own;
    const { store, close } = await own.open({ waitMs: 5_000 });
    try {
      const { id } = await opened(store);
      await server.stop();
      const away = await store.conversations.getConversation(TENANT, id);
      assertEquals(errValue(away).code, "persistence-error");
      const journal = await store.journal.get(TENANT, "run-1");
      assertEquals(errValue(journal).code, "journal-error");
      await server.start();
      const found = await eventually("an answer", async () => {
        const read = await store.conversations.getConversation(TENANT, id);
        return read.kind === "ok" ? read.value : undefined;
      });
      assertEquals(found.id, id);
    } finally {
      await close();
    }
  },
});

Deno.test({
  name:
    "a server that goes in the middle of work fails what was under way, and neither the process nor what was answered",
  ignore: kind !== "throwaway",
  // The connections of the pool close while the server is away.
  sanitizeResources: false,
  sanitizeOps: false,
  fn: async () => {
    const own = await TestDatabase.make("kindgi-stopped-postgres");
    const { server } = own;
    const { store, close } = await own.open({ waitMs: 5_000 });
    try {
      const { id } = await opened(store);
      // Some of them one statement, some a transaction of several.
      const work: readonly (() => Promise<{ readonly kind: string }>)[] = [
        () =>
          store.conversations.appendMessage({
            tenantId: TENANT,
            conversationId: id,
            role: "user",
            content: "Hello",
          }),
        () =>
          store.memory.writeFact(TENANT, {
            type: "acme.note",
            content: 1,
            scope: {},
          }),
        () => store.approvals.list({ tenantId: TENANT }),
      ];
      const done = work.map(() => 0);
      const failed = work.map(() => 0);
      let stopped = false;
      const workers = work.flatMap((operation, index) =>
        Array.from({ length: 6 }, async () => {
          while (!stopped) {
            const { kind } = await operation();
            const counts = kind === "ok" ? done : failed;
            counts[index]! += 1;
            await new Promise((resolve) => setTimeout(resolve, 1));
          }
        })
      );
      const goneOn = (counts: readonly number[]) => {
        const before = [...counts];
        return eventually(
          "every kind of work to go on",
          () =>
            counts.every((count, index) => count > before[index]!) ||
            undefined,
        );
      };
      for (let restart = 0; restart < 2; restart += 1) {
        await goneOn(done);
        await server.stop();
        await goneOn(failed);
        await server.start();
      }
      await goneOn(done);
      stopped = true;
      await Promise.all(workers);
      const messages = okValue(
        await store.conversations.readMessages({
          tenantId: TENANT,
          conversationId: id,
        }),
      );
      assert(messages.length >= done[0]!, "nothing that was answered is lost");
    } finally {
      await close();
    }
  },
});
