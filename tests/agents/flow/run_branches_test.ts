import {
  createRunBinding,
  type Flow,
  type NodeHandler,
  type RunJournal,
} from "../../../agents/flow/mod.ts";
import { createMemoryStore } from "../../../agents/store/mod.ts";
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import { chain, edge, fanout, subgraph, tool } from "./flows.ts";
import {
  deferred,
  loaded,
  Running,
  TENANT,
  throwing,
  waiting,
} from "./running.ts";

Deno.test("a fanout gives all branches its input, and all have to succeed", async () => {
  const run = new Running(chain([tool("a"), fanout("fan")]), {
    a: { x: 1 },
    left: (input) => ({ output: ["l", input], stateDelta: { by: "left" } }),
    right: (input) => ({ output: ["r", input], stateDelta: { by: "right" } }),
  });
  assertEquals((await run.start()).output, {
    left: ["l", { x: 1 }],
    right: ["r", { x: 1 }],
  });
  assertEquals(run.ran, ["a", "left@fan", "right@fan"]);
});

Deno.test("the first failed branch cancels the others and fails the fanout", async () => {
  const started = deferred();
  let aborted = false;
  const run = new Running(chain([fanout("fan")]), {
    left: async (_input, context) => {
      context.abortSignal.addEventListener("abort", () => aborted = true);
      started.resolve();
      await new Promise(() => {});
    },
    right: async () => {
      await started.promise;
      throw new Error("right broke");
    },
  });
  const result = await run.start();
  assertEquals(result.failureMessage, "right broke");
  assertEquals(aborted, true);
});

Deno.test("any-succeed takes the first that does, and fails when none does", async () => {
  const node = fanout("fan", { convergence: "any-succeed" });
  const run = new Running(chain([node]), {
    left: throwing("l"),
    right: () => "won",
  });
  assertEquals((await run.start()).output, {
    winnerBranchId: "right",
    output: "won",
  });
  const none = new Running(chain([node]), {
    left: throwing("l"),
    right: throwing("r"),
  });
  assertEquals((await none.start()).failureMessage, "left: l; right: r");
});

Deno.test("settle-all tells of each branch how it went, its schema included", async () => {
  const node = fanout("fan", {
    convergence: "settle-all",
    branches: [
      { branchId: "a", handler: "a", outputSchema: {} },
      { branchId: "b", handler: "b", outputSchema: {} },
      { branchId: "c", handler: "c", outputSchema: { type: "string" } },
      { branchId: "d", handler: "d", outputSchema: {} },
    ],
  });
  const run = new Running(chain([node]), {
    a: () => 1,
    b: throwing("broke"),
    c: () => 2,
    d: () => undefined,
  });
  assertEquals((await run.start()).output, {
    a: { status: "succeeded", output: 1 },
    b: { status: "failed", error: "broke" },
    c: {
      status: "failed",
      error:
        "The output of branch c doesn't fit its schema: (root) must be string",
    },
    d: { status: "succeeded" },
  });
});

Deno.test("a fanout runs so many branches at once as it says", async () => {
  let running = 0;
  let most = 0;
  const branches = ["a", "b", "c", "d"].map((branchId) => ({
    branchId,
    handler: "same",
    outputSchema: {},
  }));
  const run = new Running(
    chain([fanout("fan", { branches, concurrency: 2 })]),
    {
      same: async () => {
        most = Math.max(most, ++running);
        await new Promise((next) => setTimeout(next));
        running -= 1;
        return 1;
      },
    },
  );
  await run.start();
  assertEquals(most, 2);
});

Deno.test("a fanout that hasn't converged runs again whole, with the decisions its branches made", async () => {
  let decided = 0;
  const run = new Running(chain([fanout("fan")]), {
    left: (_input, context) => context.record("n", () => ++decided),
    right: waiting("go"),
  });
  const result = await run.start();
  assertEquals(result.status, "suspended");
  assertEquals(result.waitingOn, [{ runId: "run-1", tokenId: "go" }]);
  okValue(await run.binding.completeToken(TENANT, "run-1", "go", "went"));
  assertEquals(okValue(await run.resume()).output, { left: 1, right: "went" });
  assertEquals(run.ran, ["left@fan", "right@fan", "left@fan", "right@fan"]);
});

