/** Budgets, the wall clock and aborts: cases G. */
import type { ModelCallInput } from "../../../agents/mod.ts";
import {
  assert,
  assertEquals,
  assertObjectMatch,
  okValue,
} from "../../assert.ts";
import {
  type Answer,
  call,
  errorOf,
  lookup,
  say,
  scene,
  WITH_TOOL,
} from "./turn_fixture.ts";

const step = (id: string) => call([id, "pack.lookup", { q: "x" }]);

/** A model that answers only when its call is aborted. */
const honouring: Answer = ({ abortSignal }: ModelCallInput) =>
  new Promise((_, reject) =>
    abortSignal!.addEventListener("abort", () => reject(abortSignal!.reason))
  );

/** A model that never answers. */
const deaf: Answer = () => new Promise(() => {});

function withTool(fields: object, script: Answer[]) {
  return scene({
    tools: [lookup().tool],
    agent: { ...WITH_TOOL, ...fields },
    script,
  });
}

Deno.test("[75] a step limit of one runs the tool, then fails the turn", async () => {
  const stage = await withTool({ budget: { maxSteps: 1 } }, [step("k1")]);
  assertObjectMatch(errorOf(await stage.invoke()), {
    code: "budget-exceeded",
    kind: "steps",
    limit: 1,
    observed: 1,
  });
  assertEquals((await stage.messages()).at(-1), 'tool {"found":"x"}');
});

Deno.test("[76] a final answer at the step limit is fine", async () => {
  const stage = await withTool({ budget: { maxSteps: 2 } }, [
    step("k1"),
    say("done"),
  ]);
  assertEquals(okValue(await stage.invoke()).response.content, "done");
});

Deno.test("[77] without a budget a turn has eight steps", async () => {
  const script = Array.from({ length: 9 }, (_, at) => step(`k${at}`));
  const stage = await withTool({}, script);
  assertObjectMatch(errorOf(await stage.invoke()), {
    code: "budget-exceeded",
    kind: "steps",
    limit: 8,
    observed: 8,
  });
  assertEquals(stage.provider.calls.length, 8);
});

Deno.test("a budget over the loop's cap ends at the cap (decisions.md 23)", async () => {
  const script = Array.from({ length: 33 }, (_, at) => step(`k${at}`));
  const stage = await withTool({ budget: { maxSteps: 100 } }, script);
  assertObjectMatch(errorOf(await stage.invoke()), {
    code: "budget-exceeded",
    kind: "steps",
    limit: 32,
    observed: 32,
  });
});

Deno.test("[78] a cost at its cap is fine, one over it is not, and its answer isn't stored", async () => {
  for (const maxCostUsd of [0.02, 0.019]) {
    const stage = await withTool({ budget: { maxCostUsd } }, [
      step("k1"),
      say("done"),
    ]);
    const answer = await stage.invoke();
    if (maxCostUsd === 0.02) {
      okValue(answer);
      continue;
    }
    assertObjectMatch(errorOf(answer), {
      code: "budget-exceeded",
      kind: "cost",
      limit: 0.019,
      observed: 0.02,
    });
    assert(!(await stage.messages()).includes("agent done"));
  }
});

Deno.test("[79] [trap 62] a turn ends when its time is up, whether or not the model listens (decisions.md 31)", async () => {
  for (const model of [honouring, deaf]) {
    const stage = await scene({
      agent: { budget: { maxWallMs: 50 } },
      script: [model],
    });
    assertObjectMatch(errorOf(await stage.invoke()), {
      code: "agent-turn-aborted",
      reason: "timeout",
    });
    assertEquals(stage.kinds().at(-1), "turn.failed");
  }
});

