import { z } from "zod";
import { z as zod3 } from "zod3";
import fc from "fast-check";
import { runIndexer, toJSONSchemaSync } from "../../indexer/mod.ts";
import type {
  FileError,
  IndexReport,
  ZodConverter,
} from "../../indexer/mod.ts";
import { draftIssues } from "../../base/json_schema.ts";
import { plainlyFitsDraft } from "../../indexer/draft_shape.ts";
import {
  allSchemaParts,
  LIST_KEYWORDS,
  MAP_KEYWORDS,
  ONE_KEYWORDS,
} from "../../indexer/schema_parts.ts";
import { patternWithoutFlags } from "../../indexer/pattern_without_flags.ts";
import {
  assert,
  assertEquals,
  assertStringIncludes,
  errValue,
  okValue,
} from "../assert.ts";
import { DENO_ONLY } from "../runtime.ts";
import { module, tool, withPack, type WrittenIndex } from "./pack_folder.ts";

/** A tool module whose input is given as JavaScript; `z` is there. */
function zodTool(input: string, field = "inputZod", output = "{}"): string {
  return `import { z } from "zod";
export default { id: "acme.a", ${field}: ${input}, output: ${output}, handler() {} };`;
}

function jsonTool(input: string, id = "acme.a", output = "{}"): string {
  return module(
    `{ id: "${id}", input: ${input}, output: ${output}, handler() {} }`,
  );
}

async function collected(
  files: Readonly<Record<string, string>>,
): Promise<{ report: IndexReport; index: WrittenIndex }> {
  let result: { report: IndexReport; index: WrittenIndex } | undefined;
  await withPack(files, async (pack) => {
    const outcome = await runIndexer({
      packDir: pack.dir,
      onFileError: "collect",
    });
    result = { report: okValue(outcome), index: await pack.index() };
  });
  return result!;
}

async function errorOf(source: string): Promise<FileError> {
  const { report } = await collected({ "tools/a.mjs": source });
  assertEquals(report.fileErrors.length, 1);
  return report.fileErrors[0]!;
}

async function warningsOf(source: string): Promise<IndexReport["warnings"]> {
  const { report } = await collected({ "tools/a.mjs": source });
  assertEquals(report.fileErrors, []);
  return report.warnings;
}

Deno.test("[trap 7] a schema of another dialect is refused, naming tool, slot and dialect", async () => {
  const draft07 = "http://json-schema.org/draft-07/schema#";
  const inInput = await errorOf(jsonTool(`{ $schema: "${draft07}" }`));
  assertEquals(inInput.code, "manifest-validation-failed");
  assertEquals(inInput.field, "input");
  assertStringIncludes(inInput.message, `"acme.a"`);
  assertStringIncludes(inInput.message, draft07);
  const nested = await errorOf(
    jsonTool("{}", "acme.a", `{ $defs: { x: { $schema: "${draft07}" } } }`),
  );
  assertEquals(nested.field, "output");
  assertStringIncludes(nested.message, "/$defs/x");
});

Deno.test("[trap 7] a list of items is no schema of draft 2020-12", async () => {
  const error = await errorOf(
    jsonTool(
      `{ type: "object", properties: { t: { type: "array", items: [{ type: "string" }] } } }`,
    ),
  );
  assertEquals(error.code, "manifest-validation-failed");
  assertEquals(error.field, "input");
  for (const part of [`"acme.a"`, "2020-12", "/properties/t/items"]) {
    assertStringIncludes(error.message, part);
  }
});