/** A flow that runs another one, and a binding that finds it. */
function nested(
  child: Flow,
  node: object = {},
  handlers: Record<string, NodeHandler> = {},
) {
  const store = createMemoryStore();
  const binding = createRunBinding({
    journal: store.journal,
    flows: (tenantId, { flowId, version }) =>
      tenantId === TENANT && flowId === child.id && version === child.version
        ? loaded(child)
        : undefined,
  });
  const parent = chain([
    subgraph("sub", {
      flowRef: { flowId: child.id, version: child.version },
      outputSchema: {},
      ...node,
    }),
  ]);
  const run = new Running(parent, {}, { store, binding });
  for (const [name, handler] of Object.entries(handlers)) {
    run.handlers.set(`handlers.${name}`, handler);
  }
  return run;
}

Deno.test("a subgraph is a whole run of its own, with its own journal", async () => {
  const run = nested(chain([tool("inner")], { id: "acme.child" }), {}, {
    inner: (input, context) => ({ got: input, run: context.runId }),
  });
  const result = await run.start({ input: { order: 7 } });
  assertEquals(result.output, { got: { order: 7 }, run: "run-1/sub" });
  assertEquals(await run.journal("run-1/sub"), [
    "run.started",
    "step.started:inner",
    "step.completed:inner",
    "run.completed",
  ]);
  const child = okValue(await run.binding.getRun(TENANT, "run-1/sub"));
  assertEquals(child.parent, {
    runId: "run-1",
    nodeId: "sub",
    scope: "sub",
    depth: 1,
  });
});

Deno.test("a failed subgraph fails its node, or is an output that says so", async () => {
  const child = chain([tool("inner")], { id: "acme.child" });
  const handlers = { inner: throwing("child broke") };
  const strict = await nested(child, {}, handlers).start();
  assertEquals(strict.failureMessage, "child broke");
  const settled = nested(child, { convergence: "settle-all" }, handlers);
  assertEquals((await settled.start()).output, {
    status: "failed",
    error: "child broke",
  });
  const misfit = nested(child, { outputSchema: { type: "string" } }, {
    inner: () => 5,
  });
  assert((await misfit.start()).failureMessage!.includes("doesn't fit"));
});

Deno.test("an unknown flow, and one that lies too deep, fail their node", async () => {
  const child = chain([tool("inner")], { id: "acme.child" });
  const unknown = nested(child, {
    flowRef: { flowId: "acme.other", version: "1.0.0" },
    convergence: "settle-all",
  });
  const result = await unknown.start();
  assert(result.failureMessage!.startsWith("[subgraph-flow-not-found]"));

  const endless = chain([
    subgraph("again", {
      flowRef: { flowId: "acme.endless", version: "1.0.0" },
      outputSchema: {},
    }),
  ], { id: "acme.endless" });
  const deep = nested(endless);
  const failure = await deep.start();
  assert(failure.failureMessage!.startsWith("[subgraph-depth-exceeded]"));
  const runs = okValue(await deep.binding.listRuns({ tenantId: TENANT }));
  assertEquals(runs.length, 11);
});

Deno.test("a subgraph that waits parks the run above it, and the token is its own", async () => {
  const run = nested(
    chain([tool("before"), tool("ask")], { id: "acme.child" }),
    {},
    { before: () => run.ran.push("before"), ask: waiting("ok") },
  );
  const result = await run.start();
  const waits = [{ runId: "run-1/sub", tokenId: "ok" }];
  assertEquals(result.status, "suspended");
  assertEquals(result.waitingOn, waits);
  assertEquals(okValue(await run.resume()).waitingOn, waits);
  okValue(await run.binding.completeToken(TENANT, "run-1/sub", "ok", [1]));
  assertEquals(
    okValue(await run.binding.getRun(TENANT, "run-1")).resumable,
    true,
  );
  assertEquals(okValue(await run.resume()).output, [1]);
  assertEquals(run.ran, ["before"]);
});

