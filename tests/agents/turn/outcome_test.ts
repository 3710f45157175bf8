/** What comes of a turn: guardrails, events, provenance, dry runs, typed answers, errors: cases K to Q. */
import {
  createCheckRegistry,
  type Guardrail,
  type RunTrace,
} from "../../../agents/mod.ts";
import {
  createProvenanceBuilder,
  createStaticKeyProvider,
  generateSigningKey,
  type ProvenanceRecord,
  verifyProvenance,
} from "../../../agents/provenance/mod.ts";
import { createMemoryStore } from "../../../agents/store/mod.ts";
import {
  type InvokeAgentError,
  parseFailureMessage,
  turnFailureMessage,
} from "../../../agents/turn/mod.ts";
import {
  assert,
  assertEquals,
  assertObjectMatch,
  errValue,
  okValue,
} from "../../assert.ts";
import {
  call,
  errorOf,
  lookup,
  provider,
  say,
  scene,
  type SceneOptions,
  WITH_TOOL,
} from "./turn_fixture.ts";

function forbids(
  action: string,
  fields: Partial<Guardrail> = {},
): Guardrail {
  return {
    id: "no-secret",
    kind: "zero-llm",
    check: "forbidden-substring",
    config: { patterns: ["secret"] },
    action: { "on-violation": action },
    ...fields,
  };
}

function guarded(...guardrails: Guardrail[]): SceneOptions {
  return {
    guardrails,
    agent: { guardrails: guardrails.map(({ id }) => id) },
    script: [say("a Secret")],
  };
}

Deno.test("[124] [143] a violation that halts keeps the answer out of the conversation", async () => {
  const stage = await scene(guarded(forbids("halt")));
  const error = errorOf(await stage.invoke());
  assertObjectMatch(error, {
    code: "guardrail-violation",
    violations: [{ action: "halt", severity: "error" }],
    evaluationErrors: [],
  });
  assertEquals(await stage.messages(), ["user Hello"]);
  assertEquals(await stage.turnCount(), 0);
  assertEquals(stage.kinds().slice(-2), ["guardrail.violated", "turn.failed"]);
});

Deno.test("[125] [126] any other violation is reported, and nothing is done again", async () => {
  for (const action of ["log-only", "escalate", "retry"]) {
    const stage = await scene(guarded(forbids(action)));
    const { violations } = okValue(await stage.invoke());
    assertEquals(violations.map((each) => each.action), [action]);
    assertEquals(stage.provider.calls.length, 1);
    assertEquals(await stage.turnCount(), 1);
    assertEquals(stage.kinds().slice(-3), [
      "guardrail.violated",
      "agent.message",
      "turn.completed",
    ]);
  }
});

Deno.test("[127] [128] what passes is silent; warnings come before the others", async () => {
  const passing = await scene({
    ...guarded(forbids("halt")),
    script: [say("fine")],
  });
  assertEquals(okValue(await passing.invoke()).violations, []);
  assert(!passing.kinds().some((kind) => kind.startsWith("guardrail")));
  const both = await scene(
    guarded(
      forbids("escalate", { id: "g1" }),
      forbids("log-only", { id: "g2" }),
    ),
  );
  const { violations } = okValue(await both.invoke());
  assertEquals(violations.map(({ guardrailId }) => guardrailId), ["g2", "g1"]);
});

Deno.test("[130] a guardrail whose check is unknown is an error, which halts only under halt", async () => {
  const unknown = (action: string) =>
    scene(guarded(forbids(action, { check: "nobody-knows" })));
  const lenient = await unknown("log-only");
  assertEquals(okValue(await lenient.invoke()).violations, []);
  assertObjectMatch(
    lenient.events.find(({ kind }) => kind === "guardrail.error"),
    { code: "unknown-check", guardrailId: "no-secret" },
  );
  const strict = await unknown("halt");
  assertObjectMatch(errorOf(await strict.invoke()), {
    code: "guardrail-violation",
    violations: [],
    evaluationErrors: [{ code: "unknown-check" }],
  });
});

Deno.test("[132] a guardrail that doesn't hold here is skipped", async () => {
  for (const scope of [{ when: "ci-only" }, { agents: ["other"] }] as const) {
    const stage = await scene(guarded(forbids("halt", { scope })));
    assertEquals(okValue(await stage.invoke()).violations, []);
  }
});

