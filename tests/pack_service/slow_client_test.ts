/** Callers that send slowly, by halves, too much or nothing, over raw TCP (decisions 12). */

import { assert, assertEquals } from "../assert.ts";
import { toolCall } from "./support/caller.ts";
import { TOKEN } from "./support/demo_pack.ts";
import { eventually } from "./support/eventually.ts";
import { invokeHead, type RawAnswer, RawClient } from "./support/raw_client.ts";
import { HAS_EXECUTORS } from "./support/service_command.ts";
import { ServiceProcess } from "./support/service_process.ts";

/** How long a body may take here, in ms. */
const BODY_TIMEOUT_MS = 400;
/** How long a drain lasts at most. */
const DRAIN_MS = 8_000;

let service: ServiceProcess;
Deno.test.beforeAll(async () => {
  service = await ServiceProcess.start({
    env: {
      KINDGI_PACK_BODY_TIMEOUT_MS: String(BODY_TIMEOUT_MS),
      KINDGI_PACK_SERVICE_MAX_CONCURRENCY: "1",
    },
  });
});
Deno.test.afterAll(async () => assertEquals(await service.stop(), 0));

const BODY = JSON.stringify(toolCall("demo.plain"));
const RESULT = '{"v":2,"kind":"result","output":{"ok":true}}';
const CALL = invokeHead(`content-length: ${BODY.length}`) + BODY;
const CHUNKED = "transfer-encoding: chunked";

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

function get(path: string, method = "GET"): string {
  return `${method} ${path} HTTP/1.1\r\nhost: pack\r\nkindgi-pack-token: ${TOKEN}\r\n\r\n`;
}

function assertError(answer: RawAnswer | undefined, status: number): void {
  assertEquals(answer?.status, status);
  assertEquals(
    answer?.headers.get("content-type"),
    "application/json; charset=utf-8",
  );
  assertEquals(typeof JSON.parse(answer?.body ?? "").error, "string");
}

/** Fails unless the only slot there is takes a call. */
async function assertSlotFree(): Promise<void> {
  assertEquals(await service.caller.output("demo.plain"), { ok: true });
}

Deno.test("[trap 39] a body that doesn't arrive in time is answered 408, and its connection takes no other call", async () => {
  for (
    const half of [
      invokeHead("content-length: 100"),
      invokeHead(`content-length: ${BODY.length}`) + BODY.slice(0, 10),
      invokeHead(`content-length: ${11 * 1024 * 1024}`) + BODY,
      invokeHead(CHUNKED),
      invokeHead(CHUNKED) + chunk(BODY),
    ]
  ) {
    using client = await RawClient.connect(service.port);
    await client.send(half);
    const answer = await client.answer();
    assertError(answer, 408);
    assertEquals(answer?.headers.get("connection"), "close");
    await assertSlotFree();
    // What comes too late is thrown away, then the connection ends.
    await client.send(" ".repeat(12 * 1024 * 1024)).catch(() => {});
    await client.endSending();
    await client.closed();
  }
});

