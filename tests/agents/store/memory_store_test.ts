import { createMemoryStore } from "../../../agents/store/mod.ts";
import { assert, assertEquals, assertThrows, okValue } from "../../assert.ts";
import { testStore } from "./contract.ts";
import { entry, opened, question, startRun, TENANT } from "./fixtures.ts";

testStore("memory", () => {
  let ahead = 0;
  const store = createMemoryStore({ clock: () => Date.now() + ahead });
  return Promise.resolve({
    store,
    advance: (ms: number) => {
      ahead += ms;
      return Promise.resolve();
    },
    close: () => store.close(),
  });
});

Deno.test("a saved store goes on where it was: runs, leases, appends, approvals and all", async () => {
  const first = createMemoryStore();
  const { id } = await opened(first);
  await first.conversations.appendMessage({
    tenantId: TENANT,
    conversationId: id,
    role: "user",
    content: "Hello",
    idempotencyKey: "k",
  });
  const epoch = await startRun(first, { startKey: "s" });
  const append = {
    tenantId: TENANT,
    runId: "run-1",
    epoch,
    number: 1,
    entries: [entry("wait.suspended", { tokenId: "token-1" }, "ask")],
  };
  const appended = okValue(await first.journal.append(append));
  await first.approvals.enqueue(question());
  await first.memory.writeFact(TENANT, {
    type: "acme.note",
    content: { $map: [["not", "ours"]] },
    scope: {},
  });
  const saved = first.save();
  const second = createMemoryStore({ saved });
  assertEquals(second.save(), saved);
  assertEquals(okValue(await second.journal.append(append)), appended);
  const again = await second.conversations.appendMessage({
    tenantId: TENANT,
    conversationId: id,
    role: "user",
    content: "Other",
    idempotencyKey: "k",
  });
  assertEquals(okValue(again).content as string, "Hello");
  const run = okValue(await second.journal.get(TENANT, "run-1"))!;
  assertEquals(run.executing, true);
  const approval = await second.approvals.getByToken(TENANT, "token-1");
  assertEquals(approval!.status, "pending");
  const [fact] = okValue(await second.memory.listFacts({ tenantId: TENANT }));
  assertEquals(fact!.content as object, { $map: [["not", "ours"]] });
});

Deno.test("what a store in memory answers is frozen: nobody changes what another reads", async () => {
  const store = createMemoryStore();
  const { id } = await opened(store);
  const content = { list: [1] };
  const message = okValue(
    await store.conversations.appendMessage({
      tenantId: TENANT,
      conversationId: id,
      role: "tool",
      content,
    }),
  );
  content.list.push(2);
  assertEquals(message.content as object, { list: [1] });
  assertThrows(() => (message.content as typeof content).list.push(3));
  const talk = okValue(await store.conversations.getConversation(TENANT, id));
  assert(Object.isFrozen(talk));
});
