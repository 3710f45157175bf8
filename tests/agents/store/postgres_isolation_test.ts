/** Tenants are kept apart by the database itself, for a role that isn't the tables' owner and for the owner. */
import connect, { type Sql } from "postgres";
import { openPostgresStore } from "../../../agents/store/postgres.ts";
import { assert, assertEquals, assertRejects, okValue } from "../../assert.ts";
import { entry, opened, question, startRun, TENANT } from "./fixtures.ts";
import { sessionTest, TestDatabase } from "./postgres_database.ts";

const database = await TestDatabase.make();
/** PGlite has one session, whose role can't be changed for it alone. */
const hasRoles = database.server.kind !== "pglite";

/** Makes a role that may use the tables and nothing more; answers its address. */
async function appRole(): Promise<string> {
  const role = `app_${crypto.randomUUID().slice(0, 8)}`;
  await database.within(async (sql) => {
    await sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'app'`);
    await sql.unsafe(
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
    );
    await sql.unsafe(`GRANT USAGE ON SCHEMA public TO ${role}`);
  });
  const url = new URL(database.url);
  url.username = role;
  url.password = "app";
  return url.href;
}

async function tablesOf(sql: Sql): Promise<string[]> {
  const rows = await sql.unsafe<{ name: string }[]>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attname = 'tenant_id'
        AND c.relname <> 'agent_tenants' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

sessionTest(
  "every table of tenants has row security, forced, and a policy",
  async () => {
    await database.within(async (sql) => {
      const rows = await sql.unsafe<{ name: string; forced: boolean }[]>(
        `SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity AND EXISTS (
          SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polcmd = '*' AND p.polwithcheck IS NOT NULL
        ) AS forced FROM pg_class c WHERE c.relkind = 'r' AND c.relname = ANY($1::text[])`,
        [await tablesOf(sql)],
      );
      assertEquals(rows.length, 14);
      assertEquals(rows.filter(({ forced }) => !forced), [] as never);
    });
  },
);

Deno.test({
  name:
    "a role of a host's works as a whole, sees its tenant alone, and nothing while none is set",
  ignore: !hasRoles,
  fn: async () => {
    const url = await appRole();
    const warnings: string[] = [];
    const opening = await database.open();
    await opening.close();
    const store = await openPostgresStore({ url, connections: 2 }, {
      onWarning: (message) => warnings.push(message),
    });
    const sql = connect(url, { max: 1, onnotice: () => {} });
    try {
      assertEquals(warnings, []);
      const { id } = await opened(store);
      okValue(
        await store.conversations.appendMessage({
          tenantId: TENANT,
          conversationId: id,
          role: "user",
          content: "Hello",
        }),
      );
      const epoch = await startRun(store);
      okValue(
        await store.journal.append({
          tenantId: TENANT,
          runId: "run-1",
          epoch,
          number: 1,
          entries: [entry("wait.suspended", { tokenId: "token-1" }, "ask")],
        }),
      );
      await store.approvals.enqueue(question());
      okValue(
        await store.memory.writeFact(TENANT, {
          type: "acme.note",
          content: 1,
          scope: {},
        }),
      );
      const tables = await tablesOf(sql);
      const seen = (tenant: string | undefined) =>
        sql.begin(async (tx) => {
          if (tenant !== undefined) {
            await tx.unsafe(
              "SELECT set_config('kindgi.tenant_id', $1, true)",
              [tenant],
            );
          }
          const counts: Record<string, number> = {};
          for (const table of tables) {
            const [row] = await tx.unsafe<{ n: number }[]>(
              `SELECT count(*)::integer AS n FROM ${table}`,
            );
            counts[table] = row!.n;
          }
          return counts;
        });
      const own = await seen(TENANT);
      for (
        const table of [
          "agent_conversations",
          "agent_messages",
          "agent_runs",
          "agent_run_entries",
          "agent_run_tokens",
          "agent_leases",
          "agent_approvals",
          "agent_facts",
        ]
      ) assert(own[table]! > 0, table);
      for (const other of [undefined, "", "t-2"]) {
        const counts = Object.values(await seen(other));
        assertEquals(counts.filter((count) => count > 0), []);
      }
      // Nor can it write, move or remove what is another's.
      for (const table of tables) {
        const rows = await sql.begin(async (tx) => {
          await tx.unsafe("SELECT set_config('kindgi.tenant_id', 't-2', true)");
          return await tx.unsafe(`DELETE FROM ${table} RETURNING 1`);
        });
        assertEquals(rows.length, 0, table);
        if (own[table] === 0) continue;
        const moved = await assertRejects(() =>
          sql.begin(async (tx) => {
            await tx.unsafe(
              "SELECT set_config('kindgi.tenant_id', $1, true)",
              [TENANT],
            );
            await tx.unsafe(`UPDATE ${table} SET tenant_id = 't-2'`);
          })
        ) as Error & { code: string };
        assertEquals(moved.code, "42501", table);
      }
      const elsewhere = await store.conversations.getConversation("t-2", id);
      assertEquals(elsewhere.kind, "err");
    } finally {
      await sql.end();
      await store.close();
    }
  },
});

sessionTest(
  "a role that row security doesn't hold for is warned about once, and its tenants are apart all the same",
  async () => {
    const warnings: string[] = [];
    const { store, close } = await database.open({
      onWarning: (message) => warnings.push(message),
    });
    try {
      assertEquals(warnings.length, 1);
      assert(warnings[0]!.includes("BYPASSRLS"), warnings[0]);
      const { id } = await opened(store);
      okValue(
        await store.memory.writeFact(TENANT, {
          type: "acme.note",
          content: 1,
          scope: {},
        }),
      );
      await startRun(store);
      await store.approvals.enqueue(question());
      const other = "t-2";
      const read = await store.conversations.readMessages({
        tenantId: other,
        conversationId: id,
      });
      assertEquals(read.kind, "err");
      const lists = [
        await store.conversations.listConversations({ tenantId: other }),
        await store.memory.listFacts({ tenantId: other }),
        await store.approvals.list({ tenantId: other }),
        await store.journal.list({ tenantId: other }),
      ];
      for (const list of lists) {
        assertEquals(okValue<unknown[]>(list as never), []);
      }
      assertEquals(okValue(await store.journal.get(other, "run-1")), null);
    } finally {
      await close();
    }
  },
);
