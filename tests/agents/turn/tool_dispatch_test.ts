/** Tool calls: cases E and F. */
import {
  assert,
  assertEquals,
  assertNotEquals,
  assertObjectMatch,
  okValue,
} from "../../assert.ts";
import type {
  Agent,
  ModelCallInput,
  ModelCallResult,
  ToolContext,
} from "../../../agents/mod.ts";
import {
  call,
  errorOf,
  lookup,
  say,
  scene,
  type SceneOptions,
  WITH_TOOL,
} from "./turn_fixture.ts";

const K1 = ["k1", "pack.lookup", { q: "x" }] as const;

Deno.test("[53] a tool call is stored with its result, and the answer after it", async () => {
  const { tool, inputs } = lookup();
  const stage = await scene({
    tools: [tool],
    agent: WITH_TOOL,
    script: [call([...K1]), say("done")],
  });
  const result = okValue(await stage.invoke());
  assertEquals(inputs, [{ q: "x" }]);
  assertEquals(
    result.appended.map(({ sequence, role }) => [sequence, role]),
    [[1, "user"], [2, "agent"], [3, "tool"], [4, "agent"]],
  );
  const [, request, answer] = result.appended;
  assertEquals(request!.content, {
    text: "",
    toolCalls: [{ id: "k1", name: "pack.lookup", arguments: { q: "x" } }],
  });
  assertEquals(request!.isIntermediate, true);
  assertEquals(answer!.content, { found: "x" });
  assertEquals(answer!.toolCall, {
    toolId: "pack.lookup",
    invocationId: "k1",
  });
  assertEquals([result.usage.steps, result.usage.promptTokens], [2, 20]);
  assertEquals(await stage.turnCount(), 1);
});

Deno.test("[54] [55] [60] the model sees call and result, the events tell them, and the next turn replays them", async () => {
  const stage = await scene({
    tools: [lookup().tool],
    agent: WITH_TOOL,
    script: [call([...K1]), say("done"), say("again")],
  });
  okValue(await stage.invoke());
  const [first, second] = stage.provider.calls;
  const exchange = [
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "k1", name: "pack.lookup", arguments: { q: "x" } }],
    },
    { role: "tool", content: '{"found":"x"}', toolCallId: "k1" },
  ];
  assertEquals(second!.messages.slice(-2) as unknown[], exchange);
  assertEquals(first!.tools?.map(({ name }) => name), ["pack.lookup"]);
  assertEquals(stage.kinds(), [
    "turn.started",
    "retrieval.completed",
    "model.call.started",
    "model.call.completed",
    "agent.message",
    "tool.started",
    "tool.completed",
    "model.call.started",
    "model.call.completed",
    "agent.message",
    "turn.completed",
  ]);
  const messages = stage.events.filter((event) =>
    event.kind === "agent.message"
  );
  assertEquals(messages.map(({ step, isFinal }) => [step, isFinal]), [
    [1, false],
    [2, true],
  ]);
  okValue(await stage.invoke());
  assertEquals(stage.provider.calls[2]!.messages.slice(1, 4) as unknown[], [
    { role: "user", content: "Hello" },
    ...exchange,
  ]);
});

Deno.test("a provider that changes the messages it is given changes nothing of the turn", async () => {
  const shown: string[] = [];
  const changing =
    (answer: Partial<ModelCallResult>) => (input: ModelCallInput) => {
      shown.push(JSON.stringify(input.messages.slice(0, 2)));
      for (const message of input.messages) {
        Reflect.set(message, "content", "changed");
      }
      return Promise.resolve(answer);
    };
  const stage = await scene({
    agent: WITH_TOOL,
    tools: [lookup().tool],
    script: [
      changing(call(["k1", "pack.lookup", { q: "x" }])),
      changing(say("done")),
    ],
  });
  okValue(await stage.invoke());
  assertEquals(shown[1], shown[0]);
});

Deno.test("a host says how large a tool's result may be (durability.md, Bytes)", async () => {
  for (const [maxToolResultBytes, kind] of [[13, "ok"], [12, "err"]] as const) {
    const stage = await scene({
      agent: WITH_TOOL,
      tools: [lookup().tool],
      script: [call([...K1]), say("done")],
      bindings: { maxToolResultBytes },
    });
    // The result is {"found":"x"}.
    const answer = await stage.invoke();
    assertEquals(answer.kind, kind);
    if (answer.kind === "err") {
      assertObjectMatch(answer.error, {
        code: "tool-invocation-failed",
        cause: { code: "tool-result-too-large", limitBytes: 12 },
      });
    }
  }
});

