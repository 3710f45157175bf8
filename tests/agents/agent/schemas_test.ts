import {
  AGENT_SCHEMA,
  CAPABILITY_SCHEMA,
  makeEnvName,
} from "../../../agents/mod.ts";
import { compileSchema } from "../../../base/json_schema.ts";
import { assertEquals, okValue } from "../../assert.ts";
import { agentWith } from "../examples.ts";

function problemsOf(schema: unknown, value: unknown): string[] {
  return okValue(compileSchema(schema, "output"))(value).map((issue) =>
    `${issue.instancePath} ${issue.message}`
  );
}

const FULL = {
  description: "cites",
  parameters: [{ name: "firm", type: "string", required: false, default: 5 }],
  capabilities: [{
    kind: "llm-inference",
    needs: [
      { feature: "tool-use" },
      { contextWindow: { op: ">=", value: 1000 } },
      { costPerCall: { op: "<", usd: 0.5 } },
      { region: "eu" },
      { p95LatencyMs: { op: "<=", value: 900 } },
      { providers: { allow: ["a"], deny: [] } },
      { models: { deny: ["m"] } },
    ],
    prefer: [{ feature: "lower-cost", weight: -1.5 }],
    budget: { maxCostUsd: 1 },
  }],
  tools: [{ id: "acme.x", version: "^1.0.0" }],
  retrieval: [
    { types: ["x"], scope: "tenant", limit: 3, mode: "semantic" },
    { source: "conversations", roles: ["user"], scope: "same-segment" },
  ],
  memory: { remember: { types: ["x"], scope: "same-user" } },
  guardrails: ["acme.no-pii"],
  settings: [{ id: "acme.weights", version: "^1" }],
  modelSettings: { id: "acme.model", version: "~1.2" },
  output: { schema: { type: "object" }, name: "verdict" },
  toolErrors: { retryOn: ["tool-error"] },
  conversationPolicy: {
    historyLimit: 20,
    hitl: {
      tools: {
        default: "never_ask",
        overrides: {
          "acme.pay": { mode: "always_ask", requiredRole: "admin" },
          "acme.see": "ask_on_first_use",
        },
      },
      onTimeout: "escalate",
    },
  },
  budget: { maxSteps: 6, maxCostUsd: 0 },
  tags: ["law"],
};

Deno.test("an agent with every field, hitl included, fits the agent schema", () => {
  assertEquals(problemsOf(AGENT_SCHEMA, agentWith(FULL)), []);
  assertEquals(problemsOf(AGENT_SCHEMA, agentWith()), []);
});

Deno.test("an agent as a deployment pins it fits the agent schema", () => {
  const pinned = {
    ...agentWith(FULL),
    pins: { tools: { "acme.x": "1.0.0" }, prompts: {}, settings: {} },
    pinsDigest: `sha256:${"0".repeat(64)}`,
    derivedFrom: { version: "1.0.0", reason: "pins-changed" },
  };
  assertEquals(problemsOf(AGENT_SCHEMA, pinned), []);
});

for (
  const [what, fields] of [
    ["an unknown key", { whatever: 1 }],
    ["an unknown key of a review policy", {
      conversationPolicy: { hitl: { afterturns: 1 } },
    }],
    ["a capability without needs", { capabilities: [{ needs: [] }] }],
    ["a version range", { version: "^1.0.0" }],
    ["a blank guardrail", { guardrails: [" "] }],
    ["types of conversations", {
      retrieval: [{
        source: "conversations",
        scope: "same-user",
        types: ["x"],
      }],
    }],
  ] as const
) {
  Deno.test(`${what} doesn't fit the agent schema`, () => {
    const problems = problemsOf(AGENT_SCHEMA, {
      ...agentWith(FULL),
      ...fields,
    });
    assertEquals(problems.length > 0, true);
  });
}

Deno.test("a requirement has exactly one of the forms", () => {
  const fits = (need: unknown) =>
    problemsOf(CAPABILITY_SCHEMA, { needs: [need] }).length === 0;
  assertEquals(fits({ region: "eu" }), true);
  assertEquals(fits({ region: "eu", feature: "vision" }), false);
  assertEquals(fits({ p95LatencyMs: { op: ">=", value: 1 } }), false);
  assertEquals(fits({}), false);
});

Deno.test("an environment's name is lowercase, starts with a letter and has at most 63 characters", () => {
  assertEquals<string | null>(makeEnvName("staging-2"), "staging-2");
  assertEquals<string | null>(makeEnvName("a".repeat(63)), "a".repeat(63));
  for (const name of ["", "2x", "Prod", "a_b", "a".repeat(64), "a\n"]) {
    assertEquals(makeEnvName(name), null, name);
  }
});
