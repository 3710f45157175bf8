import {
  BLOCK_KINDS,
  type BlockDefinition,
  createBlockRegistry,
  MODEL_SETTINGS_SCHEMA,
  settingsSchemaIssues,
  tunableKeys,
  validateBlock,
} from "../../../agents/mod.ts";
import {
  assert,
  assertEquals,
  assertStringIncludes,
  assertThrows,
  errValue,
  okValue,
} from "../../assert.ts";
import { places } from "../examples.ts";

const PROMPT = {
  id: "acme.intake",
  version: "1.0.0",
  kind: "prompt",
  content: {
    template: "For {{ firm }}.",
    parameters: [{ name: "firm", type: "string" }],
  },
};

const WEIGHTS = {
  id: "acme.weights",
  version: "1.0.0",
  kind: "settings",
  content: { values: { recency: 0.7 } },
};

function pathsOf(block: unknown): string[] {
  return places(errValue(validateBlock(block)).issues);
}

Deno.test("the kinds of block are prompt and settings, in this order", () => {
  assertEquals([...BLOCK_KINDS], ["prompt", "settings"]);
});

Deno.test("[76] a block's id, version and kind are checked, and what is no object has one issue at the root", () => {
  const error = errValue(
    validateBlock({ id: "Acme", version: "1.0", kind: "other" }),
  );
  assertEquals(error.code, "invalid-block");
  assertEquals(places(error.issues), ["/id", "/version", "/kind"]);
  assertEquals(pathsOf([]), [""]);
  assertEquals(pathsOf(null), [""]);
});

Deno.test("[77] a prompt's template is parsed and its parameters are checked as an agent's", () => {
  const content = {
    template: "{% if %}",
    parameters: [{ name: "today", type: "string" }],
  };
  assertEquals(pathsOf({ ...PROMPT, content }), [
    "/content/template",
    "/content/parameters/0/name",
  ]);
});

Deno.test("[78] a prompt that uses a partial is refused in the one wording", () => {
  const content = { template: "{% render 'x' %}" };
  assertEquals(errValue(validateBlock({ ...PROMPT, content })).issues, [{
    path: "/content/template",
    message: "templates can't use include, render or layout",
  }]);
});

Deno.test("[79] settings have values that fit their schema, and a version without a prerelease", () => {
  const schema = { type: "object", properties: { a: { type: "number" } } };
  assertEquals(pathsOf({ ...WEIGHTS, content: { values: [] } }), [
    "/content/values",
  ]);
  assertEquals(
    pathsOf({ ...WEIGHTS, content: { values: { a: "x" }, schema } }),
    ["/content/values/a"],
  );
  assertEquals(pathsOf({ ...WEIGHTS, version: "1.0.0-rc.1" }), ["/version"]);
});

Deno.test("a block is answered with its known fields only, as a copy", () => {
  const block = okValue(validateBlock({ ...PROMPT, extra: 1 }));
  assertEquals<unknown>(block, PROMPT);
  assert(block.content !== (PROMPT.content as unknown));
  const described = { ...WEIGHTS, description: "weights" };
  assertEquals<unknown>(okValue(validateBlock(described)), described);
});

for (
  const [what, block, paths] of [
    ["a description that is no text", { ...PROMPT, description: 5 }, [
      "/description",
    ]],
    ["a prompt without content", { ...PROMPT, content: undefined }, [
      "/content",
    ]],
    ["settings without content", { ...WEIGHTS, content: [] }, ["/content"]],
    ["a blank template", {
      ...PROMPT,
      content: { template: " ", parameters: 1 },
    }, [
      "/content/template",
    ]],
    ["parameters that are no list", {
      ...PROMPT,
      content: { template: "x", parameters: {} },
    }, [
      "/content/parameters",
    ]],
    ["a schema that is no object", {
      ...WEIGHTS,
      content: { values: {}, schema: 1 },
    }, [
      "/content/schema",
    ]],
    ["a schema that doesn't compile", {
      ...WEIGHTS,
      content: { values: {}, schema: { type: "strin" } },
    }, [
      "/content/schema",
    ]],
    ["a value that JSON can't hold", {
      ...WEIGHTS,
      content: { values: { f: () => 1 } },
    }, [
      "/content/values/f",
    ]],
  ] as const
) {
  Deno.test(`${what} is an issue of the block`, () => {
    assertEquals(pathsOf(block), [...paths]);
  });
}

