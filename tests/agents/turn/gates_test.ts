/** People who have to agree: cases H and I. */
import {
  type Agent,
  createPolicyRegistry,
  type HitlSpec,
} from "../../../agents/mod.ts";
import type { HitlEnqueueInput } from "../../../agents/approvals/mod.ts";
import {
  evaluateSessionGate,
  hashToolArgs,
  resumeAgentTurn,
  type TurnAnswer,
} from "../../../agents/turn/mod.ts";
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
  type Scene,
  scene,
  type SceneOptions,
} from "./turn_fixture.ts";

/** Completes turns of `c-1` without running them. */
async function turnsBefore({ store }: Scene, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    okValue(
      await store.conversations.appendMessage({
        tenantId: "t-1",
        conversationId: "c-1",
        role: "agent",
        content: "earlier",
      }),
    );
  }
}

/** A `hitl` binding that only keeps what it is asked. */
function asking() {
  const asked: HitlEnqueueInput[] = [];
  return {
    asked,
    hitl: {
      enqueue(input: HitlEnqueueInput) {
        asked.push(input);
        return Promise.resolve({ approvalId: `a-${asked.length}` });
      },
    },
  };
}

async function atSessionGate(
  options: SceneOptions = {},
  turns = 3,
): Promise<Scene> {
  const stage = await scene({
    agent: { conversationPolicy: { hitl: { afterTurns: 3 } } },
    script: [say("Hi")],
    runId: "run-1",
    ...options,
  });
  await turnsBefore(stage, turns);
  return stage;
}

function complete({ runBinding }: Scene, token: string, value: unknown) {
  return runBinding.completeToken("t-1", "run-1", token, value);
}

const SESSION_TOKEN = "1f4214100f0d1788b572229691d9783e26d99ba6";

Deno.test("[86] a session asks from its threshold on, and parks with nothing stored or told", async () => {
  assertEquals(
    okValue(await (await atSessionGate({}, 2)).invoke()).status,
    "completed",
  );
  const stage = await atSessionGate();
  const result = okValue(await stage.invoke());
  assertObjectMatch(result, {
    status: "suspended",
    runId: "run-1",
    turnNumber: 0,
    appended: [],
    usage: { steps: 0, promptTokens: 0, completionTokens: 0, totalCostUsd: 0 },
    provider: { id: "", model: "" },
  });
  const run = okValue(await stage.runBinding.getRun("t-1", "run-1"));
  assertEquals(run.status, "suspended");
  assertEquals((await stage.messages()).length, 3);
  assertEquals(stage.kinds(), []);
  // durability.md, Somebody continues
  const [approval] = okValue(
    await stage.store.approvals.list({ tenantId: "t-1" }),
  );
  assertEquals(result.pending, [{
    approvalId: approval!.id,
    waitTokenId: SESSION_TOKEN,
    requiredRole: "standard",
    expiresAt: approval!.expiresAt,
  }]);
});

Deno.test("[87] the reviewer is asked about the session", async () => {
  const { asked, hitl } = asking();
  const stage = await atSessionGate({ bindings: { hitl } });
  okValue(await stage.invoke());
  const [question] = asked;
  assertObjectMatch(question, {
    subjectKind: "agent-turn:session-hitl-gate",
    waitTokenId: SESSION_TOKEN,
    requiredRole: "standard",
    subjectRef: {
      conversationId: "c-1",
      agentId: "acme.helper",
      agentVersion: "1.0.0",
      turnCount: 3,
      threshold: 3,
    },
    provenanceRef: { runId: "run-1" },
  });
  const ahead = Date.parse(question!.expiresAt) - Date.now();
  assert(Math.abs(ahead - 86_400_000) < 60_000, `${ahead}`);
});

Deno.test("[88] an approved turn runs, in the same run", async () => {
  const stage = await atSessionGate();
  okValue(await stage.invoke());
  okValue(await complete(stage, SESSION_TOKEN, { decided: "approve" }));
  const result = okValue(await stage.resume("run-1"));
  assertObjectMatch(result, {
    status: "completed",
    runId: "run-1",
    turnNumber: 4,
    response: { content: "Hi" },
  });
  assertEquals(stage.kinds()[0], "turn.started");
});

