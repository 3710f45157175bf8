/** What schemas mean to a started service: the traps of JSON Schema. */

import { assertEquals, assertStringIncludes } from "../assert.ts";
import type { Caller } from "./support/caller.ts";
import { ServiceProcess } from "./support/service_process.ts";
import { TempPack } from "./support/temp_pack.ts";

const RETURNS_INPUT = "export default (input) => input;";

const input = (schema: Record<string, unknown>) => ({
  code: RETURNS_INPUT,
  input: schema,
});

let pack: TempPack;
let service: ServiceProcess;
let caller: Caller;
Deno.test.beforeAll(async () => {
  pack = await TempPack.write({
    tools: {
      "patterned": input({
        type: "object",
        patternProperties: { "^x-": true },
        unevaluatedProperties: false,
      }),
      "unusable.default": input({
        type: "object",
        properties: { kind: { type: "string" } },
        oneOf: [{ properties: { a: { type: "string", default: "x" } } }],
      }),
      "price": input({
        type: "object",
        properties: { price: { type: "number", multipleOf: 0.01 } },
      }),
      "same.id.a": {
        code: RETURNS_INPUT,
        input: { $id: "https://example.com/s", type: "string" },
        output: { $id: "https://example.com/s", type: ["string", "null"] },
      },
      "same.id.b": input({ $id: "https://example.com/s", type: "number" }),
      "recursive": input({
        $defs: {
          node: {
            type: "object",
            properties: { next: { $ref: "#/$defs/node" } },
            additionalProperties: false,
          },
        },
        $ref: "#/$defs/node",
      }),
      "draft7": input({
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
      }),
      "backtracking": input({
        type: "object",
        properties: { text: { type: "string", pattern: "^(a+)+$" } },
      }),
      "fine": RETURNS_INPUT,
    },
  });
  service = await ServiceProcess.start({ index: pack.index });
  caller = service.caller;
});
Deno.test.afterAll(async () => {
  assertEquals(await service.stop(), 0);
  await pack[Symbol.asyncDispose]();
});

Deno.test("[trap 1] a property that a pattern allows is an evaluated one", async () => {
  assertEquals(await caller.output("patterned", { "x-a": 1 }), { "x-a": 1 });
});

Deno.test("[trap 2] every unevaluated property is an issue of its own, in the input's order", async () => {
  const error = await caller.error("patterned", { b: 1, "x-a": 1, a: 2 });
  assertEquals(
    error.issues?.map(({ keyword, params }) => ({ keyword, params })),
    ["b", "a"].map((unevaluatedProperty) => ({
      keyword: "unevaluatedProperties",
      params: { unevaluatedProperty },
    })),
  );
});

Deno.test("[trap 3] a default that can't be applied concerns its tool alone", async () => {
  const error = await caller.error("unusable.default", {});
  assertEquals(error.code, "input-validation-failed");
  assertEquals(error.issues, undefined);
  assertEquals(typeof (error.cause as { message: unknown }).message, "string");
  assertEquals(await caller.output("fine", 1), 1);
});

Deno.test("[trap 4] prices with two decimals are multiples of 0.01", async () => {
  for (const price of [1.11, 0.94, 2000000.13, 0.07, 19.99]) {
    assertEquals(await caller.output("price", { price }), { price });
  }
  const error = await caller.error("price", { price: 1.115 });
  assertEquals(error.issues?.[0]?.keyword, "multipleOf");
});

Deno.test("[trap 6] schemas that share an $id don't meet", async () => {
  assertEquals(await caller.output("same.id.a", "text"), "text");
  assertEquals(await caller.output("same.id.b", 1), 1);
  const error = await caller.error("same.id.b", "text");
  assertEquals(error.code, "input-validation-failed");
});

Deno.test("[trap 7] another draft's schema is refused by name, and the other tools are served", async () => {
  const error = await caller.error("draft7", {});
  assertEquals(error.code, "input-validation-failed");
  assertStringIncludes(error.message, "draft-07");
  assertEquals(await caller.output("fine", 2), 2);
});

Deno.test("[trap 8] deep data under a recursive schema is validated to the end", async () => {
  // The message and the input are a level each.
  let value: Record<string, unknown> = { wrong: 1 };
  for (let depth = 0; depth < 990; depth++) value = { next: value };
  const error = await caller.error("recursive", value);
  assertEquals(error.code, "input-validation-failed");
  assertEquals(error.issues?.[0]?.instancePath, "/next".repeat(990));
  const deeper = await caller.error("recursive", { next: value, a: 1 });
  assertEquals(deeper.code, "input-validation-failed");
  assertEquals(await caller.output("recursive", {}), {});
});

Deno.test(
  "a pattern that backtracks without end is judged at once and blocks nobody",
  async () => {
    const text = "a".repeat(40) + "!";
    const error = await caller.error("backtracking", { text });
    assertEquals(error.issues?.[0]?.keyword, "pattern");
    assertEquals((await caller.request("/readyz")).status, 200);
  },
);
