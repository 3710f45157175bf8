import {
  buildRunTrace,
  categorizeOutcomes,
  createCheckRegistry,
  createGuardrailRegistry,
  evaluateGate,
  type Guardrail,
  type GuardrailOutcome,
  guardrailViolation,
  packGuardrails,
  type RegisteredCheck,
  resolveGuardrails,
  type RunTraceInput,
} from "../../../agents/guardrails/mod.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  errValue,
  okValue,
} from "../../assert.ts";

const INPUT: RunTraceInput = {
  runId: "run-1",
  tenantId: "t-1",
  projectId: "p-1",
  agentId: "acme.helper",
  conversationId: "c-1",
  turnNumber: 1,
  userMessage: "Hello",
  output: "a Secret",
  messages: [],
  usage: {
    steps: 1,
    promptTokens: 10,
    completionTokens: 5,
    totalCostUsd: 0.01,
    durationMs: 3,
  },
};

function guardrail(
  id: string,
  action: string,
  fields: Partial<Guardrail> = {},
): Guardrail {
  return {
    id,
    kind: "zero-llm",
    check: "forbidden-substring",
    config: { patterns: ["secret"] },
    action: { "on-violation": action },
    ...fields,
  };
}

/** A check that evaluates so. */
function checkOf(
  evaluate: RegisteredCheck["evaluate"],
  fields: Partial<RegisteredCheck> = {},
) {
  const checks = createCheckRegistry();
  okValue(
    checks.register({
      id: "acme.checks.own",
      kind: "zero-llm",
      evaluate,
      ...fields,
    }),
  );
  return checks;
}

/** What comes of guardrails on a turn. */
async function gate(
  guardrails: readonly Guardrail[],
  input: Partial<RunTraceInput> = {},
  checks = createCheckRegistry(),
) {
  const trace = buildRunTrace({ ...INPUT, ...input });
  const outcomes = await evaluateGate({ guardrails, trace }, { checks });
  return categorizeOutcomes(outcomes, guardrails);
}

Deno.test("[22] every guardrail that isn't bound is named", () => {
  const registry = createGuardrailRegistry([guardrail("a", "halt")]);
  const error = errValue(resolveGuardrails(["a", "b", "c"], registry));
  assertEquals(error.code, "unresolved-guardrail");
  assertEquals(error.guardrailIds, ["b", "c"]);
  assertEquals(
    okValue(resolveGuardrails(["a"], registry)).map(({ id }) => id),
    ["a"],
  );
  assertEquals(okValue(resolveGuardrails([], undefined)), []);
});

Deno.test("[124] a failed check whose action is halt blocks, with severity error and its reason", async () => {
  const outcomes = await gate([guardrail("g", "halt")]);
  const error = guardrailViolation(outcomes);
  assert(error !== undefined);
  assertEquals(error.code, "guardrail-violation");
  assertEquals(error.violations.length, 1);
  assertEquals(error.violations[0]?.action, "halt");
  assertEquals(error.violations[0]?.severity, "error");
  assertEquals(error.evaluationErrors, []);
  assertMatch(error.message, /^Guardrail g blocked the answer: .*"secret"$/);
});

Deno.test("[127] a passing guardrail leaves nothing to act on", async () => {
  const outcomes = await gate([guardrail("g", "halt")], { output: "fine" });
  assertEquals(outcomes, {
    blocking: [],
    warnings: [],
    other: [],
    errors: [],
    blockingErrors: [],
  });
  assertEquals(guardrailViolation(outcomes), undefined);
});

Deno.test("[128] warnings come apart from violations with other actions, each in declared order", async () => {
  const { warnings, other } = await gate([
    guardrail("g1", "escalate"),
    guardrail("g2", "log-only"),
    guardrail("g3", "retry"),
  ]);
  assertEquals(warnings.map(({ guardrailId }) => guardrailId), ["g2"]);
  assertEquals(other.map(({ guardrailId }) => guardrailId), ["g1", "g3"]);
});

Deno.test("[130] a log-only guardrail with an unregistered check is an error that doesn't block", async () => {
  const outcomes = await gate([
    guardrail("g", "log-only", { check: "acme.none" }),
  ]);
  assertEquals(outcomes.errors.map(({ code, action }) => [code, action]), [
    ["unknown-check", "log-only"],
  ]);
  assertEquals(guardrailViolation(outcomes), undefined);
});

