import { createRunBinding } from "../../../agents/flow/mod.ts";
import { createMemoryStore } from "../../../agents/store/mod.ts";
import { assert, assertEquals, okValue } from "../../assert.ts";
import { chain, edge, subgraph, tool } from "./flows.ts";
import { deferred, loaded, Running, TENANT, throwing } from "./running.ts";

/** A flow of one tool under a policy. */
function under(policy: object, id = "a") {
  return chain([], {
    nodes: [tool(id)],
    edges: [edge("$start", id, { policy }), edge(id, "$end")],
  });
}

Deno.test("a failed node is tried again as often as its policy says, and each attempt knows its number", async () => {
  const attempts: number[] = [];
  const run = new Running(under({ retry: { maxAttempts: 3 } }), {
    a: (_input, context) => {
      attempts.push(context.attempt);
      if (context.attempt < 3) throw new Error(`no ${context.attempt}`);
      return "at last";
    },
  });
  assertEquals((await run.start()).output, "at last");
  assertEquals(attempts, [1, 2, 3]);
  assertEquals(await run.journal(), [
    "run.started",
    "step.started:a",
    "step.failed:a",
    "step.started:a",
    "step.failed:a",
    "step.started:a",
    "step.completed:a",
    "run.completed",
  ]);
});

Deno.test("the last attempt's failure is the node's", async () => {
  const run = new Running(under({ retry: { maxAttempts: 2, delayMs: 1 } }), {
    a: (_input, context) => throwing(`no ${context.attempt}`)(null, context),
  });
  assertEquals((await run.start()).failureMessage, "no 2");
});

Deno.test("a delay between attempts ends at once when the run is cancelled", async () => {
  const tried = deferred();
  const policy = { retry: { maxAttempts: 2, delayMs: 3_000_000_000 } };
  const run = new Running(under(policy), {
    a: () => {
      tried.resolve();
      throw new Error("no");
    },
  });
  const running = run.start();
  await tried.promise;
  okValue(await run.binding.cancelRun(TENANT, "run-1"));
  assertEquals((await running).status, "cancelled");
  assertEquals(run.ran, ["a"]);
});

Deno.test("a decision outlives a failed attempt", async () => {
  let decided = 0;
  const run = new Running(under({ retry: { maxAttempts: 2 } }), {
    a: async (_input, context) => {
      const n = await context.record("n", () => ++decided);
      if (context.attempt === 1) throw new Error("again");
      return n;
    },
  });
  assertEquals((await run.start()).output, 1);
});

Deno.test("an attempt out of time is a failed one, whether or not it honours its signal", async () => {
  const signals: boolean[] = [];
  const policy = { timeoutMs: 5, retry: { maxAttempts: 2 } };
  const run = new Running(under(policy), {
    a: (_input, context) => {
      context.abortSignal.addEventListener("abort", () => signals.push(true));
      return new Promise(() => {});
    },
  });
  const result = await run.start();
  assertEquals(result.failureMessage, "Node a timed out after 5 ms");
  assertEquals(signals, [true, true]);
});

Deno.test("a policy counts only on a node's sole incoming edge", async () => {
  const policy = { retry: { maxAttempts: 3 } };
  const run = new Running(
    chain([], {
      nodes: [tool("x"), tool("a")],
      edges: [
        edge("$start", "x"),
        edge("$start", "a", { policy }),
        edge("x", "a", { policy }),
      ],
    }),
    { a: throwing("no") },
  );
  assertEquals((await run.start()).status, "failed");
  assertEquals(run.ran, ["x", "a"]);
});

Deno.test("of all nodes of a tenant under one concurrency key, one runs at a time", async () => {
  const store = createMemoryStore();
  let running = 0;
  let most = 0;
  const handlers = {
    a: async () => {
      most = Math.max(most, ++running);
      await new Promise((next) => setTimeout(next, 1));
      running -= 1;
      return 1;
    },
  };
  const flow = under({ concurrencyKey: "printer" });
  // Several bindings, as in several processes.
  const runs = Array.from(
    { length: 6 },
    (_, index) =>
      new Running(flow, handlers, { store }).start({ runId: `run-${index}` }),
  );
  for (const result of await Promise.all(runs)) {
    assertEquals(result.status, "completed");
  }
  assertEquals(most, 1);
});

Deno.test("another tenant's concurrency key is another key", async () => {
  const store = createMemoryStore();
  const both = deferred();
  let running = 0;
  const run = new Running(under({ concurrencyKey: "printer" }), {
    a: async () => {
      if (++running === 2) both.resolve();
      await both.promise;
      return 1;
    },
  }, { store });
  const results = await Promise.all([
    run.start(),
    run.start({ tenantId: "t-2" }),
  ]);
  assertEquals(results.map(({ status }) => status), ["completed", "completed"]);
});

Deno.test("a parked node gives its concurrency key up", async () => {
  const store = createMemoryStore();
  const flow = under({ concurrencyKey: "printer" });
  const parked = new Running(flow, {
    a: (_input, context) => context.waitForToken("ok"),
  }, { store });
  assertEquals((await parked.start()).status, "suspended");
  const other = new Running(flow, {}, { store });
  assertEquals((await other.start({ runId: "run-2" })).status, "completed");
});

Deno.test("a node under a subgraph that holds its key doesn't wait for it", async () => {
  const store = createMemoryStore();
  const policy = { concurrencyKey: "printer" };
  const child = { ...under(policy), id: "acme.child" };
  const run = new Running(
    chain([], {
      nodes: [
        subgraph("sub", {
          flowRef: { flowId: "acme.child", version: "1.0.0" },
          outputSchema: {},
        }),
      ],
      edges: [edge("$start", "sub", { policy }), edge("sub", "$end")],
    }),
    {},
    {
      store,
      binding: createRunBinding({
        journal: store.journal,
        flows: () => loaded(child),
      }),
    },
  );
  run.handlers.set("handlers.a", () => "done");
  assertEquals((await run.start()).output, "done");
});

Deno.test("waiting for a key ends at once when the run is cancelled", async () => {
  const store = createMemoryStore();
  const flow = under({ concurrencyKey: "printer" });
  const holding = deferred();
  const release = deferred();
  const first = new Running(flow, {
    a: async () => {
      holding.resolve();
      await release.promise;
      return 1;
    },
  }, { store });
  const one = first.start();
  await holding.promise;
  const second = new Running(
    chain([], {
      nodes: [tool("b"), tool("a")],
      edges: [
        edge("$start", "b"),
        edge("b", "a", { policy: { concurrencyKey: "printer" } }),
      ],
    }),
    {},
    { store },
  );
  const two = second.start({ runId: "run-2" });
  while (!second.ran.includes("b")) {
    await new Promise((next) => setTimeout(next));
  }
  okValue(await second.binding.cancelRun(TENANT, "run-2"));
  assertEquals((await two).status, "cancelled");
  release.resolve();
  assertEquals((await one).status, "completed");
  assert(!second.ran.includes("a"));
});