Deno.test("a turn ends when its time is up while a tool is deaf, and what that one says later is dropped", async () => {
  let finish: (() => void) | undefined;
  const stage = await scene({
    agent: { ...WITH_TOOL, budget: { maxWallMs: 50 } },
    tools: [
      lookup({
        handler: () =>
          new Promise((done) => {
            finish = () => done({ found: "late" });
          }),
      }).tool,
    ],
    script: [step("k1")],
  });
  assertObjectMatch(errorOf(await stage.invoke()), {
    code: "agent-turn-aborted",
    reason: "timeout",
  });
  finish!();
  await new Promise((done) => setTimeout(done, 0));
  assertEquals((await stage.messages()).length, 2);
});

Deno.test("[80] the caller's signal ends a turn while its model is called", async () => {
  const controller = new AbortController();
  const stage = await scene({
    script: [(input) => {
      queueMicrotask(() => controller.abort());
      return honouring(input);
    }],
  });
  const answer = await stage.invoke({ abortSignal: controller.signal });
  assertObjectMatch(errorOf(answer), {
    code: "agent-turn-aborted",
    reason: "external",
  });
});

Deno.test("[trap 59] a turn aborted in a later step keeps its question, its step and its usage, and ends once", async () => {
  const controller = new AbortController();
  const stage = await withTool({}, [step("k1"), (input) => {
    queueMicrotask(() => controller.abort());
    return honouring(input);
  }]);
  const answer = await stage.invoke({ abortSignal: controller.signal });
  assertEquals(errorOf(answer).code, "agent-turn-aborted");
  const roles = (await stage.messages()).map((text) => text.split(" ")[0]);
  assertEquals(roles, ["user", "agent", "tool"]);
  const ends = stage.kinds().filter((kind) =>
    kind === "turn.completed" || kind === "turn.failed"
  );
  assertEquals(ends, ["turn.failed"]);
  const totals = okValue(await stage.store.usage.totals({ tenantId: "t-1" }));
  assertObjectMatch(totals, { promptTokens: 10, completionTokens: 5 });
});

Deno.test("[81] a turn that was aborted before it began stores the question and no answer", async () => {
  const stage = await scene({ script: [say("x")] });
  const answer = await stage.invoke({ abortSignal: AbortSignal.abort() });
  assertObjectMatch(errorOf(answer), {
    code: "agent-turn-aborted",
    reason: "external",
  });
  assertEquals(await stage.messages(), ["user Hello"]);
});

Deno.test("[82] [85] a provider that throws fails the turn after one call, and the next turn sees both questions", async () => {
  const stage = await scene({
    script: [() => Promise.reject(new Error("429 slow down")), say("Hi")],
  });
  const error = errorOf(await stage.invoke());
  assertObjectMatch(error, {
    code: "model-invocation-failed",
    cause: { message: "429 slow down" },
  });
  for (const part of ["p", "m1", "429 slow down"]) {
    assert(error.message.includes(part), part);
  }
  assertEquals(stage.provider.calls.length, 1);
  okValue(await stage.invoke({ userMessage: "Again" }));
  assertEquals(
    stage.provider.calls[1]!.messages.map(({ content }) => content),
    ["Help.", "Hello", "Again"],
  );
});

Deno.test("[84] a run that is cancelled during its model call ends the turn", async () => {
  const stage = await scene({
    runId: "run-1",
    script: [(input) => {
      void stage.runBinding.cancelRun("t-1", "run-1", "not needed");
      return deaf(input);
    }],
  });
  const error = errorOf(await stage.invoke());
  assertObjectMatch(error, {
    code: "agent-turn-aborted",
    reason: "external",
  });
  assert(!error.message.includes("{"), error.message);
  const failed = stage.events.filter(({ kind }) => kind === "turn.failed");
  assertEquals(failed.length, 1);
  assertObjectMatch(failed[0], { errorCode: "agent-turn-aborted" });
});

