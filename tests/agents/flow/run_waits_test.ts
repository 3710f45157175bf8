import { WaitpointCancelledError } from "../../../agents/flow/mod.ts";
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import { chain, edge, tool } from "./flows.ts";
import { deferred, Running, TENANT, waiting } from "./running.ts";

/** A flow that does something, asks, and does something. */
const asking = () => chain([tool("before"), tool("ask"), tool("after")]);

Deno.test("a run that waits is suspended, holds no lease, and says what it waits for", async () => {
  const run = new Running(asking(), { ask: waiting("ok") });
  const result = await run.start();
  assertEquals(result.status, "suspended");
  assertEquals(result.waitingOn, [{ runId: "run-1", tokenId: "ok" }]);
  const record = okValue(await run.binding.getRun(TENANT, "run-1"));
  assertEquals(
    [record.status, record.executing, record.resumable],
    ["suspended", false, false],
  );
  assertEquals((await run.journal()).slice(-2), [
    "wait.suspended:ask",
    "run.suspended",
  ]);
});

Deno.test("a run that still waits is resumed to no effect", async () => {
  const run = new Running(asking(), { ask: waiting("ok") });
  await run.start();
  const before = await run.journal();
  assertEquals(okValue(await run.resume()).status, "suspended");
  assertEquals(await run.journal(), before);
  assertEquals(run.ran, ["before", "ask"]);
});

Deno.test("a resumed run runs the waiting step again from its top, and nothing that has completed", async () => {
  const run = new Running(asking(), {
    ask: waiting("ok"),
    after: (input) => ({ got: input }),
  });
  await run.start();
  okValue(await run.binding.completeToken(TENANT, "run-1", "ok", { a: 1 }));
  assertEquals(okValue(await run.resume()).output, { got: { a: 1 } });
  assertEquals(run.ran, ["before", "ask", "ask", "after"]);
});

for (const value of [false, 0, "", null]) {
  Deno.test(`[trap 55] a token completed with ${JSON.stringify(value)} was completed`, async () => {
    const run = new Running(chain([tool("ask")]), { ask: waiting("ok") });
    await run.start();
    okValue(await run.binding.completeToken(TENANT, "run-1", "ok", value));
    assertEquals(okValue(await run.resume()).output, value);
  });
}

Deno.test("a token completed before its wait was journaled is kept and consumed by it", async () => {
  const begun = deferred();
  const completed = deferred();
  const run = new Running(asking(), {
    before: async () => {
      begun.resolve();
      await completed.promise;
      return 1;
    },
    ask: waiting("early"),
    after: (input) => input as string,
  });
  const running = run.start();
  await begun.promise;
  okValue(await run.binding.completeToken(TENANT, "run-1", "early", "bird"));
  completed.resolve();
  const result = await running;
  assertEquals([result.status, result.output], ["completed", "bird"]);
  assertEquals(run.ran, ["before", "ask", "after"]);
});

Deno.test("parking goes on instead when its token was resolved meanwhile", async () => {
  let asked = 0;
  const run = new Running(asking(), {
    ask: async (_input, context) => {
      await context.openWait("ok");
      // Between journaling the wait and waiting somebody answers.
      if (++asked === 1) {
        okValue(await run.binding.completeToken(TENANT, "run-1", "ok", "yes"));
      }
      return await context.waitForToken("ok") as string;
    },
    after: (input) => input as string,
  });
  const result = await run.start();
  assertEquals([result.status, result.output], ["completed", "yes"]);
  assertEquals(run.ran, ["before", "ask", "ask", "after"]);
  assert(!(await run.journal()).includes("run.suspended"));
});

Deno.test("a cancelled token throws into its step, naming token, node and reason", async () => {
  const run = new Running(asking(), {
    ask: (_input, context) =>
      context.waitForToken("ok").catch((error) => {
        if (!(error instanceof WaitpointCancelledError)) throw error;
        const { tokenId, nodeId, reason } = error;
        return { tokenId, nodeId, reason };
      }),
    after: (input) => input as object,
  });
  await run.start();
  okValue(await run.binding.cancelToken(TENANT, "run-1", "ok", "timeout"));
  assertEquals(okValue(await run.resume()).output, {
    tokenId: "ok",
    nodeId: "ask",
    reason: "timeout",
  });
});

Deno.test("a token is resolved once: the same again is fine, anything else is not", async () => {
  const run = new Running(asking(), { ask: waiting("ok") });
  await run.start();
  const { binding } = run;
  okValue(await binding.completeToken(TENANT, "run-1", "ok", { a: 1, b: 2 }));
  okValue(await binding.completeToken(TENANT, "run-1", "ok", { b: 2, a: 1 }));
  const other = await binding.completeToken(TENANT, "run-1", "ok", { a: 2 });
  assertEquals(errValue(other).code, "waitpoint-error");
  const cancelled = await binding.cancelToken(TENANT, "run-1", "ok", "x");
  assertEquals(errValue(cancelled).code, "waitpoint-error");
  okValue(await binding.cancelToken(TENANT, "run-1", "other", "x"));
  okValue(await binding.cancelToken(TENANT, "run-1", "other", "y"));
});

