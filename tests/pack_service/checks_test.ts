/** Check calls against a started service (cases D). */

import {
  assertEquals,
  assertObjectMatch,
  assertStringIncludes,
} from "../assert.ts";
import { type Caller, errorOf, messageOf } from "./support/caller.ts";
import { ServiceProcess } from "./support/service_process.ts";
import { TempPack } from "./support/temp_pack.ts";

/** A check that tells what it got, and counts. */
const TELLS = `
  let runs = 0;
  globalThis.loaded = [...(globalThis.loaded ?? []), import.meta.url];
  export const check = {
    evaluate: (config, trace, bindings) => ({
      config,
      trace: trace ?? null,
      bindings: Object.keys(bindings),
      runs: ++runs,
    }),
  };`;

const MIN_LENGTH = { type: "integer", minimum: 0 };

let demo: ServiceProcess;
let pack: TempPack;
let service: ServiceProcess;
let caller: Caller;
Deno.test.beforeAll(async () => {
  pack = await TempPack.write({
    guardrails: {
      "temp.strict": {
        code: TELLS,
        entry: {
          checkId: "temp.checks.strict",
          configSchema: {
            type: "object",
            properties: { minLength: MIN_LENGTH },
          },
        },
      },
      "temp.defaulted": {
        code: TELLS,
        entry: {
          configSchema: {
            type: "object",
            properties: { minLength: { ...MIN_LENGTH, default: 3 } },
          },
        },
      },
      "temp.root": {
        code: TELLS,
        entry: {
          configSchema: {
            type: "object",
            properties: { a: {} },
            required: ["a"],
          },
        },
      },
      "temp.uncompilable": {
        code: `export const check = { evaluate: () => ({ passed: true }) };`,
        entry: { configSchema: { type: "object", required: ["ghost"] } },
      },
      "temp.shapeless": { code: `export const other = 1;` },
      "temp.nested": {
        code: `export default { check: { evaluate: () => "nested" } };`,
      },
      "temp.builtin": {
        code: `export const other = 1;`,
        entry: { checkId: "must-cite", checkBuiltIn: true },
      },
      "temp.unmarked": {
        code: `export const other = 1;`,
        entry: { checkId: "max-tool-calls" },
      },
    },
  });
  [demo, service] = await Promise.all([
    ServiceProcess.start(),
    ServiceProcess.start({ index: pack.index }),
  ]);
  caller = service.caller;
});
Deno.test.afterAll(async () => {
  assertEquals(await Promise.all([demo.stop(), service.stop()]), [0, 0]);
  await pack[Symbol.asyncDispose]();
});

Deno.test("[44] a check answers what it finds", async () => {
  const judge = (output: string) =>
    demo.caller.check("demo.checks.len", { minLength: 2 }, { output });
  assertEquals((await judge("hello")).body, {
    v: 2,
    kind: "check-result",
    result: { passed: true },
  });
  assertEquals((await judge("a")).body, {
    v: 2,
    kind: "check-result",
    result: { passed: false, reason: "too short" },
  });
});

Deno.test("[45] a config that breaks its schema is refused before the check runs", async () => {
  const error = errorOf(
    await demo.caller.check("demo.checks.len", { minLength: -1 }),
  );
  assertEquals(error.code, "input-validation-failed");
  assertEquals(error.checkId, "demo.checks.len");
  assertEquals("toolId" in error, false);
  assertEquals(
    error.message,
    'Check "demo.checks.len" config failed validation at /minLength: must be >= 0',
  );
  assertObjectMatch(error.issues?.[0], {
    instancePath: "/minLength",
    keyword: "minimum",
  });

  const refused = await caller.check("temp.checks.strict", { minLength: -1 });
  assertEquals(errorOf(refused).code, "input-validation-failed");
  const { result } = messageOf(
    await caller.check("temp.checks.strict", { minLength: 1 }),
    "check-result",
  );
  assertObjectMatch(result, { runs: 1 });
});

Deno.test("[45] an issue at the root of a config is told without a place", async () => {
  const error = errorOf(await caller.check("temp.root", {}));
  assertEquals(
    error.message,
    "Check \"temp.root\" config failed validation: must have required property 'a'",
  );
});

Deno.test("[47] a config's defaults are not filled in", async () => {
  const { result } = messageOf(
    await caller.check("temp.defaulted", {}, { output: "x" }),
    "check-result",
  );
  assertObjectMatch(result, {
    config: {},
    trace: { output: "x" },
    bindings: ["abortSignal"],
  });
  assertEquals((result as { config: object }).config, {});
});

Deno.test("[48] a config schema that doesn't compile is told with its cause", async () => {
  const error = errorOf(await caller.check("temp.uncompilable", {}));
  assertEquals(error.code, "input-validation-failed");
  assertEquals(error.checkId, "temp.uncompilable");
  assertEquals(typeof (error.cause as { message: unknown }).message, "string");
  assertEquals(error.issues, undefined);
});

Deno.test("[49] a check's throw and an unknown check are told with the check's id", async () => {
  const thrown = errorOf(await demo.caller.check("demo.checks.boom"));
  assertEquals(thrown.code, "handler-throw");
  assertEquals(thrown.checkId, "demo.checks.boom");
  assertEquals("toolId" in thrown, false);
  assertStringIncludes(thrown.message, "check boom");
  const unknown = errorOf(await demo.caller.check("demo.checks.ghost"));
  assertEquals(unknown.code, "check-not-in-pack");
  assertEquals(unknown.checkId, "demo.checks.ghost");
});

Deno.test("[50] a guardrail without a check id has its own, and one that only names a built-in ships none [decisions 8]", async () => {
  const { body } = await caller.get("/v1/info");
  assertEquals((body as { checks: unknown }).checks, [
    "temp.checks.strict",
    "temp.defaulted",
    "temp.root",
    "temp.uncompilable",
    "temp.shapeless",
    "temp.nested",
  ]);
  messageOf(await caller.check("temp.defaulted"), "check-result");
  for (const id of ["must-cite", "max-tool-calls"]) {
    assertEquals(errorOf(await caller.check(id)).code, "check-not-in-pack");
  }
});

Deno.test("a check within a default guardrail is found, and a module without one is named [decisions 6]", async () => {
  const { result } = messageOf(
    await caller.check("temp.nested"),
    "check-result",
  );
  assertEquals(result, "nested");
  const error = errorOf(await caller.check("temp.shapeless"));
  assertEquals(error.code, "check-shape-invalid");
  assertEquals(error.checkId, "temp.shapeless");
});

Deno.test("a check is recorded with its id and without the ids of a context", async () => {
  await demo.caller.check("demo.checks.len");
  const record = await demo.untilRecord("call", { checkId: "demo.checks.len" });
  assertEquals(record.target, "check");
  for (const id of ["toolId", "tenantId", "runId"]) {
    assertEquals(id in record, false);
  }
});
