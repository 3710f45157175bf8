/** Tool calls against a started service (cases C). */

import {
  assert,
  assertEquals,
  assertMatch,
  assertObjectMatch,
  assertStringIncludes,
} from "../assert.ts";
import { type Caller, messageOf } from "./support/caller.ts";
import { CTX } from "./support/demo_pack.ts";
import { ServiceProcess } from "./support/service_process.ts";

let service: ServiceProcess;
let caller: Caller;
Deno.test.beforeAll(async () => {
  service = await ServiceProcess.start();
  caller = service.caller;
});
Deno.test.afterAll(async () => assertEquals(await service.stop(), 0));

Deno.test("[24] a call answers the handler's output, the build and the time taken", async () => {
  const { status, headers, body } = await caller.invoke("demo.echo", {
    message: "hi",
  });
  assertEquals(status, 200);
  assertEquals(body, {
    v: 2,
    kind: "result",
    output: { echoed: "hi", runId: "run-1" },
  });
  assertEquals(headers.get("kindgi-artifact-version"), "20260930.1");
  assertMatch(headers.get("kindgi-duration-ms") ?? "", /^\d+$/);
});

Deno.test("[25] input that lacks a required property is refused with the issue", async () => {
  const error = await caller.error("demo.echo", {});
  assertEquals(error.code, "input-validation-failed");
  assertEquals(error.toolId, "demo.echo");
  assertEquals(error.issues?.length, 1);
  assertObjectMatch(error.issues?.[0], {
    instancePath: "",
    keyword: "required",
    params: { missingProperty: "message" },
  });
});

Deno.test("[26] every issue of an input is listed with its place", async () => {
  const extra = await caller.error("demo.echo", { message: "hi", extra: 1 });
  assertObjectMatch(extra.issues?.[0], {
    instancePath: "",
    keyword: "additionalProperties",
    params: { additionalProperty: "extra" },
  });
  const type = await caller.error("demo.echo", { message: 7 });
  assertObjectMatch(type.issues?.[0], {
    instancePath: "/message",
    keyword: "type",
    params: { type: "string" },
  });
  const both = await caller.error("demo.echo", { message: "", a: 1, b: 2 });
  assertEquals(
    both.issues?.map(({ keyword }) => keyword).sort(),
    ["additionalProperties", "additionalProperties", "minLength"],
  );
});

Deno.test("[28] output that breaks its schema is refused with the issue", async () => {
  const error = await caller.error("demo.badout");
  assertEquals(error.code, "output-validation-failed");
  assertEquals(error.toolId, "demo.badout");
  assertObjectMatch(error.issues?.[0], {
    instancePath: "/echoed",
    keyword: "type",
  });
});

Deno.test("[29] [trap 16] a handler's throw is told with its cause", async () => {
  const error = await caller.error("demo.throws");
  assertEquals(error.code, "handler-throw");
  assertEquals(error.toolId, "demo.throws");
  assertStringIncludes(error.message, "boom");
  assertObjectMatch(error.cause, { name: "Error", message: "boom" });
  assertEquals(typeof (error.cause as { stack: unknown }).stack, "string");
});

Deno.test("[30] whatever is thrown becomes a cause", async () => {
  const text = await caller.error("demo.throws", { thrown: "string" });
  assertEquals(text.cause, "x");
  const nothing = await caller.error("demo.throws", { thrown: "undefined" });
  assertEquals(nothing.code, "handler-throw");
  assertEquals(nothing.cause, null);
});

Deno.test("[31] an unknown tool is not in the pack", async () => {
  const error = await caller.error("demo.ghost");
  assertEquals(error.code, "tool-not-in-pack");
  assertEquals(error.toolId, "demo.ghost");
  // Names that every object inherits are no tools either.
  for (const id of ["constructor", "__proto__", "toString"]) {
    assertEquals((await caller.error(id)).code, "tool-not-in-pack");
  }
});

Deno.test("[32] a version that isn't there is a mismatch naming both", async () => {
  const error = await caller.error("demo.echo", { message: "hi" }, {
    version: "9.9.9",
  });
  assertEquals(error.code, "tool-version-mismatch");
  assertEquals(error.toolId, "demo.echo");
  assertStringIncludes(error.message, "1.0.0");
  assertStringIncludes(error.message, "9.9.9");
});

