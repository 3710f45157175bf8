import fc from "fast-check";
import { z } from "zod";
import { hostChecks } from "../../base/host_checks.ts";
import {
  compileSchema,
  freezeSchema,
  type SchemaIssue,
} from "../../base/json_schema.ts";
import { isMultiple } from "../../base/json_schema_keywords.ts";
import {
  assert,
  assertEquals,
  assertObjectMatch,
  assertStringIncludes,
  errValue,
  okValue,
} from "../assert.ts";

function issues(
  schema: unknown,
  value: unknown,
  side: "input" | "output" = "input",
): readonly SchemaIssue[] {
  return okValue(compileSchema(schema, side))(value);
}

/** A recursive array schema's value, nested so deep. */
function nested(depth: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < depth; level++) value = [value];
  return value;
}

Deno.test("issues have Ajv's shape and all of them are listed", () => {
  const schema = {
    type: "object",
    properties: { message: { type: "string", minLength: 1 }, n: {} },
    required: ["message"],
    additionalProperties: false,
  };
  assertEquals(issues(schema, { message: "hi" }), []);
  assertEquals(issues(schema, {}), [{
    instancePath: "",
    message: "must have required property 'message'",
    keyword: "required",
    schemaPath: "#/required",
    params: { missingProperty: "message" },
  }]);
  const found = issues(schema, { message: 7, extra: 1, more: 2 });
  assertEquals(
    found.map((issue) => [issue.instancePath, issue.keyword, issue.params]),
    [
      ["", "additionalProperties", { additionalProperty: "extra" }],
      ["", "additionalProperties", { additionalProperty: "more" }],
      ["/message", "type", { type: "string" }],
    ],
  );
});

Deno.test("defaults are filled in on the input side and never on the output side", () => {
  const schema = {
    type: "object",
    properties: {
      greeting: { type: "string", default: "Hello" },
      options: {
        type: "object",
        properties: { loud: { type: "boolean", default: false } },
        default: {},
      },
    },
  };
  const input = {};
  assertEquals(issues(schema, input, "input"), []);
  assertEquals(input, { greeting: "Hello", options: { loud: false } });
  const output = {};
  assertEquals(issues(schema, output, "output"), []);
  assertEquals(output, {});
});

Deno.test("a default that is filled in is a fresh one each time", () => {
  const schema = {
    type: "object",
    properties: { list: { type: "array", default: [] } },
  };
  const first: { list?: unknown[] } = {};
  const second: { list?: unknown[] } = {};
  issues(schema, first);
  first.list?.push(1);
  issues(schema, second);
  assertEquals(second.list, []);
});

for (
  const [what, schema] of [
    ["an unknown keyword", { type: "object", shape: 1 }],
    ["an unknown format", { type: "string", format: "telephone" }],
    ["an open tuple", { type: "array", prefixItems: [{ type: "string" }] }],
    ["a keyword without its type", { minLength: 1 }],
    ["required without the property", { type: "object", required: ["x"] }],
    [
      "required in a branch whose parent lists the property",
      {
        type: "object",
        properties: { x: {} },
        anyOf: [{ required: ["x"] }],
      },
    ],
    ["an invalid keyword value", { type: "strng" }],
    ["a reference to nowhere", { $ref: "#/$defs/missing" }],
    ["an asynchronous schema", { $async: true, type: "string" }],
    ["a list", []],
    ["a string", "object"],
    ["nothing", undefined],
    ["a BigInt inside", { const: 1n }],
  ] as const
) {
  Deno.test(`a schema with ${what} fails to compile on both sides`, () => {
    for (const side of ["input", "output"] as const) {
      const error = errValue(compileSchema(schema, side));
      assertEquals(error.code, "schema-compile-failed");
      assert(error.cause instanceof Error);
      assert(error.message.length > 0);
    }
  });
}

Deno.test("a default that can't be applied fails to compile on the input side only", () => {
  const text = { type: "string", default: "x" };
  const branch = { type: "object", properties: { a: text } };
  const refused = [
    text,
    { anyOf: [branch] },
    { oneOf: [branch] },
    { not: branch },
    { type: "array", contains: branch },
  ];
  for (const schema of refused) {
    errValue(compileSchema(schema, "input"));
    okValue(compileSchema(schema, "output"));
  }
});