Deno.test("a store that loses its answers costs no turn: each message is stored once, and each call runs once", async () => {
  const { tool, inputs } = lookup();
  const stage = await scene({
    tools: [tool],
    agent: WITH_TOOL,
    script: [call([...K1]), say("done")],
  });
  const { conversations } = stage.store;
  const { appendMessage } = conversations;
  let calls = 0;
  Object.assign(conversations, {
    appendMessage: async (...input: Parameters<typeof appendMessage>) => {
      const stored = await appendMessage.apply(conversations, input);
      if (++calls % 2 === 1) throw new Error("the answer was lost");
      return stored;
    },
  });
  const { appended } = okValue(await stage.invoke());
  assertEquals(appended.map(({ sequence }) => sequence), [1, 2, 3, 4]);
  assertEquals((await stage.messages()).length, 4);
  assertEquals(inputs.length, 1);
  Object.assign(conversations, {
    appendMessage: () => Promise.reject(new Error("no disk")),
  });
  const error = errorOf(await stage.invoke());
  assertEquals(error.code, "persistence-error");
  assertEquals(
    error.message,
    "Cannot store a message in conversation c-1: no disk",
  );
});

Deno.test("[56] calls run one after the other, each result stored before the next", async () => {
  const stage = await scene({
    agent: WITH_TOOL,
    tools: [
      lookup({
        async handler(input) {
          const { q } = input as { q: string };
          if (q === "slow") await new Promise((done) => setTimeout(done, 20));
          return { found: `${q} ${(await stage.messages()).length}` };
        },
      }).tool,
    ],
    script: [
      call(["k1", "pack.lookup", { q: "slow" }], ["k2", "pack.lookup", {
        q: "fast",
      }]),
      say("done"),
    ],
  });
  const { appended } = okValue(await stage.invoke());
  assertEquals(
    appended.filter(({ role }) => role === "tool").map(({ content }) =>
      content
    ),
    [{ found: "slow 2" }, { found: "fast 3" }],
  );
});

Deno.test("[57] [61] a tool is told whose call it is, never from its arguments", async () => {
  const contexts: ToolContext[] = [];
  const tool = lookup({
    input: { type: "object" },
    handler(_input, context) {
      contexts.push(context);
      return { found: "x" };
    },
  }).tool;
  const script = () => [
    call(["k1", "pack.lookup", { projectId: "p-evil" }]),
    say("done"),
  ];
  const plain = await scene({
    tools: [tool],
    agent: WITH_TOOL,
    script: script(),
  });
  const { runId } = okValue(await plain.invoke());
  const rich = await scene({
    tools: [tool],
    agent: WITH_TOOL,
    script: script(),
    bindings: { resolveSecret: (name) => Promise.resolve(`${name}!`) },
  });
  okValue(await rich.invoke({ orgId: "o-1" }));
  const [first, second] = contexts;
  assertObjectMatch(first, {
    runId,
    requestId: "k1",
    tenantId: "t-1",
    projectId: "p-1",
  });
  assert(!("orgId" in first!) && !("resolveSecret" in first!));
  assert(first!.deadlineAt! > Date.now());
  assertEquals(second!.orgId, "o-1");
  assertEquals(await second!.resolveSecret?.("key"), "key!");
  assertNotEquals(first!.idempotencyKey, second!.idempotencyKey);
});

Deno.test("[58] a text result is stored and shown as it is", async () => {
  const stage = await scene({
    agent: WITH_TOOL,
    tools: [
      lookup({ output: { type: "string" }, handler: () => "plain" }).tool,
    ],
    script: [call([...K1]), say("done")],
  });
  const { appended } = okValue(await stage.invoke());
  assertEquals(appended[2]!.content, "plain");
  assertEquals(stage.provider.calls[1]!.messages.at(-1)!.content, "plain");
});

Deno.test("[26] the dispatched tool is the highest that the range allows", async () => {
  const stage = await scene({
    agent: WITH_TOOL,
    tools: ["1.0.0", "1.4.0", "2.0.0"].map((version) =>
      lookup({ version }).tool
    ),
    script: [call([...K1]), say("done")],
  });
  okValue(await stage.invoke());
  assertObjectMatch(stage.events.find(({ kind }) => kind === "tool.started"), {
    toolVersion: "1.4.0",
    toolVersionRange: "^1.0.0",
  });
});

