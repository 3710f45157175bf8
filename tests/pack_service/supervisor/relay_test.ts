import { createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createRelay } from "../../../pack_service/supervisor/relay.ts";
import { Upstream } from "../../../pack_service/supervisor/upstream.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../../assert.ts";
import { eventually } from "./support.ts";

/** A server that does with each request's bytes exactly what a test says. */
class Script {
  readonly requests: string[] = [];
  readonly sockets: Socket[] = [];
  readonly server: Server;
  upstream!: Upstream;

  constructor(answer: (socket: Socket, count: number) => void) {
    this.server = createServer((socket) => {
      this.sockets.push(socket);
      socket.on("error", () => {});
      socket.on("data", (chunk: Uint8Array) => {
        this.requests.push(new TextDecoder().decode(chunk));
        answer(socket, this.requests.length);
      });
    });
  }

  async listen(): Promise<this> {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    this.upstream = new Upstream((this.server.address() as AddressInfo).port);
    return this;
  }

  async close(): Promise<void> {
    this.upstream.close();
    for (const socket of this.sockets) socket.destroy();
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, "close");
  }
}

const TOKEN = "t".repeat(32);
const INVOKE = { route: "invoke", body: '{"v":2}' } as const;

const answer = (body: string, status = 200, head = ""): string =>
  `HTTP/1.1 ${status} x\r\n${head}content-length: ${body.length}\r\n\r\n${body}`;

async function withScripts(
  scripts: ((socket: Socket, count: number) => void)[],
  test: (...scripts: Script[]) => Promise<void>,
): Promise<void> {
  const all = await Promise.all(
    scripts.map((script) => new Script(script).listen()),
  );
  try {
    await test(...all);
  } finally {
    await Promise.all(all.map((script) => script.close()));
  }
}

Deno.test("a call carries exactly what it was given, with the token, and its connection is used again", async () => {
  await withScripts(
    [(socket) => socket.write(answer("ok"))],
    async (script) => {
      const relay = createRelay(TOKEN, () => script!.upstream);
      await relay.forward({
        ...INVOKE,
        timeoutMs: 1500,
        runId: "run",
        requestId: "request",
        protocol: "2",
        traceparent: "trace",
      });
      for (const timeoutMs of [0, -1, NaN, Infinity]) {
        await relay.forward({ ...INVOKE, timeoutMs });
      }
      await relay.forward({ route: "info", body: "ignored" });
      assertEquals(
        script!.requests[0],
        "POST /v1/invoke HTTP/1.1\r\nhost: 127.0.0.1\r\n" +
          `kindgi-pack-token: ${TOKEN}\r\ncontent-type: application/json\r\n` +
          "content-length: 7\r\nkindgi-timeout-ms: 1500\r\n" +
          "kindgi-run-id: run\r\nkindgi-request-id: request\r\n" +
          'kindgi-protocol: 2\r\ntraceparent: trace\r\n\r\n{"v":2}',
      );
      for (const request of script!.requests.slice(1, 5)) {
        assert(!request.includes("timeout"));
      }
      assertEquals(
        script!.requests[5],
        `GET /v1/info HTTP/1.1\r\nhost: 127.0.0.1\r\nkindgi-pack-token: ${TOKEN}\r\n\r\n`,
      );
      assertEquals(script!.sockets.length, 1);
    },
  );
});

Deno.test("a header value that could smuggle a line is refused", async () => {
  await withScripts([() => {}], async (script) => {
    const relay = createRelay(TOKEN, () => script!.upstream);
    for (const runId of ["a\r\nb: c", "a\nb", "\0", "日本"]) {
      await assertRejects(
        () => relay.forward({ ...INVOKE, runId }),
        TypeError,
        "kindgi-run-id",
      );
    }
    assertEquals(script!.requests, []);
  });
});

Deno.test("a refused connection means that the call did not run", async () => {
  await withScripts([() => {}], async (script) => {
    script!.server.close();
    const relay = createRelay(TOKEN, () => script!.upstream);
    const outcome = await relay.forward(INVOKE);
    assert(outcome.kind === "unavailable");
    assertMatch(outcome.reason, /refused/i);
  });
});