Deno.test("a default directly on a branch compiles and is ignored", () => {
  const input = {};
  assertEquals(issues({ anyOf: [{ type: "object", default: {} }] }, input), []);
  assertEquals(input, {});
});

Deno.test("a default below allOf, if/then, items, $ref and additionalProperties is applied", () => {
  const branch = {
    type: "object",
    properties: { a: { type: "string", default: "x" } },
  };
  for (const schema of [{ allOf: [branch] }, { if: true, then: branch }]) {
    const input = {};
    assertEquals(issues(schema, input), []);
    assertEquals(input, { a: "x" });
  }
  const list = [{}];
  issues({ type: "array", items: branch }, list);
  assertEquals(list, [{ a: "x" }] as unknown[]);
  const referring = {};
  issues({ $ref: "#/$defs/b", $defs: { b: branch } }, referring);
  assertEquals(referring, { a: "x" });
  const extra = { k: {} };
  issues({ type: "object", additionalProperties: branch }, extra);
  assertEquals(extra, { k: { a: "x" } } as unknown);
});

Deno.test("[64] a union in type takes each of its types and nothing else", () => {
  const schema = {
    type: "object",
    properties: { v: { type: ["string", "number", "boolean", "null"] } },
  };
  for (const v of ["a", 1, true, null]) assertEquals(issues(schema, { v }), []);
  assertObjectMatch(issues(schema, { v: [1] })[0], {
    instancePath: "/v",
    keyword: "type",
  });
});

Deno.test("annotations, const and enum without type, booleans and an empty schema compile", () => {
  for (
    const schema of [
      {},
      true,
      {
        title: "t",
        description: "d",
        examples: [1],
        $comment: "c",
        const: 1,
      },
      { enum: [1, "a"] },
    ]
  ) {
    assertEquals(issues(schema, 1), []);
  }
  assertEquals(issues(false, 1).length, 1);
});

Deno.test("what Zod 4 writes for plain objects, unions, tuples, records and any compiles on its side", () => {
  const schema = z.object({
    text: z.string().min(1),
    count: z.number().int().default(3),
    choice: z.union([z.string(), z.number()]),
    pair: z.tuple([z.string(), z.number()]),
    record: z.record(z.string(), z.number()),
    json: z.json(),
    any: z.any(),
    maybe: z.string().nullable().optional(),
  });
  for (const side of ["input", "output"] as const) {
    okValue(compileSchema(z.toJSONSchema(schema, { io: side }), side));
  }
});

Deno.test("[trap 1] a property that matches a pattern counts as evaluated", () => {
  const schema = {
    type: "object",
    patternProperties: { "^x-": true },
    unevaluatedProperties: false,
  };
  assertEquals(issues(schema, { "x-a": 1 }), []);
});

Deno.test("[trap 2] every unevaluated property is listed, in the order of the value", () => {
  const closed = {
    type: "object",
    properties: { a: {} },
    unevaluatedProperties: false,
  };
  const outer = {
    type: "object",
    properties: { inner: closed },
    unevaluatedProperties: false,
  };
  const found = issues(outer, { z: 1, inner: { a: 1, c: 2, b: 3 }, y: 4 });
  assertEquals(
    found.map((issue) => [
      issue.instancePath,
      issue.params?.["unevaluatedProperty"],
    ]),
    [["/inner", "c"], ["/inner", "b"], ["", "z"], ["", "y"]],
  );
});

Deno.test("unevaluated properties follow references, branches and a schema of their own", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "string" } },
    anyOf: [
      { properties: { b: { type: "string" } }, required: ["b"] },
      { $ref: "#/$defs/c" },
    ],
    unevaluatedProperties: { type: "number" },
    $defs: {
      c: {
        type: "object",
        properties: { c: { type: "string" } },
        required: ["c"],
      },
    },
  };
  const typed = {
    ...schema,
    anyOf: [{ type: "object", ...schema.anyOf[0] }, schema.anyOf[1]],
  };
  assertEquals(issues(typed, { a: "", b: "", n: 1 }), []);
  assertEquals(issues(typed, { c: "", n: 1 }), []);
  assertEquals(
    issues(typed, { b: "", n: "x", m: true }).map((issue) =>
      issue.instancePath
    ),
    ["/n", "/m"],
  );
  assertEquals(
    issues({ type: "object", unevaluatedProperties: true }, { a: 1 }),
    [],
  );
});

