import { z } from "zod";
import { defineAgent, type DefineAgentSpec } from "../../../agents/mod.ts";
import {
  assert,
  assertEquals,
  assertStringIncludes,
  errValue,
  okValue,
} from "../../assert.ts";
import { agentWith, basicSpec, define, pathsOf } from "../examples.ts";

const hitlPath = "/conversationPolicy/hitl";

Deno.test("[1] defineAgent answers the same data, with the same keys", () => {
  assertEquals<unknown>(okValue(defineAgent(basicSpec())), basicSpec());
});

Deno.test("[2] a prerelease is a version; v, two parts, build metadata, spaces and a bare hyphen aren't", () => {
  assertEquals<string>(
    agentWith({ version: "1.0.0-rc.1" }).version,
    "1.0.0-rc.1",
  );
  for (const version of ["v1", "1.0", "1.0.0+build", " 1.0.0", "1.0.0-"]) {
    assertEquals(pathsOf({ version }), ["/version"], version);
  }
});

Deno.test("[3] a blank id is an issue at /id of an invalid-agent error", () => {
  const error = errValue(define({ id: "  " }));
  assertEquals(error.code, "invalid-agent");
  assertEquals(error.issues.map(({ path }) => path), ["/id"]);
});

Deno.test("[4] all issues of who an agent is are collected in order and counted", () => {
  const error = errValue(
    define({ id: "", version: "x", name: "", instructions: "  " }),
  );
  assertEquals(error.issues.map(({ path }) => path), [
    "/id",
    "/version",
    "/name",
    "/instructions",
  ]);
  assertStringIncludes(error.message, "4 issues");
});

Deno.test("[5] a single issue is counted in the singular", () => {
  const { message } = errValue(define({ name: "" }));
  assertStringIncludes(message, "1 issue");
  assert(!message.includes("1 issues"));
});

Deno.test("[6] an agent needs a capability, whose contents aren't looked into", () => {
  assertEquals(pathsOf({ capabilities: [] }), ["/capabilities"]);
  okValue(define({ capabilities: [{ needs: [] }] }));
});

Deno.test("[7] a tool named by its id alone is refused", () => {
  assertEquals(pathsOf({ tools: ["acme.x"] }), ["/tools/0"]);
});

Deno.test("[8] a tool's id and version must not be blank", () => {
  assertEquals(pathsOf({ tools: [{ id: "", version: " " }] }), [
    "/tools/0/id",
    "/tools/0/version",
  ]);
});

Deno.test("[9] the grammar of a tool's range is left to the turn that resolves it", () => {
  okValue(define({ tools: [{ id: "acme.x", version: "not a range" }] }));
});

Deno.test("[10] built-in tools can't be listed", () => {
  const error = errValue(
    define({ tools: [{ id: "kindgi_remember", version: "1.0.0" }] }),
  );
  assertEquals(error.issues.map(({ path }) => path), ["/tools/0/id"]);
  assertStringIncludes(error.issues[0]!.message, "kindgi_");
});

Deno.test("[11] tools and guardrails must be lists", () => {
  assertEquals(pathsOf({ tools: "acme.x", guardrails: "g" }), [
    "/tools",
    "/guardrails",
  ]);
});

Deno.test("[12] a retrieval intent is kept as it is", () => {
  const intent = { types: ["x"], scope: "same-user", mode: "both", limit: 1 };
  assertEquals<unknown>(
    agentWith({ retrieval: [intent] }).retrieval[0],
    intent,
  );
});

Deno.test("[13] every fault of a retrieval intent is an issue", () => {
  const intent = { types: [], scope: "nope", limit: 0, mode: "fuzzy" };
  assertEquals(pathsOf({ retrieval: [intent] }), [
    "/retrieval/0/types",
    "/retrieval/0/scope",
    "/retrieval/0/limit",
    "/retrieval/0/mode",
  ]);
});

Deno.test("[14] conversations take no types and have scopes of their own", () => {
  const intent = { source: "conversations", scope: "same-segment" };
  okValue(define({ retrieval: [intent] }));
  assertEquals(pathsOf({ retrieval: [{ ...intent, types: ["x"] }] }), [
    "/retrieval/0/types",
  ]);
  assertEquals(pathsOf({ retrieval: [{ ...intent, scope: "tenant" }] }), [
    "/retrieval/0/scope",
  ]);
});

Deno.test("[15] same-segment is no scope of facts", () => {
  const intent = { types: ["x"], scope: "same-segment" };
  assertEquals(pathsOf({ retrieval: [intent] }), ["/retrieval/0/scope"]);
});

