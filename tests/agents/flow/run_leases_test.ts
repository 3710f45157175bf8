import {
  conversationLeaseKey,
  createRunBinding,
  type RunJournal,
} from "../../../agents/flow/mod.ts";
import { createMemoryStore } from "../../../agents/store/mod.ts";
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import { chain, tool } from "./flows.ts";
import { deferred, Running, TENANT, waiting } from "./running.ts";

const asking = () => chain([tool("ask"), tool("after")]);

Deno.test("[trap 64] of 20 resumes at once one executes, the others are told so or get the recorded result", async () => {
  const store = createMemoryStore();
  const first = new Running(asking(), { ask: waiting("ok") }, { store });
  await first.start();
  okValue(await first.binding.completeToken(TENANT, "run-1", "ok", 1));
  const runs = Array.from({ length: 20 }, () =>
    new Running(asking(), {
      ask: waiting("ok"),
      after: async () => {
        await new Promise((next) => setTimeout(next, 1));
        return "done";
      },
    }, { store }));
  const results = await Promise.all(runs.map((run) => run.resume()));
  const executed = results.filter((result) =>
    result.kind === "ok" && result.value.endedHere
  );
  assertEquals(executed.length, 1);
  for (const result of results) {
    if (result.kind === "ok") assertEquals(result.value.output, "done");
    else assertEquals(result.error.code, "run-executing");
  }
  assertEquals(runs.flatMap(({ ran }) => ran).sort(), ["after", "ask"]);
});

Deno.test("a run that is executing is neither resumed nor ended nor deleted", async () => {
  const begun = deferred();
  const finish = deferred();
  const run = new Running(chain([tool("slow")]), {
    slow: async () => {
      begun.resolve();
      await finish.promise;
      return 1;
    },
  });
  const running = run.start();
  await begun.promise;
  const { binding } = run;
  assertEquals(errValue(await run.resume()).code, "run-executing");
  assertEquals(
    errValue(await binding.deleteRun(TENANT, "run-1")).code,
    "run-executing",
  );
  const ended = await binding.endRun({
    tenantId: TENANT,
    runId: "run-1",
    status: "failed",
    message: "x",
  });
  assertEquals(errValue(ended).code, "run-executing");
  finish.resolve();
  assertEquals((await running).status, "completed");
});

Deno.test("a run whose process died is taken over once its lease has run out, and what the dead one still writes is refused", async () => {
  let now = 1_000_000;
  const store = createMemoryStore({ clock: () => now });
  const begun = deferred();
  const finish = deferred();
  const dead = new Running(chain([tool("a"), tool("b")]), {
    a: async () => {
      begun.resolve();
      await finish.promise;
      return "late";
    },
  }, { store, leaseMs: 60_000 });
  const running = dead.attempt();
  await begun.promise;
  const other = new Running(chain([tool("a"), tool("b")]), {
    a: () => "new",
    b: (input) => input as string,
  }, { store });
  assertEquals(errValue(await other.resume()).code, "run-executing");
  now += 60_001;
  assertEquals(
    okValue(await other.binding.getRun(TENANT, "run-1")).resumable,
    true,
  );
  const taken = okValue(await other.resume());
  assertEquals([taken.status, taken.output], ["completed", "new"]);
  const before = await other.journal();
  finish.resolve();
  const late = await running;
  assert(late.kind === "err");
  assert(["run-lease-lost", "run-already-terminal"].includes(late.error.code));
  assertEquals(await other.journal(), before);
  assertEquals(dead.ran, ["a"]);
});

Deno.test("a lease lost while the run goes on fences its appends, stops it and leaves the run unfinished", async () => {
  let now = 1_000_000;
  const store = createMemoryStore({ clock: () => now });
  const begun = deferred();
  const finish = deferred();
  const dead = new Running(chain([tool("a"), tool("b")]), {
    a: async () => {
      begun.resolve();
      await finish.promise;
      return 1;
    },
  }, { store, leaseMs: 60_000 });
  const running = dead.attempt();
  await begun.promise;
  now += 60_001;
  okValue(
    await store.journal.acquire(TENANT, "run:run-1", "somebody", 60_000),
  );
  finish.resolve();
  assertEquals(errValue(await running).code, "run-lease-lost");
  assertEquals(dead.ran, ["a"]);
  const record = okValue(await dead.binding.getRun(TENANT, "run-1"));
  assertEquals([record.status, record.executing], ["running", true]);
});

Deno.test("a long step renews its lease, and hears at a renewal that the run is to be cancelled", async () => {
  const store = createMemoryStore();
  const begun = deferred();
  const run = new Running(chain([tool("slow")]), {
    slow: () => {
      begun.resolve();
      return new Promise(() => {});
    },
  }, { store, leaseMs: 300 });
  const running = run.start();
  await begun.promise;
  const until = Date.now() + 700;
  while (Date.now() < until) await new Promise((next) => setTimeout(next, 5));
  const elsewhere = createRunBinding({ journal: store.journal });
  assertEquals(
    okValue(await elsewhere.getRun(TENANT, "run-1")).executing,
    true,
  );
  okValue(await elsewhere.cancelRun(TENANT, "run-1", "from afar"));
  const result = await running;
  assertEquals([result.status, result.failureMessage], [
    "cancelled",
    "from afar",
  ]);
});

