/** Nothing outlasts the wall: whatever of the host's never answers, a turn ends when its time is up (decisions.md 31). */
import {
  type Agent,
  createProvenanceBuilder,
  type Guardrail,
} from "../../../agents/mod.ts";
import type { InvokeAgentBindings } from "../../../agents/turn/mod.ts";
import {
  assert,
  assertEquals,
  assertObjectMatch,
  okValue,
} from "../../assert.ts";
import {
  call,
  errorOf,
  lookup,
  say,
  type Scene,
  scene,
  type SceneOptions,
  WITH_TOOL,
} from "./turn_fixture.ts";

const never = () => new Promise<never>(() => {});

/** The same with members that never answer. */
function deaf<Binding extends object>(
  binding: Binding,
  ...names: (keyof Binding)[]
): Binding {
  return new Proxy(binding, {
    get: (target, name) => {
      if (names.includes(name as keyof Binding)) return never;
      const member = Reflect.get(target, name) as unknown;
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

const WALL = { maxWallMs: 50 };
/** Long enough for a turn to come to where it is to hang, on a busy machine too. */
const LONGER = { maxWallMs: 1_000 };
const GATED: Partial<Agent> = {
  ...WITH_TOOL,
  conversationPolicy: { hitl: { tools: {} } },
};
const CHECKED = { guardrails: ["g"] } as unknown as Partial<Agent>;
const GUARDRAIL = {
  id: "g",
  kind: "zero-llm",
  check: "forbidden-substring",
  config: { patterns: ["done"] },
  action: { "on-violation": "log-only" },
} as Guardrail;

/** What never answers, and in which turn. */
const CASES: Readonly<
  Record<
    string,
    {
      readonly options?: SceneOptions;
      readonly principal?: unknown;
      readonly bindings: (stage: Scene) => Partial<InvokeAgentBindings>;
    }
  >
> = {
  "loading providers": {
    bindings: ({ bindings: { providerRegistry } }) => ({
      providerRegistry: deaf(
        Object.assign(providerRegistry, { hydrate: never }),
      ),
    }),
  },
  "a policy": {
    bindings: () => ({
      policyRegistry: { evaluate: never } as never,
    }),
  },
  "a block": {
    options: {
      agent: { instructions: { prompt: "acme.prompt", version: "^1.0.0" } },
    },
    bindings: () => ({ blockReader: { resolve: never } }),
  },
  "the renderer": {
    bindings: () => ({ templateRenderer: { render: never } }),
  },
  "the snapshot": {
    bindings: ({ store }) => ({
      runSnapshotBinding: deaf(store.snapshots, "write"),
    }),
  },
  "reading the conversation": {
    bindings: ({ store }) => ({
      conversationBinding: deaf(store.conversations, "getWithMessages"),
    }),
  },
  "storing a message": {
    bindings: ({ store }) => ({
      conversationBinding: deaf(store.conversations, "appendMessage"),
    }),
  },
  "the account": { bindings: () => ({ usage: { record: never } }) },
  "the authoriser": {
    options: { authorize: never },
    principal: { userId: "u-1" },
    bindings: () => ({}),
  },
  "what was approved before": {
    options: { agent: GATED },
    bindings: ({ store }) => ({
      hitl: deaf(store.approvals, "approvedEarlier"),
    }),
  },
  "the reviewers' queue": {
    options: { agent: GATED },
    bindings: ({ store }) => ({ hitl: deaf(store.approvals, "enqueue") }),
  },
  "the compliance sink": {
    options: { agent: CHECKED, guardrails: [GUARDRAIL] },
    bindings: () => ({ compliance: { record: never } }),
  },
};

for (const [what, { options, principal, bindings }] of Object.entries(CASES)) {
  Deno.test(`a turn ends when its time is up although ${what} never answers`, async () => {
    const stage = await scene({
      tools: [lookup().tool],
      script: [call(["k1", "pack.lookup", { q: "x" }]), say("done")],
      ...options,
      agent: { ...WITH_TOOL, ...options?.agent, budget: WALL },
    });
    Object.assign(stage.bindings, bindings(stage));
    const answer = await stage.invoke(
      principal === undefined ? {} : { principal },
    );
    assertObjectMatch(errorOf(answer), {
      code: "agent-turn-aborted",
      reason: "timeout",
    });
    assertEquals(stage.kinds().at(-1), "turn.failed");
    const ends = stage.kinds().filter((kind) => kind === "turn.failed");
    assertEquals(ends.length, 1);
    // The conversation is free for the next turn.
    const next = await scene({
      store: stage.store,
      opened: true,
      script: [say("next")],
    });
    assertEquals(okValue(await next.invoke()).response.content, "next");
  });
}

Deno.test("a listener that never answers is given up with the turn, and not waited for again", async () => {
  const heard: string[] = [];
  const stage = await scene({
    agent: { budget: WALL },
    script: [say("x")],
    bindings: {
      onEvent: ({ kind }) => {
        heard.push(kind);
        return never();
      },
    },
  });
  assertEquals(errorOf(await stage.invoke()).code, "agent-turn-aborted");
  assertEquals(heard, ["turn.started"]);
});

Deno.test("a listener that dawdles still hears how an aborted turn ended before the turn answers", async () => {
  const controller = new AbortController();
  const heard: string[] = [];
  const stage = await scene({
    script: [() => {
      controller.abort();
      return never();
    }],
    bindings: {
      onEvent: async ({ kind }) => {
        if (controller.signal.aborted) {
          await new Promise((done) => setTimeout(done, 300));
        }
        heard.push(kind);
      },
    },
  });
  const answer = await stage.invoke({ abortSignal: controller.signal });
  assertEquals(errorOf(answer).code, "agent-turn-aborted");
  assertEquals(heard.at(-1), "turn.failed");
});

Deno.test("an answer that is stored doesn't wait for ever for its proof", async () => {
  const stage = await scene({
    agent: { budget: LONGER },
    script: [say("x")],
    bindings: {
      provenance: {
        newBuilder: createProvenanceBuilder,
        emit: true,
        emitBinding: { emit: never },
      },
    },
  });
  const result = okValue(await stage.invoke());
  assertEquals(result.response.content, "x");
  assert(!("provenance" in result));
});

Deno.test("what comes after a step was given up is not stored", async () => {
  let deny = () => {};
  const stage = await scene({
    agent: {
      ...WITH_TOOL,
      budget: LONGER,
      toolErrors: { retryOn: ["tool-error"] },
    },
    tools: [lookup().tool],
    script: [call(["k1", "pack.lookup", { q: "x" }])],
    authorize: () =>
      new Promise((done) => deny = () => done({ allowed: false })),
  });
  const answer = await stage.invoke({ principal: { userId: "u-1" } });
  assertEquals(errorOf(answer).code, "agent-turn-aborted");
  deny();
  await new Promise((done) => setTimeout(done, 0));
  assertEquals((await stage.messages()).length, 2);
  assertEquals(stage.kinds().at(-1), "turn.failed");
});

Deno.test("a resume ends when its time is up although the queue never answers, and leaves the turn parked", async () => {
  const stage = await scene({
    agent: GATED,
    tools: [lookup().tool],
    script: [call(["k1", "pack.lookup", { q: "x" }]), say("done")],
  });
  const { runId } = okValue(await stage.invoke());
  const { hitl } = stage.bindings;
  Object.assign(stage.bindings, {
    hitl: deaf(stage.store.approvals, "getByToken"),
  });
  const agent = { ...stage.agent, budget: WALL };
  assertEquals(
    errorOf(await stage.resume(runId, { agent })).code,
    "agent-turn-aborted",
  );
  const run = okValue(await stage.runBinding.getRun("t-1", runId));
  assertEquals(run.status, "suspended");
  Object.assign(stage.bindings, { hitl });
  await stage.decide("approve");
  assertEquals(okValue(await stage.resume(runId)).status, "completed");
});
