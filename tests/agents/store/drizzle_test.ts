/** The Drizzle table objects beside the migrated database, and through Drizzle itself. */
import {
  eq,
  getTableColumns,
  type InferInsertModel,
  type InferSelectModel,
} from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import { drizzle } from "drizzle-orm/postgres-js";
import {
  type AgentConversationRow,
  agentConversations,
  type AgentRunSnapshotRow,
  agentRunSnapshots,
  type NewAgentConversationRow,
  type NewAgentRunSnapshotRow,
} from "../../../agents/store/drizzle.ts";
import { unwrapOrThrow, wrap } from "../../../agents/store/mod.ts";
import { assert, assertEquals } from "../../assert.ts";
import { opened, TENANT } from "./fixtures.ts";
import { sessionTest, TestDatabase } from "./postgres_database.ts";

const database = await TestDatabase.make();

/** Compiles only if the two types can stand for each other. */
type Same<A, B> = [A, B] extends [B, A] ? true : never;
const sameRows: [
  Same<AgentConversationRow, InferSelectModel<typeof agentConversations>>,
  Same<NewAgentConversationRow, InferInsertModel<typeof agentConversations>>,
  Same<AgentRunSnapshotRow, InferSelectModel<typeof agentRunSnapshots>>,
  Same<NewAgentRunSnapshotRow, InferInsertModel<typeof agentRunSnapshots>>,
] = [true, true, true, true];

interface ColumnFacts {
  readonly column_name: string;
  readonly data_type: string;
  readonly is_nullable: string;
  readonly has_default: boolean;
}

for (const table of [agentConversations, agentRunSnapshots]) {
  const { name, indexes } = getTableConfig(table);

  sessionTest(
    `the table object of ${name} has the columns that the migrations make`,
    async () => {
      const facts = await database.within((sql) =>
        sql.unsafe<ColumnFacts[]>(
          `SELECT column_name, data_type, is_nullable, column_default IS NOT NULL AS has_default
          FROM information_schema.columns WHERE table_name = $1 ORDER BY column_name`,
          [name],
        )
      );
      const described = Object.values(getTableColumns(table)).map((column) => ({
        column_name: column.name as string,
        data_type: column.getSQLType(),
        is_nullable: column.notNull ? "NO" : "YES",
        has_default: column.hasDefault,
      })).sort((left, right) => left.column_name < right.column_name ? -1 : 1);
      assertEquals(described, facts.map((fact) => ({ ...fact })));
    },
  );

  sessionTest(
    `the table object of ${name} has the indexes of the spec`,
    async () => {
      const found = await database.within((sql) =>
        sql.unsafe<{ name: string }[]>(
          "SELECT indexname AS name FROM pg_indexes WHERE tablename = $1",
          [name],
        )
      );
      const names = found.map(({ name }) => name);
      for (const { config } of indexes) {
        assert(names.includes(config.name!), config.name);
      }
    },
  );
}

Deno.test("the types of rows are those that Drizzle makes of the table objects", () => {
  assertEquals(sameRows, [true, true, true, true]);
});

sessionTest("a host reads and writes the tables through Drizzle", async () => {
  const store = await database.open();
  try {
    const { id } = await opened(store.store);
    await database.within(async (sql) => {
      const db = drizzle(sql);
      const rows: AgentConversationRow[] = await db.select()
        .from(agentConversations).where(eq(agentConversations.id, id));
      const [row] = rows;
      assertEquals(row!.tenantId, TENANT);
      assert(row!.openedAt instanceof Date);
      assertEquals(typeof unwrapOrThrow(row!.scope), "object");
      const snapshot: NewAgentRunSnapshotRow = {
        id: "run-9",
        tenantId: TENANT,
        projectId: "p-1",
        conversationId: id,
        agentId: "acme.helper",
        agentVersion: "1.0.0",
        userMessage: "Hello",
        parameters: wrap({ name: "Ada" }),
      };
      await db.insert(agentRunSnapshots).values(snapshot);
    });
    const read = await store.store.snapshots.read(TENANT, "run-9");
    assert(read.kind === "ok" && read.value !== null);
    assertEquals(read.value.parameters as object, { name: "Ada" });
    assertEquals(read.value.dryRun, false);
  } finally {
    await store.close();
  }
});
