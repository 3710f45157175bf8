import type { NodeContext } from "../../../agents/flow/mod.ts";
import { assert, assertEquals, okValue } from "../../assert.ts";
import { bodyOf, chain, edge, foreachLoop, tool, whileLoop } from "./flows.ts";
import { deferred, Running, TENANT, throwing, waiting } from "./running.ts";

/** Counts up to a number. */
const counter = (to: number) => (input: unknown) => {
  const n = ((input as { n?: number } | null)?.n ?? 0) + 1;
  return { n, done: n >= to };
};

Deno.test("a while loop runs its body until the exit condition holds after an iteration", async () => {
  const run = new Running(
    chain([
      whileLoop("loop", { maxIterations: 9, collectAllIterations: true }),
    ]),
    { "loop-step": counter(3) },
  );
  assertEquals((await run.start({ input: { n: 0 } })).output, {
    finalOutput: { n: 3, done: true },
    iterations: 3,
    stopReason: "exit-condition",
    outputs: [{ n: 1, done: false }, { n: 2, done: false }, {
      n: 3,
      done: true,
    }],
  });
  assertEquals(run.ran, [
    "loop-step@loop#0",
    "loop-step@loop#1",
    "loop-step@loop#2",
  ]);
});

Deno.test("a while loop that is asked before may not run at all", async () => {
  const exitCondition = {
    op: "or",
    children: [
      { op: "gte", left: { path: "iterationIndex" }, right: { literal: 2 } },
      { op: "truthy", value: { path: "runInput.skip" } },
    ],
  };
  const flow = chain([
    whileLoop("loop", { evaluationTiming: "before", exitCondition }),
  ]);
  assertEquals((await new Running(flow).start({ input: { skip: 1 } })).output, {
    finalOutput: null,
    iterations: 0,
    stopReason: "exit-condition",
  });
  const run = new Running(flow, { "loop-step": counter(99) });
  assertEquals((await run.start({ input: {} })).output, {
    finalOutput: { n: 2, done: false },
    iterations: 2,
    stopReason: "exit-condition",
  });
});

Deno.test("a loop that reaches its most iterations completes and says so", async () => {
  const run = new Running(chain([whileLoop("loop")]), {
    "loop-step": counter(99),
  });
  assertEquals((await run.start()).output, {
    finalOutput: { n: 3, done: false },
    iterations: 3,
    stopReason: "max-iterations",
  });
});

Deno.test("a failing body fails its loop, whose text says where it broke", async () => {
  const run = new Running(chain([whileLoop("loop")]), {
    "loop-step": throwing("no more"),
  });
  const result = await run.start();
  assertEquals(result.failureMessage, "[body-failure] no more");
  assertEquals((await run.journal()).slice(-3), [
    "step.failed:loop-step",
    "step.failed:loop",
    "run.failed",
  ]);
});

Deno.test("every iteration's output has to fit the loop's schema", async () => {
  const run = new Running(chain([whileLoop("loop")]), {
    "loop-step": (input) => input === 1 ? "text" : {},
  });
  const result = await run.start({ input: 1 });
  assert(
    result.failureMessage!.startsWith(
      "[body-failure] The output of iteration 0",
    ),
  );
  const entries = okValue(await run.binding.readJournal(TENANT, "run-1"));
  const completed = entries.find(({ kind }) => kind === "iteration.completed");
  assertEquals(completed!.payload, {
    iteration: 0,
    output: "text",
    outputSchemaValid: false,
    exitConditionResult: false,
    stopReason: "body-failure",
  });
});

Deno.test("state written in a body stays in its iteration", async () => {
  const seen: unknown[] = [];
  const run = new Running(
    chain([tool("before"), whileLoop("loop"), tool("after")]),
    {
      before: () => ({ output: null, stateDelta: { kept: 1 } }),
      "loop-step": (_input, context) => {
        seen.push({ ...context.state });
        return { output: { n: 1 }, stateDelta: { kept: 2, inner: true } };
      },
      after: (_input, context) => ({ ...context.state }),
    },
  );
  assertEquals((await run.start()).output, { kept: 1 });
  assertEquals(seen, [{ kept: 1 }, { kept: 1 }, { kept: 1 }]);
});