Deno.test("[89] a rejected turn fails, with nothing stored", async () => {
  const stage = await atSessionGate();
  okValue(await stage.invoke());
  await stage.decide("reject", "no");
  assertObjectMatch(errorOf(await stage.resume("run-1")), {
    code: "hitl-rejected",
    rationale: "no",
  });
  assertEquals((await stage.messages()).length, 3);
});

Deno.test("[90] a wait that was cancelled fails the turn with its reason; one withdrawn says so", async () => {
  for (
    const [reason, code] of [
      ["timeout", "hitl-cancelled"],
      ["approval-withdrawn", "hitl-withdrawn"],
    ] as const
  ) {
    const stage = await atSessionGate();
    okValue(await stage.invoke());
    okValue(
      await stage.runBinding.cancelToken("t-1", "run-1", SESSION_TOKEN, reason),
    );
    assertObjectMatch(errorOf(await stage.resume("run-1")), { code, reason });
  }
});

Deno.test("[92] a turn parks even when nobody could be asked", async () => {
  const hitl = { enqueue: () => Promise.reject(new Error("no queue")) };
  const stage = await atSessionGate({ bindings: { hitl } });
  const result = okValue(await stage.invoke());
  assertEquals(result.status, "suspended");
  assertEquals(result.pending?.map(({ waitTokenId }) => waitTokenId), [
    SESSION_TOKEN,
  ]);
});

Deno.test("a turn whose snapshot can't be stored doesn't park (durability.md, What a resume needs)", async () => {
  const stage = await atSessionGate();
  let writes = 0;
  Object.assign(stage.bindings, {
    runSnapshotBinding: {
      read: () => Promise.resolve({ kind: "ok", value: null }),
      write: () => Promise.reject(new Error(`no disk ${++writes}`)),
    },
  });
  assertEquals(errorOf(await stage.invoke()).code, "persistence-error");
  assertEquals(writes, 2);
});

Deno.test("[93] the newer threshold comes before the older form", async () => {
  const conversationPolicy = { hitlAfterTurns: 1, hitl: { afterTurns: 5 } };
  const stage = await atSessionGate({ agent: { conversationPolicy } }, 2);
  assertEquals(okValue(await stage.invoke()).status, "completed");
  assertEquals(
    evaluateSessionGate({ ...stage.agent, conversationPolicy } as Agent, 5).hit,
    true,
  );
});

/** The agent whose tool is asked about. */
function gated(
  tools: NonNullable<
    NonNullable<Agent["conversationPolicy"]>["hitl"]
  >["tools"] = { overrides: { "pack.lookup": "always_ask" } },
): Partial<Agent> {
  return {
    tools: [{ id: "pack.lookup", version: "^1.0.0" }],
    conversationPolicy: { hitl: { ...(tools === undefined ? {} : { tools }) } },
  };
}

const CALL_0 = call(["call-0", "pack.lookup", { q: "x" }]);
const TOOL_TOKEN = "502332a9a036120a4a1ada66bd786407357ef62c";

async function atToolGate(options: SceneOptions = {}) {
  const { tool, inputs } = lookup();
  const stage = await scene({
    tools: [tool],
    agent: gated(),
    script: [CALL_0, say("done")],
    runId: "run-1",
    ...options,
  });
  return { stage, inputs, parked: okValue(await stage.invoke()) };
}

Deno.test("[96] a gated call parks the turn, and the reviewer sees what it would do", async () => {
  const { asked, hitl } = asking();
  const { parked, inputs } = await atToolGate({ bindings: { hitl } });
  assertEquals(parked.status, "suspended");
  assertEquals(inputs, []);
  assertObjectMatch(asked[0], {
    subjectKind: "tool-call:pending",
    waitTokenId: TOOL_TOKEN,
    subjectRef: {
      argsHash: "a69fbbcf7209c6f659a75067c9fa03037c2ae23f",
      toolId: "pack.lookup",
      toolVersion: "1.0.0",
      callId: "call-0",
      arguments: { q: "x" },
    },
  });
});

