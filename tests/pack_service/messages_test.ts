/** What a request's body may be, and what is answered to one that can't be acted on (cases A). */

import { assert, assertEquals, assertStringIncludes } from "../assert.ts";
import { type Caller, errorOf, messageOf, toolCall } from "./support/caller.ts";
import { CTX } from "./support/demo_pack.ts";
import { ServiceProcess } from "./support/service_process.ts";

let service: ServiceProcess;
let caller: Caller;
Deno.test.beforeAll(async () => {
  service = await ServiceProcess.start();
  caller = service.caller;
});
Deno.test.afterAll(async () => assertEquals(await service.stop(), 0));

const ECHO = toolCall("demo.echo", { message: "hi" });

async function codeFor(body: BodyInit | object): Promise<string> {
  const sent = typeof body === "string" || body instanceof Uint8Array
    ? body as BodyInit
    : JSON.stringify(body);
  return errorOf(await caller.post(sent)).code;
}

Deno.test("[1] a body that isn't JSON is a malformed message", async () => {
  assertEquals(await codeFor("{ nope"), "malformed-message");
  assertEquals(await codeFor("{} {}"), "malformed-message");
});

Deno.test("[2] a body that isn't an object is a malformed message", async () => {
  for (const body of ["[1]", "null", "1", '"text"', "true"]) {
    assertEquals(await codeFor(body), "malformed-message");
  }
});

Deno.test("[3] any version but the number 2 is an unknown protocol version", async () => {
  for (const v of [1, 3, "2", null, undefined, [2]]) {
    assertEquals(await codeFor({ ...ECHO, v }), "unknown-protocol-version");
  }
  const text = JSON.stringify(ECHO).replace('"v":2', '"v":2.0');
  messageOf(await caller.post(text), "result");
});

Deno.test("[5] a kind that is neither call is an unexpected message kind", async () => {
  for (const kind of ["bogus", "result", 1, undefined]) {
    assertEquals(await codeFor({ ...ECHO, kind }), "unexpected-message-kind");
  }
});

Deno.test("[6] a tool without a usable id or with a version that is no string is malformed", async () => {
  for (
    const tool of [
      {},
      { id: "" },
      { id: 1 },
      { id: "demo.echo", version: 1 },
      { id: "demo.echo", version: null },
      "demo.echo",
      ["demo.echo"],
      undefined,
    ]
  ) assertEquals(await codeFor({ ...ECHO, tool }), "malformed-message");
});

Deno.test("[7] a context without both ids is malformed", async () => {
  for (
    const ctx of [
      undefined,
      null,
      [],
      { tenantId: "t" },
      { runId: "r" },
      { tenantId: 1, runId: "r" },
    ]
  ) assertEquals(await codeFor({ ...ECHO, ctx }), "malformed-message");
});

Deno.test("[8] empty ids and unknown keys are accepted", async () => {
  const call = { ...ECHO, ctx: { tenantId: "", runId: "" }, unknown: true };
  const { output } = messageOf(
    await caller.post(JSON.stringify(call)),
    "result",
  );
  assertEquals(output, { echoed: "hi", runId: "" });
});

Deno.test("[9] a check's config must be an object, its trace may be absent", async () => {
  const check = {
    v: 2,
    kind: "check-invoke",
    check: { id: "demo.checks.len" },
  };
  for (const config of [[], null, "x", undefined]) {
    assertEquals(await codeFor({ ...check, config }), "malformed-message");
  }
  assertEquals(
    await codeFor({ ...check, check: { id: "" }, config: {} }),
    "malformed-message",
  );
  const call = JSON.stringify({ ...check, config: {} });
  messageOf(await caller.post(call), "check-result");
});

Deno.test("a message that names nothing is answered without a toolId, and no call is recorded", async () => {
  const before = service.records("call").length;
  const error = errorOf(await caller.post("{ nope"));
  assertEquals(Object.keys(error).sort(), ["code", "kind", "message", "v"]);
  await caller.invoke("demo.plain");
  await service.untilRecord("call", { toolId: "demo.plain" });
  assertEquals(service.records("call").length, before + 1);
});

