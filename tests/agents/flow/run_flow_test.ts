import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import { chain, edge, tool } from "./flows.ts";
import { deferred, Running, TENANT, throwing } from "./running.ts";

Deno.test("a flow's leaves run in order, each given what the one before gave", async () => {
  const run = new Running(chain([tool("a"), tool("b")]), {
    a: (input) => ({ doubled: (input as number) * 2 }),
    b: (input) => ({ got: input }),
  });
  const result = await run.start({ input: 21 });
  assertEquals(result, {
    runId: result.runId,
    tenantId: result.tenantId,
    status: "completed",
    output: { got: { doubled: 42 } },
    endedHere: true,
  });
  assertEquals(run.inputs.get("a"), 21);
  assertEquals(await run.journal(), [
    "run.started",
    "step.started:a",
    "step.completed:a",
    "step.started:b",
    "step.completed:b",
    "run.completed",
  ]);
});

Deno.test("a mapping makes a node's input, and leaves out keys whose path is missing", async () => {
  const run = new Running(
    chain([
      tool("a"),
      tool("b", {
        inputMapping: {
          sum: { path: "nodeOutputs.a.sum" },
          run: { path: "runInput.name" },
          mood: { path: "state.mood" },
          fixed: { literal: [1] },
          none: { path: "state.nothing" },
        },
      }),
    ]),
    { a: () => ({ output: { sum: 3 }, stateDelta: { mood: "good" } }) },
  );
  await run.start({ input: { name: "n" } });
  assertEquals(run.inputs.get("b"), {
    sum: 3,
    run: "n",
    mood: "good",
    fixed: [1],
  });
});

Deno.test("a node behind several gets their outputs by node id, and only those whose edge was taken", async () => {
  const flow = chain([], {
    nodes: [tool("a"), tool("b"), tool("c"), tool("join")],
    edges: [
      edge("$start", "a"),
      edge("$start", "b"),
      edge("$start", "c"),
      edge("a", "join"),
      edge("b", "join"),
      edge("c", "join", {
        when: { op: "eq", left: { literal: 1 }, right: { literal: 2 } },
      }),
      edge("join", "$end"),
    ],
  });
  const run = new Running(flow, { a: { n: 1 }, b: { n: 2 } });
  assertEquals((await run.start()).status, "completed");
  assertEquals(run.inputs.get("join"), { a: { n: 1 }, b: { n: 2 } });
});

Deno.test("branches rejoin behind a dead one", async () => {
  const when = (literal: boolean) => ({
    when: { op: "truthy", value: { literal } },
  });
  const run = new Running(chain([], {
    nodes: [tool("yes"), tool("no"), tool("join")],
    edges: [
      edge("$start", "yes", when(true)),
      edge("$start", "no", when(false)),
      edge("yes", "join"),
      edge("no", "join"),
      edge("join", "$end"),
    ],
  }));
  await run.start();
  assertEquals(run.ran, ["yes", "join"]);
  const journal = await run.journal();
  assertEquals(journal.filter((kind) => kind === "edge.evaluated").length, 2);
});

Deno.test("a flow's output is that of the nodes before the end, several by node id, or its mapping", async () => {
  const two = {
    nodes: [tool("a"), tool("b")],
    edges: [
      edge("$start", "a"),
      edge("$start", "b"),
      edge("a", "$end"),
      edge("b", "$end"),
    ],
  };
  const handlers = { a: { n: 1 }, b: { n: 2 } };
  assertEquals((await new Running(chain([], two), handlers).start()).output, {
    a: { n: 1 },
    b: { n: 2 },
  });
  const mapping = { sum: { path: "nodeOutputs.b.n" } };
  const mapped = new Running(
    chain([], { ...two, output: { mapping } }),
    handlers,
  );
  assertEquals((await mapped.start()).output, { sum: 2 });
  const schema = {
    type: "object",
    properties: { sum: { type: "string" } },
  };
  const misfit = new Running(
    chain([], { ...two, output: { mapping, schema } }),
    handlers,
  );
  const result = await misfit.start();
  assertEquals(result.status, "failed");
  assert(result.failureMessage!.includes("/sum must be string"));
});

Deno.test("a node without an output completes, and its output is missing", async () => {
  const run = new Running(
    chain([
      tool("a"),
      tool("b", { inputMapping: { a: { path: "nodeOutputs.a" } } }),
    ]),
    { a: () => undefined, b: () => undefined },
  );
  const result = await run.start();
  assertEquals(result.status, "completed");
  assertEquals("output" in result, false);
  assertEquals(run.inputs.get("b"), {});
});

Deno.test("outputs go through JSON at once, so that a resume reads what the run went on with", async () => {
  const run = new Running(chain([tool("a"), tool("b")]), {
    a: () => ({ when: new Date(0), gone: undefined, list: [undefined] }),
    b: (input) => input as object,
  });
  assertEquals((await run.start()).output, {
    when: "1970-01-01T00:00:00.000Z",
    list: [null],
  });
});