Deno.test("an aborted turn runs no further tool (decisions.md 22)", async () => {
  const controller = new AbortController();
  const { tool, inputs } = lookup({
    handler: (input) => {
      controller.abort();
      return { found: (input as { q: string }).q };
    },
  });
  const stage = await scene({
    tools: [tool],
    agent: WITH_TOOL,
    script: [
      call(["k1", "pack.lookup", { q: "1" }], ["k2", "pack.lookup", {
        q: "2",
      }]),
    ],
  });
  const answer = await stage.invoke({ abortSignal: controller.signal });
  assertEquals(errorOf(answer).code, "agent-turn-aborted");
  assertEquals(inputs.length, 1);
});

Deno.test("a turn that waits for the conversation's turn before ends at once on abort, storing nothing", async () => {
  const controller = new AbortController();
  let release: (() => void) | undefined;
  const stage = await scene({
    script: [
      async () => {
        await new Promise<void>((done) => release = done);
        return say("A");
      },
    ],
  });
  const first = stage.invoke();
  while (release === undefined) await new Promise((done) => setTimeout(done));
  const second = stage.invoke({
    userMessage: "Impatient",
    abortSignal: controller.signal,
  });
  await new Promise((done) => setTimeout(done, 5));
  controller.abort();
  assertObjectMatch(errorOf(await second), {
    code: "agent-turn-aborted",
    reason: "external",
  });
  release();
  okValue(await first);
  assertEquals(await stage.messages(), ["user Hello", "agent A"]);
});

Deno.test("turns of one conversation go one at a time, and their messages don't mix", async () => {
  const stage = await withTool({}, []);
  let at = 0;
  stage.provider.script.push(
    ...Array.from(
      { length: 8 },
      (): Answer => () => {
        at += 1;
        return Promise.resolve(at % 2 === 1 ? step(`k${at}`) : say(`A${at}`));
      },
    ),
  );
  const answers = await Promise.all(
    ["1", "2", "3", "4"].map((userMessage) => stage.invoke({ userMessage })),
  );
  for (const [index, answer] of answers.entries()) {
    const { turnNumber, appended } = okValue(answer);
    assertEquals(
      appended.map(({ sequence }) => sequence),
      [1, 2, 3, 4].map((place) => 4 * (turnNumber - 1) + place),
    );
    assertEquals(appended[0]!.content, String(index + 1));
  }
});

/** Runs a turn with three tool calls and aborts it after so many turns of the microtask queue. */
async function abortedAfter(moments: number) {
  const controller = new AbortController();
  const stage = await withTool({}, [
    step("k1"),
    call(["k2", "pack.lookup", { q: "y" }], ["k3", "pack.lookup", { q: "z" }]),
    say("done"),
  ]);
  let passed = 0;
  let over = false;
  const count = () => {
    if (passed === moments) controller.abort();
    passed += 1;
    if (!over && passed <= moments) queueMicrotask(count);
  };
  queueMicrotask(count);
  const answer = await stage.invoke({ abortSignal: controller.signal });
  over = true;
  return { stage, answer, passed };
}

Deno.test("[trap 60] whenever a turn is aborted, it tells exactly one end, last", async () => {
  // What needs no abort says how long a turn is.
  const { passed: whole } = await abortedAfter(100_000);
  let aborted = 0;
  for (let round = 0; round < 200; round++) {
    const { stage, answer } = await abortedAfter(
      Math.floor(Math.random() * 1.2 * whole),
    );
    const kinds = stage.kinds();
    const ends = kinds.filter((kind) =>
      kind === "turn.completed" || kind === "turn.failed"
    );
    assertEquals(ends, [
      answer.kind === "ok" ? "turn.completed" : "turn.failed",
    ]);
    assertEquals(kinds.at(-1), ends[0]);
    assertEquals((await stage.messages())[0], "user Hello");
    if (answer.kind === "err") {
      aborted += 1;
      assertEquals(answer.error.code, "agent-turn-aborted");
      assert(!(await stage.messages()).includes("agent done"));
    }
  }
  assert(aborted > 20 && aborted < 200, `${aborted} of 200 were aborted`);
});