Deno.test("a token of an ended run can't be resolved any more", async () => {
  const run = new Running(chain([tool("a")]));
  await run.start();
  assertEquals(
    errValue(await run.binding.completeToken(TENANT, "run-1", "x", 1)).code,
    "run-already-terminal",
  );
});

Deno.test("other nodes go on while one waits", async () => {
  const run = new Running(
    chain([], {
      nodes: [tool("ask"), tool("free"), tool("behind")],
      edges: [
        edge("$start", "ask"),
        edge("$start", "free"),
        edge("free", "behind"),
        edge("ask", "$end"),
      ],
    }),
    { ask: waiting("ok") },
  );
  assertEquals((await run.start()).status, "suspended");
  assertEquals(run.ran, ["ask", "free", "behind"]);
  okValue(await run.binding.completeToken(TENANT, "run-1", "ok", 1));
  assertEquals(okValue(await run.resume()).status, "completed");
  assertEquals(run.ran, ["ask", "free", "behind", "ask"]);
});

Deno.test("[trap 52] parallel waits are answered in any order, each to its own step", async () => {
  const orders = [
    ["a", "b", "c"],
    ["c", "b", "a"],
    ["b", "c", "a"],
  ];
  for (const order of orders) {
    const ids = ["a", "b", "c"];
    const run = new Running(
      chain([], {
        nodes: ids.map((id) => tool(id)),
        edges: ids.flatMap((id) => [edge("$start", id), edge(id, "$end")]),
      }),
      Object.fromEntries(ids.map((id) => [id, waiting(`token-${id}`)])),
    );
    await run.start();
    let output: unknown;
    for (const id of order) {
      okValue(
        await run.binding.completeToken(TENANT, "run-1", `token-${id}`, id),
      );
      output = okValue(await run.resume()).output;
    }
    assertEquals(output, { a: "a", b: "b", c: "c" });
  }
});

Deno.test("several waits opened by one step before it waits are each journaled once", async () => {
  const run = new Running(chain([tool("ask")]), {
    ask: async (_input, context) => {
      for (const token of ["1", "2", "3"]) {
        await context.openWait(token, { timeoutMs: 1_000 });
      }
      const answers = [];
      for (const token of ["1", "2", "3"]) {
        answers.push(await context.waitForToken(token));
      }
      return answers;
    },
  });
  const first = await run.start();
  assertEquals(first.waitingOn!.map(({ tokenId }) => tokenId), ["1"]);
  // Another one first: the step still waits for the one it has come to.
  okValue(await run.binding.completeToken(TENANT, "run-1", "3", "c"));
  assertEquals(okValue(await run.resume()).status, "suspended");
  okValue(await run.binding.completeToken(TENANT, "run-1", "1", "a"));
  assertEquals(okValue(await run.resume()).waitingOn!.length, 1);
  okValue(await run.binding.completeToken(TENANT, "run-1", "2", "b"));
  assertEquals(okValue(await run.resume()).output, ["a", "b", "c"]);
  const journal = await run.journal();
  assertEquals(
    journal.filter((kind) => kind === "wait.suspended:ask").length,
    3,
  );
  const entries = okValue(await run.binding.readJournal(TENANT, "run-1"));
  const opened = entries.find(({ kind }) => kind === "wait.suspended");
  assertEquals(opened!.payload, {
    tokenId: "1",
    timeoutMs: 1_000,
    scope: "ask",
  });
});

Deno.test("a handler that wraps the park signal as a cause still parks", async () => {
  const run = new Running(chain([tool("ask")]), {
    ask: async (_input, context) => {
      try {
        return await context.waitForToken("ok");
      } catch (cause) {
        throw new Error("wrapped", { cause });
      }
    },
  });
  assertEquals((await run.start()).status, "suspended");
});

Deno.test("cancelling a running run aborts its handlers' signals and is journaled", async () => {
  const begun = deferred();
  let aborted = false;
  const run = new Running(chain([tool("slow")]), {
    slow: (_input, context) => {
      context.abortSignal.addEventListener("abort", () => aborted = true);
      begun.resolve();
      return new Promise(() => {});
    },
  });
  const running = run.start();
  await begun.promise;
  okValue(await run.binding.cancelRun(TENANT, "run-1", "enough"));
  const result = await running;
  assertEquals(
    [result.status, result.failureMessage, result.endedHere],
    ["cancelled", "enough", true],
  );
  assertEquals(aborted, true);
  assertEquals((await run.journal()).at(-1), "run.cancelled");
  assertEquals(
    errValue(await run.binding.cancelRun(TENANT, "run-1")).code,
    "run-already-terminal",
  );
});

