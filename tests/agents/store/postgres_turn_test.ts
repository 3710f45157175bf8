/** A turn on Postgres: what it costs in statements, and that it comes to what it comes to in memory. */
import connect from "postgres";
import {
  createStaticKeyProvider,
  generateSigningKey,
  openAgentRuntime,
} from "../../../agents/mod.ts";
import { openPostgresStore } from "../../../agents/store/postgres.ts";
import { assert, assertEquals, okValue } from "../../assert.ts";
import {
  agentWith,
  call,
  lookup,
  provider,
  say,
} from "../turn/turn_fixture.ts";
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
  const agent = agentWith({
    tools: [{ id: "pack.lookup", version: "*" }],
    budget: { maxSteps: 32 },
  });
  const runtime = openAgentRuntime({
    store,
    agents: [agent],
    tools: [lookup().tool],
    renderer: "in-process",
    keyProvider: createStaticKeyProvider(await generateSigningKey()),
    providers: [
      provider([
        ...Array.from(
          { length: steps - 1 },
          (_, at) => call([`k${at}`, "pack.lookup", { q: "x" }]),
        ),
        say("done"),
      ]),
    ],
  });
  try {
    const whose = { tenantId: "t-1", projectId: "p-1" };
    const { id } = okValue(
      await runtime.openConversation({ ...whose, agentId: agent.id }),
    );
    statements.length = 0;
    const turn = okValue(
      await runtime.invoke({
        ...whose,
        conversationId: id,
        userMessage: "Hello",
      }),
    );
    assertEquals(turn.usage.steps, steps);
    assertEquals(turn.response.content as string, "done");
    const asked = [...statements];
    const record = okValue(await store.provenance.get("t-1", turn.runId));
    assert(record?.signature !== undefined);
    const totals = okValue(await store.usage.totals({ tenantId: "t-1" }));
    assert(totals.calls >= steps);
    return asked;
  } finally {
    await runtime.close();
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