Deno.test("what is taken for a schema at a glance is one by the draft's own schema", () => {
  const keywords = [
    ...ONE_KEYWORDS,
    ...LIST_KEYWORDS,
    ...MAP_KEYWORDS,
    "type",
    "enum",
    "const",
    "default",
    "examples",
    "required",
    "uniqueItems",
    "deprecated",
    "multipleOf",
    "maximum",
    "minLength",
    "maxContains",
    "title",
    "format",
    "pattern",
    "$comment",
    "$schema",
    "$ref",
    "$id",
    "$anchor",
    "$dynamicRef",
    "$vocabulary",
    "dependentRequired",
    "dependencies",
    "x-unknown",
  ];
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      true,
      false,
      null,
      0,
      1,
      -1,
      1.5,
      "",
      "string",
      "integer",
      "#/$defs/a",
      "a b",
      [],
      ["string"],
      ["a", "a"],
      ["string", "null"],
      [1],
      [{}],
      [true, { type: "string" }],
      {},
      { a: true },
      { a: {} },
      { a: 1 },
      { a: ["b"] },
      { type: "object" },
      { type: "wat" },
      { a: { minLength: -1 } },
      [{ required: [1] }],
    ),
  );
  const schema = fc.dictionary(fc.constantFrom(...keywords), value, {
    maxKeys: 3,
  });
  let plain = 0;
  fc.assert(
    fc.property(schema, (schema) => {
      if (
        !allSchemaParts(schema).every((part) => plainlyFitsDraft(part.schema))
      ) return;
      plain++;
      assertEquals(draftIssues(schema), []);
    }),
    { numRuns: 3_000 },
  );
  assert(plain > 100);
});

Deno.test("the dialect that indexes are written in may be named", async () => {
  const dialect = "https://json-schema.org/draft/2020-12/schema";
  const { report } = await collected({
    "tools/a.mjs": jsonTool(`{ $schema: "${dialect}" }`),
    "tools/b.mjs": jsonTool(`{ $schema: "${dialect}#" }`, "acme.b"),
  });
  assertEquals(report.fileErrors, []);
});

Deno.test("[trap 9] a pattern that is none under the u flag is refused with tool and path", async () => {
  for (
    const [schema, path] of [
      [
        `{ properties: { k: { pattern: "^\\\\_$" } } }`,
        "/properties/k/pattern",
      ],
      [`{ patternProperties: { "(": {} } }`, "/patternProperties/("],
    ] as const
  ) {
    const error = await errorOf(jsonTool(schema));
    assertEquals(error.code, "manifest-validation-failed");
    assertStringIncludes(error.message, `"acme.a"`);
    assertStringIncludes(error.message, path);
  }
});

Deno.test("[trap 10] a date is named with its tool and path, and other files are reported in the same run", async () => {
  const { report } = await collected({
    "tools/a.mjs": zodTool("z.object({ at: z.object({ when: z.date() }) })"),
    "tools/b.mjs": "?",
  });
  const [date, other] = report.fileErrors;
  assertEquals(date?.code, "zod-conversion-failed");
  assertStringIncludes(date!.message, `"acme.a"`);
  assertStringIncludes(date!.message, "/at/when: Date cannot be represented");
  assertEquals(other?.filePath, "tools/b.mjs");
});

Deno.test("[trap 14] every field that can't be represented is named, in order", async () => {
  const error = await errorOf(zodTool(`z.object({
    a: z.bigint(),
    ok: z.string(),
    list: z.array(z.object({ "b/c": z.date() })),
    either: z.union([z.string(), z.symbol()]),
    m: z.map(z.string(), z.date()),
    t: z.tuple([z.number(), z.undefined()]),
    r: z.record(z.string(), z.void()),
    o: z.optional(z.nan()),
  })`));
  const places = [
    "/a:",
    "/list/*/b~1c:",
    "/either:",
    "/m:",
    "/t/1:",
    "/r/*:",
    "/o:",
  ];
  const found = places.map((place) => error.message.indexOf(place));
  assert(!found.includes(-1), error.message);
  assertEquals([...found].sort((a, b) => a - b), found);
  assert(!error.message.includes("/ok"));
});