Deno.test("roles belong to conversations, and are user or agent", () => {
  const conversations = { source: "conversations", scope: "same-user" };
  okValue(define({ retrieval: [{ ...conversations, roles: ["agent"] }] }));
  for (
    const intent of [
      { ...conversations, roles: [] },
      { ...conversations, roles: ["tool"] },
      { types: ["x"], scope: "tenant", roles: ["user"] },
    ]
  ) {
    assertEquals(pathsOf({ retrieval: [intent] }), ["/retrieval/0/roles"]);
  }
});

Deno.test("an unknown source of retrieval stops the check of that intent", () => {
  assertEquals(pathsOf({ retrieval: [{ source: "web", limit: 0 }] }), [
    "/retrieval/0/source",
  ]);
});

Deno.test("[18] a parameter declared twice is an issue at the second one", () => {
  const foo = { name: "foo", type: "string" };
  assertEquals(pathsOf({ parameters: [foo, foo] }), ["/parameters/1/name"]);
});

Deno.test("[19] a parameter's type is one of four", () => {
  assertEquals(pathsOf({ parameters: [{ name: "x", type: "array" }] }), [
    "/parameters/0/type",
  ]);
});

for (
  const name of ["today", "now", "agent", "conversation", "settings", "input"]
) {
  Deno.test(`[20] a parameter can't be called ${name}`, () => {
    const error = errValue(define({ parameters: [{ name, type: "string" }] }));
    assertEquals(error.issues.map(({ path }) => path), ["/parameters/0/name"]);
    assertStringIncludes(error.issues[0]!.message, name);
    assertStringIncludes(error.message, name);
  });
}

Deno.test("[trap 24] a reserved name in look-alike letters is refused, a Japanese one is not", () => {
  assertEquals(pathsOf({ parameters: [{ name: "ｎｏｗ", type: "string" }] }), [
    "/parameters/0/name",
  ]);
  okValue(define({ parameters: [{ name: "会社", type: "string" }] }));
});

Deno.test("[22] a default's type isn't checked", () => {
  const tone = {
    name: "tone",
    type: "number",
    required: false,
    default: "formal",
  };
  okValue(define({ parameters: [tone] }));
});

Deno.test("[23] a budget has positive integers and an amount that isn't negative", () => {
  const budget = { maxSteps: 0, maxCostUsd: -0.5, maxWallMs: 1.5 };
  assertEquals(pathsOf({ budget }), [
    "/budget/maxSteps",
    "/budget/maxCostUsd",
    "/budget/maxWallMs",
  ]);
  okValue(define({ budget: { maxCostUsd: 0 } }));
});

Deno.test("[24] an amount that is no number is refused in its place", () => {
  assertEquals(pathsOf({ budget: { maxCostUsd: NaN } }), [
    "/budget/maxCostUsd",
  ]);
  assertEquals(
    pathsOf({ budget: { maxSteps: 0, maxCostUsd: Infinity, maxWallMs: 0 } }),
    ["/budget/maxSteps", "/budget/maxCostUsd", "/budget/maxWallMs"],
  );
});

Deno.test("[25] a conversation policy's numbers are positive integers", () => {
  const conversationPolicy = {
    historyLimit: 0,
    autoCloseAfterInactiveSeconds: -1,
    hitlAfterTurns: 1.5,
  };
  assertEquals(pathsOf({ conversationPolicy }), [
    "/conversationPolicy/historyLimit",
    "/conversationPolicy/autoCloseAfterInactiveSeconds",
    "/conversationPolicy/hitlAfterTurns",
  ]);
});

Deno.test("[26] the only thing to do on a timeout is to escalate, and the tempting others are explained", () => {
  const onTimeout = (value: string) =>
    define({ conversationPolicy: { hitl: { onTimeout: value } } });
  okValue(onTimeout("escalate"));

  const tempting = errValue(onTimeout("auto-approve"));
  assertEquals(tempting.issues.map(({ path }) => path), [
    `${hitlPath}/onTimeout`,
  ]);
  assertStringIncludes(tempting.issues[0]!.message, "auto-approve");
  assertStringIncludes(tempting.issues[0]!.message, "hitl-cancelled");
  assertStringIncludes(
    errValue(onTimeout("auto-reject")).issues[0]!.message,
    "auto-reject",
  );

  const other = errValue(onTimeout("later"));
  assertEquals(other.issues.map(({ path }) => path), [`${hitlPath}/onTimeout`]);
  assert(!other.message.includes("hitl-cancelled"));
});

Deno.test("[27] a review policy's numbers, role and mode are checked", () => {
  const hitl = {
    afterTurns: 0,
    timeoutMs: 0,
    defaultReviewerRole: "boss",
    tools: { default: "ask" },
  };
  assertEquals(pathsOf({ conversationPolicy: { hitl } }), [
    `${hitlPath}/afterTurns`,
    `${hitlPath}/timeoutMs`,
    `${hitlPath}/defaultReviewerRole`,
    `${hitlPath}/tools/default`,
  ]);
});