Deno.test("a body sees the outputs around it and its own, and its steps know their loops", async () => {
  const contexts: unknown[] = [];
  const inner = whileLoop("inner", { maxIterations: 2 });
  const run = new Running(
    chain([
      tool("first"),
      whileLoop("outer", {
        maxIterations: 2,
        body: {
          nodes: [inner],
          edges: [edge("$loop-start", "inner"), edge("inner", "$loop-end")],
        },
        exitCondition: { op: "falsy", value: { literal: 1 } },
      }),
    ]),
    {
      "inner-step": (_input: unknown, context: NodeContext) => {
        contexts.push([
          context.stepScope,
          context.loopContext,
          Object.keys(context.nodeOutputs),
        ]);
        return {};
      },
    },
  );
  await run.start();
  assertEquals(run.ran, [
    "first",
    "inner-step@inner#0/outer#0",
    "inner-step@inner#1/outer#0",
    "inner-step@inner#0/outer#1",
    "inner-step@inner#1/outer#1",
  ]);
  assertEquals(contexts[3], [
    "inner-step@inner#1/outer#1",
    {
      loopNodeId: "inner",
      iteration: 1,
      path: [
        { loopNodeId: "inner", iteration: 1 },
        { loopNodeId: "outer", iteration: 1 },
      ],
    },
    ["first"],
  ]);
});

Deno.test("a foreach loop runs its body for each item, and gives the outputs in their order", async () => {
  const gates = [deferred(), deferred(), deferred()];
  const run = new Running(
    chain([
      foreachLoop("each", {
        concurrency: 3,
        collectAllIterations: true,
        outputSchema: {},
      }),
    ]),
    {
      "each-step": async (item, context) => {
        const { iteration } = context.loopContext!;
        // The last is the first to be done.
        if (iteration < 2) await gates[iteration + 1]!.promise;
        gates[iteration]!.resolve();
        return `${item}!`;
      },
    },
  );
  assertEquals(
    (await run.start({ input: { items: ["a", "b", "c"] } })).output,
    {
      finalOutput: "c!",
      iterations: 3,
      stopReason: "array-exhausted",
      outputs: ["a!", "b!", "c!"],
    },
  );
});

Deno.test("a foreach loop runs so many iterations at once as it says, and no more than its most", async () => {
  let running = 0;
  let most = 0;
  const run = new Running(
    chain([
      foreachLoop("each", {
        concurrency: 2,
        maxIterations: 5,
        outputSchema: {},
      }),
    ]),
    {
      "each-step": async () => {
        most = Math.max(most, ++running);
        await new Promise((next) => setTimeout(next));
        running -= 1;
        return 1;
      },
    },
  );
  const { output } = await run.start({ input: { items: [1, 2, 3, 4, 5, 6] } });
  assertEquals(output, {
    finalOutput: 1,
    iterations: 5,
    stopReason: "max-iterations",
  });
  assertEquals(most, 2);
});

Deno.test("a foreach loop over no items completes; over no array it fails", async () => {
  const flow = chain([foreachLoop("each")]);
  assertEquals(
    (await new Running(flow).start({ input: { items: [] } })).output,
    {
      finalOutput: null,
      iterations: 0,
      stopReason: "array-exhausted",
    },
  );
  for (const items of [undefined, "abc", { length: 1 }]) {
    const result = await new Running(flow).start({ input: { items } });
    assertEquals(result.status, "failed");
    assert(result.failureMessage!.startsWith("[iterate-over-not-array]"));
  }
});

Deno.test("a failed iteration cancels its siblings and fails the loop", async () => {
  const aborted: number[] = [];
  const started = deferred();
  const run = new Running(
    chain([foreachLoop("each", { concurrency: 2, outputSchema: {} })]),
    {
      "each-step": async (item, context) => {
        if (item === "bad") {
          await started.promise;
          throw new Error("bad item");
        }
        context.abortSignal.addEventListener(
          "abort",
          () => aborted.push(context.loopContext!.iteration),
        );
        started.resolve();
        await new Promise(() => {});
      },
    },
  );
  const result = await run.start({
    input: { items: ["slow", "bad", "never"] },
  });
  assertEquals(result.failureMessage, "[body-failure] bad item");
  assertEquals(aborted, [0]);
  assertEquals(run.ran.includes("each-step@each#2"), false);
});