Deno.test("[trap 13] every reference of a converted schema resolves, with ids, cycles and rests", async () => {
  const { report, index } = await collected({
    "tools/a.mjs": `import { z } from "zod";
const item = z.object({ n: z.number() }).meta({ id: "acme.item" });
const tree = z.object({ item, get children() { return z.array(tree); } });
export default { id: "acme.a", inputZod: z.object({
  pair: z.tuple([item, z.string()], item), tree, again: item }), output: {}, handler() {} };`,
  });
  assertEquals(report.fileErrors, []);
  const input = index.tools[0]?.input;
  const references: string[] = [];
  JSON.stringify(input, (key, value) => {
    if (key === "$ref") references.push(value);
    return value;
  });
  assert(references.length >= 3);
  for (const reference of references) {
    let at: unknown = input;
    for (const key of reference.replace("#", "").split("/").slice(1)) {
      at = (at as Record<string, unknown>)[key];
    }
    assert(at !== undefined, reference);
  }
});

Deno.test("two schemas with one $id don't collide", async () => {
  const { report } = await collected({
    "tools/a.mjs": jsonTool(`{ $id: "x" }`, "acme.a", `{ $id: "x" }`),
    "tools/b.mjs": jsonTool(`{ $id: "x" }`, "acme.b"),
  });
  assertEquals(report.fileErrors, []);
});

Deno.test("[trap 47] a schema nested 100 000 deep is a typed refusal", async () => {
  const error = await errorOf(`let schema = {};
for (let i = 0; i < 100_000; i++) schema = { properties: { a: schema } };
export default { id: "acme.a", input: schema, output: {}, handler() {} };`);
  assertEquals(error.code, "manifest-validation-failed");
  assertEquals(error.field, "input");
  assertStringIncludes(error.message, "1000 levels");
});

Deno.test("[decision 16] a schema of Zod 3 is refused by name, never written as an empty one", async () => {
  for (const field of ["inputZod", "input"]) {
    const error = await errorOf(`import { z } from "zod3";
export default { id: "acme.a", ${field}: z.object({ q: z.string() }), output: {}, handler() {} };`);
    assertEquals(error.code, "zod-conversion-failed");
    assertEquals(error.field, field);
    assertStringIncludes(error.message, "Zod 3");
  }
  const direct = toJSONSchemaSync(zod3.string(), undefined, "input");
  assertEquals(errValue(direct).code, "invalid-zod-conversion");
});

Deno.test(
  "[decision 16] the Zod that converts is the schema's own, with its descriptions",
  DENO_ONLY,
  async () => {
    for (
      const [library, schema] of [
        [
          "npm:zod@3.25.76/v4",
          `z.object({ q: z.string().describe("the question") })`,
        ],
        ["npm:zod@4.6.7/mini", `z.object({ q: z.string() })`],
      ] as const
    ) {
      const { report, index } = await collected({
        "tools/a.mjs": `import * as z from "${library}";
export const sub = ${schema};
export default { id: "acme.a", inputZod: sub, output: {}, handler() {} };`,
      });
      if (library.includes("3.25")) {
        // Under a name that nothing of the pack maps, the library can't be reached.
        assertEquals(report.fileErrors[0]?.code, "zod-conversion-failed");
        assertStringIncludes(report.fileErrors[0]!.message, "4.0.0");
      } else {
        assertEquals(report.fileErrors, []);
        assertEquals(
          (index.tools[0]?.input as { properties: unknown }).properties,
          { q: { type: "string" } },
        );
      }
    }
  },
);

Deno.test("[decision 16] a default that depends on time or chance is refused with its path", async () => {
  for (
    const made of [
      "new Date().toISOString()",
      "String(new Date().getFullYear())",
      "Date()",
      "String(Date.now())",
      "String(Math.random())",
      "Math.random() < 0.5 ? 'a' : 'b'",
      "crypto.randomUUID()",
      "String(crypto.getRandomValues(new Uint8Array(1))[0])",
      "Temporal.Now.plainDateISO().toString()",
    ].filter((made) => !made.startsWith("Temporal") || "Temporal" in globalThis)
  ) {
    const error = await errorOf(
      zodTool(
        `z.object({ ok: z.string().default("x"), at: z.string().default(() => ${made}) })`,
      ),
    );
    assertEquals(error.code, "non-deterministic-schema", made);
    assertEquals(error.field, "inputZod");
    assertStringIncludes(error.message, "/properties/at/default");
    assert(!error.message.includes("/properties/ok"));
  }
});

