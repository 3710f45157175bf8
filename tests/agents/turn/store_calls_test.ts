/** What a turn asks of its store: in a database each call is a statement or a transaction. */
import {
  createMemoryStore,
  createStaticKeyProvider,
  generateSigningKey,
  openAgentRuntime,
} from "../../../agents/mod.ts";
import { assert, assertEquals, okValue } from "../../assert.ts";
import { cutStore } from "./cut_store.ts";
import { agentWith, call, lookup, provider, say } from "./turn_fixture.ts";

/** The calls of a turn with so many model steps, each but the last with a tool. */
async function callsOf(steps: number): Promise<string[]> {
  const { store, calls } = cutStore(createMemoryStore());
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
  const whose = { tenantId: "t-1", projectId: "p-1" };
  const { id } = okValue(
    await runtime.openConversation({ ...whose, agentId: agent.id }),
  );
  calls.length = 0;
  const { usage } = okValue(
    await runtime.invoke({
      ...whose,
      conversationId: id,
      userMessage: "Hello",
    }),
  );
  assertEquals(usage.steps, steps);
  return calls;
}

Deno.test("a turn of two steps with a tool asks at most 12 things of its store", async () => {
  assertEquals(await callsOf(2), [
    "conversations.getConversation",
    "journal.startExclusive",
    "snapshots.write",
    "conversations.getWithMessages",
    "conversations.appendMessage",
    "journal.append",
    "conversations.appendMessage",
    "conversations.appendMessage",
    "journal.append",
    "conversations.appendMessage",
    "provenance.emit",
    "journal.append",
  ]);
});

Deno.test("each further step asks the same few things, however long the turn is", async () => {
  const [two, three, ten, eleven] = await Promise.all(
    [2, 3, 10, 11].map(async (steps) => (await callsOf(steps)).length),
  );
  assertEquals(three! - two!, 3);
  assertEquals(eleven! - ten!, 3);
  assert(two! <= 12);
});
