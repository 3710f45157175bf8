import fc from "fast-check";
import {
  BUILT_IN_CHECK_IDS,
  type CheckResult,
  createCheckRegistry,
  createGuardrailRegistry,
  type Guardrail,
  type RegisteredCheck,
  type RunTrace,
} from "../../../agents/mod.ts";
import { defineCheck, defineGuardrail } from "../../../define/mod.ts";
import {
  assert,
  assertEquals,
  assertStringIncludes,
  assertThrows,
  errValue,
  okValue,
} from "../../assert.ts";

function trace(output: string, tools: readonly string[] = []): RunTrace {
  return {
    runId: "r-1",
    tenantId: "t-1",
    output,
    toolCalls: tools.map((toolId) => ({ toolId })),
    toolResults: [],
    modelCalls: [],
    mode: "runtime",
  };
}

/** What a built-in check, which answers at once, says. */
function judge(
  id: string,
  config: Record<string, unknown>,
  about: RunTrace,
): CheckResult {
  const check = createCheckRegistry().get(id);
  assert(check !== undefined);
  return check.evaluate(config, about, {}) as CheckResult;
}

Deno.test("a check registry has the seven built-in checks, none of which needs a model", () => {
  const checks = createCheckRegistry();
  assertEquals([...BUILT_IN_CHECK_IDS], [
    "must-cite",
    "never-call-tool",
    "max-tool-calls",
    "output-matches",
    "tool-order",
    "required-substring",
    "forbidden-substring",
  ]);
  assertEquals(checks.list().map(({ id }) => id), [...BUILT_IN_CHECK_IDS]);
  assert(checks.list().every(({ kind }) => kind === "zero-llm"));
});

for (
  const [id, config, output, tools, passed] of [
    ["must-cite", {}, "As held in [3].", [], true],
    ["must-cite", {}, "As held.", [], false],
    ["must-cite", {}, "Empty [] brackets", [], false],
    ["must-cite", {}, " ", [], false],
    ["must-cite", { minCitations: 2 }, "[1] and [2]", [], true],
    ["must-cite", { minCitations: 3 }, "[1] and [2]", [], false],
    ["must-cite", { minCitations: 0 }, "none", [], true],
    ["must-cite", { minCitations: 0 }, "", [], false],
    ["must-cite", { sourcePattern: "§\\d+" }, "see §12", [], true],
    ["never-call-tool", { tools: ["a", { id: "b" }] }, "x", ["c"], true],
    ["never-call-tool", { tools: ["a", { id: "b" }] }, "x", ["c", "b"], false],
    ["never-call-tool", {}, "x", ["c"], true],
    ["max-tool-calls", {}, "x", Array(10).fill("a"), true],
    ["max-tool-calls", {}, "x", Array(11).fill("a"), false],
    ["max-tool-calls", { max: 0 }, "x", ["a"], false],
    ["output-matches", { pattern: "^yes" }, "yes, of course", [], true],
    ["output-matches", { pattern: "^yes" }, "Yes", [], false],
    ["output-matches", { pattern: "^yes", flags: "i" }, "Yes", [], true],
    ["output-matches", { pattern: "^yes", flags: "gy" }, "yes", [], true],
    [
      "output-matches",
      { pattern: "secret", negate: true },
      "nothing",
      [],
      true,
    ],
    [
      "output-matches",
      { pattern: "secret", negate: true },
      "a secret",
      [],
      false,
    ],
    ["output-matches", {}, "anything", [], false],
    ["output-matches", { negate: true }, "anything", [], false],
    ["tool-order", { sequence: ["a", "b"] }, "x", ["a", "c", "b"], true],
    ["tool-order", { sequence: ["a", "b"] }, "x", ["b", "a"], false],
    ["tool-order", { sequence: ["a", "a"] }, "x", ["a"], false],
    ["tool-order", { sequence: [] }, "x", ["b"], true],
    ["tool-order", {}, "x", [], true],
    ["required-substring", { patterns: ["Yes", "no"] }, "yes and NO", [], true],
    ["required-substring", { patterns: ["yes", "no"] }, "yes", [], false],
    [
      "required-substring",
      { patterns: ["Yes"], caseSensitive: true },
      "yes",
      [],
      false,
    ],
    ["required-substring", { patterns: ["x"] }, "", [], false],
    ["required-substring", { patterns: [] }, "", [], true],
    ["forbidden-substring", { patterns: ["Secret"] }, "a SECRET", [], false],
    [
      "forbidden-substring",
      { patterns: ["Secret"], caseSensitive: true },
      "a secret",
      [],
      true,
    ],
    ["forbidden-substring", { patterns: ["x"] }, "", [], true],
    ["forbidden-substring", {}, "anything", [], true],
  ] as const
) {
  Deno.test(`${id} with ${JSON.stringify(config)} ${passed ? "passes" : "fails"} ${JSON.stringify(output)} after ${tools.length} calls`, () => {
    const result = judge(id, config, trace(output, tools));
    assertEquals(result.passed, passed);
    assertEquals(result.reason === undefined, passed);
  });
}

