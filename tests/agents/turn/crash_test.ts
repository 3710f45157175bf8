/**
 * Turns that are cut: the store fails at one append of the journal after the other, what is stored is taken up by a fresh
 * runtime, and the turn comes to the same end as one that wasn't cut.
 */
import type { RunJournal } from "../../../agents/flow/mod.ts";
import {
  createMemoryStore,
  type MemoryAgentStore,
} from "../../../agents/store/mod.ts";
import { assert, assertEquals, okValue } from "../../assert.ts";
import {
  begun,
  outcome,
  runtime,
  toTheEnd,
  type World,
} from "./crash_fixture.ts";
import { cutStore } from "./cut_store.ts";
import { type Answer, call, lookup, say, scene } from "./turn_fixture.ts";

const freshStore = () => begun(createMemoryStore());

/** Fails a journal's nth write; from then on the process is as good as dead. `after` lets that write happen first. */
function cutAt(journal: RunJournal, cut: number, after: boolean) {
  let writes = 0;
  const dead = () => writes > cut || writes === cut && !after;
  const cutting = (name: "startExclusive" | "append" | "park") => {
    const write = journal[name]!.bind(journal) as (
      ...args: unknown[]
    ) => Promise<unknown>;
    Object.assign(journal, {
      [name]: async (...args: unknown[]) => {
        writes += 1;
        if (dead()) throw new Error(`cut at write ${cut}`);
        const answer = await write(...args);
        if (writes === cut) throw new Error(`cut after write ${cut}`);
        return answer;
      },
    });
  };
  cutting("startExclusive");
  cutting("append");
  cutting("park");
  return () => writes;
}

/** Takes a store to a new process: nothing but its bytes is left, and the dead process's leases are over. */
function reloaded(store: MemoryAgentStore): MemoryAgentStore {
  return createMemoryStore({
    saved: store.save(),
    clock: () => Date.now() + 60_000,
  });
}

Deno.test("[trap 49] a turn cut at any write of its journal is resumed to the same conversation, usage and provenance (decisions.md 29)", async () => {
  const world: World = { ran: new Map(), events: [] };
  const whole = await runtime(await freshStore(), world);
  const counted = cutAt(whole.store.journal, Infinity, false);
  okValue(await whole.invoke());
  const expected = await outcome(whole, await toTheEnd(whole), world);
  const writes = counted();
  assert(writes >= 10, `${writes} writes`);
  assertEquals(expected.sameRecord, true);

  for (let cut = 1; cut <= writes; cut++) {
    for (const after of [false, true]) {
      const world: World = { ran: new Map(), events: [] };
      const store = await freshStore();
      const first = await runtime(store, world);
      cutAt(store.journal, cut, after);
      const answer = await first.invoke();
      let last = first;
      if (answer.kind === "ok") {
        // Parked before the cut: the next part of the turn meets it.
        await first.decide("approve");
        const resumed = await first.resume("run-1");
        assert(resumed.kind === "err" || resumed.value.status === "suspended");
      } else {
        assertEquals(answer.error.code, "model-invocation-failed");
      }
      last = await runtime(reloaded(store), world);
      const known = await last.runBinding.getRun("t-1", "run-1");
      if (known.kind === "err") {
        // Cut before anything was stored: there is nothing to resume.
        assertEquals([cut, after], [1, false]);
        const begun = okValue(await last.invoke());
        assertEquals(begun.status, "suspended");
      }
      const result = await toTheEnd(last);
      assertEquals(
        await outcome(last, result, world),
        expected,
        `cut ${after ? "after" : "at"} write ${cut} of ${writes}`,
      );
      const ends = world.events.filter(({ kind }) =>
        kind === "turn.completed"
      ).length;
      assert(ends <= 1, `${ends} ends`);
      for (const [key, times] of world.ran) {
        assert(times <= 2, `${key} ran ${times} times`);
      }
    }
  }
});