Deno.test("[trap 46] an empty body, a byte order mark and invalid UTF-8 are malformed", async () => {
  const text = JSON.stringify(ECHO);
  assertEquals(await codeFor(""), "malformed-message");
  assertEquals(await codeFor("\ufeff" + text), "malformed-message");
  assertEquals(await codeFor(Uint8Array.of(0xff)), "malformed-message");
  const broken = new TextEncoder().encode(text.replace("hi", "h?"));
  broken[broken.indexOf("?".charCodeAt(0))] = 0xff;
  assertEquals(await codeFor(broken), "malformed-message");
});

Deno.test("[trap 46] text that holds the replacement character itself is taken, invalid bytes beside it aren't", async () => {
  const message = "caf\u00e9 \ufffd \u{1f600}";
  const output = await caller.output("demo.echo", { message });
  assertEquals(output, { echoed: message, runId: "run-1" });
  const text = JSON.stringify(toolCall("demo.echo", { message: "\ufffd?" }));
  const broken = new TextEncoder().encode(text);
  broken[broken.indexOf("?".charCodeAt(0))] = 0xff;
  assertEquals(await codeFor(broken), "malformed-message");
});

Deno.test("[trap 46] of duplicate keys the last counts, for finding the tool and for running it", async () => {
  const ctx = JSON.stringify(CTX);
  const twice =
    `{"v":1,"v":2,"kind":"invoke","tool":{"id":"demo.throws"},"tool":{"id":"demo.echo"},` +
    `"input":{"message":"first"},"input":{"message":"last"},"ctx":${ctx}}`;
  const { output } = messageOf(await caller.post(twice), "result");
  assertEquals(output, { echoed: "last", runId: "run-1" });
});

/** An echo call whose whole message is nested so many levels deep. */
function nested(levels: number): string {
  // The message is one level, the input another.
  const inner = "[".repeat(levels - 2) + "]".repeat(levels - 2);
  return JSON.stringify(toolCall("demo.plain", { deep: 0 }))
    .replace('"deep":0', `"deep":${inner}`);
}

Deno.test("[trap 47] nesting of 1 000 levels is taken, one more is malformed", async () => {
  messageOf(await caller.post(nested(1_000)), "result");
  const error = errorOf(await caller.post(nested(1_001)));
  assertEquals(error.code, "malformed-message");
  assertStringIncludes(error.message, "1000");
});

Deno.test("[trap 47] brackets within strings don't count as nesting", async () => {
  const message = '[{"'.repeat(2_000) + "\\";
  const output = await caller.output("demo.echo", { message });
  assertEquals(output, { echoed: message, runId: "run-1" });
});

Deno.test("[trap 47] 10 MiB of brackets are refused while other calls are served", async () => {
  const brackets = "[".repeat(10 * 1024 * 1024);
  const started = performance.now();
  const refused = Promise.all(
    Array.from({ length: 4 }, () => codeFor(brackets)),
  );
  const plain = await caller.invoke("demo.plain");
  assertEquals(await refused, Array(4).fill("malformed-message"));
  assertEquals(plain.status, 200);
  // Parsing one of them takes seconds; counting its brackets, milliseconds.
  const tookMs = performance.now() - started;
  assert(tookMs < 5_000, `four bodies took ${tookMs} ms`);
});

Deno.test("[trap 5] a __proto__ in the input is data: nothing is polluted, and closed schemas refuse it", async () => {
  const send = (id: string, input: string) =>
    caller.post(
      JSON.stringify(toolCall(id, 0)).replace('"input":0', `"input":${input}`),
    );
  const closed = errorOf(
    await send("demo.echo", '{"message":"hi","__proto__":{"x":1}}'),
  );
  assertEquals(closed.code, "input-validation-failed");
  assertEquals(closed.issues?.[0]?.params, { additionalProperty: "__proto__" });

  const open = await send(
    "demo.defaults",
    '{"name":"Ada","__proto__":{"x":1}}',
  );
  const { output } = messageOf(open, "result");
  assertEquals(Object.hasOwn(output as object, "__proto__"), true);
  assertEquals(await caller.output("demo.defaults", { name: "Bo" }), {
    name: "Bo",
    greeting: "Hello",
    options: { loud: false },
  });
  const missing = errorOf(
    await send("demo.echo", '{"__proto__":{"message":"inherited"}}'),
  );
  assertEquals(
    missing.issues?.map(({ keyword }) => keyword).sort(),
    ["additionalProperties", "required"],
  );
});