/** A turn whose script begins with bad or failing calls. */
async function failing(options: SceneOptions) {
  const { tool, inputs } = lookup(
    options.tools?.[0] ?? {},
  );
  const stage = await scene({
    ...options,
    tools: [tool],
    agent: { ...WITH_TOOL, ...options.agent },
  });
  const answer = await stage.invoke();
  // [74]
  for (const event of stage.events) {
    if (event.kind !== "tool.failed") continue;
    assert(event.step > 0 && event.toolId !== "" && event.invocationId !== "");
    assert(event.error.code !== "" && event.error.message !== "");
  }
  assert(stage.kinds().includes("tool.failed"));
  return { stage, answer, inputs };
}

const BAD = (id: string) => call([id, "pack.lookup", { query: "x" }]);
const GOOD = (id: string) => call([id, "pack.lookup", { q: "x" }]);
const THROWING = {
  ...lookup().tool,
  handler: () => {
    throw new Error("broken");
  },
};

Deno.test("a tool may be called what every object has", async () => {
  for (const id of ["constructor", "toString", "__proto__"]) {
    const stage = await scene({
      agent: {
        tools: [{ id, version: "^1.0.0" }] as unknown as Agent["tools"],
        pins: { tools: {} } as unknown as NonNullable<Agent["pins"]>,
      },
      tools: [lookup({ id }).tool],
      script: [call(["k1", id, { q: "x" }]), say("done")],
    });
    assertEquals(okValue(await stage.invoke()).status, "completed");
    const started = stage.events.find(({ kind }) => kind === "tool.started");
    assertObjectMatch(started!, { toolId: id, toolVersion: "1.0.0" });
  }
});

Deno.test("[63] [74] bad arguments go back to the model once", async () => {
  const { answer, inputs } = await failing({
    script: [BAD("k1"), GOOD("k2"), say("done")],
  });
  const { appended, usage } = okValue(answer);
  const content = appended[2]!.content as { error: { issues: unknown[] } };
  assertObjectMatch(content, {
    kindgi: "tool-error-retry",
    status: "failed",
    error: { kind: "invalid-arguments" },
  });
  assert(content.error.issues.length > 0);
  assertEquals(inputs, [{ q: "x" }]);
  assertEquals(usage.steps, 3);
});

Deno.test("[64] [74] the second bad call fails the turn", async () => {
  const { answer } = await failing({ script: [BAD("k1"), BAD("k2")] });
  const error = errorOf(answer);
  assertObjectMatch(error, {
    code: "tool-invocation-failed",
    toolId: "pack.lookup",
    toolRetries: 1,
    receivedInput: { query: "x" },
    cause: { code: "input-validation-failed" },
  });
  assert((error.validationIssues as unknown[]).length > 0);
});

Deno.test("[66] [74] an unknown tool goes back under the name that the model used", async () => {
  const { stage, answer } = await failing({
    script: [call(["k1", "pack.nope", {}]), say("done")],
  });
  const { appended } = okValue(answer);
  assertObjectMatch(appended[2], {
    toolCall: { toolId: "pack.nope" },
    content: { error: { kind: "unknown-tool" } },
  });
  assertEquals(
    stage.kinds().filter((kind) => kind.startsWith("tool.")),
    ["tool.failed"],
  );
  assertObjectMatch(stage.events.find(({ kind }) => kind === "tool.failed"), {
    error: { code: "unresolved-tool" },
  });
});

Deno.test("[67] [74] a handler that throws fails the turn", async () => {
  const { answer } = await failing({ tools: [THROWING], script: [GOOD("k1")] });
  const error = errorOf(answer);
  assertObjectMatch(error, {
    code: "tool-invocation-failed",
    cause: { code: "handler-error" },
  });
  assert(!("toolRetries" in error));
});

Deno.test("[68] [74] a handler's error goes back where the agent says so", async () => {
  const { answer } = await failing({
    tools: [THROWING],
    agent: { toolErrors: { retryOn: ["tool-error"] } },
    script: [GOOD("k1"), say("done")],
  });
  assertObjectMatch(okValue(answer).appended[2], {
    content: { error: { kind: "tool-error" } },
  });
});

Deno.test("[69] [74] without retries the first bad call fails the turn", async () => {
  const { answer } = await failing({
    agent: { toolErrors: { maxRetries: 0 } },
    script: [BAD("k1")],
  });
  assertEquals(errorOf(answer).toolRetries, 0);
});

