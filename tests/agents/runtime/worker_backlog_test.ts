/** A worker where more turns can be taken further than a journal lists by itself. */
import {
  createMemoryStore,
  createScriptedProvider,
  openAgentRuntime,
} from "../../../agents/mod.ts";
import { assertEquals, okValue } from "../../assert.ts";
import { startRun, TENANT } from "../store/fixtures.ts";
import { agentWith } from "../turn/turn_fixture.ts";

Deno.test("a turn isn't kept waiting for ever by a thousand newer ones that are left to others", async () => {
  let now = Date.now();
  const store = createMemoryStore({ clock: () => now });
  const runtime = openAgentRuntime({
    store,
    agents: [agentWith({})],
    providers: [createScriptedProvider({ answers: () => ({ text: "done" }) })],
    renderer: "in-process",
  });
  const { id } = okValue(
    await runtime.openConversation({
      tenantId: TENANT,
      agentId: "acme.helper",
    }),
  );
  // Its process dies before anything of it is journaled but its start.
  const { append } = store.journal;
  const dead = () => Promise.reject(new Error("dead"));
  Object.assign(store.journal, { append: dead });
  await runtime.invoke({
    tenantId: TENANT,
    projectId: "p-1",
    conversationId: id,
    userMessage: "Hello",
  });
  Object.assign(store.journal, { append });
  now += 60_000;
  const [cut] = okValue(await runtime.runs({ tenantId: TENANT }));
  for (let other = 0; other < 1_000; other++) {
    await startRun(store, {
      runId: `other-${other}`,
      agent: { id: "acme.other", version: "1.0.0", conversationId: "c-1" },
    }, { ttlMs: 0 });
  }

  const stopping = new AbortController();
  const { tenants } = store;
  let asked = 0;
  Object.assign(store, {
    tenants: () => {
      asked += 1;
      if (asked > 6) stopping.abort();
      return tenants.call(store);
    },
  });
  await runtime.work({ signal: stopping.signal, pollMs: 5 });
  assertEquals(
    okValue(await store.journal.get(TENANT, cut!.runId))?.status,
    "completed",
  );
  await runtime.close();
  await store.close();
});