Deno.test("an answer that JSON can't hold fails its node, and names JSON", async () => {
  for (const answer of [{ big: 1n }, cyclic(), { output: 1, stateDelta: 5 }]) {
    const result = await new Running(chain([tool("a")]), { a: () => answer })
      .start();
    assertEquals(result.status, "failed");
  }
});

function cyclic(): object {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

Deno.test("state is merged, and the last writer wins", async () => {
  const run = new Running(chain([tool("a"), tool("b"), tool("c")]), {
    a: () => ({ output: 1, stateDelta: { x: 1, y: 1 } }),
    b: () => ({ output: 1, stateDelta: { y: 2, __proto__: undefined } }),
    c: (_input, context) => ({ ...context.state }),
  });
  assertEquals((await run.start()).output, { x: 1, y: 2 });
});

Deno.test("a key named __proto__ is a key like any other", async () => {
  const run = new Running(chain([tool("a"), tool("b")]), {
    a: () => JSON.parse('{"output":1,"stateDelta":{"__proto__":{"x":1}}}'),
    b: (_input, context) => ({
      keys: Object.keys(context.state),
      polluted: ({} as Record<string, unknown>).x ?? null,
    }),
  });
  assertEquals((await run.start()).output, {
    keys: ["__proto__"],
    polluted: null,
  });
});

Deno.test("ready nodes start by priority, then by id, at most maxParallelism at once", async () => {
  const ids = ["a", "b", "c", "d"];
  const gate = deferred();
  let running = 0;
  let most = 0;
  const run = new Running(
    chain([], {
      nodes: ids.map((id) => tool(id)),
      edges: ids.flatMap((id) => [
        edge("$start", id, id === "c" ? { policy: { priority: 5 } } : {}),
        edge(id, "$end"),
      ]),
      maxParallelism: 2,
    }),
    Object.fromEntries(ids.map((id) => [id, async () => {
      most = Math.max(most, ++running);
      if (run.ran.length === 2) setTimeout(gate.resolve, 1);
      await gate.promise;
      running -= 1;
      return id;
    }])),
  );
  await run.start();
  assertEquals(most, 2);
  assertEquals(run.ran, ["c", "a", "b", "d"]);
});

Deno.test("a failed node fails the run with its message, after its siblings were cancelled", async () => {
  let aborted = false;
  const started = deferred();
  const run = new Running(
    chain([], {
      nodes: [tool("bad"), tool("slow")],
      edges: [edge("$start", "bad"), edge("$start", "slow")],
    }),
    {
      bad: async () => {
        await started.promise;
        throw new Error("it broke");
      },
      slow: (_input, context) => {
        context.abortSignal.addEventListener("abort", () => aborted = true);
        started.resolve();
        // Never settles: nothing outlasts the run.
        return new Promise(() => {});
      },
    },
  );
  const result = await run.start();
  assertEquals(result.status, "failed");
  assertEquals(result.failureMessage, "it broke");
  assertEquals(aborted, true);
  assertEquals((await run.journal()).slice(-2), [
    "step.failed:bad",
    "run.failed",
  ]);
});

Deno.test("what a stopped handler says later is dropped and never journaled", async () => {
  const started = deferred();
  const late = deferred();
  const said: Promise<unknown>[] = [];
  const run = new Running(
    chain([], {
      nodes: [tool("bad"), tool("slow")],
      edges: [edge("$start", "bad"), edge("$start", "slow")],
    }),
    {
      bad: async () => {
        await started.promise;
        throw new Error("it broke");
      },
      slow: async (_input, context) => {
        started.resolve();
        await late.promise;
        said.push(context.record("late", () => 1).catch((e) => e.message));
        return 1;
      },
    },
  );
  await run.start();
  const before = await run.journal();
  late.resolve();
  while (said.length === 0) await new Promise((next) => setTimeout(next));
  assert(String(await said[0]).includes("is over"));
  assertEquals(await run.journal(), before);
});

Deno.test("a handler gets who the run is and acts for, and absent optionals are absent", async () => {
  const seen: Record<string, unknown>[] = [];
  const run = new Running(chain([tool("a", { config: { k: 1 } })]), {
    a: (_input, context) => {
      seen.push({ ...context, has: Object.keys(context).sort() });
      return 1;
    },
  });
  await run.start();
  await run.start({
    runId: "run-2",
    projectId: "p-1",
    orgId: "o-1",
    principal: { sub: "u" },
    authz: { fgaApiUrl: "x" },
    agent: { id: "a", version: "1.0.0", conversationId: "c-1" },
    options: { dryRun: true },
  });
  assertEquals(seen[0]!.has, [
    "attempt",
    "config",
    "dryRun",
    "nodeId",
    "runId",
    "stepScope",
    "tenantId",
  ]);
  assertEquals(seen[1]!.principal, { sub: "u" });
  assertEquals(seen[1]!.dryRun, true);
  assertEquals(seen[1]!.orgId, "o-1");
  assertEquals(okValue(await run.binding.getRun(TENANT, "run-2")).dryRun, true);
});

Deno.test("authorize is there when an authoriser is bound, and its throw is a refusal", async () => {
  const ask = (
    _input: unknown,
    context: import("../../../agents/flow/mod.ts").NodeContext,
  ) =>
    context.authorize?.({
      tenantId: TENANT,
      principal: "u",
      toolId: "x",
      toolVersion: "1.0.0",
      conversationId: "c",
      runId: context.runId,
    }) ?? "none bound";
  const flow = chain([tool("a")]);
  assertEquals(
    (await new Running(flow, { a: ask }).start()).output,
    "none bound",
  );
  const bound = new Running(flow, { a: ask }, {
    authorize: ({ principal }) => ({ allowed: principal === "u" }),
  });
  assertEquals((await bound.start()).output, { allowed: true });
  const broken = new Running(flow, { a: ask }, {
    authorize: () => {
      throw new Error("down");
    },
  });
  assertEquals((await broken.start()).output, {
    allowed: false,
    reason: "the authoriser failed: down",
  });
});

Deno.test("a flow whose handlers aren't there is refused before anything is journaled", async () => {
  const run = new Running(chain([tool("a"), tool("b")]));
  run.handlers.delete("handlers.b");
  const error = errValue(await run.attempt());
  assertEquals(error.code, "handler-missing");
  assertEquals(
    errValue(await run.binding.getRun(TENANT, "run-1")).code,
    "run-not-found",
  );
});

Deno.test("a failure's text is the thrown message word for word, however it is thrown", async () => {
  for (
    const [thrown, text] of [
      [new Error('{"a":1}; x'), '{"a":1}; x'],
      ["plain", "plain"],
      [new TypeError(""), "TypeError"],
      [
        Object.create(null),
        "something was thrown that can't be put into words",
      ],
    ] as const
  ) {
    const run = new Running(chain([tool("a")]), {
      a: () => {
        throw thrown;
      },
    });
    assertEquals((await run.start()).failureMessage, text);
  }
});

Deno.test("a decision is made once: for concurrent calls, and journaled before it is answered", async () => {
  let decisions = 0;
  const run = new Running(chain([tool("a")]), {
    a: async (_input, context) => {
      const decide = () => ({ n: ++decisions, at: new Date(0) });
      const both = await Promise.all([
        context.record("k", decide),
        context.record("k", decide),
      ]);
      const again = await context.record("k", decide);
      const thrown = await context.record("t", throwing("no") as never)
        .catch((error) => error.message);
      const nothing = await context.record("u", () => undefined);
      const journal = await run.journal();
      return {
        both,
        again,
        thrown,
        nothing: nothing ?? "none",
        recorded: journal.filter((kind) => kind === "value.recorded:a").length,
      };
    },
  });
  const one = { n: 1, at: "1970-01-01T00:00:00.000Z" };
  assertEquals((await run.start()).output, {
    both: [one, one],
    again: one,
    thrown: "no",
    nothing: "none",
    recorded: 1,
  });
});

Deno.test("starting a run of an id or idempotency key that is taken answers that run", async () => {
  const run = new Running(chain([tool("a")]));
  const agent = { id: "a", version: "1.0.0", conversationId: "c-1" };
  const first = await run.start({ agent, idempotencyKey: "k" });
  const again = errValue(
    await run.attempt({ agent, runId: "run-2", idempotencyKey: "k" }),
  );
  assert(again.code === "run-already-started");
  assertEquals(again.run.runId, first.runId);
  assertEquals(errValue(await run.attempt()).code, "run-already-started");
  // The key belongs to a conversation.
  const other = await run.start({
    agent: { ...agent, conversationId: "c-2" },
    runId: "run-3",
    idempotencyKey: "k",
  });
  assertEquals(other.status, "completed");
});

Deno.test("another tenant's run doesn't exist", async () => {
  const run = new Running(chain([tool("a")]));
  await run.start();
  const { binding, flow, handlers } = run;
  const none = [
    await binding.getRun("t-2", "run-1"),
    await binding.readJournal("t-2", "run-1"),
    await binding.cancelRun("t-2", "run-1"),
    await binding.completeToken("t-2", "run-1", "x", 1),
    await binding.resumeRun({
      tenantId: "t-2",
      runId: "run-1",
      flow,
      handlers,
    }),
    await binding.endRun({
      tenantId: "t-2",
      runId: "run-1",
      status: "failed",
      message: "x",
    }),
    await binding.deleteRun("t-2", "run-1"),
  ];
  for (const answer of none) {
    assertEquals(errValue(answer).code, "run-not-found");
  }
  assertEquals(okValue(await binding.listRuns({ tenantId: "t-2" })), []);
});