Deno.test("[133] [138] a check sees the turn: input, calls that failed, number and mode", async () => {
  const traces: RunTrace[] = [];
  const checks = createCheckRegistry();
  okValue(
    checks.register({
      id: "acme.checks.sees",
      kind: "zero-llm",
      evaluate(_config, trace) {
        traces.push(trace);
        return { passed: true };
      },
    }),
  );
  const sees = forbids("halt", { id: "sees", check: "acme.checks.sees" });
  const calls = forbids("log-only", {
    id: "calls",
    check: "max-tool-calls",
    config: { max: 1 },
  });
  const stage = await scene({
    ...guarded(sees, calls),
    agent: { ...WITH_TOOL, guardrails: ["sees", "calls"] },
    bindings: { checks },
    tools: [lookup().tool],
    script: [
      call(["k1", "pack.lookup", { q: "x" }], ["k2", "pack.nope", {}]),
      say("done"),
    ],
  });
  const { violations } = okValue(await stage.invoke({ input: { id: 1 } }));
  assertEquals(violations.map(({ guardrailId }) => guardrailId), ["calls"]);
  assertObjectMatch(traces[0], {
    userInput: "Hello",
    turnNumber: 1,
    mode: "runtime",
    output: "done",
    conversationId: "c-1",
  });
  assertEquals(traces[0]!.attributes?.stepInput, { id: 1 });
  assertEquals(traces[0]!.toolCalls.map(({ toolId }) => toolId), [
    "pack.lookup",
    "pack.nope",
  ]);
});

Deno.test("[135] [136] a judge is routed under the turn's policy, under its signal, and its call is accounted for", async () => {
  const us = provider([say("PASS")], { id: "us", region: "us-east-1" });
  const eu = provider([say("the answer"), say("FAIL\nToo rude")], {
    id: "eu",
    region: "eu-west-1",
  });
  const judged = forbids("log-only", {
    kind: "llm-judge",
    check: "polite",
    config: { rubric: "Be polite." },
  });
  const stage = await scene({
    ...guarded(judged),
    providers: [us, eu],
    bindings: {
      tenantPolicy: { tenantId: "t-1", regionAllow: ["eu-west-1"] },
    },
  });
  const { violations, usage } = okValue(await stage.invoke());
  assertEquals(violations[0]!.result.reason, "Too rude");
  assertEquals(us.calls, []);
  assertEquals(eu.calls[1]!.abortSignal, eu.calls[0]!.abortSignal);
  // The result counts the turn's own calls, the account all of them (durability.md, Counting).
  assertEquals(usage.steps, 1);
  const totals = okValue(await stage.store.usage.totals({ tenantId: "t-1" }));
  assertEquals([totals.calls, totals.costUsd], [2, 0.02]);
});

Deno.test("[139] [140] a listener that throws or dawdles changes nothing, and hears one event at a time", async () => {
  for (
    const onEvent of [
      () => {
        throw new Error("deaf");
      },
      () => Promise.reject(new Error("deaf")),
    ]
  ) {
    const stage = await scene({ script: [say("Hi")], bindings: { onEvent } });
    assertEquals(okValue(await stage.invoke()).response.content, "Hi");
  }
  let inside = 0;
  const heard: number[] = [];
  const stage = await scene({
    script: [say("Hi")],
    bindings: {
      onEvent: async ({ sequence }) => {
        assertEquals(++inside, 1);
        await new Promise((done) => setTimeout(done, 2));
        inside -= 1;
        heard.push(sequence);
      },
    },
  });
  okValue(await stage.invoke());
  assertEquals(heard, [1, 2, 3, 4, 5, 6]);
});

Deno.test("[141] [142] the events of a plain turn carry its numbers", async () => {
  const stage = await scene({ script: [say("Hi")] });
  okValue(await stage.invoke());
  assertObjectMatch(
    stage.events.find(({ kind }) => kind === "model.call.completed"),
    {
      step: 1,
      finishReason: "stop",
      promptTokens: 10,
      completionTokens: 5,
      costUsd: 0.01,
      durationMs: 1,
    },
  );
  assertObjectMatch(stage.events.at(-1), {
    kind: "turn.completed",
    turnNumber: 1,
    response: { content: "Hi" },
    totalCostUsd: 0.01,
    retrieved: [],
  });
});