Deno.test("a turn cut at any call of its store, reads too, is resumed to the same conversation, usage and provenance", async () => {
  const uncut = cutStore(await freshStore());
  const world: World = { ran: new Map(), events: [] };
  const whole = await runtime(uncut.store, world);
  okValue(await whole.invoke());
  const result = await toTheEnd(whole);
  const calls = [...uncut.calls];
  const expected = await outcome(whole, result, world);

  for (let at = 1; at <= calls.length; at++) {
    for (const after of [false, true]) {
      const world: World = { ran: new Map(), events: [] };
      const store = await freshStore();
      const cut = cutStore(store, { at, after });
      const first = await runtime(cut.store, world);
      await toTheEnd(first, true).catch(() => undefined);
      const last = await runtime(reloaded(store), world);
      const known = await last.runBinding.getRun("t-1", "run-1");
      if (known.kind === "err") okValue(await last.invoke());
      assertEquals(
        await outcome(last, await toTheEnd(last), world),
        expected,
        `cut ${after ? "after" : "at"} call ${at}, ${calls[at - 1]}`,
      );
      for (const [key, times] of world.ran) {
        assert(times <= 2, `${key} ran ${times} times`);
      }
    }
  }
});

Deno.test("a tool whose result was stored doesn't run again after a crash (decisions.md 29)", async () => {
  const world: World = { ran: new Map(), events: [] };
  const store = await freshStore();
  const first = await runtime(store, world);
  // The free tool's result is stored, and the process dies before the step is journaled.
  const { appendMessage } = store.conversations;
  Object.assign(store.conversations, {
    async appendMessage(input: Parameters<typeof appendMessage>[0]) {
      const stored = await appendMessage.call(store.conversations, input);
      if (input.role === "tool") {
        Object.assign(store.journal, {
          append: () => Promise.reject(new Error("dead")),
          park: () => Promise.reject(new Error("dead")),
        });
      }
      return stored;
    },
  });
  assertEquals((await first.invoke()).kind, "err");
  const last = await runtime(reloaded(store), world);
  const result = await toTheEnd(last);
  assertEquals([...world.ran.values()], [1, 1, 1]);
  assertEquals(result.appended.map(({ sequence }) => sequence), [
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
  ]);
  // At least once across a crash.
  const told = world.events.filter(({ kind }) => kind === "agent.message");
  assertEquals(told.length, 5);
});

Deno.test("what a lost answer has cost counts for the budget, and not in the result (durability.md, Counting)", async () => {
  for (const [maxCostUsd, ends] of [[0.055, true], [0.045, false]] as const) {
    const world: World = { ran: new Map(), events: [] };
    const store = await freshStore();
    const first = await runtime(store, world);
    Object.assign(first.agent, { budget: { maxCostUsd } });
    const { append } = store.journal;
    Object.assign(store.journal, {
      append: (input: Parameters<typeof append>[0]) =>
        input.usage === undefined
          ? append.call(store.journal, input)
          : Promise.reject(new Error("dead")),
    });
    assertEquals((await first.invoke()).kind, "err");
    const last = await runtime(reloaded(store), world);
    Object.assign(last.agent, { budget: { maxCostUsd } });
    if (ends) {
      const result = await toTheEnd(last);
      assertEquals(result.usage.totalCostUsd, 0.04);
      continue;
    }
    const pending = async () => await toTheEnd(last).catch(String);
    assert(String(await pending()).includes("budget-exceeded"));
  }
});

Deno.test("a step costs the same in the journal however long the turn is, and the journal grows with the steps (decisions.md 31)", async () => {
  const sizes: number[] = [];
  for (const steps of [8, 16, 31]) {
    const stage = await scene({
      tools: [lookup().tool],
      agent: {
        tools: [{ id: "pack.lookup", version: "*" }],
        budget: { maxSteps: 32 },
      },
      script: [
        ...Array.from(
          { length: steps },
          (_, at): Answer => call([`k${10 + at}`, "pack.lookup", { q: "x" }]),
        ),
        say("done"),
      ],
    });
    const { runId } = okValue(await stage.invoke());
    const journal = okValue(await stage.runBinding.readJournal("t-1", runId));
    const started = journal.findIndex(({ nodeId }) => nodeId === "agent-loop");
    const loop = journal.slice(started).filter(({ nodeId }) =>
      nodeId === "model-call" || nodeId === "dispatch-tools" ||
      nodeId === "budget-check"
    );
    sizes.push(JSON.stringify(loop).length / (steps + 1));
  }
  const [short, , long] = sizes;
  assert(long! < 1.3 * short!, sizes.join());
});
