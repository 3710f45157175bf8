/** The flow, and a turn without tools: cases A and B. */
import {
  AGENT_TURN_FLOW,
  AGENT_TURN_FLOW_ID,
  AGENT_TURN_LOOP_MAX_ITERATIONS,
  MODEL_CALL_NODE,
  SETUP_NODE,
} from "../../../agents/turn/mod.ts";
import type { LoopNode, RunFlowInput } from "../../../agents/flow/mod.ts";
import {
  assert,
  assertEquals,
  assertObjectMatch,
  okValue,
} from "../../assert.ts";
import {
  call,
  delegating,
  lookup,
  provider,
  say,
  scene,
  WITH_TOOL,
} from "./turn_fixture.ts";

const OUTER = [
  "setup",
  "render-prompt",
  "persist-user-message",
  "run-retrievals",
  "build-initial-messages",
  "agent-loop",
  "evaluate-guardrails",
  "persist-final-message",
  "persist-provenance",
  "compose-result",
];

const loop = AGENT_TURN_FLOW.nodes.find(({ id }) => id === "agent-loop") as
  & LoopNode
  & { exitCondition: { value: unknown } };

Deno.test("[1] the flow has its id, version and nodes in order", () => {
  assertEquals(AGENT_TURN_FLOW.id, "agent.turn");
  assertEquals(AGENT_TURN_FLOW.version, "1.1.0");
  assertEquals(AGENT_TURN_FLOW.nodes.map(({ id }) => id), OUTER);
});

Deno.test("[2] the loop runs model, tools and budget until the turn is finished, 32 times at most", () => {
  assertObjectMatch(loop, {
    kind: "loop",
    loopKind: "while",
    evaluationTiming: "after",
    maxIterations: 32,
    collectAllIterations: true,
  });
  assertEquals(loop.exitCondition.value, {
    path: "iterationOutput.finishedTurn",
  });
  assertEquals(loop.body.nodes.map(({ id }) => id), [
    "model-call",
    "dispatch-tools",
    "budget-check",
  ]);
  assertEquals(loop.body.edges.map(({ from, to }) => [from, to]), [
    ["$loop-start", "model-call"],
    ["model-call", "dispatch-tools"],
    ["dispatch-tools", "budget-check"],
    ["budget-check", "$loop-end"],
  ]);
});

Deno.test("[3] the outer edges are one chain", () => {
  const places = ["$start", ...OUTER, "$end"];
  assertEquals(
    AGENT_TURN_FLOW.edges.map(({ id, from, to }) => [id, from, to]),
    places.slice(1).map((to, at) => [`e${at}`, places[at]!, to]),
  );
});

Deno.test("[4] the constants name the flow, its nodes and its cap", () => {
  assertEquals(
    [
      AGENT_TURN_LOOP_MAX_ITERATIONS,
      AGENT_TURN_FLOW_ID,
      SETUP_NODE,
      MODEL_CALL_NODE,
    ],
    [32, "agent.turn", "setup", "model-call"],
  );
});

Deno.test("[5] [14] a turn starts its run with the bare text, its agent, twelve handlers, and nothing that wasn't given", async () => {
  const { bindings, runBinding, invoke } = await scene({
    script: [say("Hi")],
  });
  const started: RunFlowInput[] = [];
  Object.assign(bindings, {
    runBinding: delegating(runBinding, (input) => {
      started.push(input);
      return runBinding.runGraph(input);
    }),
  });
  okValue(await invoke());
  const [input] = started;
  const handlers = Object.keys(input!.handlers);
  assertEquals(handlers.length, 12);
  assert(!handlers.includes("agent-loop"));
  assertEquals(input!.input, "Hello");
  assertEquals(input!.agent, {
    id: "acme.helper",
    version: "1.0.0",
    conversationId: "c-1",
  });
  for (const key of ["options", "principal", "authz"]) {
    assert(!(key in input!), key);
  }
});

Deno.test("[6] [7] a plain turn stores the question and the answer, and says what it used", async () => {
  const { invoke, messages, turnCount } = await scene({ script: [say("Hi")] });
  const result = okValue(await invoke());
  assertObjectMatch(result, {
    turnNumber: 1,
    conversationId: "c-1",
    retrieved: [],
    violations: [],
    usage: {
      steps: 1,
      promptTokens: 10,
      completionTokens: 5,
      totalCostUsd: 0.01,
    },
    provider: { id: "p", model: "m1" },
    status: "completed",
    response: {
      sequence: 2,
      role: "agent",
      content: "Hi",
      actor: "acme.helper",
    },
  });
  assertEquals(
    result.appended.map(({ sequence, role }) => [sequence, role]),
    [[1, "user"], [2, "agent"]],
  );
  assert(result.usage.durationMs >= 0);
  assert(result.runId !== "");
  for (const key of ["provenance", "dryRun", "output", "warnings"]) {
    assert(!(key in result), key);
  }
  assertEquals(await messages(), ["user Hello", "agent Hi"]);
  assertEquals(await turnCount(), 1);
});

