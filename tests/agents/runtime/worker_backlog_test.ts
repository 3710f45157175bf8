/** Where more turns stand still than a journal lists by itself. */
import {
  type Approval,
  createMemoryStore,
  createScriptedProvider,
  type HitlEnqueueInput,
  openAgentRuntime,
} from "../../../agents/mod.ts";
import { assertEquals, okValue } from "../../assert.ts";
import { entry, startRun, TENANT } from "../store/fixtures.ts";
import { agentWith, lookup, WITH_TOOL } from "../turn/turn_fixture.ts";

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

Deno.test("a decision is carried over to a turn that a thousand newer ones are parked before", async () => {
  let decided = false;
  let question: HitlEnqueueInput | undefined;
  const store = createMemoryStore();
  const runtime = openAgentRuntime({
    store,
    agents: [
      agentWith({
        ...WITH_TOOL,
        conversationPolicy: {
          hitl: { tools: { overrides: { "pack.lookup": "always_ask" } } },
        },
      }),
    ],
    providers: [
      createScriptedProvider({
        answers: () => ({
          toolCalls: [{ id: "1", name: "pack.lookup", arguments: { q: "x" } }],
        }),
      }),
    ],
    tools: [lookup().tool],
    renderer: "in-process",
    // A queue of the host's, which tells nobody what was decided.
    hitl: {
      enqueue: (input) => {
        question ??= input;
        return Promise.resolve({ approvalId: "host-1" });
      },
      getByToken: () =>
        Promise.resolve(
          {
            ...question,
            id: "host-1",
            status: decided ? "rejected" : "pending",
            decidedBy: { id: "robin", role: "standard" },
          } as unknown as Approval,
        ),
    },
  });
  const { id } = okValue(
    await runtime.openConversation({
      tenantId: TENANT,
      agentId: "acme.helper",
    }),
  );
  const parked = okValue(
    await runtime.invoke({
      tenantId: TENANT,
      projectId: "p-1",
      conversationId: id,
      userMessage: "Hello",
    }),
  );
  assertEquals(parked.status, "suspended");
  for (let other = 0; other < 1_000; other++) {
    const runId = `other-${other}`;
    const epoch = await startRun(store, { runId });
    const tokenId = "ok";
    await store.journal.park({
      ...{ tenantId: TENANT, runId, epoch, number: 1 },
      entries: [entry("wait.suspended", { tokenId })],
      waitingOn: [{ runId, tokenId }],
    });
  }
  decided = true;
  okValue(await runtime.sweep());
  const resumable = okValue(
    await runtime.runs({ tenantId: TENANT, resumable: true }),
  );
  assertEquals(resumable.map(({ runId }) => runId), [parked.runId]);
  await runtime.close();
  await store.close();
});