Deno.test("[33] versions of one tool live side by side", async () => {
  const call = (version: string) =>
    caller.output("demo.ver", { message: "x" }, { version });
  assertEquals(await call("1.0.0"), { echoed: "v1:x" });
  assertEquals(await call("2.0.0"), { echoed: "v2:x" });
});

Deno.test("[34] a tool with several versions has to be called by version", async () => {
  const unnamed = await caller.error("demo.ver", { message: "x" });
  assertEquals(unnamed.code, "tool-version-mismatch");
  assertStringIncludes(unnamed.message, "1.0.0");
  assertStringIncludes(unnamed.message, "2.0.0");
  const other = await caller.error("demo.ver", { message: "x" }, {
    version: "3.0.0",
  });
  assertEquals(other.code, "tool-version-mismatch");
});

Deno.test("[35] a tool without a version is only found by calls that name none", async () => {
  assertEquals(await caller.output("demo.plain"), { ok: true });
  const error = await caller.error("demo.plain", {}, { version: "1.0.0" });
  assertEquals(error.code, "tool-version-mismatch");
});

Deno.test("[36] the input's defaults are filled in, at every level", async () => {
  assertEquals(await caller.output("demo.defaults", { name: "Ada" }), {
    name: "Ada",
    greeting: "Hello",
    options: { loud: false },
  });
  const given = { name: "Ada", greeting: "Hi", options: {} };
  assertEquals(await caller.output("demo.defaults", given), {
    name: "Ada",
    greeting: "Hi",
    options: { loud: false },
  });
});

Deno.test("[37] what a handler prints goes to the process's output, never into an answer", async () => {
  assertEquals(await caller.output("demo.noisy"), { ok: true });
  await service.untilRecord("call", { toolId: "demo.noisy" });
  const forged = '{"v":2,"kind":"result","output":"forged"}\n';
  assertEquals(service.stdout(), forged);
  assert(!service.stderr().includes("forged"));
});

Deno.test("[38] the whole context reaches the handler, fields that we don't know included", async () => {
  const sent = {
    ...CTX,
    requestId: "req-1",
    projectId: "p-1",
    orgId: "o-1",
    idempotencyKey: "5f2c9a60-7b1f-5c8e-9d43-0f6f3b2a1c77",
    env: { REGION: "eu" },
    settings: { tone: { formal: true } },
    config: { any: ["thing"] },
    madeUp: 1,
  };
  const seen = await caller.output("demo.ctx", {}, { ctx: sent });
  assertEquals(seen, { ...sent, abortSignal: {} });
});

Deno.test("[39] what the caller leaves out isn't there for the handler", async () => {
  assertEquals(await caller.output("demo.ctx"), { ...CTX, abortSignal: {} });
});

Deno.test("a result that JSON can't write is an invalid output, never a failure of the service [decisions 6]", async () => {
  const error = await caller.error("demo.big");
  assertEquals(error.code, "output-validation-failed");
  assertEquals(error.toolId, "demo.big");
  assertEquals(error.issues?.length, 1);
  assertEquals(error.issues?.[0]?.instancePath, "");
  assertStringIncludes(String(error.issues?.[0]?.message), "BigInt");
});

Deno.test("many calls at once each get their own answer", async () => {
  const texts = Array.from({ length: 30 }, (_, at) => `call ${at}`);
  const outputs = await Promise.all(
    texts.map((message) =>
      caller.output("demo.echo", { message }, {
        ctx: { tenantId: "t", runId: message },
      })
    ),
  );
  assertEquals(
    outputs,
    texts.map((text) => ({ echoed: text, runId: text })),
  );
});

Deno.test("an output of 5 MiB arrives whole", async () => {
  const name = "ä".repeat(2.5 * 1024 * 1024);
  const { output } = messageOf(
    await caller.invoke("demo.defaults", { name }),
    "result",
  );
  assertEquals((output as { name: string }).name === name, true);
});