Deno.test("[143] every failure tells one turn.failed with its code (decisions.md 18)", async () => {
  const failing: [SceneOptions, InvokeAgentError["code"]][] = [
    [{
      agent: { ...WITH_TOOL, budget: { maxSteps: 1 } },
      tools: [lookup().tool],
      script: [call(["k1", "pack.lookup", { q: "x" }])],
    }, "budget-exceeded"],
    [{ script: [] }, "model-invocation-failed"],
    [{
      agent: WITH_TOOL,
      tools: [lookup({ handler: () => Promise.reject("no") }).tool],
      script: [call(["k1", "pack.lookup", { q: "x" }])],
    }, "tool-invocation-failed"],
  ];
  for (const [options, code] of failing) {
    const stage = await scene(options);
    assertEquals(errorOf(await stage.invoke()).code, code);
    const ends = stage.events.filter((event) => event.kind === "turn.failed");
    assertEquals(ends.map(({ errorCode }) => errorCode), [code]);
    assertEquals(stage.kinds().at(-1), "turn.failed");
  }
});

const keys = createStaticKeyProvider(await generateSigningKey("key-1"));

/** A scene whose provenance is kept, with what was emitted. */
async function proven(options: SceneOptions = {}) {
  const emitted: [ProvenanceRecord, unknown][] = [];
  const stage = await scene({
    script: [say("Hi")],
    ...options,
    bindings: {
      provenance: {
        newBuilder: createProvenanceBuilder,
        emit: true,
        keyProvider: keys,
        emitBinding: {
          emit: (record, context) => {
            emitted.push([record, context]);
            return Promise.resolve({ kind: "ok", value: undefined });
          },
        },
      },
      ...options.bindings,
    },
  });
  return { stage, emitted };
}

function edgesOf({ edges, nodes }: ProvenanceRecord): string[] {
  const ids = new Set(nodes.map(({ id }) => id));
  assertEquals(ids.size, nodes.length);
  for (const { from, to } of edges) assert(ids.has(from) && ids.has(to));
  return edges.map(({ from, kind, to }) => `${from} ${kind} ${to}`);
}

Deno.test("[144] [146] the record tells how a plain answer came about", async () => {
  const store = createMemoryStore();
  const fact = okValue(
    await store.memory.writeFact("t-1", {
      type: "acme.note",
      content: "x",
      scope: {},
    }),
  );
  const { stage, emitted } = await proven({
    store,
    agent: { retrieval: [{ types: ["acme.note"], scope: "tenant" }] },
  });
  const { provenance } = okValue(await stage.invoke());
  const [[record, context]] = emitted as [[ProvenanceRecord, unknown]];
  assertEquals(provenance, record);
  assertEquals(context, { projectId: "p-1" });
  assert(!("projectId" in record));
  const retrieval = `retrieval:${fact.id}`;
  const ids = record.nodes.map(({ id }) => id);
  for (const id of ["input:1", retrieval, "model-call:1", "model-output:1"]) {
    assert(ids.includes(id), id);
  }
  const edges = edgesOf(record);
  for (
    const edge of [
      `${retrieval} influenced-by input:1`,
      "model-call:1 caused-by input:1",
      "model-output:1 produced model-call:1",
    ]
  ) assert(edges.includes(edge), edge);
});

Deno.test("[145] the record tells of tools", async () => {
  const { stage, emitted } = await proven({
    agent: WITH_TOOL,
    tools: [lookup().tool],
    script: [call(["k1", "pack.lookup", { q: "x" }]), say("done")],
  });
  okValue(await stage.invoke());
  const [[record]] = emitted as [[ProvenanceRecord, unknown]];
  assertObjectMatch(
    record.nodes.find(({ id }) => id === "tool-call:k1"),
    {
      attributes: {
        toolId: "pack.lookup",
        invocationId: "k1",
        toolVersion: "1.0.0",
        toolVersionRange: "^1.0.0",
      },
    },
  );
  const edges = edgesOf(record);
  for (
    const edge of [
      "tool-call:k1 invoked model-call:1",
      "tool-result:k1 produced tool-call:k1",
      "model-call:2 influenced-by tool-result:k1",
    ]
  ) assert(edges.includes(edge), edge);
});