Deno.test("[132] a guardrail for CI or for another agent is skipped", async () => {
  for (
    const scope of [
      { when: "ci-only" },
      { agents: ["other"] },
      { tenants: ["t-2"] },
      { flows: ["agent.turn"] },
    ] as const
  ) {
    const guardrails = [guardrail("g", "halt", { scope })];
    const outcomes = await evaluateGate(
      { guardrails, trace: buildRunTrace(INPUT) },
      { checks: createCheckRegistry() },
    );
    assertEquals(outcomes, [{ kind: "skip" }]);
  }
  const held = guardrail("g", "halt", {
    scope: { when: "runtime-only", agents: ["acme.helper"], tenants: ["t-1"] },
  });
  assertEquals((await gate([held])).blocking.length, 1);
});

Deno.test("[133] max-tool-calls counts calls that were rejected or unknown too", async () => {
  const at = "2026-01-01T00:00:00.000Z";
  const messages = [
    { role: "user", content: "Hello", createdAt: at },
    {
      role: "agent",
      content: {
        text: "",
        toolCalls: [
          { id: "k1", name: "pack.lookup", arguments: { q: "x" } },
          { id: "k2", name: "pack.nope", arguments: {} },
        ],
      },
      createdAt: at,
    },
    {
      role: "tool",
      content: { status: "rejected" },
      toolCall: { toolId: "pack.lookup", invocationId: "k1" },
      createdAt: at,
    },
  ];
  const trace = buildRunTrace({ ...INPUT, messages });
  assertEquals(trace.toolCalls, [
    {
      toolId: "pack.lookup",
      toolName: "pack.lookup",
      arguments: { q: "x" },
      at,
    },
    { toolId: "pack.nope", toolName: "pack.nope", arguments: {}, at },
  ]);
  assertEquals(trace.toolResults, [
    { toolCallId: "k1", output: { status: "rejected" }, at },
  ]);
  const { blocking } = await gate([
    guardrail("g", "halt", { check: "max-tool-calls", config: { max: 1 } }),
  ], { messages });
  assertMatch(blocking[0]?.result.reason ?? "", /2.*1/);
});

Deno.test("[137] outcomes are sorted by what they do", () => {
  const result = (action: string, passed = false): GuardrailOutcome => ({
    kind: "ok",
    value: {
      guardrailId: action,
      result: { passed },
      action,
      severity: "error",
      at: "2026-01-01T00:00:00.000Z",
    },
  });
  const sorted = categorizeOutcomes([
    result("halt"),
    result("log-only"),
    result("noop"),
    result("acme.custom"),
    result("noop", true),
    { kind: "skip" },
    {
      kind: "err",
      error: { code: "unknown-check", message: "no", guardrailId: "g" },
    },
  ]);
  assertEquals(sorted.blocking.length, 1);
  assertEquals(sorted.warnings.length, 2);
  assertEquals(sorted.other.length, 1);
  assertEquals(sorted.errors, [
    { code: "unknown-check", message: "no", guardrailId: "g" },
  ]);
});

Deno.test("[138] a check sees the turn's structured input, number, message and mode", async () => {
  const seen: unknown[] = [];
  const checks = checkOf((_config, trace) => {
    const { attributes, turnNumber, userInput, mode } = trace;
    seen.push(attributes, turnNumber, userInput, mode);
    return { passed: true };
  });
  await gate(
    [guardrail("g", "halt", { check: "acme.checks.own", config: {} })],
    { stepInput: { id: 1 }, structuredOutput: ["x"] },
    checks,
  );
  assertEquals<unknown>(seen, [
    { steps: 1, stepInput: { id: 1 }, structuredOutput: ["x"] },
    1,
    "Hello",
    "runtime",
  ]);
});

Deno.test("a check that can't judge is an error, and under halt blocks as a violation does", async () => {
  const broken: [RegisteredCheck["evaluate"], string][] = [
    [() => {
      throw new Error("no\nledger");
    }, "check-threw"],
    [() => Promise.reject("down"), "check-threw"],
    [(() => undefined) as never, "check-result-invalid"],
    [(() => ({ passed: "yes" })) as never, "check-result-invalid"],
  ];
  for (const [evaluate, code] of broken) {
    const own = guardrail("g", "halt", { check: "acme.checks.own" });
    const outcomes = await gate([own], {}, checkOf(evaluate));
    assertEquals<unknown>(outcomes.errors.map(({ code }) => code), [code]);
    const error = guardrailViolation(outcomes);
    assertEquals(error?.violations, []);
    assertEquals(error?.evaluationErrors.length, 1);
    assertEquals(error?.evaluationErrors[0]?.action, "halt");
  }
});

