/** What a store's journal of runs has to do. */
import type { AgentStore, AppendInput } from "../../../agents/store/mod.ts";
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import type { StoreTest } from "./opened_store.ts";
import {
  entry,
  LONG,
  newRun,
  OTHER,
  STARTED,
  startRun,
  TENANT,
} from "./fixtures.ts";

/** Registers the tests. */
export function journalContract(test: StoreTest): void {
  const input = (epoch: number, more: Partial<AppendInput> = {}) => ({
    tenantId: TENANT,
    runId: "run-1",
    epoch,
    number: 1,
    entries: [entry("step.started", undefined, "a")],
    ...more,
  });
  const kinds = async (store: AgentStore, runId = "run-1") =>
    okValue(await store.journal.read(TENANT, runId)).map(({ kind }) => kind);

  test("a run is started with its first entries and its lease in one step", async (store) => {
    const epoch = await startRun(store, {
      projectId: "p-1",
      agent: { id: "a", version: "1.0.0", conversationId: "c-1" },
      dryRun: true,
    });
    assert(epoch >= 1);
    const { startedAt, ...run } = okValue(
      await store.journal.get(TENANT, "run-1"),
    )!;
    assertEquals(new Date(startedAt).toISOString(), startedAt as string);
    assertEquals(run as object, {
      runId: "run-1",
      tenantId: TENANT,
      projectId: "p-1",
      flow: { id: "f", version: "1.0.0" },
      agent: { id: "a", version: "1.0.0", conversationId: "c-1" },
      dryRun: true,
      status: "running",
      executing: true,
      resumable: false,
      waitingOn: [],
      sequence: 1,
    });
  });

  test("entries are read in order, their payloads as they were written", async (store) => {
    const epoch = await startRun(store);
    const payloads = [{ z: 1, a: [] }, "text", 0, false, null];
    const appended = okValue(
      await store.journal.append(input(epoch, {
        entries: payloads.map((payload) =>
          entry("step.completed", payload, "n")
        ),
      })),
    );
    assertEquals(appended.sequence, 6);
    const entries = okValue(await store.journal.read(TENANT, "run-1"));
    assertEquals(entries.map(({ sequence }) => sequence), [1, 2, 3, 4, 5, 6]);
    assertEquals(
      entries.slice(1).map(({ payload }) => JSON.stringify(payload)),
      payloads.map((payload) => JSON.stringify(payload)),
    );
    assertEquals(entries[1]!.nodeId, "n");
    assertEquals("nodeId" in entries[0]!, false);
    assertEquals(entries[5]!.timestamp, appended.timestamp);
  });

  test("what is read can be changed without changing what is stored", async (store) => {
    await startRun(store);
    const first = okValue(await store.journal.read(TENANT, "run-1"));
    (first[0]!.payload as { flow: { id: string } }).flow.id = "changed";
    const again = okValue(await store.journal.read(TENANT, "run-1"));
    assertEquals((again[0]!.payload as { flow: { id: string } }).flow.id, "f");
  });

  test("an append that is repeated writes nothing and answers as it did", async (store) => {
    const epoch = await startRun(store);
    const first = okValue(await store.journal.append(input(epoch)));
    assertEquals(okValue(await store.journal.append(input(epoch))), first);
    const ending = input(epoch, {
      number: 2,
      entries: [entry("run.completed", { output: 1 })],
    });
    const ended = okValue(await store.journal.append(ending));
    assertEquals(okValue(await store.journal.append(ending)), ended);
    assertEquals(await kinds(store), [
      "run.started",
      "step.started",
      "run.completed",
    ]);
  });

  test("a start that is repeated by the same holder is answered as it was; anybody else's finds the run", async (store) => {
    const epoch = await startRun(store);
    assertEquals(await startRun(store), epoch);
    const other = okValue(
      await store.journal.start({
        run: newRun(),
        holder: "h-2",
        ttlMs: LONG,
        entries: [STARTED],
      }),
    );
    assert(other.kind === "exists");
    assertEquals(other.run.runId as string, "run-1");
    assertEquals(await kinds(store), ["run.started"]);
  });

  test("one run is started under a start key, however many start at once", async (store) => {
    const starts = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        store.journal.start({
          run: newRun({ runId: `run-${index}`, startKey: "k" }),
          holder: `h-${index}`,
          ttlMs: LONG,
          entries: [STARTED],
        })),
    );
    const answers = starts.map((start) => okValue(start));
    assertEquals(
      answers.filter(({ kind }) => kind === "started").length,
      1,
    );
    const runs = okValue(await store.journal.list({ tenantId: TENANT }));
    assertEquals(runs.length, 1);
    for (const answer of answers) {
      if (answer.kind === "exists") {
        assertEquals(answer.run.runId, runs[0]!.runId);
      }
    }
    // Another tenant's key is another key.
    await startRun(store, { tenantId: OTHER, runId: "x", startKey: "k" });
  });

  test("the end is the last entry, and gives the lease up", async (store) => {
    const epoch = await startRun(store);
    okValue(
      await store.journal.append(
        input(epoch, { entries: [entry("run.failed", { message: "x" })] }),
      ),
    );
    const run = okValue(await store.journal.get(TENANT, "run-1"))!;
    assertEquals(
      [run.status, run.executing, run.resumable],
      ["failed", false, false],
    );
    assert(run.endedAt !== undefined);
    const late = await store.journal.append(input(epoch, { number: 2 }));
    assertEquals(errValue(late).code, "run-already-terminal");
  });

  test(
    "an append under an older epoch is refused, and one under a lease that ran out is not",
    async (store, { advance }) => {
      const epoch = await startRun(store, {}, { ttlMs: 200 });
      await advance(250);
      okValue(await store.journal.append(input(epoch)));
      const taken = okValue(
        await store.journal.acquire(TENANT, "run:run-1", "h-2", LONG),
      );
      assert(taken.kind === "held" && taken.epoch > epoch);
      const refused = await store.journal.append(input(epoch, { number: 2 }));
      assertEquals(errValue(refused).code, "run-lease-lost");
      okValue(await store.journal.append(input(taken.epoch)));
      assertEquals((await kinds(store)).length, 3);
    },
  );

  test("an append of nothing is answered or refused like any other", async (store) => {
    const epoch = await startRun(store);
    const nothing = input(epoch, { entries: [] });
    okValue(await store.journal.append(nothing));
    assertEquals(await kinds(store), ["run.started"]);
    okValue(await store.journal.append(input(epoch, { number: 2 })));
    okValue(await store.journal.release(TENANT, "run:run-1", "h-1"));
    assertEquals(
      errValue(await store.journal.append({ ...nothing, number: 3 })).code,
      "run-lease-lost",
    );
  });

  test("an append is refused once the lease was given up", async (store) => {
    const epoch = await startRun(store);
    okValue(await store.journal.release(TENANT, "run:run-1", "h-1"));
    assertEquals(
      errValue(await store.journal.append(input(epoch))).code,
      "run-lease-lost",
    );
  });

  test(
    "an append within a second lease is refused once that one is somebody else's",
    async (store, { advance }) => {
      const key = "conversation:c-1";
      const held = okValue(
        await store.journal.acquire(TENANT, key, "h-1", 200),
      );
      assert(held.kind === "held");
      const within = { key, epoch: held.epoch };
      const epoch = await startRun(store, {}, { within });
      okValue(await store.journal.append(input(epoch, { within })));
      await advance(250);
      okValue(await store.journal.acquire(TENANT, key, "h-2", LONG));
      const refused = await store.journal.append(
        input(epoch, { number: 2, within }),
      );
      assertEquals(errValue(refused).code, "run-lease-lost");
      const start = await store.journal.start({
        run: newRun({ runId: "run-2" }),
        holder: "h-1",
        ttlMs: LONG,
        entries: [STARTED],
        within,
      });
      assertEquals(errValue(start).code, "run-lease-lost");
      assertEquals(okValue(await store.journal.get(TENANT, "run-2")), null);
    },
  );

  /** Whether a run is among those that a resume would take further, as it says itself. */
  const isResumable = async (store: AgentStore, runId = "run-1") => {
    const run = okValue(await store.journal.get(TENANT, runId))!;
    const listed = okValue(
      await store.journal.list({ tenantId: TENANT, resumable: true }),
    );
    const isListed = listed.some((one) => one.runId === runId);
    assertEquals(isListed, run.resumable, `${runId} among those listed`);
    return run.resumable;
  };

  const park = (epoch: number, number = 1) => ({
    ...input(epoch, {
      number,
      entries: [entry("wait.suspended", { tokenId: "ok" }, "ask")],
    }),
    waitingOn: [{ runId: "run-1", tokenId: "ok" }],
  });

  test("parking suspends the run and frees its lease in one step", async (store) => {
    const epoch = await startRun(store);
    const parked = okValue(await store.journal.park(park(epoch)));
    assertEquals(parked.kind, "parked");
    assertEquals(okValue(await store.journal.park(park(epoch))), parked);
    const run = okValue(await store.journal.get(TENANT, "run-1"))!;
    assertEquals(
      [run.status, run.executing, run.resumable, run.waitingOn],
      ["suspended", false, false, [{ runId: "run-1", tokenId: "ok" }]] as never,
    );
    assertEquals(await isResumable(store), false);
    assertEquals(
      errValue(await store.journal.append(input(epoch, { number: 2 }))).code,
      "run-lease-lost",
    );
  });

  test("parking goes on when a token is resolved already, and answers how", async (store) => {
    const epoch = await startRun(store);
    const outcome = { tokenId: "ok", kind: "completed", value: false } as const;
    okValue(
      await store.journal.resolveToken({
        tenantId: TENANT,
        runId: "run-1",
        outcome,
      }),
    );
    const parked = okValue(await store.journal.park(park(epoch)));
    assert(parked.kind === "go-on");
    assertEquals(parked.resolved as object, [outcome]);
    const run = okValue(await store.journal.get(TENANT, "run-1"))!;
    assertEquals([run.status, run.executing], ["running", true]);
    okValue(await store.journal.append(input(epoch, { number: 2 })));
  });

  test("an append that opens a wait answers how its token was resolved before", async (store) => {
    const epoch = await startRun(store);
    const outcome = { tokenId: "ok", kind: "cancelled", reason: "x" } as const;
    await store.journal.resolveToken({
      tenantId: TENANT,
      runId: "run-1",
      outcome,
    });
    const appended = okValue(
      await store.journal.append(
        input(epoch, { entries: [entry("wait.suspended", { tokenId: "ok" })] }),
      ),
    );
    assertEquals(appended.resolved as object, [outcome]);
  });

  test("a token is resolved by the first call, with any value, lease or not", async (store) => {
    const epoch = await startRun(store);
    await store.journal.park(park(epoch));
    const resolve = (value: unknown) =>
      store.journal.resolveToken({
        tenantId: TENANT,
        runId: "run-1",
        outcome: { tokenId: "ok", kind: "completed", value },
      });
    const answers = await Promise.all([resolve(""), resolve(1), resolve(2)]);
    const resolutions = answers.map((answer) => okValue(answer));
    assertEquals(resolutions.filter(({ first }) => first).length, 1);
    for (const { outcome } of resolutions) {
      assertEquals(outcome, resolutions.find(({ first }) => first)!.outcome);
    }
    const run = okValue(await store.journal.get(TENANT, "run-1"))!;
    assertEquals([run.status, run.resumable], ["suspended", true]);
    assert(await isResumable(store));
    assertEquals(await kinds(store), [
      "run.started",
      "wait.suspended",
      "run.suspended",
      "wait.resumed",
    ]);
  });

  test("a run that waits for another run's token is resumable once that one is resolved, or ended", async (store) => {
    const below = await startRun(store, {
      runId: "run-1/sub",
      parent: { runId: "run-1", nodeId: "sub", scope: "sub", depth: 1 },
    });
    const epoch = await startRun(store);
    okValue(
      await store.journal.park({
        ...input(epoch, { entries: [] }),
        waitingOn: [{ runId: "run-1/sub", tokenId: "ok" }],
      }),
    );
    // Nobody has opened that wait: it isn't known to be open, nor over.
    assertEquals(await isResumable(store), false);
    okValue(
      await store.journal.append(
        input(below, {
          runId: "run-1/sub",
          entries: [entry("run.cancelled", { reason: "x" })],
        }),
      ),
    );
    assert(await isResumable(store));
  });

  test("asking to cancel cancels open waits, is heard at the next append and renewal, and counts once", async (store) => {
    const epoch = await startRun(store);
    okValue(
      await store.journal.append(
        input(epoch, { entries: [entry("wait.suspended", { tokenId: "ok" })] }),
      ),
    );
    okValue(await store.journal.requestCancel(TENANT, "run-1", "why"));
    const run = okValue(
      await store.journal.requestCancel(TENANT, "run-1", "other"),
    );
    assertEquals(run.cancelRequested, "why");
    assertEquals((await kinds(store)).slice(-2), [
      "run.cancel-requested",
      "wait.cancelled",
    ]);
    const appended = okValue(
      await store.journal.append(input(epoch, { number: 2 })),
    );
    assertEquals(appended.cancelRequested, "why");
    const renewed = okValue(
      await store.journal.renew(TENANT, "run:run-1", "h-1", epoch, LONG),
    );
    assertEquals(renewed, { cancelRequested: "why" });
    const parked = okValue(await store.journal.park(park(epoch, 3)));
    assertEquals(parked.kind, "go-on");
  });

  test("a suspended run that is to be cancelled is resumable", async (store) => {
    const epoch = await startRun(store);
    okValue(await store.journal.park(park(epoch)));
    const run = okValue(
      await store.journal.requestCancel(TENANT, "run-1", "why"),
    );
    assertEquals([run.status, run.resumable], ["suspended", true]);
    assert(await isResumable(store));
  });

  test("a run whose wait has a name that a store keeps in a form of its own can go on once that is over, not before", async (store) => {
    const epoch = await startRun(store);
    const tokenId = "a\u0000b\ud800'\"%";
    okValue(
      await store.journal.park({
        ...input(epoch, { entries: [entry("wait.suspended", { tokenId })] }),
        waitingOn: [{ runId: "run-1", tokenId }],
      }),
    );
    assertEquals(await isResumable(store), false);
    okValue(
      await store.journal.resolveToken({
        tenantId: TENANT,
        runId: "run-1",
        outcome: { tokenId, kind: "completed", value: true },
      }),
    );
    assert(await isResumable(store));
  });

  test("an ended run is neither cancelled nor are its tokens resolved", async (store) => {
    const epoch = await startRun(store);
    await store.journal.append(
      input(epoch, { entries: [entry("run.completed")] }),
    );
    assertEquals(
      errValue(await store.journal.requestCancel(TENANT, "run-1", "x")).code,
      "run-already-terminal",
    );
    const resolved = await store.journal.resolveToken({
      tenantId: TENANT,
      runId: "run-1",
      outcome: { tokenId: "t", kind: "completed", value: 1 },
    });
    assertEquals(errValue(resolved).code, "run-already-terminal");
  });

  test(
    "runs are listed the latest first, by status, conversation, parent and whether they can go on",
    async (store, { advance }) => {
      const agent = { id: "a", version: "1.0.0", conversationId: "c-1" };
      const done = await startRun(store, { runId: "done", agent });
      await store.journal.append(
        input(done, { runId: "done", entries: [entry("run.completed")] }),
      );
      await advance(2);
      await startRun(store, { runId: "dead" }, { ttlMs: 50 });
      await advance(2);
      await startRun(store, {
        runId: "sub",
        parent: { runId: "dead", nodeId: "n", scope: "n", depth: 1 },
      });
      await advance(100);
      const list = async (more: object) =>
        okValue(await store.journal.list({ tenantId: TENANT, ...more }))
          .map(({ runId }) => runId as string);
      assertEquals(await list({}), ["sub", "dead", "done"]);
      assertEquals(await list({ limit: 2 }), ["sub", "dead"]);
      assertEquals(await list({ status: "completed" }), ["done"]);
      assertEquals(await list({ conversationId: "c-1" }), ["done"]);
      assertEquals(await list({ parentRunId: "dead" }), ["sub"]);
      assertEquals(await list({ resumable: true }), ["dead"]);
      assertEquals(await list({ tenantId: OTHER }), []);
    },
  );

  test("a removed run is gone, and its start key is free", async (store) => {
    await startRun(store, { startKey: "k" });
    okValue(await store.journal.remove(TENANT, "run-1"));
    okValue(await store.journal.remove(TENANT, "run-1"));
    assertEquals(okValue(await store.journal.get(TENANT, "run-1")), null);
    assertEquals(
      errValue(await store.journal.read(TENANT, "run-1")).code,
      "run-not-found",
    );
    await startRun(store, { runId: "run-2", startKey: "k" });
  });

  test("another tenant's run doesn't exist", async (store) => {
    const epoch = await startRun(store);
    const { journal } = store;
    const answers = [
      await journal.read(OTHER, "run-1"),
      await journal.append(input(epoch, { tenantId: OTHER })),
      await journal.park({ ...park(epoch), tenantId: OTHER }),
      await journal.requestCancel(OTHER, "run-1", "x"),
      await journal.resolveToken({
        tenantId: OTHER,
        runId: "run-1",
        outcome: { tokenId: "t", kind: "completed", value: 1 },
      }),
    ];
    for (const answer of answers) {
      assertEquals(errValue(answer).code, "run-not-found");
    }
    assertEquals(okValue(await journal.get(OTHER, "run-1")), null);
    okValue(await journal.remove(OTHER, "run-1"));
    assertEquals(await kinds(store), ["run.started"]);
    // Two tenants may have runs of one id.
    await startRun(store, { tenantId: OTHER });
  });

  test("the store counts what is stored, not who asks: appends at once by one holder are kept apart by number", async (store) => {
    const epoch = await startRun(store);
    for (let number = 1; number <= 50; number++) {
      okValue(await store.journal.append(input(epoch, { number })));
    }
    const run = okValue(await store.journal.get(TENANT, "run-1"))!;
    assertEquals(run.sequence, 51);
  });
}