Deno.test("[28] overrides are checked under the tool's id as it is written", () => {
  const overrides = {
    "a/b": "maybe",
    "acme.pay": { mode: "always_ask", requiredRole: "x" },
  };
  assertEquals(
    pathsOf({ conversationPolicy: { hitl: { tools: { overrides } } } }),
    [
      `${hitlPath}/tools/overrides/a/b`,
      `${hitlPath}/tools/overrides/acme.pay/requiredRole`,
    ],
  );
});

Deno.test("[29] every fault of toolErrors is an issue", () => {
  const toolErrors = {
    maxRetries: 11,
    retryOn: ["tool-error", "tool-error", "zzz"],
    x: 1,
  };
  assertEquals(pathsOf({ toolErrors }), [
    "/toolErrors/x",
    "/toolErrors/maxRetries",
    "/toolErrors/retryOn/1",
    "/toolErrors/retryOn/2",
  ]);
});

Deno.test("[30] toolErrors must be an object", () => {
  assertEquals(pathsOf({ toolErrors: [] }), ["/toolErrors"]);
});

Deno.test("[31] instructions can be a prompt block by range", () => {
  const instructions = { prompt: "acme.intake", version: "^1.0.0" };
  assertEquals(agentWith({ instructions }).instructions, instructions);
});

Deno.test("[32] a prompt block excludes parameters, and a settings block is named once", () => {
  const weights = { id: "acme.w", version: "^1" };
  assertEquals(
    pathsOf({
      instructions: { prompt: "acme.intake", version: "not a range" },
      parameters: [{ name: "f", type: "string" }],
      settings: [weights],
      modelSettings: weights,
    }),
    ["/instructions/version", "/parameters", "/modelSettings/id"],
  );
});

Deno.test("[33] a settings block has a dotted lowercase id and a range", () => {
  const settings = [
    { id: "Acme", version: "^1" },
    { id: "acme", version: "latest" },
  ];
  assertEquals(pathsOf({ settings }), [
    "/settings/0/id",
    "/settings/1/id",
    "/settings/1/version",
  ]);
});

Deno.test("[36] memory's types, scope and days are checked", () => {
  const remember = { types: [], scope: "x", keepDays: 3651 };
  assertEquals(pathsOf({ memory: { instructionTypes: [""], remember } }), [
    "/memory/instructionTypes",
    "/memory/remember/types",
    "/memory/remember/scope",
    "/memory/remember/keepDays",
  ]);
  for (const keepDays of [1, 3650]) {
    okValue(
      define({
        memory: { remember: { types: ["x"], scope: "tenant", keepDays } },
      }),
    );
  }
});

Deno.test("[37] a typed answer is stored as it is given", () => {
  const output = {
    schema: {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
    },
    maxRepairs: 0,
    name: "verdict",
  };
  assertEquals<unknown>(agentWith({ output }).output, output);
});

Deno.test("[38] a typed answer's repairs, name and schema are checked", () => {
  const output = { schema: { type: "strin" }, maxRepairs: -1, name: "" };
  assertEquals(pathsOf({ output }), [
    "/output/maxRepairs",
    "/output/name",
    "/output/schema",
  ]);
});

Deno.test("a Zod schema is stored as the JSON Schema of its output side, where defaulted fields are required", () => {
  const schema = z.object({ verdict: z.string().default("none") });
  assertEquals<unknown>(agentWith({ output: { schema } }).output?.schema, {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { verdict: { type: "string", default: "none" } },
    required: ["verdict"],
    additionalProperties: false,
  });
});

for (
  const [what, schema] of [
    ["a Zod date", z.object({ at: z.date() })],
    ["a Zod transform", z.string().transform((text) => text.length)],
    ["nothing", undefined],
    ["a number", 5],
    ["an unknown keyword", { type: "object", propertees: {} }],
    ["properties without a type", { properties: { a: { type: "string" } } }],
  ] as const
) {
  Deno.test(`${what} is no schema of an answer`, () => {
    assertEquals(pathsOf({ output: { schema } }), ["/output/schema"]);
  });
}

Deno.test("[41] later changes to what the caller gave don't reach the agent", () => {
  const spec = {
    ...basicSpec(),
    tools: [{ id: "acme.x", version: "1.0.0" }],
    guardrails: ["acme.g"],
    parameters: [{ name: "firm", type: "string" as const }],
    retrieval: [{ types: ["x"], scope: "tenant" as const }],
    conversationPolicy: { hitl: { tools: { overrides: {} } } },
  };
  const agent = okValue(defineAgent(spec));
  const before = structuredClone(agent);
  spec.tools.push({ id: "acme.y", version: "1.0.0" });
  spec.tools[0]!.version = "2.0.0";
  spec.guardrails.push("acme.h");
  spec.parameters[0]!.name = "other";
  spec.retrieval[0]!.types.push("y");
  Object.assign(spec.conversationPolicy.hitl.tools.overrides, {
    "acme.x": "never_ask",
  });
  assertEquals(agent, before);
});

