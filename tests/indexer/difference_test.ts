import { describeDifference, indexDifferences } from "../../indexer/mod.ts";
import { assert, assertEquals } from "../assert.ts";

const INDEX = {
  v: 1,
  packId: "acme",
  packVersion: "1.0.0",
  artifactVersion: "x",
  publishedAt: "y",
  tools: [] as unknown[],
  guardrails: [] as unknown[],
  agents: [] as unknown[],
  flows: [] as unknown[],
};

const TOOL = {
  id: "acme.a",
  version: "1.0.0",
  input: {},
  output: {},
  modulePath: "tools/a.mjs",
};

function tools(...entries: object[]): object {
  return { ...INDEX, tools: entries };
}

/** What a change of a tool's input is called, with its details. */
function inputChange(before: unknown, after: unknown): [string, ...string[]] {
  const differences = indexDifferences(
    tools({ ...TOOL, input: before }),
    tools({ ...TOOL, input: after }),
  );
  assertEquals(differences.length, 1);
  const { field, change, details } = differences[0]!;
  assertEquals(field, "input");
  return [change, ...details];
}

Deno.test("equal indexes don't differ, whatever the order of their keys", () => {
  const { modulePath, ...rest } = TOOL;
  assertEquals(
    indexDifferences(tools(TOOL), tools({ modulePath, ...rest })),
    [],
  );
});

Deno.test("entries are added and removed, and told apart by version", () => {
  const other = { ...TOOL, version: "2.0.0" };
  const third = { ...TOOL, id: "acme.b" };
  assertEquals(
    indexDifferences(tools(TOOL), tools(TOOL, other, third)).map(
      describeDifference,
    ),
    ["tool acme.a 2.0.0: added", "tool acme.b 1.0.0: added"],
  );
  assertEquals(
    indexDifferences(tools(TOOL, other), tools(other)).map(describeDifference),
    ["tool acme.a 1.0.0: removed"],
  );
  assertEquals(
    indexDifferences(tools(TOOL), tools(other)).map(describeDifference),
    [`tool acme.a 2.0.0: version changed ("1.0.0" → "2.0.0")`],
  );
});

Deno.test("[decision 14] a new required key, a removed type, value or property, a tighter bound narrow; the reverse widens", () => {
  const string = { type: "string" };
  for (
    const [wide, narrow, detail] of [
      [{}, { required: ["q"] }, "/required q is required now"],
      [
        { type: ["string", "null"] },
        { type: ["string"] },
        `/type type "null" removed`,
      ],
      [{ type: ["string", "null"] }, string, `/type type "null" removed`],
      [{ type: "number" }, { type: "integer" }, `/type type "number" removed`],
      [{ enum: ["a", "b"] }, { enum: ["a"] }, `/enum enum "b" removed`],
      [{}, string, `/type type absent → "string"`],
      [
        { properties: { a: {}, b: {} } },
        { properties: { a: {} } },
        "/properties/b property removed",
      ],
      [{ minLength: 1 }, { minLength: 3 }, "/minLength 1 → 3"],
      [{}, { maximum: 3 }, "/maximum absent → 3"],
      [{ maxItems: 3 }, { maxItems: 1 }, "/maxItems 3 → 1"],
      [
        {},
        { additionalProperties: false },
        "/additionalProperties another schema",
      ],
      [
        { additionalProperties: {} },
        { additionalProperties: false },
        "/additionalProperties another schema",
      ],
      [
        { properties: { constructor: {} } },
        { properties: {} },
        "/properties/constructor property removed",
      ],
      [
        { properties: { "a/b": { items: { minimum: 0 } } } },
        { properties: { "a/b": { items: { minimum: 1 } } } },
        "/properties/a~1b/items/minimum 0 → 1",
      ],
    ] as const
  ) {
    assertEquals(inputChange(wide, narrow), ["narrowed", detail]);
    assertEquals(inputChange(narrow, wide)[0], "widened");
  }
});

Deno.test("[decision 14] a new property that must be there narrows; both ways at once, or what can't be judged, is changed", () => {
  assertEquals(
    inputChange({}, { properties: { q: {} }, required: ["q"] })[0],
    "narrowed",
  );
  assertEquals(inputChange({}, { properties: { q: {} } })[0], "widened");
  for (
    const [before, after] of [
      [{ minimum: 1, maximum: 3 }, { minimum: 0, maximum: 2 }],
      [{ pattern: "a" }, { pattern: "b" }],
      [{ title: "a" }, { title: "b" }],
      [{ anyOf: [{}] }, { anyOf: [true] }],
      [{ required: ["a", "b"] }, { required: ["b", "a"] }],
      [{ enum: ["a"] }, { enum: ["b"] }],
    ]
  ) {
    assertEquals(inputChange(before, after)[0], "changed");
  }
});

Deno.test("permissions widen and narrow", () => {
  const line = (before: object, after: object) =>
    indexDifferences(
      tools({ ...TOOL, ...before }),
      tools({ ...TOOL, ...after }),
    ).map(describeDifference);
  const allow = (...hosts: string[]) => ({
    network: { kind: "allowlist", hosts },
  });
  assertEquals(
    line({ network: { kind: "none" } }, { network: { kind: "unrestricted" } }),
    [
      `tool acme.a 1.0.0: network permission widened ({"kind":"none"} → {"kind":"unrestricted"})`,
    ],
  );
  for (
    const [narrow, wide] of [
      [{ network: { kind: "none" } }, allow("a")],
      [allow("a"), allow("a", "b")],
      [allow("a"), {}],
      [{ sandbox: "strict" }, { sandbox: "context-isolated" }],
      [{ sandbox: "strict" }, {}],
      [{ limits: { memMB: 16 } }, { limits: { memMB: 32 } }],
      [{ limits: { memMB: 16 } }, {}],
      [{ effects: [] }, { effects: [{ kind: "writes" }] }],
      [{ needs: ["a"] }, { needs: ["a", "b"] }],
    ] as [object, object][]
  ) {
    assert(line(narrow, wide)[0]?.includes("permission widened"));
    assert(line(wide, narrow)[0]?.includes("permission narrowed"));
  }
  assert(
    line(allow("a"), allow("b"))[0]?.includes("permission changed"),
  );
  assert(
    line({ limits: { memMB: 16, cpuMs: 2 } }, {
      limits: { memMB: 32, cpuMs: 1 },
    })[0]
      ?.includes("permission changed"),
  );
});

Deno.test("the pack's own fields come first, then tools, guardrails, agents and flows", () => {
  const before = { ...INDEX, tools: [TOOL] };
  const after = {
    ...INDEX,
    packVersion: "2.0.0",
    env: { required: ["A"], optional: [] },
    flows: [{ id: "acme.f" }],
    guardrails: [{ id: "acme.g" }],
  };
  assertEquals(indexDifferences(before, after).map(describeDifference), [
    `pack: env changed (absent → {"required":["A"],"optional":[]})`,
    `pack: packVersion changed ("1.0.0" → "2.0.0")`,
    "tool acme.a 1.0.0: removed",
    "guardrail acme.g: added",
    "flow acme.f: added",
  ]);
});

Deno.test("anything at all can be compared", () => {
  for (const odd of [null, 1, [], {}, { tools: "x" }, { tools: [1, null] }]) {
    assert(Array.isArray(indexDifferences(odd, INDEX)));
    assert(Array.isArray(indexDifferences(INDEX, odd)));
  }
});