Deno.test("[8] the provider is called once, with the instructions and the message, and without tools", async () => {
  const { invoke, provider } = await scene({ script: [say("Hi")] });
  okValue(await invoke());
  assertEquals(provider.calls.length, 1);
  const [input] = provider.calls;
  assertEquals(input!.model, "m1");
  assertEquals(input!.messages, [
    { role: "system", content: "Help." },
    { role: "user", content: "Hello" },
  ]);
  assert(!("tools" in input!));
  assert(input!.abortSignal instanceof AbortSignal);
});

Deno.test("[9] a plain turn tells six events", async () => {
  const { invoke, kinds, events } = await scene({ script: [say("Hi")] });
  const { runId } = okValue(await invoke());
  assertEquals(kinds(), [
    "turn.started",
    "retrieval.completed",
    "model.call.started",
    "model.call.completed",
    "agent.message",
    "turn.completed",
  ]);
  assertEquals(events.map(({ sequence }) => sequence), [1, 2, 3, 4, 5, 6]);
  assert(events.every((event) => event.runId === runId));
});

Deno.test("[10] the participant is the actor of the stored message", async () => {
  const { invoke } = await scene({ script: [say("A"), say("B")] });
  const named = okValue(await invoke({ participantId: "u-9" }));
  assertEquals(named.appended[0]!.actor, "u-9");
  const unnamed = okValue(await invoke());
  assert(!("actor" in unnamed.appended[0]!));
});

Deno.test("[11] the second turn sees the first", async () => {
  const { invoke, provider } = await scene({ script: [say("A"), say("B")] });
  okValue(await invoke());
  const second = okValue(await invoke({ userMessage: "More" }));
  assertEquals(second.turnNumber, 2);
  assertEquals(provider.calls[1]!.messages, [
    { role: "system", content: "Help." },
    { role: "user", content: "Hello" },
    { role: "assistant", content: "A" },
    { role: "user", content: "More" },
  ]);
});

Deno.test("[12] [13] the history limit counts messages; none at 0", async () => {
  for (const [historyLimit, history] of [[1, ["y"]], [0, []]] as const) {
    const { invoke, provider, store } = await scene({
      script: [say("Hi")],
      agent: { conversationPolicy: { historyLimit } },
    });
    for (const [role, content] of [["user", "x"], ["agent", "y"]] as const) {
      const tenantId = "t-1";
      const conversationId = "c-1";
      okValue(
        await store.conversations.appendMessage({
          tenantId,
          conversationId,
          role,
          content,
        }),
      );
    }
    okValue(await invoke());
    assertEquals(
      provider.calls[0]!.messages.slice(1, -1).map(({ content }) => content),
      [...history],
    );
  }
});

Deno.test("[15] an answer cut at its length completes the turn, with a warning (durability.md, Models)", async () => {
  const { invoke } = await scene({
    script: [{ ...say("cut"), finishReason: "length" }],
  });
  const result = okValue(await invoke());
  assertEquals(result.response.content, "cut");
  assertEquals(result.warnings?.map(({ code }) => code), ["length"]);
});

Deno.test("[17] calls that come with a final answer are not run", async () => {
  const { tool, inputs } = lookup();
  const { invoke, messages } = await scene({
    tools: [tool],
    agent: WITH_TOOL,
    script: [{
      ...call(["k1", "pack.lookup", { q: "x" }]),
      message: {
        role: "assistant",
        content: "done",
        toolCalls: [{ id: "k1", name: "pack.lookup", arguments: { q: "x" } }],
      },
      finishReason: "stop",
    }],
  });
  assertEquals(okValue(await invoke()).response.content, "done");
  assertEquals(inputs, []);
  assertEquals(await messages(), ["user Hello", "agent done"]);
});

Deno.test("[18] a turn on the fallback provider says so", async () => {
  const fallback = provider([say("Hi")], { fallback: true });
  const { invoke } = await scene({ providers: [fallback] });
  const { warnings } = okValue(await invoke());
  assertEquals(warnings?.map(({ code }) => code), ["fallback-provider"]);
});