Deno.test("[42] unknown fields, and those that only a deployment sets, are dropped", () => {
  const agent = agentWith({
    pins: { tools: {}, prompts: {}, settings: {} },
    pinsDigest: "x",
    derivedFrom: { version: "1.0.0", reason: "unpinned" },
    whatever: 1,
    alsoWhatever: () => 1,
  });
  assertEquals<unknown>(agent, basicSpec());
});

Deno.test("[43] preferred provider and model are both kept", () => {
  const agent = agentWith({ preferredProvider: "p", preferredModel: "m" });
  assertEquals(agent.preferredProvider, "p");
  assertEquals(agent.preferredModel, "m");
});

Deno.test("[44] an agent with every field comes back from JSON as it was", () => {
  const spec: DefineAgentSpec = {
    ...basicSpec(),
    description: "cites",
    parameters: [{
      name: "firm",
      description: "whose",
      type: "string",
      required: false,
      default: "Acme",
    }],
    tools: [{ id: "acme.x", version: "^1.0.0" }],
    retrieval: [
      { types: ["x"], scope: "tenant", limit: 3, mode: "semantic" },
      { source: "conversations", roles: ["user"], scope: "same-user" },
    ],
    memory: {
      instructionTypes: ["policy"],
      remember: { types: ["x"], scope: "same-user", keepDays: 3 },
    },
    guardrails: ["acme.no-pii"],
    settings: [{ id: "acme.weights", version: "^1" }],
    modelSettings: { id: "acme.model", version: "~1.2" },
    preferredProvider: "p",
    preferredModel: "m",
    output: {
      schema: z.object({
        a: z.string().default("x"),
        b: z.number().nullable(),
      }),
      name: "verdict",
      maxRepairs: 2,
    },
    toolErrors: { maxRetries: 2, retryOn: ["tool-error"] },
    conversationPolicy: {
      historyLimit: 20,
      autoCloseAfterInactiveSeconds: 60,
      hitlAfterTurns: 9,
      hitl: {
        afterTurns: 3,
        tools: {
          default: "never_ask",
          overrides: {
            "acme.pay": { mode: "always_ask", requiredRole: "admin" },
          },
        },
        defaultReviewerRole: "senior",
        timeoutMs: 1000,
        onTimeout: "escalate",
      },
    },
    budget: { maxSteps: 6, maxCostUsd: 0.25, maxWallMs: 60_000 },
    tags: ["law"],
  };
  const agent = okValue(defineAgent(spec));
  assertEquals(JSON.parse(JSON.stringify(agent)), agent);
  assertEquals(Object.keys(agent).sort(), Object.keys(spec).sort());
});

Deno.test("[45] an unknown filter is an issue of the instructions", () => {
  assertEquals(pathsOf({ instructions: "Hi {{ x | nosuch }}" }), [
    "/instructions",
  ]);
});

Deno.test("[46] a partial is an issue of the instructions, in the one wording", () => {
  const error = errValue(define({ instructions: "{% include 'x' %}" }));
  assertEquals(error.issues, [{
    path: "/instructions",
    message: "templates can't use include, render or layout",
  }]);
  assertStringIncludes(
    error.message,
    "templates can't use include, render or layout",
  );
});

for (
  const instructions of ["{% if x %}a{% endif", 5, null, ["Answer."], true]
) {
  Deno.test(`[trap 27] instructions ${JSON.stringify(instructions)} are an issue at /instructions`, () => {
    assertEquals(pathsOf({ instructions }), ["/instructions"]);
  });
}

Deno.test("a tool that is listed twice is an issue at the second one", () => {
  const tools = [
    { id: "acme.x", version: "^1" },
    { id: "acme.y", version: "^1" },
    { id: "acme.x", version: "^2" },
  ];
  assertEquals(pathsOf({ tools }), ["/tools/2/id"]);
});

Deno.test("a guardrail's id must not be blank", () => {
  assertEquals(pathsOf({ guardrails: ["acme.g", " ", 5] }), [
    "/guardrails/1",
    "/guardrails/2",
  ]);
});

Deno.test("many issues are all listed, and the message names the first of them", () => {
  const guardrails = Array.from({ length: 30 }, () => "");
  const error = errValue(define({ guardrails }));
  assertEquals(error.issues.length, 30);
  assertStringIncludes(error.message, "30 issues");
  assertStringIncludes(error.message, "and 20 more");
});