Deno.test("[97] [123] an approved call runs once, and only what is left is told", async () => {
  const { stage, inputs } = await atToolGate();
  const before = stage.events.length;
  await stage.decide("approve");
  const { status, usage, appended } = okValue(await stage.resume("run-1"));
  assertEquals(status, "completed");
  assertEquals(inputs, [{ q: "x" }]);
  assertEquals([usage.steps, usage.promptTokens], [2, 20]);
  assertEquals(appended.map(({ role }) => role), [
    "user",
    "agent",
    "tool",
    "agent",
  ]);
  assertEquals(appended.filter((each) => each.isIntermediate).length, 1);
  assertEquals(stage.kinds().slice(before), [
    "tool.started",
    "tool.completed",
    "model.call.started",
    "model.call.completed",
    "agent.message",
    "turn.completed",
  ]);
  assertEquals(
    stage.events.slice(before).map(({ sequence }) => sequence),
    [1, 2, 3, 4, 5, 6],
  );
});

Deno.test("[98] a rejected call is told to the model, and the turn goes on", async () => {
  const { stage, inputs } = await atToolGate();
  await stage.decide("reject", "no");
  const { appended, status } = okValue(await stage.resume("run-1"));
  assertEquals(status, "completed");
  assertEquals(inputs, []);
  const rejected = { status: "rejected", rationale: "no" };
  assertEquals(appended[2]!.content, rejected);
  const told = stage.events.filter(({ kind }) => kind.startsWith("tool."));
  assertEquals(told.map(({ kind }) => kind), [
    "tool.started",
    "tool.completed",
  ]);
  assertObjectMatch(told[1], { output: rejected });
});

Deno.test("[99] a wait that ran out fails the turn", async () => {
  const { stage } = await atToolGate();
  okValue(
    await stage.runBinding.cancelToken("t-1", "run-1", TOOL_TOKEN, "timeout"),
  );
  assertObjectMatch(errorOf(await stage.resume("run-1")), {
    code: "hitl-cancelled",
    reason: "timeout",
  });
});

Deno.test("[100] [trap 55] what isn't an approval is none", async () => {
  for (const value of [{ maxCostUsd: 1.5 }, null, false, 0, "", "approve"]) {
    const { stage, inputs } = await atToolGate();
    okValue(await complete(stage, TOOL_TOKEN, value));
    const { appended } = okValue(await stage.resume("run-1"));
    const content = appended[2]!.content as Record<string, unknown>;
    assertEquals(content.status, "rejected");
    assert(typeof content.rationale === "string" && content.rationale !== "");
    assertEquals(inputs, []);
  }
});

Deno.test("[101] [102] without gates nothing is asked; with them a tool that changes nothing isn't", async () => {
  for (
    const [agent, mutating, parks] of [
      [{ tools: gated().tools! }, undefined, false],
      [{ tools: gated().tools! }, true, false],
      [gated({}), false, false],
      [gated({}), true, true],
      [gated({}), undefined, true],
    ] as const
  ) {
    const { parked } = await atToolGate({
      agent,
      tools: [lookup(mutating === undefined ? {} : { mutating }).tool],
    });
    assertEquals(parked.status === "suspended", parks);
  }
});

Deno.test("a rule without a role, however it leaves it out, takes the default one", async () => {
  const rule = { mode: "always_ask", requiredRole: undefined } as never;
  const { parked } = await atToolGate({
    agent: gated({ overrides: { "pack.lookup": rule } }),
  });
  assertEquals(parked.pending?.[0]?.requiredRole, "standard");
});

function floors(spec: HitlSpec) {
  const policyRegistry = createPolicyRegistry();
  okValue(policyRegistry.register({ kind: "hitl", evaluate: () => spec }));
  return { policyRegistry };
}

Deno.test("[104] a tenant's floor gates its tool alone, whether or not the agent has gates (durability.md)", async () => {
  const agent = { tools: gated().tools! };
  const { parked: free } = await atToolGate({
    agent,
    bindings: floors({ tools: { "pack.other": "always_ask" } }),
  });
  assertEquals(free.status, "completed");
  const { parked } = await atToolGate({
    agent,
    bindings: floors({
      tools: { "pack.lookup": { mode: "always_ask", requiredRole: "senior" } },
    }),
  });
  assertEquals(
    parked.pending?.map(({ toolId, requiredRole }) => [
      toolId,
      requiredRole,
    ]),
    [["pack.lookup", "senior"]],
  );
});