Deno.test("[70] [74] the tenant caps what goes back", async () => {
  const { createPolicyRegistry } = await import("../../../agents/mod.ts");
  const agent = {
    toolErrors: {
      maxRetries: 3,
      retryOn: ["invalid-arguments", "unknown-tool", "tool-error"],
    },
  } as const;
  const policyRegistry = createPolicyRegistry();
  okValue(
    policyRegistry.register({
      kind: "tool-errors",
      evaluate: () => ({ maxRetries: 1, retryOn: ["unknown-tool"] }),
    }),
  );
  const bindings = { policyRegistry };
  const bad = await failing({ agent, bindings, script: [BAD("k1")] });
  assert(!("toolRetries" in errorOf(bad.answer)));
  const unknown = await failing({
    agent,
    bindings,
    script: [call(["k1", "pack.nope", {}]), say("done")],
  });
  okValue(unknown.answer);
});

Deno.test("[72] [74] an output off its schema fails the turn", async () => {
  const { answer } = await failing({
    tools: [{ ...lookup().tool, handler: () => ({ nothing: true }) }],
    script: [GOOD("k1")],
  });
  assertObjectMatch(errorOf(answer), {
    code: "tool-invocation-failed",
    cause: { code: "output-validation-failed" },
  });
});

Deno.test("[73] what the model wrote is echoed cut", async () => {
  const { answer } = await failing({
    agent: { toolErrors: { maxRetries: 0 } },
    script: [call(["k1", "pack.lookup", { query: "x".repeat(9_000) }])],
  });
  const { receivedInput } = errorOf(answer);
  assert(typeof receivedInput === "string");
  assert(receivedInput.length <= 4_200, `${receivedInput.length}`);
});

Deno.test("[trap 57] whatever a model writes as arguments, the turn goes on", async () => {
  const none = { type: "object", additionalProperties: false };
  for (
    const [args, runs] of [
      ["", true],
      ["{}", true],
      ["null", true],
      ["[]", false],
      ['{"a":', false],
    ] as const
  ) {
    const { tool, inputs } = lookup({
      input: none,
      handler: () => ({ found: "x" }),
    });
    const stage = await scene({
      tools: [tool],
      agent: WITH_TOOL,
      script: [call(["k1", "pack.lookup", args]), say("done")],
    });
    const { appended } = okValue(await stage.invoke());
    assertEquals(inputs, runs ? [{}] : [], args);
    assertEquals(
      (appended[2]!.content as { status?: string }).status,
      runs ? undefined : "failed",
      args,
    );
  }
});

Deno.test("[trap 32] text that stores can't hold is mended wherever it enters", async () => {
  const stage = await scene({
    agent: WITH_TOOL,
    tools: [lookup({ handler: () => ({ found: "a\u0000b\ud800" }) }).tool],
    script: [call([...K1]), say("x\u0000y")],
  });
  const { appended } = okValue(await stage.invoke({ userMessage: "\u0000" }));
  assertEquals(
    appended.map(({ content }) => content).filter((_, at) => at !== 1),
    [
      "\ufffd",
      { found: "a\ufffdb\ufffd" },
      "x\ufffdy",
    ],
  );
});

Deno.test("ids of calls that are empty or repeated are replaced, and stay paired (decisions.md 27)", async () => {
  const stage = await scene({
    agent: WITH_TOOL,
    tools: [lookup().tool],
    script: [
      call(["", "pack.lookup", { q: "1" }], ["a", "pack.lookup", { q: "2" }]),
      call(["a", "pack.lookup", { q: "3" }]),
      say("done"),
    ],
  });
  const { appended } = okValue(await stage.invoke());
  const results = appended.filter(({ role }) => role === "tool");
  assertEquals(
    results.map(({ toolCall, content }) => [
      toolCall!.invocationId,
      (content as { found: string }).found,
    ]),
    [["call-1-1", "1"], ["a", "2"], ["call-2-1", "3"]],
  );
});

Deno.test("each call is authorised before it runs, and a refusal fails the turn (decisions.md 28)", async () => {
  const { tool, inputs } = lookup();
  const asked: unknown[] = [];
  const options: SceneOptions = {
    tools: [tool],
    agent: WITH_TOOL,
    authorize: (request) => {
      asked.push(request);
      return { allowed: asked.length === 1, reason: "not today" };
    },
    script: [GOOD("k1"), GOOD("k2"), say("done")],
  };
  const stage = await scene(options);
  const principal = { userId: "u-1" };
  const error = errorOf(
    await stage.invoke({ principal, authz: { fgaApiUrl: "http://fga" } }),
  );
  assertObjectMatch(error, {
    code: "tool-invocation-failed",
    cause: { code: "not-authorized" },
  });
  assertEquals(inputs.length, 1);
  assertObjectMatch(asked[0], {
    tenantId: "t-1",
    principal,
    authz: { fgaApiUrl: "http://fga" },
    toolId: "pack.lookup",
    toolVersion: "1.0.0",
    conversationId: "c-1",
  });
});