Deno.test("a renewal that learns of a lost lease stops the run at once", async () => {
  const store = createMemoryStore();
  const begun = deferred();
  let aborted = false;
  const run = new Running(chain([tool("slow")]), {
    slow: (_input, context) => {
      context.abortSignal.addEventListener("abort", () => aborted = true);
      begun.resolve();
      return new Promise(() => {});
    },
  }, { store: lossy(store), leaseMs: 15 });
  const running = run.attempt();
  await begun.promise;
  assertEquals(errValue(await running).code, "run-lease-lost");
  assertEquals(aborted, true);
});

/** A store whose renewals find the lease gone. */
function lossy(store: ReturnType<typeof createMemoryStore>): typeof store {
  const journal = new Proxy(store.journal, {
    get(target, name) {
      if (name === "renew") {
        return () =>
          Promise.resolve({
            kind: "err",
            error: { code: "run-lease-lost", message: "gone" },
          });
      }
      const member = Reflect.get(target, name) as unknown;
      return typeof member === "function" ? member.bind(target) : member;
    },
  }) as RunJournal;
  return { ...store, journal };
}

Deno.test("runs under one exclusive key go one at a time, in order of arrival, also in different processes", async () => {
  const store = createMemoryStore();
  const order: string[] = [];
  let running = 0;
  const exclusive = { key: conversationLeaseKey("c-1") };
  const starts = Array.from({ length: 6 }, (_, index) => {
    const run = new Running(chain([tool("a")]), {
      a: async (_input, context) => {
        assertEquals(++running, 1);
        order.push(context.runId);
        await new Promise((next) => setTimeout(next, 1));
        running -= 1;
        return 1;
      },
    }, { store });
    return run.start({ runId: `run-${index}`, exclusive });
  });
  await Promise.all(starts);
  assertEquals(order, ["run-0", "run-1", "run-2", "run-3", "run-4", "run-5"]);
});

Deno.test("a suspended run gives its exclusive key up", async () => {
  const run = new Running(asking(), { ask: waiting("ok") });
  const exclusive = { key: conversationLeaseKey("c-1") };
  assertEquals((await run.start({ exclusive })).status, "suspended");
  const other = new Running(chain([tool("a")]), {}, { store: run.store });
  const result = await other.start({ runId: "run-2", exclusive });
  assertEquals(result.status, "completed");
});

Deno.test("waiting in line ends at once when it is aborted, and leaves nothing behind", async () => {
  const store = createMemoryStore();
  const exclusive = { key: conversationLeaseKey("c-1") };
  const begun = deferred();
  const finish = deferred();
  const first = new Running(chain([tool("a")]), {
    a: async () => {
      begun.resolve();
      await finish.promise;
      return 1;
    },
  }, { store });
  const running = first.start({ exclusive });
  await begun.promise;
  const controller = new AbortController();
  const second = new Running(chain([tool("a")]), {}, { store });
  const waiting = second.attempt({
    runId: "run-2",
    exclusive: { ...exclusive, signal: controller.signal },
  });
  controller.abort();
  assertEquals(errValue(await waiting).code, "run-wait-aborted");
  assertEquals(
    errValue(await second.binding.getRun(TENANT, "run-2")).code,
    "run-not-found",
  );
  finish.resolve();
  await running;
  const third = await second.start({ runId: "run-3", exclusive });
  assertEquals(third.status, "completed");
  // Only waiting is ended: what needn't wait is taken up.
  const free = await second.start({
    runId: "run-4",
    exclusive: { ...exclusive, signal: AbortSignal.abort() },
  });
  assertEquals(free.status, "completed");
});

Deno.test("losing the exclusive key fences the run as losing its own lease does", async () => {
  let now = 1_000_000;
  const store = createMemoryStore({ clock: () => now });
  const exclusive = { key: conversationLeaseKey("c-1") };
  const begun = deferred();
  const finish = deferred();
  const slow = new Running(chain([tool("a"), tool("b")]), {
    a: async () => {
      begun.resolve();
      await finish.promise;
      return 1;
    },
  }, { store, leaseMs: 60_000 });
  const running = slow.attempt({ exclusive });
  await begun.promise;
  now += 60_001;
  const other = new Running(chain([tool("a")]), {}, { store });
  assertEquals(
    (await other.start({ runId: "run-2", exclusive })).status,
    "completed",
  );
  finish.resolve();
  assertEquals(errValue(await running).code, "run-lease-lost");
  assertEquals(slow.ran, ["a"]);
});