Deno.test("a body that trickles in is cut off all the same", async () => {
  using client = await RawClient.connect(service.port);
  await client.send(invokeHead("content-length: 1000000"));
  let sending = true;
  const trickle = (async () => {
    while (sending) {
      await client.send(" ");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })().catch(() => {});
  assertError(await client.answer(), 408);
  sending = false;
  await trickle;
  await assertSlotFree();
});

Deno.test("while a body is under way its call has the slot, and the probes answer", async () => {
  using client = await RawClient.connect(service.port);
  await client.send(invokeHead("content-length: 100"));
  const refused = await eventually("the slot's use", async () => {
    const answer = await service.caller.invoke("demo.plain");
    return answer.status === 503 ? answer : undefined;
  });
  assertEquals(refused.body, { error: "overloaded" });
  assertEquals((await service.caller.request("/healthz")).status, 200);
  assertError(await client.answer(), 408);
  await assertSlotFree();
});

Deno.test("a caller who leaves amid its body frees the slot and is no call", async () => {
  const before = service.records("call").length;
  for (
    const half of [
      invokeHead("content-length: 100") + "{",
      invokeHead(CHUNKED) + chunk("{"),
    ]
  ) {
    using client = await RawClient.connect(service.port);
    await client.send(half);
    client.close();
    await eventually("a free slot", async () => {
      const { status } = await service.caller.invoke("demo.plain");
      return status === 200 ? true : undefined;
    });
  }
  const calls = await eventually("the records", () => {
    const calls = service.records("call");
    return calls.length >= before + 2 ? calls : undefined;
  });
  for (const { outcome } of calls.slice(before)) assertEquals(outcome, "ok");
});

Deno.test("a body in many pieces, a slow one within its time, and one with Expect are served", async () => {
  using client = await RawClient.connect(service.port);
  await client.send(invokeHead(CHUNKED));
  for (const character of BODY) await client.send(chunk(character));
  await client.send("0\r\n\r\n");
  assertEquals((await client.answer())?.body, RESULT);

  await client.send(
    invokeHead(`content-length: ${BODY.length}`, "expect: 100-continue"),
  );
  assertEquals((await client.answer())?.status, 100);
  await client.send(BODY);
  assertEquals((await client.answer())?.body, RESULT);
});

Deno.test("[20] [trap 39] a chunked body one byte over the limit is 413, and the next call works", async () => {
  using client = await RawClient.connect(service.port);
  await client.send(invokeHead(CHUNKED));
  const piece = " ".repeat(1024 * 1024);
  for (let sent = 0; sent < 10; sent++) await client.send(chunk(piece));
  await client.send(chunk(" ") + "0\r\n\r\n");
  assertError(await client.answer(), 413);
  await assertSlotFree();
  // The same connection still serves, unless it was closed.
  await client.send(CALL).catch(() => {});
  const next = await client.answer();
  if (next !== undefined) assertEquals(next.body, RESULT);
});

Deno.test("a refusal doesn't wait for the body, and leaves the connection usable or closed", async () => {
  for (
    const [head, status] of [
      ["POST /v1/nope HTTP/1.1\r\nhost: pack\r\n", 404],
      ["POST /healthz HTTP/1.1\r\nhost: pack\r\n", 405],
      ["POST /v1/invoke HTTP/1.1\r\nhost: pack\r\n", 401],
      [
        `POST /v1/invoke HTTP/1.1\r\nhost: pack\r\nkindgi-pack-token: ${TOKEN}\r\ncontent-type: text/plain\r\n`,
        415,
      ],
    ] as const
  ) {
    using whole = await RawClient.connect(service.port);
    await whole.send(`${head}content-length: ${BODY.length}\r\n\r\n${BODY}`);
    assertError(await whole.answer(), status);
    await whole.send(CALL).catch(() => {});
    const next = await whole.answer();
    if (next !== undefined) assertEquals(next.body, RESULT);

    for (
      const length of [
        "content-length: 100",
        "content-length: 9999999",
        CHUNKED,
      ]
    ) {
      using half = await RawClient.connect(service.port);
      await half.send(`${head}${length}\r\n\r\n`);
      assertError(await half.answer(), status);
    }
  }
  await assertSlotFree();
});

// Node begins them all at once, and then the second call is one too many here.
Deno.test(
  "requests that follow each other on one connection, unasked for, are answered in order",
  { ignore: !HAS_EXECUTORS },
  async () => {
    using client = await RawClient.connect(service.port);
    await client.send(CALL + get("/healthz") + CALL + get("/v1/nope"));
    assertEquals((await client.answer())?.body, RESULT);
    assertEquals((await client.answer())?.body, '{"status":"ok"}');
    assertEquals((await client.answer())?.body, RESULT);
    assertError(await client.answer(), 404);
  },
);

Deno.test("[trap 40] HEAD is answered where GET is, 405 elsewhere, and its answer has no body [decisions 12]", async () => {
  using client = await RawClient.connect(service.port);
  for (
    const [path, status] of [
      ["/v1/invoke", 405],
      ["/v1/info", 200],
      ["/healthz", 200],
      ["/readyz", 200],
      ["/v1/nope", 404],
    ] as const
  ) {
    await client.send(get(path, "HEAD"));
    const answer = await client.answer({ head: true });
    assertEquals(answer?.status, status);
    assert(Number(answer?.headers.get("content-length")) > 0);
  }
  // Had an answer had a body, this would read it.
  await client.send(get("/healthz"));
  assertEquals((await client.answer())?.body, '{"status":"ok"}');
});

Deno.test("what isn't HTTP is refused and hurts nobody", async () => {
  for (
    const bytes of ["\0\x01\x02\r\n\r\n", "GET\r\n\r\n", "x".repeat(100_000)]
  ) {
    using client = await RawClient.connect(service.port);
    await client.send(bytes).catch(() => {});
    client.close();
  }
  await assertSlotFree();
});

Deno.test("[trap 40] a caller who leaves amid a large answer hurts nobody", async () => {
  const name = "x".repeat(8 * 1024 * 1024);
  const body = JSON.stringify(toolCall("demo.defaults", { name }));
  using client = await RawClient.connect(service.port);
  await client.send(invokeHead(`content-length: ${body.length}`) + body);
  await service.untilRecord("call", { toolId: "demo.defaults" });
  client.close();
  await assertSlotFree();
});

/** Ends a service to which this was sent; fails if that takes as long as a drain may, or the answer is another. */
async function assertEndsAtOnce(
  sent: string,
  expected?: { readonly status: number; readonly body: string },
): Promise<void> {
  await using service = await ServiceProcess.start();
  using client = await RawClient.connect(service.port);
  await client.send(sent);
  // By then it has read what was sent on the other connection too.
  await service.caller.invoke("demo.plain");
  const asked = performance.now();
  service.signal("SIGTERM");
  assertEquals(await service.ended(), 0);
  const tookMs = performance.now() - asked;
  assert(tookMs < DRAIN_MS / 2, `it took ${tookMs} ms`);
  const answer = await client.answer();
  assertEquals(answer?.status, expected?.status);
  assertEquals(answer?.body, expected?.body);
}

Deno.test("[trap 38] a half-sent body doesn't hold up the end of the process, its caller is told to come again", async () => {
  for (
    const half of [
      invokeHead("content-length: 100") + "{",
      invokeHead(CHUNKED) + chunk("{"),
    ]
  ) {
    await assertEndsAtOnce(half, {
      status: 503,
      body: '{"error":"draining"}',
    });
  }
});

Deno.test("[trap 38] a half-sent head and an idle connection don't hold up the end of the process", async () => {
  await assertEndsAtOnce("");
  await assertEndsAtOnce("POST /v1/inv");
  await assertEndsAtOnce(get("/healthz"), {
    status: 200,
    body: '{"status":"ok"}',
  });
});

Deno.test("[79] a large answer that is on its way arrives whole though the process is ending", async () => {
  await using service = await ServiceProcess.start();
  using client = await RawClient.connect(service.port);
  // More than the buffers between the two hold.
  const name = "x".repeat(10_000_000);
  const body = JSON.stringify(toolCall("demo.defaults", { name }));
  await client.send(invokeHead(`content-length: ${body.length}`) + body);
  await service.untilRecord("call", { toolId: "demo.defaults" });
  service.signal("SIGTERM");
  await service.untilRecord("draining");
  const answer = await client.answer();
  assertEquals(answer?.status, 200);
  assertEquals(JSON.parse(answer?.body ?? "").output.name === name, true);
  assertEquals(await service.ended(), 0);
});