Deno.test("[trap 4] prices are multiples of a cent", () => {
  const schema = { type: "number", multipleOf: 0.01 };
  for (const price of [1.11, 0.94, 2000000.13, -19.99, 0, 1e308, 4.35]) {
    assertEquals(issues(schema, price), [], String(price));
  }
  for (const price of [1.111, 0.005, 1.1100001]) {
    assertEquals(issues(schema, price), [{
      instancePath: "",
      message: "must be multiple of 0.01",
      keyword: "multipleOf",
      schemaPath: "#/multipleOf",
      params: { multipleOf: 0.01 },
    }]);
  }
});

Deno.test("a number is a multiple exactly when its decimals are", () => {
  fc.assert(fc.property(
    fc.integer({ min: -1e7, max: 1e7 }),
    fc.integer({ min: 0, max: 6 }),
    (units, places) => {
      const value = Number(`${units}e-${places}`);
      const divisor = Number(`1e-${places}`);
      assert(isMultiple(value, divisor));
      assert(!isMultiple(Number(`${units}5e-${places + 1}`), divisor));
    },
  ));
  assert(isMultiple(12391239123, 1e-8));
  assert(isMultiple(1e22, 1e21));
  assert(!isMultiple(1e308, 0.123456789));
  assert(!isMultiple(Infinity, 2));
  assert(!isMultiple(7, 2));
});

Deno.test("[trap 5] a __proto__ key is an extra property like any other, under both ways to close an object", () => {
  const value = () => JSON.parse('{"__proto__":{"x":1}}');
  const closed = [
    { type: "object", properties: { x: {} }, additionalProperties: false },
    { type: "object", properties: { x: {} }, unevaluatedProperties: false },
    {
      type: "object",
      patternProperties: { "^x$": true },
      unevaluatedProperties: false,
    },
  ];
  for (const schema of closed) {
    assertEquals(issues(schema, value()).length, 1, JSON.stringify(schema));
    assertEquals(issues(schema, { constructor: 1 }).length, 1);
    assertEquals(issues(schema, { x: 1 }), []);
  }
  const required = { type: "object", properties: { x: {} }, required: ["x"] };
  assertEquals(issues(required, value()).length, 1);
  assertEquals(({} as { x?: unknown }).x, undefined);
});

Deno.test("[trap 6] two schemas with one $id both compile, nested ids too", () => {
  const id = "https://example.com/shared";
  const text = { $id: id, type: "string" };
  const number = { $id: id, type: "number" };
  assertEquals(issues(text, "a"), []);
  assertEquals(issues(number, 1), []);
  assertEquals(issues(text, 1).length, 1);
  for (const inner of [text, number]) {
    const schema = { type: "object", properties: { v: inner } };
    okValue(compileSchema(schema, "input"));
    okValue(compileSchema(schema, "output"));
  }
});

Deno.test("[trap 7] another dialect is refused by name, and an array of items as an invalid schema", () => {
  const draft07 = "http://json-schema.org/draft-07/schema#";
  assertStringIncludes(
    errValue(compileSchema({ $schema: draft07, type: "object" }, "input"))
      .message,
    draft07,
  );
  assertStringIncludes(
    errValue(
      compileSchema({ type: "array", items: [{ type: "string" }] }, "input"),
    ).message,
    "items",
  );
  for (const hash of ["", "#"]) {
    const $schema = `https://json-schema.org/draft/2020-12/schema${hash}`;
    okValue(compileSchema({ $schema, type: "object" }, "input"));
  }
});

Deno.test("[trap 8] a value nested too deep is an issue at the root, and the next one is judged as ever", () => {
  const schema = {
    $ref: "#/$defs/list",
    $defs: { list: { type: "array", items: { $ref: "#/$defs/list" } } },
  };
  const deep = issues(schema, nested(200_000));
  assertEquals(deep.map((issue) => issue.instancePath), [""]);
  assertStringIncludes(deep[0]!.message, "nested");
  assertEquals(issues(schema, nested(100)), []);
});