Deno.test("looking for chance leaves the clock and the dice as they were", async () => {
  const before = [Date, Math.random, crypto.randomUUID, crypto.getRandomValues];
  const own = Object.getOwnPropertyNames(crypto);
  const { report } = await collected({
    "tools/a.mjs": zodTool(`z.object({ at: z.string().default(() => {
      if (!(new Date(0) instanceof Date) || new Date(0).getTime() !== 0) throw new Error("Date is broken");
      return "fixed";
    }) })`),
  });
  assertEquals(report.fileErrors, []);
  const after = [Date, Math.random, crypto.randomUUID, crypto.getRandomValues];
  assert(before.every((value, at) => value === after[at]));
  assertEquals(Object.getOwnPropertyNames(crypto), own);
});

Deno.test("toJSONSchemaSync passes on what is no Zod schema and needs the library for what is", () => {
  const json = { type: "string", odd: 1 };
  assert(okValue(toJSONSchemaSync(json, undefined, "input")) === json);
  const converter: ZodConverter = (schema, options) =>
    z.toJSONSchema(schema as unknown as z.ZodType, options);
  assertEquals(
    okValue(toJSONSchemaSync(z.string(), converter, "output")),
    z.toJSONSchema(z.string(), { io: "output" }),
  );
  const unreachable = errValue(
    toJSONSchemaSync(z.string(), undefined, "input"),
  );
  assertEquals(unreachable.code, "invalid-zod-conversion");
});

Deno.test("a transform converts on the input side only", async () => {
  const transform = "z.string().transform((text) => text.length)";
  const { report } = await collected({ "tools/a.mjs": zodTool(transform) });
  assertEquals(report.fileErrors, []);
  const error = await errorOf(
    `import { z } from "zod";
export default { id: "acme.a", input: {}, outputZod: ${transform}, handler() {} };`,
  );
  assertEquals(error.field, "outputZod");
});

Deno.test("[decision 16] [trap 15] a refinement that JSON Schema drops is warned about with its path", async () => {
  const warnings = await warningsOf(
    zodTool(`z.object({
      even: z.number().refine((n) => n % 2 === 0),
      plain: z.string().min(3).regex(/^a/),
    }).superRefine(() => {})`),
  );
  assertEquals(warnings.map(({ code, field }) => [code, field]), [
    ["refinement-dropped", "inputZod"],
    ["refinement-dropped", "inputZod"],
  ]);
  assertStringIncludes(warnings[1]!.message, "/even");
  assertStringIncludes(warnings[1]!.message, "still applied");
  const [unapplied] = await warningsOf(
    zodTool("z.object({ n: z.number().refine(() => true) })", "input"),
  );
  assertStringIncludes(unapplied!.message, "Nothing applies it");
});

Deno.test("[decision 16] [trap 15] a regular expression that loses its flags comes with one that needs none", async () => {
  const [warning, ...others] = await warningsOf(
    zodTool("z.object({ k: z.string().regex(/^ab.[x-z]$/is) })"),
  );
  assertEquals(others, []);
  assertEquals(warning?.code, "regex-flags-dropped");
  assertStringIncludes(warning!.message, "/k");
  assertStringIncludes(warning!.message, "/^[aA][bB][\\s\\S][x-zX-Z]$/");
  const [hard] = await warningsOf(zodTool("z.string().regex(/(a)\\1/i)"));
  assertStringIncludes(hard!.message, "Write it without flags.");
  assertEquals(await warningsOf(zodTool("z.string().regex(/^a$/u)")), []);
});