Deno.test("[107] arguments hash alike in any order of keys", () => {
  for (
    const args of [
      { b: 1, a: { d: true, c: [1, "two", null] } },
      { a: { c: [1, "two", null], d: true }, b: 1 },
    ]
  ) {
    assertEquals(
      hashToolArgs(args),
      "f3be32ecfe0711e89b005d1c31ad1429e1e4a848",
    );
  }
});

const AGAIN: Answer[] = [
  CALL_0,
  call(["call-1", "pack.lookup", { q: "x" }]),
  say("done"),
];

Deno.test("[108] [trap 58] a binding that only asks is asked every time", async () => {
  const { asked, hitl } = asking();
  const { stage } = await atToolGate({
    agent: gated({ default: "ask_on_first_use" }),
    bindings: { hitl },
    script: [...AGAIN],
  });
  okValue(await complete(stage, TOOL_TOKEN, { decided: "approve" }));
  assertEquals(okValue(await stage.resume("run-1")).status, "suspended");
  const token = asked.at(-1)!.waitTokenId;
  assert(token !== TOOL_TOKEN);
  okValue(await complete(stage, token, { decided: "approve" }));
  assertEquals(okValue(await stage.resume("run-1")).status, "completed");
});

Deno.test("an approval covers later calls of the tool at its version, a rejection none (decisions.md 19)", async () => {
  const agent = gated({ default: "ask_on_first_use" });
  const approved = await atToolGate({ agent, script: [...AGAIN] });
  await approved.stage.decide("approve");
  assertEquals(
    okValue(await approved.stage.resume("run-1")).status,
    "completed",
  );
  const rejected = await atToolGate({ agent, script: [...AGAIN] });
  await rejected.stage.decide("reject");
  assertEquals(
    okValue(await rejected.stage.resume("run-1")).status,
    "suspended",
  );
});

Deno.test("[trap 54] one step's calls of a tool ask once; after a rejection each asks for itself (durability.md)", async () => {
  const two = call(
    ["a", "pack.lookup", { q: "1" }],
    ["b", "pack.lookup", { q: "2" }],
  );
  const options = {
    agent: gated({ default: "ask_on_first_use" }),
    script: [two, say("done")],
  } as const;
  const covered = await atToolGate({ ...options, script: [...options.script] });
  assertEquals(covered.parked.pending?.length, 1);
  await covered.stage.decide("approve");
  okValue(await covered.stage.resume("run-1"));
  assertEquals(covered.inputs, [{ q: "1" }, { q: "2" }]);

  const asked = await atToolGate({ ...options, script: [...options.script] });
  await asked.stage.decide("reject");
  assertEquals(okValue(await asked.stage.resume("run-1")).status, "suspended");
  await asked.stage.decide("approve");
  assertEquals(okValue(await asked.stage.resume("run-1")).status, "completed");
  assertEquals(asked.inputs, [{ q: "2" }]);
});

Deno.test("a first call's approval doesn't cover the step's others once they take a higher role (durability.md)", async () => {
  const two = call(
    ["a", "pack.lookup", { q: "1" }],
    ["b", "pack.lookup", { q: "2" }],
  );
  for (const role of ["standard", "admin"] as const) {
    const { stage, inputs } = await atToolGate({
      agent: gated({ default: "ask_on_first_use" }),
      script: [two, say("done")],
    });
    const [first] = okValue(
      await stage.store.approvals.list({ tenantId: "t-1", status: "pending" }),
    );
    okValue(
      await stage.store.approvals.decide({
        tenantId: "t-1",
        approvalId: first!.id,
        decision: "approve",
        decidedBy: { id: "r-1", role },
      }),
    );
    Object.assign(stage.bindings, floors({ minReviewerRole: "admin" }));
    const { status, pending } = okValue(await stage.resume("run-1"));
    // An admin's approval is high enough whoever was asked for.
    assertEquals(status, role === "admin" ? "completed" : "suspended");
    if (role === "admin") continue;
    assertEquals(pending?.map(({ requiredRole }) => requiredRole), ["admin"]);
    assertEquals(inputs, [{ q: "1" }]);
    await stage.decide("approve");
    okValue(await stage.resume("run-1"));
    assertEquals(inputs, [{ q: "1" }, { q: "2" }]);
  }
});