for (
  const [id, config] of [
    ["forbidden-substring", { patterns: "secret" }],
    ["forbidden-substring", { pattern: ["secret"] }],
    ["never-call-tool", { tools: "acme.pay" }],
    ["max-tool-calls", { max: "3" }],
    ["output-matches", { pattern: "(" }],
    ["output-matches", { pattern: "a", flags: "q" }],
    ["must-cite", { sourcePattern: "[" }],
  ] as const
) {
  Deno.test(`${id} with the config ${JSON.stringify(config)} throws instead of letting everything pass`, () => {
    const thrown = assertThrows(() => judge(id, config, trace("x")), TypeError);
    assertStringIncludes(thrown.message, id);
  });
}

Deno.test("judging is linear where an answer is hostile", () => {
  const output = "[".repeat(200_000);
  assertEquals(judge("must-cite", {}, trace(output)).passed, false);
});

Deno.test("a tool that must not be called fails the check wherever its call stands", () => {
  const tools = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 6 });
  fc.assert(
    fc.property(tools, tools, (called, banned) => {
      const { passed } = judge(
        "never-call-tool",
        { tools: banned },
        trace("x", called),
      );
      assertEquals(passed, called.every((id) => !banned.includes(id)));
    }),
  );
});

Deno.test("any selection of the calls, in their order, is a tool order that passes", () => {
  const calls = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 });
  const selected = calls.chain((called) =>
    fc.tuple(fc.constant(called), fc.subarray(called))
  );
  fc.assert(
    fc.property(selected, ([called, sequence]) => {
      assert(judge("tool-order", { sequence }, trace("x", called)).passed);
    }),
  );
});

const POLITE: RegisteredCheck = {
  id: "acme.checks.polite",
  kind: "zero-llm",
  evaluate: (_config, { output }) => ({ passed: !output.includes("!") }),
};

Deno.test("checks are added once, and never in a built-in's place", () => {
  const checks = createCheckRegistry();
  okValue(checks.register(POLITE));
  assert(checks.get(POLITE.id) === POLITE);
  assert(checks.has(POLITE.id) && !checks.has("none"));
  const twice = errValue(checks.register(POLITE));
  assertEquals(twice.code, "duplicate-check");
  const builtIn = errValue(checks.register({ ...POLITE, id: "must-cite" }));
  assertEquals(builtIn.checkId, "must-cite");
  assertStringIncludes(builtIn.message, "built-in");
});

Deno.test("one registry's checks are not another's", () => {
  okValue(createCheckRegistry().register(POLITE));
  assert(!createCheckRegistry().has(POLITE.id));
});

Deno.test("what defineCheck and defineGuardrail answer can be registered, and a guardrail finds its check's config schema", () => {
  const check = defineCheck({
    id: "acme.checks.short",
    kind: "zero-llm",
    configSchema: {
      type: "object",
      properties: { max: { type: "integer", default: 5 } },
    },
    evaluate: (config: { max: number }, trace) => ({
      passed: (trace.output ?? "").length <= config.max,
    }),
  });
  const checks = createCheckRegistry();
  okValue(checks.register(check));
  const verdict = checks.get(check.id)?.evaluate({}, trace("too long"), {});
  assertEquals((verdict as CheckResult).passed, false);

  const guardrail: Guardrail = okValue(defineGuardrail({
    id: "acme.tools",
    kind: "zero-llm",
    check: "max-tool-calls",
    config: { max: 3 },
    action: { "on-violation": "halt" },
  }, checks));
  assert(createGuardrailRegistry([guardrail]).get("acme.tools") === guardrail);
  assertEquals(
    errValue(defineGuardrail({
      id: "acme.tools",
      kind: "zero-llm",
      check: "max-tool-calls",
      config: { max: "3" },
      action: { "on-violation": "halt" },
    }, checks)).code,
    "invalid-check-config",
  );
});

Deno.test("guardrails are found by id, and two of one id are a mistake", () => {
  const guardrail: Guardrail = {
    id: "acme.g",
    kind: "zero-llm",
    check: "must-cite",
    action: { "on-violation": "log-only" },
  };
  const guardrails = createGuardrailRegistry([guardrail]);
  assert(guardrails.get("acme.g") === guardrail);
  assertEquals(guardrails.get("none"), undefined);
  assertThrows(
    () => createGuardrailRegistry([guardrail, guardrail]),
    TypeError,
    "acme.g",
  );
});