Deno.test("a parked loop replays from its journaled iterations, and runs no completed step again", async () => {
  const body = {
    nodes: [tool("think"), tool("ask")],
    edges: [
      edge("$loop-start", "think"),
      edge("think", "ask"),
      edge("ask", "$loop-end"),
    ],
  };
  const run = new Running(
    chain([whileLoop("loop", { body, outputSchema: {} })]),
    {
      think: (_input, context) => ({ at: context.loopContext!.iteration }),
      ask: async (input, context) => {
        const { at } = input as { at: number };
        if (at === 1) await context.waitForToken("ok");
        return { at, done: at === 2 };
      },
    },
  );
  assertEquals((await run.start()).status, "suspended");
  okValue(await run.binding.completeToken(TENANT, "run-1", "ok", false));
  const result = okValue(await run.resume());
  assertEquals((result.output as { iterations: number }).iterations, 3);
  assertEquals(run.ran, [
    "think@loop#0",
    "ask@loop#0",
    "think@loop#1",
    "ask@loop#1",
    "ask@loop#1",
    "think@loop#2",
    "ask@loop#2",
  ]);
});

Deno.test("a foreach loop's items are resolved once, whatever becomes of the state", async () => {
  const flow = chain([], {
    nodes: [
      tool("first"),
      foreachLoop("each", {
        iterateOver: { path: "state.items" },
        outputSchema: {},
        collectAllIterations: true,
        body: bodyOf("each-step"),
      }),
      tool("changer"),
    ],
    edges: [
      edge("$start", "first"),
      edge("first", "each"),
      edge("first", "changer"),
      edge("each", "$end"),
    ],
  });
  const begun = deferred();
  const run = new Running(flow, {
    first: () => ({ output: 1, stateDelta: { items: ["a", "b"] } }),
    changer: async () => {
      await begun.promise;
      return { output: 1, stateDelta: { items: "gone" } };
    },
    "each-step": async (item, context) => {
      begun.resolve();
      if (item === "b") await context.waitForToken("go");
      return item as string;
    },
  });
  assertEquals((await run.start()).status, "suspended");
  okValue(await run.binding.completeToken(TENANT, "run-1", "go", 1));
  const { output } = okValue(await run.resume());
  assertEquals((output as { outputs: unknown }).outputs, ["a", "b"]);
  assertEquals(
    run.ran.filter((scope) => scope === "each-step@each#0").length,
    1,
  );
});

Deno.test("a loop under a retry begins anew with each attempt", async () => {
  let calls = 0;
  const flow = chain([], {
    nodes: [whileLoop("loop", { outputSchema: {} }), tool("after")],
    edges: [
      edge("$start", "loop", { policy: { retry: { maxAttempts: 2 } } }),
      edge("loop", "after"),
      edge("after", "$end"),
    ],
  });
  const run = new Running(flow, {
    "loop-step": (_input, context) => {
      calls += 1;
      if (calls === 2) throw new Error("once");
      return { done: context.loopContext!.iteration === 1 };
    },
    after: waiting("go"),
  });
  assertEquals((await run.start()).status, "suspended");
  assertEquals(run.ran.slice(0, 4), [
    "loop-step@loop#0",
    "loop-step@loop#1",
    "loop-step@loop#0",
    "loop-step@loop#1",
  ]);
  okValue(await run.binding.completeToken(TENANT, "run-1", "go", "on"));
  assertEquals(okValue(await run.resume()).output, "on");
});

Deno.test("a journal grows with the steps: each iteration adds as many entries and bytes as the one before", async () => {
  const size = async (iterations: number) => {
    const run = new Running(
      chain([whileLoop("loop", { maxIterations: iterations })]),
      { "loop-step": () => ({ text: "x".repeat(100) }) },
    );
    await run.start();
    const entries = okValue(await run.binding.readJournal(TENANT, "run-1"));
    return { entries: entries.length, bytes: JSON.stringify(entries).length };
  };
  const [ten, twenty, thirty] = [
    await size(10),
    await size(20),
    await size(30),
  ];
  assertEquals(twenty.entries - ten.entries, thirty.entries - twenty.entries);
  assertEquals(twenty.entries - ten.entries, 40);
  assert(
    Math.abs(
      (twenty.bytes - ten.bytes) - (thirty.bytes - twenty.bytes),
    ) < 50,
  );
});