Deno.test("a pattern without flags matches what the flags would", () => {
  const piece = fc.constantFrom(
    "a",
    "B",
    "é",
    "ß",
    "1",
    ".",
    "\\d",
    "\\.",
    "\\w",
    "[a-f]",
    "[^B-D]",
    "[xY_]",
    "[\\]a]",
    "(?:c|D)",
    "a*",
    "b?",
    "[+-9]",
    "(?<name>e)",
    "\\n",
    "^",
    "$",
  );
  const text = fc.string({
    unit: fc.constantFrom(..."aAbBcCdDeEfFxXyYzZéÉß1.,-+ \n_]".split("")),
    maxLength: 6,
  });
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 4 }),
      fc.subarray(["i", "s", "m"], { minLength: 1 }),
      fc.array(text, { minLength: 1, maxLength: 20 }),
      (pieces, flags, texts) => {
        let regex: RegExp;
        try {
          regex = new RegExp(pieces.join(""), flags.join(""));
        } catch {
          return; // two groups of one name
        }
        const bare = patternWithoutFlags(regex);
        assert(bare !== undefined);
        for (const sample of texts) {
          assertEquals(
            new RegExp(bare).test(sample),
            regex.test(sample),
            `${regex} as ${bare} on ${JSON.stringify(sample)}`,
          );
        }
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("[decision 16] a default below anyOf, oneOf, not or contains is warned about with its place", async () => {
  const field =
    `{ type: "object", properties: { k: { type: "string", default: "x" } } }`;
  for (
    const [schema, pointer] of [
      [`{ anyOf: [${field}] }`, "/anyOf/0/properties/k/default"],
      [`{ oneOf: [{ default: 1 }] }`, "/oneOf/0/default"],
      [`{ not: ${field} }`, "/not/properties/k/default"],
      [
        `{ contains: { allOf: [${field}] } }`,
        "/contains/allOf/0/properties/k/default",
      ],
      [
        `{ anyOf: [{ $ref: "#/$defs/x" }], $defs: { x: ${field} } }`,
        "/$defs/x/properties/k/default",
      ],
    ] as const
  ) {
    const warnings = await warningsOf(jsonTool(schema));
    assertEquals(warnings.map(({ code }) => code), ["default-never-applied"]);
    assertStringIncludes(warnings[0]!.message, pointer);
  }
  for (
    const schema of [
      field,
      `{ allOf: [${field}] }`,
      `{ properties: { a: { $ref: "#/$defs/x" } }, anyOf: [{ $ref: "#/$defs/x" }], $defs: { x: ${field} } }`,
    ]
  ) {
    assertEquals(await warningsOf(jsonTool(schema)), []);
  }
  // On the output side no default is ever filled in, and a Zod schema that runs fills in its own.
  assertEquals(
    await warningsOf(jsonTool("{}", "acme.a", `{ anyOf: [${field}] }`)),
    [],
  );
  const union = `z.union([z.object({ k: z.string().default("x") }), z.null()])`;
  assertEquals(await warningsOf(zodTool(union)), []);
  assertEquals(
    (await warningsOf(zodTool(union, "input"))).map(({ code }) => code),
    ["default-never-applied"],
  );
});

Deno.test("[decision 16] a pattern that may take exponential time is warned about", async () => {
  const [warning] = await warningsOf(
    jsonTool(
      `{ properties: { k: { type: "string", pattern: "^(?=a)(a+)+$" } } }`,
    ),
  );
  assertEquals(warning?.code, "pattern-may-backtrack");
  assertEquals(warning?.field, "input");
  assertStringIncludes(warning!.message, "/properties/k/pattern");
  assertEquals(
    await warningsOf(jsonTool(`{ properties: { k: { pattern: "^(a+)+$" } } }`)),
    [],
  );
});

Deno.test("warnings come in path order and leave the entries as they are", async () => {
  const { report, index } = await collected({
    "tools/b.mjs": jsonTool(`{ anyOf: [{ default: 1 }] }`, "acme.b"),
    "tools/a.mjs": jsonTool(`{ oneOf: [{ default: 1 }] }`),
    "tools/c.mjs": tool("acme.c"),
  });
  assertEquals(report.warnings.map(({ filePath }) => filePath), [
    "tools/a.mjs",
    "tools/b.mjs",
  ]);
  assertEquals(index.tools.length, 3);
});