Deno.test("cancelling a run reaches its subgraphs, parked or running", async () => {
  const child = chain([tool("ask")], { id: "acme.child" });
  const parked = nested(child, {}, { ask: waiting("ok") });
  await parked.start();
  okValue(await parked.binding.cancelRun(TENANT, "run-1", "enough"));
  const ended = okValue(await parked.resume());
  assertEquals([ended.status, ended.failureMessage], ["cancelled", "enough"]);
  assertEquals(
    okValue(await parked.binding.getRun(TENANT, "run-1/sub")).status,
    "cancelled",
  );

  const started = deferred();
  const live = nested(child, {}, {
    ask: () => {
      started.resolve();
      return new Promise(() => {});
    },
  });
  const running = live.start();
  await started.promise;
  okValue(await live.binding.cancelRun(TENANT, "run-1"));
  assertEquals((await running).status, "cancelled");
  assertEquals(
    okValue(await live.binding.getRun(TENANT, "run-1/sub")).status,
    "cancelled",
  );
});

/** A run that fails while its subgraph waits, on a journal. */
function failing(journalOf: (journal: RunJournal) => RunJournal): Running {
  const child = chain([tool("ask")], { id: "acme.child" });
  const store = createMemoryStore();
  const parked = deferred();
  const run = new Running(
    chain([], {
      nodes: [
        subgraph("sub", {
          flowRef: { flowId: "acme.child", version: "1.0.0" },
          outputSchema: {},
        }),
        tool("bad"),
      ],
      edges: [edge("$start", "sub"), edge("$start", "bad")],
    }),
    {
      bad: async () => {
        await parked.promise;
        throw new Error("broke");
      },
    },
    {
      store,
      binding: createRunBinding({
        journal: journalOf(store.journal),
        flows: () => loaded(child),
      }),
    },
  );
  run.handlers.set("handlers.ask", async (_input, context) => {
    setTimeout(parked.resolve, 1);
    return await context.waitForToken("ok");
  });
  return run;
}

async function statusOfSubgraph({ binding }: Running): Promise<string> {
  return okValue(await binding.getRun(TENANT, "run-1/sub")).status;
}

Deno.test("a run that fails ends the subgraphs that it leaves waiting", async () => {
  const run = failing((journal) => journal);
  assertEquals((await run.start()).status, "failed");
  assertEquals(await statusOfSubgraph(run), "cancelled");
});

Deno.test("a subgraph that a run's process left waiting when it died is ended once the run is asked for", async () => {
  let died = true;
  const run = failing((journal) =>
    new Proxy(journal, {
      get: (target, name) => {
        const member = Reflect.get(target, name);
        if (name !== "list") return member.bind(target);
        return died
          ? () => Promise.reject(new Error("no disk"))
          : member.bind(target);
      },
    })
  );
  assertEquals((await run.start()).status, "failed");
  assertEquals(await statusOfSubgraph(run), "suspended");
  died = false;
  assertEquals(okValue(await run.resume()).status, "failed");
  assertEquals(await statusOfSubgraph(run), "cancelled");
});

Deno.test("deleting a run deletes its subgraphs' runs", async () => {
  const run = nested(chain([tool("inner")], { id: "acme.child" }), {}, {
    inner: () => 1,
  });
  await run.start();
  okValue(await run.binding.deleteRun(TENANT, "run-1"));
  assertEquals(okValue(await run.binding.listRuns({ tenantId: TENANT })), []);
  assertEquals(errValue(await run.resume()).code, "run-not-found");
});

Deno.test("a subgraph tried again is another run", async () => {
  let calls = 0;
  const child = chain([tool("inner")], { id: "acme.child" });
  const run = nested(child, {}, {
    inner: () => {
      if (++calls === 1) throw new Error("once");
      return calls;
    },
  });
  const flow = {
    ...run.flow,
    edges: [
      edge("$start", "sub", { policy: { retry: { maxAttempts: 2 } } }),
      edge("sub", "$end"),
    ],
  };
  const result = okValue(
    await run.binding.runGraph({
      tenantId: TENANT,
      runId: "run-1",
      flow: loaded(flow),
      handlers: run.handlers,
    }),
  );
  assertEquals(result.output, 2);
  const runs = okValue(await run.binding.listRuns({ tenantId: TENANT }));
  assertEquals(runs.map(({ runId, status }) => [runId as string, status]), [
    ["run-1/sub~2", "completed"],
    ["run-1/sub", "failed"],
    ["run-1", "completed"],
  ]);
});