Deno.test("[147] a record that can't be kept, or whose keeper throws, leaves the answer as it is", async () => {
  for (
    const emit of [
      () => Promise.reject(new Error("no disk")),
      () =>
        Promise.resolve({
          kind: "err" as const,
          error: {
            code: "persistence-error" as const,
            message: "no disk",
            cause: null,
          },
        }),
    ]
  ) {
    const { stage } = await proven({
      bindings: {
        provenance: {
          newBuilder: createProvenanceBuilder,
          emit: true,
          emitBinding: { emit },
        },
      },
    });
    const result = okValue(await stage.invoke());
    assertEquals(result.response.content, "Hi");
    assert(!("provenance" in result));
  }
});

Deno.test("[149] the record is signed, and no change goes unseen", async () => {
  const { stage } = await proven();
  const record = okValue(await stage.invoke()).provenance!;
  assertEquals(record.signature?.algorithm, "ed25519");
  okValue(await verifyProvenance(record, keys));
  const reordered = Object.fromEntries(
    Object.entries(record).reverse(),
  ) as unknown as ProvenanceRecord;
  okValue(await verifyProvenance(reordered, keys));
  const [first, ...others] = record.nodes;
  const later = { ...first!, timestamp: "2030-01-01T00:00:00.000Z" };
  const changed = { ...record, nodes: [later, ...others] };
  assertEquals(
    errValue(await verifyProvenance(changed, keys)).code,
    "signature-verification-failed",
  );
});

Deno.test("[150] an answer that was blocked has no record", async () => {
  const { stage, emitted } = await proven(guarded(forbids("halt")));
  errorOf(await stage.invoke());
  assertEquals(emitted, []);
});

Deno.test("[152] the record tells of a session's gate", async () => {
  const { stage, emitted } = await proven({
    runId: "run-1",
    agent: { conversationPolicy: { hitlAfterTurns: 0 } },
  });
  okValue(await stage.invoke());
  await stage.decide("approve");
  okValue(await stage.resume("run-1"));
  const [[record]] = emitted as [[ProvenanceRecord, unknown]];
  assert(
    edgesOf(record).includes(
      "session-hitl-gate-wait:0 resumed-from session-hitl-gate-resume:0",
    ),
  );
  assertEquals(
    record.nodes.find(({ kind }) => kind === "resume")?.actor,
    "rev-1",
  );
});

Deno.test("[153] [154] [156] a dry run stores nothing, calls nobody, and sees the history", async () => {
  const { tool, inputs } = lookup();
  const { stage, emitted } = await proven({
    agent: {
      ...WITH_TOOL,
      conversationPolicy: { hitlAfterTurns: 1, hitl: { tools: {} } },
    },
    tools: [tool],
    script: [say("A")],
  });
  okValue(await stage.invoke());
  emitted.length = 0;
  const result = okValue(
    await stage.invoke({ dryRun: true, userMessage: "Try" }),
  );
  assertObjectMatch(result, {
    dryRun: true,
    status: "completed",
    turnNumber: 1,
    usage: { steps: 1, promptTokens: 0, completionTokens: 0, totalCostUsd: 0 },
  });
  assert(String(result.response.content).startsWith("[dry-run"));
  assertEquals(result.appended.map(({ sequence }) => sequence), [-1, -1]);
  assertEquals(await stage.messages(), ["user Hello", "agent A"]);
  assertEquals(stage.provider.calls.length, 1);
  assertEquals([inputs.length, emitted.length], [0, 0]);
  assert(!("provenance" in result));
  const run = okValue(await stage.runBinding.getRun("t-1", result.runId));
  assertEquals(run.dryRun, true);
  const journal = okValue(
    await stage.runBinding.readJournal("t-1", result.runId),
  );
  const prompt = journal.find(({ kind, nodeId }) =>
    kind === "step.completed" && nodeId === "build-initial-messages"
  );
  assertEquals(
    (prompt!.payload as {
      output: { nextMessages: { content: string }[] };
    }).output.nextMessages.map(({ content }) => content),
    ["Help.", "Hello", "A", "Try"],
  );
});

