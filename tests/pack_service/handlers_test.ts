/** What a handler may export, get and answer, against a started service (cases C). */

import {
  assert,
  assertEquals,
  assertObjectMatch,
  assertStringIncludes,
} from "../assert.ts";
import { type Caller, messageOf } from "./support/caller.ts";
import { CTX } from "./support/demo_pack.ts";
import { ServiceProcess } from "./support/service_process.ts";
import { TempPack } from "./support/temp_pack.ts";

const NAMED = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
};

let pack: TempPack;
let service: ServiceProcess;
let caller: Caller;
Deno.test.beforeAll(async () => {
  pack = await TempPack.write({
    tools: {
      "no.handler": { code: "export const other = 1;", input: NAMED },
      "counts": `
        globalThis.loads = (globalThis.loads ?? 0) + 1;
        let calls = 0;
        export default () => ({ loads: globalThis.loads, calls: ++calls });`,
      "enveloped": `
        export default { kind: "ok", value: { handler: () => "from the envelope" } };`,
      "object": `
        export default { handler: () => "handler", run: () => "run" };`,
      "named": `export const run = async () => "named run";`,
      "nothing": `export default () => {};`,
      "nothing.typed": {
        code: `export default () => {};`,
        output: { type: "object" },
      },
      "function": `export default () => () => {};`,
      "cycle": `
        export default () => { const it = {}; it.self = it; return it; };`,
      "unprintable": `
        export default () => { throw Object.create(null); };`,
      "rejects": `
        export default async () => { throw new TypeError("later"); };`,
      "huge": `export default () => "x".repeat(200_000);`,
      "secrets": `
        export default (_input, ctx) => {
          const direct = ctx.secrets?.key;
          try {
            if (direct !== undefined) ctx.secrets = {};
          } catch {
            // Read-only.
          }
          return {
            direct,
            kept: ctx.secrets?.key === direct,
            spread: { ...ctx },
            keys: Object.keys(ctx),
            json: JSON.stringify(ctx),
            log: typeof ctx.log.info,
            aborted: ctx.abortSignal.aborted,
          };
        };`,
      "mutates": `
        export default (input) => { input.name = "changed"; return input; };`,
      "reads.inherited": `export default (input) => ({ x: input.x ?? null });`,
      "zod": {
        code: `
          // The part of Zod's shape that the service looks at.
          const inputZod = {
            _zod: {},
            "~standard": {
              validate: async ({ times, text }) =>
                times > 0
                  ? { value: { times, text: text.trim() } }
                  : { issues: [{ path: ["times"], message: "must be positive" }] },
            },
          };
          export default { inputZod, handler: (input) => input };`,
        input: {
          type: "object",
          properties: { times: { type: "integer" }, text: { type: "string" } },
        },
      },
    },
  });
  service = await ServiceProcess.start({
    index: pack.index,
    env: { KINDGI_PACK_MAX_OUTPUT_BYTES: "100000" },
  });
  caller = service.caller;
});
Deno.test.afterAll(async () => {
  assertEquals(await service.stop(), 0);
  await pack[Symbol.asyncDispose]();
});

Deno.test("[42] a module without a handler is only at fault once the input is right", async () => {
  const good = await caller.error("no.handler", { name: "Ada" });
  assertEquals(good.code, "handler-shape-invalid");
  assertEquals(good.toolId, "no.handler");
  const bad = await caller.error("no.handler", {});
  assertEquals(bad.code, "input-validation-failed");
});

Deno.test("[43] a module is loaded once, over boot and every call", async () => {
  assertEquals(await caller.output("counts"), { loads: 1, calls: 1 });
  assertEquals(await caller.output("counts"), { loads: 1, calls: 2 });
});

Deno.test("a handler is found where the module exports one", async () => {
  assertEquals(await caller.output("enveloped"), "from the envelope");
  assertEquals(await caller.output("object"), "handler");
  assertEquals(await caller.output("named"), "named run");
});

Deno.test("a handler that returns nothing answers null [decisions 6]", async () => {
  const message = messageOf(await caller.invoke("nothing"), "result");
  assertEquals(message, { v: 2, kind: "result", output: null });
  const error = await caller.error("nothing.typed");
  assertEquals(error.code, "output-validation-failed");
  assertObjectMatch(error.issues?.[0], { instancePath: "", keyword: "type" });
});

Deno.test("what JSON can't write is an invalid output with a root issue [decisions 6]", async () => {
  for (const id of ["cycle", "function"]) {
    const error = await caller.error(id);
    assertEquals(error.code, "output-validation-failed");
    assertEquals(error.issues?.[0]?.instancePath, "");
  }
});

Deno.test("an answer over its limit is an invalid output, and the next call is served", async () => {
  const error = await caller.error("huge");
  assertEquals(error.code, "output-validation-failed");
  assertStringIncludes(String(error.issues?.[0]?.message), "100000");
  assertEquals(await caller.output("named"), "named run");
});

Deno.test("a throw that can't be printed and a rejection are handler throws [decisions 6]", async () => {
  const unprintable = await caller.error("unprintable");
  assertEquals(unprintable.code, "handler-throw");
  const rejected = await caller.error("rejects");
  assertEquals(rejected.code, "handler-throw");
  assertObjectMatch(rejected.cause, { name: "TypeError", message: "later" });
});

Deno.test("secrets are read directly and shown nowhere", async () => {
  const output = await caller.output("secrets", {}, {
    ctx: { ...CTX, secrets: { key: "hush-hush" } },
  }) as Record<string, unknown>;
  assertEquals(output.direct, "hush-hush");
  assertEquals(output.kept, true);
  assertEquals(output.log, "function");
  assertEquals(output.aborted, false);
  assertEquals(output.keys, ["tenantId", "runId", "abortSignal"]);
  delete output.direct;
  assert(!JSON.stringify(output).includes("hush-hush"));

  const without = await caller.output("secrets") as Record<string, unknown>;
  assertEquals(without.direct, undefined);
  assertEquals(without.keys, ["tenantId", "runId", "abortSignal"]);
});

Deno.test("a handler that writes to its input changes nothing for the next call", async () => {
  assertEquals(await caller.output("mutates", { name: "a" }), {
    name: "changed",
  });
  assertEquals(await caller.output("reads.inherited", { x: 1 }), { x: 1 });
  const inherited = JSON.stringify({
    v: 2,
    kind: "invoke",
    tool: { id: "reads.inherited" },
    input: 0,
    ctx: CTX,
  }).replace('"input":0', '"input":{"__proto__":{"x":1}}');
  const message = messageOf(await caller.post(inherited), "result");
  assertEquals(message.output, { x: null });
});

Deno.test("[trap 15] a Zod refinement that fails is an input failure with its issue alone", async () => {
  assertEquals(await caller.output("zod", { times: 1, text: " hi " }), {
    times: 1,
    text: "hi",
  });
  const error = await caller.error("zod", { times: 0, text: "" });
  assertEquals(error.code, "input-validation-failed");
  assertEquals(error.issues, [
    { instancePath: "/times", message: "must be positive" },
  ]);
});