Deno.test("a run that is past what says how it comes out is cancelled too late", async () => {
  const run = new Running(
    chain([tool("before"), tool("answer"), tool("after")]),
    {
      answer: async (_input, context) => {
        context.seal!();
        okValue(await run.binding.cancelRun(TENANT, "run-1", "enough"));
        return context.abortSignal.aborted;
      },
      after: (input) => ({ output: input }),
    },
  );
  const result = await run.start();
  assertEquals([result.status, result.output], ["completed", false]);
  assertEquals((await run.journal()).at(-1), "run.completed");
});

Deno.test("cancelling a suspended run cancels its waits, and its next resume ends it", async () => {
  const run = new Running(asking(), { ask: waiting("ok") });
  await run.start();
  okValue(await run.binding.cancelRun(TENANT, "run-1", "not wanted"));
  const record = okValue(await run.binding.getRun(TENANT, "run-1"));
  assertEquals(
    [record.status, record.cancelRequested, record.resumable],
    ["suspended", "not wanted", true],
  );
  assert((await run.journal()).includes("wait.cancelled"));
  const result = okValue(await run.resume());
  assertEquals([result.status, result.endedHere], ["cancelled", true]);
  const again = okValue(await run.resume());
  assertEquals([again.status, again.endedHere], ["cancelled", undefined]);
  assertEquals(run.ran, ["before", "ask"]);
});

Deno.test("cancelWaits reaches every open wait of a conversation, and no other", async () => {
  const agent = { id: "a", version: "1.0.0", conversationId: "c-1" };
  const run = new Running(asking(), { ask: waiting("ok") });
  await run.start({ agent });
  await run.start({
    runId: "run-2",
    agent: { ...agent, conversationId: "c-2" },
  });
  okValue(
    await run.binding.cancelWaits({
      tenantId: TENANT,
      conversationId: "c-1",
      reason: "conversation-closed",
    }),
  );
  const result = okValue(await run.resume());
  assertEquals(result.status, "failed");
  assert(result.failureMessage!.includes("conversation-closed"));
  assertEquals(okValue(await run.resume("run-2")).status, "suspended");
});

Deno.test("a suspended run can be ended without running anything, once", async () => {
  const run = new Running(asking(), { ask: waiting("ok") });
  await run.start();
  const input = {
    tenantId: TENANT,
    runId: "run-1",
    status: "failed",
    message: "closed",
  } as const;
  const ended = okValue(await run.binding.endRun(input));
  assertEquals([ended.status, ended.endedHere], ["failed", true]);
  const again = okValue(await run.binding.endRun({ ...input, message: "x" }));
  assertEquals([again.failureMessage, again.endedHere], ["closed", undefined]);
  assertEquals(okValue(await run.resume()).failureMessage, "closed");
});

Deno.test("an ended run is resumed to its recorded result before anything else is looked at", async () => {
  const run = new Running(chain([tool("a")]), { a: { n: 1 } });
  const first = await run.start();
  const other = new Running(chain([tool("b")], { version: "2.0.0" }), {}, {
    store: run.store,
  });
  const { endedHere: _, ...recorded } = first;
  assertEquals(okValue(await other.resume()), recorded);
});

Deno.test("a run is resumed with the flow it was started with, at its version", async () => {
  const run = new Running(asking(), { ask: waiting("ok") });
  await run.start();
  okValue(await run.binding.completeToken(TENANT, "run-1", "ok", 1));
  const other = new Running({ ...asking(), version: "2.0.0" }, {}, {
    store: run.store,
  });
  const error = errValue(await other.resume());
  assert(error.code === "flow-mismatch");
  assertEquals(error.expected.version, "1.0.0");
  assertEquals(error.actual.version, "2.0.0");
  assertEquals(okValue(await run.resume()).status, "completed");
});

Deno.test("a resume acts for whom the run was started for, or for whom it is told", async () => {
  const seen: unknown[] = [];
  const run = new Running(asking(), {
    ask: (_input, context) => {
      seen.push([context.principal, context.authz]);
      return context.waitForToken(`ok-${seen.length}`) as Promise<string>;
    },
  });
  await run.start({ principal: "ann", authz: { fgaApiUrl: "u" } });
  okValue(await run.binding.completeToken(TENANT, "run-1", "ok-1", 1));
  okValue(await run.resume());
  okValue(await run.binding.completeToken(TENANT, "run-1", "ok-2", 1));
  okValue(
    await run.binding.resumeRun({
      tenantId: TENANT,
      runId: "run-1",
      flow: run.flow,
      handlers: run.handlers,
      principal: "bob",
    }),
  );
  assertEquals(seen, [
    ["ann", { fgaApiUrl: "u" }],
    ["ann", { fgaApiUrl: "u" }],
    ["bob", { fgaApiUrl: "u" }],
  ]);
});
