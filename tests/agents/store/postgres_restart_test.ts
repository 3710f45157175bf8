/** A Postgres server that goes away and comes back, under a store that nobody uses and under one at work. */
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import { eventually } from "../../pack_service/support/eventually.ts";
import { opened, TENANT } from "./fixtures.ts";
import { TestDatabase } from "./postgres_database.ts";

/** On a server of its own: nobody else's is stopped. */
const own = await TestDatabase.make("kindgi-stopped-postgres");
const { server } = own;
const { kind } = server;

Deno.test({
  name:
    "a server that stops and starts again is an error meanwhile, and nothing afterwards",
  ignore: kind !== "throwaway",
  // The connections of the pool close while the server is away.
  sanitizeResources: false,
  sanitizeOps: false,
  fn: async () => {
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
