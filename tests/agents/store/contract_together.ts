/** What a store's journal does in one step where it offers to: none of it has to be offered. */
import type { AgentStore, AppendInput } from "../../../agents/store/mod.ts";
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import type { StoreTest } from "./opened_store.ts";
import {
  entry,
  LONG,
  newRun,
  opened,
  OTHER,
  STARTED,
  startRun,
  TENANT,
} from "./fixtures.ts";

const KEY = "conversation:c-1";

/** Registers the tests. */
export function togetherContract(test: StoreTest): void {
  const start = (
    { journal }: AgentStore,
    runId: string,
    holder: string,
    startKey?: string,
  ) =>
    journal.startExclusive!({
      run: newRun({ runId, ...(startKey === undefined ? {} : { startKey }) }),
      holder,
      ttlMs: LONG,
      entries: [STARTED],
      exclusive: KEY,
    });
  const ending = (
    epoch: number,
    exclusiveEpoch: number,
    more: Partial<AppendInput> = {},
  ): AppendInput => ({
    tenantId: TENANT,
    runId: "run-1",
    epoch,
    number: 1,
    entries: [entry("run.completed", { output: 1 })],
    within: { key: KEY, epoch: exclusiveEpoch },
    release: true,
    ...more,
  });

  test("a run is started with a second lease in one step, unless somebody has that", async (store) => {
    const { journal } = store;
    if (journal.startExclusive === undefined) return;
    const first = okValue(await start(store, "run-1", "h-1"));
    assert(first.kind === "started");
    // The same again, its answer having been lost.
    assertEquals(okValue(await start(store, "run-1", "h-1")), first);
    assertEquals(
      okValue(await start(store, "run-2", "h-2")),
      { kind: "waiting" },
    );
    assertEquals(okValue(await journal.get(TENANT, "run-2")), null);
    okValue(
      await journal.append(
        ending(first.epoch, first.exclusiveEpoch, {
          entries: [entry("step.started", undefined, "a")],
        }),
      ),
    );
    assertEquals(
      okValue(await journal.acquire(TENANT, KEY, "h-2", LONG)).kind,
      "waiting",
    );
    okValue(await journal.release(TENANT, KEY, "h-1"));
    // h-2 waits in line: nobody overtakes it.
    assertEquals(
      okValue(await start(store, "run-3", "h-3")),
      { kind: "waiting" },
    );
    const next = okValue(await start(store, "run-2", "h-2"));
    assert(next.kind === "started");
    assert(next.exclusiveEpoch > first.exclusiveEpoch);
  });

  test("a start that finds a run takes no second lease", async (store) => {
    const { journal } = store;
    if (journal.startExclusive === undefined) return;
    await startRun(store, { startKey: "k" });
    const found = okValue(await start(store, "run-2", "h-2", "k"));
    assert(found.kind === "exists");
    assertEquals(found.run.runId as string, "run-1");
    assertEquals(
      okValue(await journal.acquire(TENANT, KEY, "h-3", LONG)).kind,
      "held",
    );
  });

  test("many that start at once with one second lease: one does", async (store) => {
    if (store.journal.startExclusive === undefined) return;
    const answers = await Promise.all(
      Array.from(
        { length: 8 },
        (_, index) => start(store, `run-${index}`, `h-${index}`),
      ),
    );
    const kinds = answers.map((answer) => okValue(answer).kind).sort();
    assertEquals(kinds, ["started", ...Array(7).fill("waiting")]);
  });

  test("the end and a park give the second lease up where they are asked to, or leave it and don't say so", async (store) => {
    const { journal } = store;
    for (const how of ["end", "park"] as const) {
      const holder = `h-${how}`;
      const held = okValue(await journal.acquire(TENANT, KEY, holder, LONG));
      assert(held.kind === "held");
      const within = { key: KEY, epoch: held.epoch };
      const runId = `run-${how}`;
      const epoch = await startRun(store, { runId }, { within });
      const going = okValue(
        await journal.append(
          ending(epoch, held.epoch, {
            runId,
            entries: [entry("step.started", undefined, "a")],
          }),
        ),
      );
      assertEquals("released" in going, false);
      const last = ending(epoch, held.epoch, { runId, number: 2 });
      const write = async () =>
        how === "end" ? okValue(await journal.append(last)) : okValue(
          await journal.park({
            ...last,
            entries: [],
            waitingOn: [{ runId, tokenId: "t" }],
          }),
        ).appended;
      const appended = await write();
      assertEquals(await write(), appended);
      const other = okValue(
        await journal.acquire(TENANT, KEY, "other", LONG, { wait: false }),
      );
      assertEquals(other.kind === "held", appended.released === true);
      okValue(await journal.release(TENANT, KEY, "other"));
      okValue(await journal.release(TENANT, KEY, holder));
    }
  });

  test(
    "a record of the account goes with an append, once, and not with a refused one",
    async (store, { advance }) => {
      const { journal, usage } = store;
      if (journal.keepsUsageOf?.(usage) !== true) return;
      assertEquals(journal.keepsUsageOf({}), false);
      const record = (callId: string) => ({
        callId,
        tenantId: TENANT,
        runId: "run-1",
        providerId: "p",
        model: "m1",
        occurredAt: "2026-01-01T00:00:00.000Z",
        status: "ok",
        durationMs: 1,
      });
      const epoch = await startRun(store, {}, { ttlMs: 50 });
      const input = {
        tenantId: TENANT,
        runId: "run-1",
        epoch,
        number: 1,
        entries: [entry("step.completed", undefined, "model-call")],
        usage: [record("k1"), record("k2")],
      };
      okValue(await journal.append(input));
      okValue(await journal.append(input));
      const known = async () =>
        okValue(await usage.list({ tenantId: TENANT, runId: "run-1" }))
          .map(({ callId }) => callId);
      assertEquals(await known(), ["k1", "k2"]);
      assertEquals(
        okValue(await usage.list({ tenantId: OTHER, runId: "run-1" })),
        [],
      );
      await advance(100);
      okValue(await journal.acquire(TENANT, "run:run-1", "h-2", LONG));
      const refused = await journal.append({
        ...input,
        number: 2,
        usage: [record("k3")],
      });
      assertEquals(errValue(refused).code, "run-lease-lost");
      assertEquals(await known(), ["k1", "k2"]);
    },
  );

  test("a conversation is read with its newest messages", async (store) => {
    const { conversations } = store;
    if (conversations.getWithMessages === undefined) return;
    const { id } = await opened(store);
    const read = async (last?: number) =>
      okValue(
        await conversations.getWithMessages!({
          tenantId: TENANT,
          conversationId: id,
          ...(last === undefined ? {} : { last }),
        }),
      );
    assertEquals((await read()).messages, []);
    for (const content of ["a", "b", "c"]) {
      okValue(
        await conversations.appendMessage({
          tenantId: TENANT,
          conversationId: id,
          role: "user",
          content,
        }),
      );
    }
    const { conversation, messages } = await read();
    assertEquals(
      conversation,
      okValue(await conversations.getConversation(TENANT, id)),
    );
    assertEquals(
      messages,
      okValue(
        await conversations.readMessages({
          tenantId: TENANT,
          conversationId: id,
        }),
      ),
    );
    assertEquals(
      (await read(2)).messages.map(({ content }) => content),
      ["b", "c"],
    );
    assertEquals((await read(0)).messages, []);
    const unknown = await conversations.getWithMessages({
      tenantId: OTHER,
      conversationId: id,
    });
    assertEquals(errValue(unknown).code, "conversation-not-found");
  });
}