Deno.test("[155] a dry run reads memory", async () => {
  const store = createMemoryStore();
  okValue(
    await store.memory.writeFact("t-1", {
      type: "acme.note",
      content: "x",
      scope: {},
    }),
  );
  const stage = await scene({
    store,
    agent: { retrieval: [{ types: ["acme.note"], scope: "tenant" }] },
  });
  assertEquals(
    okValue(await stage.invoke({ dryRun: true })).retrieved.length,
    1,
  );
});

const TYPED = {
  output: {
    schema: {
      type: "object",
      properties: { remedy: { type: "array", items: { type: "string" } } },
      required: ["remedy"],
    },
  },
};

Deno.test("[165] a typed answer that doesn't fit is mended once, and only the good one is stored", async () => {
  const stage = await scene({
    agent: TYPED,
    script: [say("not json"), say('```json\n{"remedy":["x"]}\n```')],
  });
  const result = okValue(await stage.invoke());
  assertEquals(result.output, { remedy: ["x"] });
  assertEquals(result.usage.steps, 2);
  assertEquals((await stage.messages()).length, 2);
  const [first, second] = stage.provider.calls;
  assert(first!.messages[0]!.content.includes('"remedy"'));
  const [answer, repair] = second!.messages.slice(-2);
  assertEquals(answer!.content, "not json");
  assert(repair!.content.startsWith("[kindgi:output-repair]"));
});

Deno.test("[166] two bad answers fail the turn; without repairs one does", async () => {
  for (const [maxRepairs, attempts] of [[undefined, 2], [0, 1]] as const) {
    const output = {
      ...TYPED.output,
      ...(maxRepairs === undefined ? {} : { maxRepairs }),
    };
    const stage = await scene({
      agent: { output },
      script: [say("no"), say("no")],
    });
    const error = errorOf(await stage.invoke());
    assertObjectMatch(error, { code: "output-schema-violation", attempts });
    assert((error.errors as string[]).length > 0);
    assertEquals(await stage.messages(), ["user Hello"]);
  }
  const dry = await scene({ agent: TYPED });
  assertEquals(okValue(await dry.invoke({ dryRun: true })).output, null);
});

Deno.test("[171] a call that can't be accounted for fails the turn after three tries; a provider's own error stays", async () => {
  for (
    const [failures, ends] of [[1, "completed"], [
      3,
      "persistence-error",
    ]] as const
  ) {
    let tries = 0;
    const stage = await scene({
      script: [say("Hi")],
      bindings: {
        usage: {
          record: () => {
            if (++tries <= failures) throw new Error("no disk");
          },
        },
      },
    });
    const answer = await stage.invoke();
    assertEquals(
      answer.kind === "ok" ? answer.value.status : answer.error.code,
      ends,
    );
    assertEquals(tries, Math.min(failures + 1, 3));
  }
  const stage = await scene({
    script: [],
    bindings: {
      usage: {
        record: () => {
          throw new Error("no disk");
        },
      },
    },
  });
  assertEquals(errorOf(await stage.invoke()).code, "model-invocation-failed");
});

Deno.test("[172] an error goes through a run and back", () => {
  const plain: InvokeAgentError = {
    code: "budget-exceeded",
    message: 'with "quotes", {braces} and \\',
    kind: "steps",
    limit: 1,
    observed: 2,
  };
  const text = turnFailureMessage(plain);
  assertEquals(parseFailureMessage(text), plain);
  assertEquals(
    parseFailureMessage(`{"not":"ours"}; [body-failure] ${text}; more`),
    plain,
  );
  assertEquals(parseFailureMessage("nothing of ours {"), undefined);
  const cause = Object.assign(new Error("inner"), { code: "E_INNER" });
  const nested: InvokeAgentError = {
    code: "model-invocation-failed",
    message: "outer",
    cause: new Error("plain"),
  };
  assertEquals(parseFailureMessage(turnFailureMessage(nested)), {
    ...nested,
    cause: { message: "plain" },
  });
  assertEquals(
    parseFailureMessage(turnFailureMessage({ ...nested, cause }))?.message,
    "outer",
  );
  const cycle: Record<string, unknown> = { big: 1n };
  cycle.self = cycle;
  assertEquals(
    parseFailureMessage(turnFailureMessage({ ...nested, cause: cycle }))?.code,
    "model-invocation-failed",
  );
});