Deno.test("a guardrail that is written wrong fails closed before its check runs", async () => {
  let ran = false;
  const checks = checkOf(() => {
    ran = true;
    return { passed: true };
  }, {
    configJsonSchema: {
      type: "object",
      properties: { max: { type: "integer" } },
    },
    validateConfig: (config) => config.max === 13 ? "13 is unlucky" : undefined,
  });
  const own = (fields: Partial<Guardrail>) =>
    guardrail("g", "halt", { check: "acme.checks.own", config: {}, ...fields });
  for (
    const [fields, code] of [
      [{ config: { max: "x" } }, "invalid-guardrail"],
      [{ config: { max: 13 } }, "invalid-guardrail"],
      [{ kind: "llm-judge" }, "invalid-guardrail"],
      [{ kind: "acme" }, "invalid-guardrail"],
      [{ kind: "external" }, "external-check-unsupported"],
    ] as const
  ) {
    const { blockingErrors } = await gate([own(fields)], {}, checks);
    assertEquals<unknown>(blockingErrors.map(({ code }) => code), [code]);
  }
  assert(!ran);
});

Deno.test("without a check registry every guardrail is an error", async () => {
  const guardrails = [guardrail("g", "halt")];
  const outcomes = await evaluateGate(
    { guardrails, trace: buildRunTrace(INPUT) },
    {},
  );
  assertEquals(
    categorizeOutcomes(outcomes, guardrails).blockingErrors[0]?.code,
    "unknown-check",
  );
});

Deno.test("checks run side by side, and an abort ends those that ignore it", async () => {
  const controller = new AbortController();
  let running = 0;
  const checks = checkOf((_config, _trace, { abortSignal, deadlineAt }) => {
    assert(abortSignal !== undefined && deadlineAt === 42);
    if (++running === 2) controller.abort();
    return new Promise(() => {});
  });
  const own = { check: "acme.checks.own", config: {} };
  const guardrails = [guardrail("a", "halt", own), guardrail("b", "halt", own)];
  const outcomes = await evaluateGate({
    guardrails,
    trace: buildRunTrace(INPUT),
    abortSignal: controller.signal,
    deadlineAt: 42,
  }, { checks });
  assertEquals(
    categorizeOutcomes(outcomes, guardrails).errors.map(({ code }) => code),
    ["check-aborted", "check-aborted"],
  );
});

Deno.test("several that block are counted and named with their reasons", async () => {
  const outcomes = await gate([
    guardrail("a", "halt"),
    guardrail("b", "halt", { check: "acme.none" }),
  ]);
  assertMatch(
    guardrailViolation(outcomes)?.message ?? "",
    /^2 guardrails blocked the answer: a \(.*\); b \(.*acme\.none.*\)$/,
  );
});

Deno.test("a violation is told to the compliance sink, and one that can't be told is an error", async () => {
  const guardrails = [guardrail("g", "log-only"), guardrail("h", "halt")];
  const trace = buildRunTrace({ ...INPUT, output: "a secret" });
  const told: unknown[] = [];
  const checks = createCheckRegistry();
  await evaluateGate({ guardrails, trace }, {
    checks,
    compliance: {
      record: ({ guardrailId, action, tenantId, runId }) =>
        void told.push({ guardrailId, action, tenantId, runId }),
    },
  });
  assertEquals<unknown>(told, [
    {
      guardrailId: "g",
      action: "log-only",
      tenantId: "t-1",
      runId: "run-1",
    },
    { guardrailId: "h", action: "halt", tenantId: "t-1", runId: "run-1" },
  ]);
  const outcomes = await evaluateGate({ guardrails, trace }, {
    checks,
    compliance: { record: () => Promise.reject(new Error("down")) },
  });
  assertEquals(
    categorizeOutcomes(outcomes, guardrails).errors.map(({ code }) => code),
    ["compliance-unrecorded", "compliance-unrecorded"],
  );
});

Deno.test("a verdict is kept as JSON holds it", async () => {
  const checks = checkOf(() => ({
    passed: false,
    reason: "bad\0",
    attributes: { at: new Date(0) },
    more: 1,
  }));
  const own = guardrail("g", "log-only", { check: "acme.checks.own" });
  const { warnings } = await gate([own], {}, checks);
  assertEquals<unknown>(warnings[0]?.result, {
    passed: false,
    reason: "bad\uFFFD",
    attributes: { at: "1970-01-01T00:00:00.000Z" },
  });
});

Deno.test("a pack's guardrails are those of its index", () => {
  const index = JSON.parse(Deno.readTextFileSync(
    new URL("../../../examples/support_pack/index.json", import.meta.url),
  ));
  const [first] = packGuardrails(index);
  assertEquals(first?.id, "support.no-card-numbers");
  assertEquals(first?.check, "support.checks.no-card-numbers");
  assertEquals(first?.action, { "on-violation": "halt" });
  assertEquals(first?.severity, "critical");
});