Deno.test("arguments are checked before anybody is asked (decisions.md 20)", async () => {
  const { asked, hitl } = asking();
  const { parked } = await atToolGate({
    bindings: { hitl },
    script: [call(["call-0", "pack.lookup", { query: "x" }]), say("sorry")],
  });
  assertEquals(parked.status, "completed");
  assertEquals(asked, []);
});

Deno.test("[trap 53] a free call beside a gated one runs once", async () => {
  const free = lookup({ id: "pack.free" });
  const held = lookup();
  const stage = await scene({
    runId: "run-1",
    tools: [free.tool, held.tool],
    agent: {
      ...gated(),
      tools: [
        { id: "pack.free", version: "*" },
        { id: "pack.lookup", version: "*" },
      ],
    },
    script: [
      call(["f", "pack.free", { q: "1" }], ["g", "pack.lookup", { q: "2" }]),
      say("done"),
    ],
  });
  // Only the override is asked about by a reviewer; the other is made free.
  Object.assign(stage.agent.conversationPolicy!.hitl!.tools!, {
    default: "never_ask",
  });
  assertEquals(okValue(await stage.invoke()).status, "suspended");
  assertEquals(free.inputs.length, 1);
  await stage.decide("approve");
  okValue(await stage.resume("run-1"));
  assertEquals([free.inputs.length, held.inputs.length], [1, 1]);
});

/** Every order of three. */
const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

Deno.test("[trap 52] three gated calls are asked about at once, and answered in any order, each for its own", async () => {
  for (const order of ORDERS) {
    for (const together of [true, false]) {
      const { stage, inputs, parked } = await atToolGate({
        script: [
          call(
            ...["a", "b", "c"].map((id) =>
              [id, "pack.lookup", { q: id }] as [string, string, unknown]
            ),
          ),
          say("done"),
        ],
      });
      assertEquals(parked.pending?.length, 3);
      let answer: TurnAnswer | undefined;
      for (const index of order) {
        // The one in the middle is rejected.
        okValue(
          await stage.store.approvals.decide({
            tenantId: "t-1",
            approvalId: parked.pending![index]!.approvalId!,
            decision: index === 1 ? "reject" : "approve",
            decidedBy: { id: "rev-1", role: "admin" },
          }),
        );
        if (!together) answer = await stage.resume("run-1");
      }
      if (together) answer = await stage.resume("run-1");
      const { status, appended } = okValue(answer!);
      assertEquals(status, "completed");
      assertEquals(inputs, [{ q: "a" }, { q: "c" }]);
      assertEquals(
        appended.slice(2, 5).map(({ toolCall, content }) => [
          toolCall!.invocationId,
          (content as { status?: string }).status,
        ]),
        [["a", undefined], ["b", "rejected"], ["c", undefined]],
      );
    }
  }
});

Deno.test("[trap 63] waiting for a person takes nothing of the turn's time", async () => {
  const { stage } = await atToolGate({
    agent: { ...gated(), budget: { maxWallMs: 200 } },
  });
  await new Promise((done) => setTimeout(done, 300));
  await stage.decide("approve");
  assertEquals(okValue(await stage.resume("run-1")).status, "completed");
});

Deno.test("[trap 64] of twenty resumes one runs the turn", async () => {
  const { stage, inputs } = await atToolGate();
  await stage.decide("approve");
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      resumeAgentTurn(
        { tenantId: "t-1", runId: "run-1", agent: stage.agent },
        stage.bindings,
      )),
  );
  assertEquals(inputs.length, 1);
  for (const answer of answers) {
    if (answer.kind === "ok") assertEquals(answer.value.status, "completed");
    else {
      assertObjectMatch(answer.error, { cause: { code: "run-executing" } });
    }
  }
  assert(answers.some(({ kind }) => kind === "ok"));
  const ends = stage.events.filter(({ kind }) => kind === "turn.completed");
  assertEquals(ends.length, 1);
});