Deno.test("every value that doesn't fit is an issue, below the given place", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "string" } },
    additionalProperties: false,
  };
  assertEquals(
    places(settingsSchemaIssues({ a: "x", b: 1, c: 2 }, schema, "/values"))
      .sort(),
    ["/values", "/values/a", "/values/b"],
  );
  assertEquals(settingsSchemaIssues({ a: 1 }, undefined), []);
  assertEquals(settingsSchemaIssues({ a: 1 }, {}), []);
});

const TUNABLE = { "x-kindgi-tunable": true };

Deno.test("tunable keys are listed in the order of the properties", () => {
  const schema = {
    type: "object",
    properties: {
      recency: { type: "number", minimum: 0, maximum: 1, ...TUNABLE },
      fixed: { type: "number" },
      top: { type: "integer", minimum: 1, maximum: 9, ...TUNABLE },
      style: { enum: ["short", "long"], ...TUNABLE },
    },
  };
  assertEquals<unknown>(tunableKeys(schema), [
    { key: "recency", kind: "number", minimum: 0, maximum: 1 },
    { key: "top", kind: "integer", minimum: 1, maximum: 9 },
    { key: "style", kind: "enum", values: ["short", "long"] },
  ]);
  assertEquals(settingsSchemaIssues({ recency: 0.5 }, schema), []);
  assertEquals(tunableKeys(undefined), []);
});

for (
  const property of [
    { type: "string", ...TUNABLE },
    { type: "number", minimum: 0, ...TUNABLE },
    { type: "number", minimum: 1, maximum: 1, ...TUNABLE },
    { enum: ["only"], ...TUNABLE },
    { type: "number", minimum: 0, maximum: 1, "x-kindgi-tunable": "yes" },
    { type: "number", minimum: 0, maximum: 1, "x-kindgi-tunable": false },
  ]
) {
  Deno.test(`a tunable mark on ${JSON.stringify(property)} is an issue in the schema`, () => {
    const schema = { type: "object", properties: { "a/b": property } };
    assertEquals(tunableKeys(schema), []);
    assertEquals(places(settingsSchemaIssues({}, schema)), [
      "/content/schema/properties/a~1b/x-kindgi-tunable",
    ]);
  });
}

Deno.test("model settings are a temperature and a number of tokens, and nothing else", () => {
  const problems = (values: unknown) =>
    places(settingsSchemaIssues(values, MODEL_SETTINGS_SCHEMA, ""));
  assertEquals(problems({ temperature: 2, maxOutputTokens: 1 }), []);
  assertEquals(problems({}), []);
  assertEquals(problems({ temperature: 2.1, maxOutputTokens: 0 }), [
    "/temperature",
    "/maxOutputTokens",
  ]);
  assertEquals(problems({ topP: 1 }), [""]);
});

function blockAt(version: string): BlockDefinition {
  return okValue(validateBlock({ ...WEIGHTS, version }));
}

Deno.test("a block registry resolves a range to the highest version, and says why it can't", () => {
  const blocks = createBlockRegistry(["1.0.0", "1.2.0", "2.0.0"].map(blockAt));
  const resolve = (id: string, range: string) =>
    blocks.resolve({ tenantId: "t-1", id, range });
  assertEquals(okValue(resolve("acme.weights", "^1")).version, "1.2.0");
  assertEquals(okValue(resolve("acme.weights", "1.0.0")).version, "1.0.0");
  for (
    const [id, range, why] of [
      ["acme.none", "^1", "no such block"],
      ["acme.weights", "^3", "2.0.0, 1.2.0, 1.0.0"],
      ["acme.weights", "latest", "not a version range"],
    ] as const
  ) {
    const error = errValue(resolve(id, range));
    assertEquals(error.code, "block-unresolvable");
    assertEquals(error.blockId, id);
    assertEquals(error.requestedRange, range);
    assertStringIncludes(error.message, why);
  }
});

Deno.test("a version of a block is registered once", () => {
  const blocks = createBlockRegistry([blockAt("1.0.0")]);
  assertEquals(
    errValue(blocks.register(blockAt("1.0.0"))).code,
    "duplicate-block",
  );
  assertEquals(blocks.list().length, 1);
  assertThrows(
    () => createBlockRegistry([blockAt("1.0.0"), blockAt("1.0.0")]),
    TypeError,
    "acme.weights",
  );
});