Deno.test("[trap 47] a schema nested too deep is refused, not thrown over", () => {
  let schema: unknown = { type: "string" };
  for (let level = 0; level < 100_000; level++) schema = { not: schema };
  const error = errValue(compileSchema(freezeSchema(schema), "input"));
  assertStringIncludes(error.message, "deep");
});

Deno.test("[trap 9] a pattern that the u flag refuses fails to compile", () => {
  const schema = { type: "string", pattern: String.raw`^\_$` };
  assertStringIncludes(
    errValue(compileSchema(schema, "input")).message,
    "Invalid escape",
  );
});

Deno.test("patterns count in code points, in pattern and in patternProperties", () => {
  const schema = { type: "string", pattern: "^(?:.|x){2}$" };
  assertEquals(issues(schema, "😀😀"), []);
  assertObjectMatch(issues(schema, "😀")[0], {
    keyword: "pattern",
    params: { pattern: "^(?:.|x){2}$" },
  });
  const keys = {
    type: "object",
    patternProperties: { "^(?:.|x)$": true },
    additionalProperties: false,
  };
  assertEquals(issues(keys, { "😀": 1 }), []);
});

Deno.test("a value whose own code throws while it is judged is an issue at the root", () => {
  const value = {
    get a(): never {
      throw new Error("no reading");
    },
  };
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const [issue] = issues(schema, value);
  assertEquals(issue?.instancePath, "");
  assertStringIncludes(issue?.message ?? "", "no reading");
});

Deno.test("a schema is compiled once per side and text", () => {
  const schema = () => ({ type: "string", title: "kept" });
  const first = okValue(compileSchema(schema(), "input"));
  assert(okValue(compileSchema(schema(), "input")) === first);
  assert(okValue(compileSchema(schema(), "output")) !== first);
});

Deno.test("an edited schema is a new one, and the edit doesn't reach the old one", () => {
  const schema = { enum: ["a"] };
  const first = okValue(compileSchema(schema, "input"));
  schema.enum.push("b");
  assertEquals(first("b").length, 1);
  assertEquals(okValue(compileSchema(schema, "input"))("b"), []);
});

Deno.test("of more than 512 schemas the oldest is forgotten", () => {
  const schema = (n: number) => ({ type: "string", title: `s${n}` });
  const first = okValue(compileSchema(schema(0), "input"));
  for (let n = 1; n < 512; n++) compileSchema(schema(n), "input");
  assert(okValue(compileSchema(schema(0), "input")) === first);
  compileSchema(schema(512), "input");
  assert(okValue(compileSchema(schema(0), "input")) !== first);
});

Deno.test("a schema frozen throughout is known by its identity, one frozen at the top only is not", () => {
  const frozen = freezeSchema({
    type: "object",
    properties: { a: { enum: ["a"] } },
  });
  assert(Object.isFrozen(frozen.properties.a.enum));
  const first = okValue(compileSchema(frozen, "input"));
  for (let n = 0; n < 600; n++) {
    compileSchema({ type: "string", title: `f${n}` }, "input");
  }
  assert(okValue(compileSchema(frozen, "input")) === first);

  const shallow = Object.freeze({ enum: ["a"] });
  compileSchema(shallow, "input");
  shallow.enum.push("b");
  assertEquals(issues(shallow, "b"), []);
});

Deno.test("the define helpers find the checks once this module is loaded", () => {
  const { schemaProblem, valueProblem } = hostChecks();
  const schema = {
    type: "object",
    properties: { maxChars: { type: "integer", minimum: 0 } },
  };
  assertEquals(schemaProblem?.(schema, "input"), undefined);
  assertStringIncludes(
    schemaProblem?.({ type: "object", required: ["x"] }, "output") ?? "",
    "x",
  );
  assertEquals(valueProblem?.(schema, { maxChars: 1 }), undefined);
  assertEquals(
    valueProblem?.(schema, { maxChars: -5 }),
    "/maxChars must be >= 0",
  );
  assertEquals(valueProblem?.(schema, "strict"), "must be object");
});
