/** Routes, statuses and headers of a started service (cases B). */

import { assert, assertEquals, assertMatch } from "../assert.ts";
import type { Answer, Caller } from "./support/caller.ts";
import { ServiceProcess } from "./support/service_process.ts";

let service: ServiceProcess;
let caller: Caller;
Deno.test.beforeAll(async () => {
  service = await ServiceProcess.start();
  caller = service.caller;
});
Deno.test.afterAll(async () => assertEquals(await service.stop(), 0));

function assertRefused(answer: Answer, status: number): void {
  assertEquals(answer.status, status);
  const { error } = answer.body as { error?: unknown };
  assertEquals(typeof error, "string");
}

Deno.test("[12] the probes answer without a token", async () => {
  const health = await caller.request("/healthz");
  assertEquals(health.status, 200);
  assertEquals(health.body, { status: "ok" });
  const ready = await caller.request("/readyz");
  assertEquals(ready.status, 200);
  assertEquals(ready.body, { status: "ready" });
});

Deno.test("[13] the info route tells exactly what the index holds, in its order", async () => {
  const { status, body } = await caller.get("/v1/info");
  assertEquals(status, 200);
  assertEquals(body, {
    protocol: 2,
    packId: "demo",
    packVersion: "0.1.0",
    artifactVersion: "20260930.1",
    tools: [
      { id: "demo.echo", version: "1.0.0" },
      { id: "demo.ver", version: "1.0.0" },
      { id: "demo.ver", version: "2.0.0" },
      { id: "demo.plain" },
      { id: "demo.throws", version: "1.0.0" },
      { id: "demo.badout", version: "1.0.0" },
      { id: "demo.wait", version: "1.0.0" },
      { id: "demo.ctx", version: "1.0.0" },
      { id: "demo.env", version: "1.0.0" },
      { id: "demo.noisy", version: "1.0.0" },
      { id: "demo.big", version: "1.0.0" },
      { id: "demo.defaults", version: "1.0.0" },
    ],
    checks: ["demo.checks.len", "demo.checks.slow", "demo.checks.boom"],
    missingEnv: [],
  });
});

Deno.test("[14] a missing or wrong token is refused, whatever its length", async () => {
  for (const token of [undefined, "tok-2", "tok", "tok-1tok-1", ""]) {
    const headers: Record<string, string> = token === undefined
      ? {}
      : { "kindgi-pack-token": token };
    assertRefused(await caller.request("/v1/info", { headers }), 401);
    assertRefused(
      await caller.request("/v1/invoke", { method: "POST", headers }),
      401,
    );
  }
});

Deno.test("[15] the Authorization header is never read", async () => {
  const headers = { authorization: "Bearer tok-1" };
  assertRefused(await caller.request("/v1/info", { headers }), 401);
});

Deno.test("[16] an unknown path is 404, a wrong method 405 naming the right one", async () => {
  assertRefused(await caller.get("/v1/nope"), 404);
  assertRefused(await caller.get("/"), 404);
  assertRefused(await caller.get("/v1/invoke/"), 404);
  const get = await caller.get("/v1/invoke");
  assertRefused(get, 405);
  assertEquals(get.headers.get("allow"), "POST");
  const post = await caller.request("/healthz", { method: "POST" });
  assertRefused(post, 405);
  assertEquals(post.headers.get("allow"), "GET");
});

Deno.test("[17] path and method are judged before the token", async () => {
  assertRefused(await caller.request("/v1/invoke"), 405);
  const nowhere = await caller.request("/v1/nope", {
    method: "POST",
    body: "{}",
  });
  assertRefused(nowhere, 404);
});

Deno.test("[18] the query is ignored", async () => {
  assertEquals((await caller.request("/healthz?x=1")).status, 200);
  assertEquals((await caller.request("/healthz?")).status, 200);
  assertEquals((await caller.get("/v1/info?a=/v1/nope")).status, 200);
});

Deno.test("[19] only JSON is taken, whatever its parameters", async () => {
  const send = (type: string) =>
    caller.invoke("demo.plain", {}, { headers: { "content-type": type } });
  assertRefused(await send("text/plain"), 415);
  assertEquals((await send("application/json; charset=utf-8")).status, 200);
  assertEquals((await send("Application/JSON")).status, 200);
});

Deno.test("[20] a body of 10 MiB is taken, a longer one is 413", async () => {
  const limit = 10 * 1024 * 1024;
  const body = (length: number): Uint8Array<ArrayBuffer> => {
    const call =
      '{"v":2,"kind":"invoke","tool":{"id":"demo.plain"},"ctx":{"tenantId":"","runId":""}}';
    return new TextEncoder().encode(call.padEnd(length));
  };
  assertEquals((await caller.post(body(limit))).status, 200);
  assertRefused(await caller.post(body(limit + 1)), 413);
  assertEquals((await caller.invoke("demo.plain")).status, 200);
});

Deno.test("[21] every answer is JSON with its length", async () => {
  const answers = [
    await caller.request("/healthz"),
    await caller.request("/readyz"),
    await caller.get("/v1/info"),
    await caller.invoke("demo.plain"),
    await caller.post("{ nope"),
    await caller.get("/v1/nope"),
    await caller.get("/v1/invoke"),
    await caller.request("/v1/info"),
    await caller.invoke("demo.plain", {}, {
      headers: { "content-type": "text/plain" },
    }),
  ];
  assertEquals(answers.map(({ status }) => status), [
    200,
    200,
    200,
    200,
    200,
    404,
    405,
    401,
    415,
  ]);
  for (const { headers, body } of answers) {
    assertEquals(
      headers.get("content-type"),
      "application/json; charset=utf-8",
    );
    assertEquals(
      Number(headers.get("content-length")),
      new TextEncoder().encode(JSON.stringify(body)).length,
    );
  }
});

Deno.test("only the answers to calls name the build and the time taken", async () => {
  for (const answer of [await caller.get("/v1/info"), await caller.get("/x")]) {
    assertEquals(answer.headers.get("kindgi-artifact-version"), null);
    assertEquals(answer.headers.get("kindgi-duration-ms"), null);
  }
  for (
    const answer of [
      await caller.invoke("demo.throws"),
      await caller.post("no message"),
    ]
  ) {
    assertEquals(answer.headers.get("kindgi-artifact-version"), "20260930.1");
    assertMatch(answer.headers.get("kindgi-duration-ms") ?? "", /^\d+$/);
  }
});

Deno.test("headers are found whatever their case, and other headers change nothing", async () => {
  const answer = await caller.request("/v1/info", {
    headers: {
      "KINDGI-PACK-TOKEN": "tok-1",
      "kindgi-protocol": "99",
      "kindgi-run-id": "another",
    },
  });
  assertEquals(answer.status, 200);
  assert(Array.isArray((answer.body as { tools: unknown }).tools));
});