Deno.test("an answer that doesn't come, breaks off or isn't HTTP means that the call may have run", async () => {
  const endings: ((socket: Socket) => void)[] = [
    (socket) => socket.destroy(),
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"),
    (socket) => socket.end("nonsense\r\n\r\n"),
  ];
  for (const ending of endings) {
    await withScripts([ending], async (script) => {
      const relay = createRelay(TOKEN, () => script!.upstream);
      const outcome = await relay.forward(INVOKE);
      assertEquals(outcome.kind, "failed");
      assertEquals(script!.requests.length, 1, "the call was sent again");
    });
  }
});

Deno.test("a kept connection that the child has closed is not written to", async () => {
  await withScripts(
    [(socket) => socket.write(answer("ok"))],
    async (script) => {
      const relay = createRelay(TOKEN, () => script!.upstream);
      await relay.forward(INVOKE);
      const [first] = script!.sockets;
      first!.end();
      await once(first!, "close");
      assertEquals((await relay.forward(INVOKE)).kind, "answer");
      assertEquals(script!.sockets.length, 2);
    },
  );
});

Deno.test("a connection whose answer says so, or carries more than an answer, is not kept", async () => {
  const answers = [
    answer("ok", 200, "connection: close\r\n"),
    `${answer("ok")}HTTP/1.1 200 forged\r\n\r\n`,
  ];
  for (const text of answers) {
    await withScripts([(socket) => socket.write(text)], async (script) => {
      const relay = createRelay(TOKEN, () => script!.upstream);
      await relay.forward(INVOKE);
      const second = await relay.forward(INVOKE);
      assert(second.kind === "answer");
      assertEquals(new TextDecoder().decode(second.body), "ok");
      assertEquals(script!.sockets.length, 2);
    });
  }
});

Deno.test("what a retired child refuses goes to the new one, once; what it may have run doesn't", async () => {
  const draining = answer('{"error":"draining"}', 503, "retry-after: 1\r\n");
  const cases: [string, "old" | "new" | "both"][] = [
    [draining, "both"],
    [answer('{"error":"overloaded"}', 503), "old"],
    [answer('{"error":"draining"}', 500), "old"],
    [answer('{"v":2}'), "old"],
  ];
  for (const [text, reached] of cases) {
    await withScripts([
      (socket) => socket.write(text),
      (socket) => socket.write(draining),
    ], async (retired, next) => {
      let current = retired!.upstream;
      const relay = createRelay(TOKEN, () => current);
      const calling = relay.forward(INVOKE);
      current = next!.upstream;
      const outcome = await calling;
      assertEquals(retired!.requests.length, 1);
      assertEquals(next!.requests.length, reached === "both" ? 1 : 0);
      assertEquals(
        next!.requests[0] ?? retired!.requests[0],
        retired!.requests[0],
      );
      // The new one refuses too: that is the answer, there is no third try.
      assert(outcome.kind === "answer");
      if (reached === "both") assertEquals(outcome.status, 503);
    });
  }
});

Deno.test("a child that drains without a successor answers for itself", async () => {
  const draining = answer('{"error":"draining"}', 503, "retry-after: 1\r\n");
  await withScripts([(socket) => socket.write(draining)], async (script) => {
    const relay = createRelay(TOKEN, () => script!.upstream);
    const outcome = await relay.forward(INVOKE);
    assert(outcome.kind === "answer");
    assertEquals([outcome.status, outcome.headers["retry-after"]], [503, "1"]);
    assertEquals(script!.requests.length, 1);
  });
});

Deno.test("a caller that leaves cancels its call at any time, and the child sees the connection close", async () => {
  await withScripts([() => {}], async (script) => {
    const relay = createRelay(TOKEN, () => script!.upstream);
    const gone = AbortSignal.abort();
    const before = await relay.forward({ ...INVOKE, signal: gone });
    assertEquals(before.kind, "cancelled");
    assertEquals(script!.sockets.length, 0);

    const caller = new AbortController();
    const connecting = relay.forward({ ...INVOKE, signal: caller.signal });
    caller.abort();
    assertEquals((await connecting).kind, "cancelled");

    for (const lazy of [false, true]) {
      const late = new AbortController();
      const signal = lazy ? () => late.signal : late.signal;
      const sent = script!.requests.length;
      const running = relay.forward({ ...INVOKE, signal });
      await eventually(() => script!.requests.length > sent);
      const closed = once(script!.sockets.at(-1)!, "close");
      late.abort();
      assertEquals((await running).kind, "cancelled");
      await closed;
    }
  });
});
