/** A turn on Postgres: what it costs in statements, and that it comes to what it comes to in memory. */
import connect from "postgres";
import { openPostgresStore } from "../../../agents/store/postgres.ts";
import { assert, assertEquals, okValue } from "../../assert.ts";
import { turnOfSteps } from "../turn/turn_of_steps.ts";
import { sessionTest, TestDatabase } from "./postgres_database.ts";

const database = await TestDatabase.make();

/** Runs a turn of so many steps, each but the last with a tool; answers its statements. */
async function statementsOf(
  steps: number,
  prepare: boolean,
): Promise<string[]> {
  const statements: string[] = [];
  const sql = connect(database.url, {
    max: 4,
    prepare,
    fetch_types: false,
    onnotice: () => {},
    debug: (_connection, query) => statements.push(query),
  });
  const store = await openPostgresStore({ sql }, { onWarning: () => {} });
  try {
    const turn = await turnOfSteps(store, steps, () => statements.length = 0);
    const asked = [...statements];
    const record = okValue(await store.provenance.get("t-1", turn.runId));
    assert(record?.signature !== undefined);
    const totals = okValue(await store.usage.totals({ tenantId: "t-1" }));
    assert(totals.calls >= steps);
    return asked;
  } finally {
    await store.close();
    await sql.end();
  }
}

sessionTest(
  "a turn of two steps with a tool costs at most 12 statements, prepared or not",
  async () => {
    for (const prepare of [true, false]) {
      const statements = await statementsOf(2, prepare);
      assert(statements.length <= 12, statements.join("\n"));
      for (const statement of statements) {
        assert(statement.includes("kindgi_do"), statement);
      }
    }
  },
);

sessionTest("each further step costs three statements more", async () => {
  const two = (await statementsOf(2, true)).length;
  assertEquals((await statementsOf(5, true)).length - two, 9);
});
