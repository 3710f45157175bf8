/** Tools and checks of a pack, called over protocol v2: a started service, and servers that answer as they are told. */
import {
  invokeTool,
  packServiceChecks,
  packServiceTools,
  type Tool,
} from "../../../agents/tools/mod.ts";
import { createCheckRegistry } from "../../../agents/guardrails/mod.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  errValue,
  okValue,
} from "../../assert.ts";
import { DEMO_INDEX, TOKEN } from "../../pack_service/support/demo_pack.ts";
import { ServiceProcess } from "../../pack_service/support/service_process.ts";
import { contextWith } from "./tool_fixture.ts";

const INDEX = JSON.parse(await Deno.readTextFile(DEMO_INDEX));
const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** The pack's tool of this id, and version where there are several. */
function toolAt(url: string, id: string, version?: string): Tool {
  const tool = packServiceTools({ url, token: TOKEN, index: INDEX }).find(
    (tool) =>
      tool.id === id && (version === undefined || tool.version === version),
  );
  assert(tool !== undefined);
  return tool;
}

Deno.test("a pack's tools and checks answer through a started service", async (t) => {
  await using service = await ServiceProcess.start();
  const url = `http://127.0.0.1:${service.port}/`;
  const call = (id: string, input: unknown, context = contextWith()) =>
    invokeTool(toolAt(url, id), input, context);

  await t.step("a tool answers its output", async () => {
    assertEquals(okValue(await call("demo.echo", { message: "hi" })), {
      echoed: "hi",
      runId: "run-1",
    });
  });

  await t.step("each version of a tool is called as itself", async () => {
    for (const version of ["1.0.0", "2.0.0"]) {
      okValue(
        await invokeTool(
          toolAt(url, "demo.ver", version),
          { message: "hi" },
          contextWith(),
        ),
      );
    }
  });

  await t.step(
    "a tool without a version has the pack's, and is called without one",
    async () => {
      assertEquals(toolAt(url, "demo.plain").version, "0.1.0");
      okValue(await call("demo.plain", {}));
    },
  );

  await t.step(
    "a call carries the context's ids, key and settings",
    async () => {
      const seen = okValue(
        await call(
          "demo.ctx",
          {},
          contextWith({
            orgId: "o-1",
            idempotencyKey: "5c6a1f0e-0000-5000-8000-000000000000",
            settings: { "acme.tone": { warm: true } },
          }),
        ),
      ) as Record<string, unknown>;
      assertEquals(seen.tenantId, "t-1");
      assertEquals(seen.projectId, "p-1");
      assertEquals(seen.orgId, "o-1");
      assertEquals(seen.requestId, "k1");
      assertEquals(
        seen.idempotencyKey,
        "5c6a1f0e-0000-5000-8000-000000000000",
      );
      assertEquals(seen.settings, { "acme.tone": { warm: true } });
    },
  );

  await t.step("the caller's trace reaches the service's records", async () => {
    okValue(
      await call(
        "demo.echo",
        { message: "hi" },
        contextWith({ runId: "run-traced", traceparent: TRACEPARENT }),
      ),
    );
    await service.untilRecord("call", {
      runId: "run-traced",
      traceId: "0af7651916cd43dd8448eb211c80319c",
    });
  });

  await t.step(
    "a handler's failure there is a handler-error here",
    async () => {
      const error = errValue(await call("demo.throws", {}));
      assert(error.code === "handler-error");
      assertEquals((error.cause as { code: string }).code, "handler-throw");
      assertMatch(error.message, /boom/);
    },
  );

  await t.step("output that the service refuses is refused here", async () => {
    const error = errValue(await call("demo.badout", {}));
    assert(error.code === "output-validation-failed");
    assert(error.errors.length > 0);
  });

  await t.step(
    "a call that takes longer than what is left of the turn is deadline-exceeded",
    async () => {
      const error = errValue(
        await call(
          "demo.wait",
          {},
          contextWith({ deadlineAt: Date.now() + 300 }),
        ),
      );
      assert(error.code === "handler-error");
      assertEquals((error.cause as { code: string }).code, "deadline-exceeded");
    },
  );

  await t.step("an abort ends a call at once", async () => {
    const controller = new AbortController();
    const waiting = call(
      "demo.wait",
      {},
      contextWith({ abortSignal: controller.signal }),
    );
    setTimeout(() => controller.abort(), 50);
    assertEquals(errValue(await waiting).code, "tool-aborted");
  });

  await t.step("a wrong token is refused, and the token not told", async () => {
    const [tool] = packServiceTools({
      url,
      token: "wrong-token",
      index: INDEX,
    });
    assert(tool !== undefined);
    const error = errValue(
      await invokeTool(tool, { message: "hi" }, contextWith()),
    );
    assert(error.code === "handler-error");
    assertEquals(
      (error.cause as { code: string }).code,
      "pack-service-refused",
    );
    assert(!error.message.includes("wrong-token"));
  });

  await t.step("checks judge, and are found in a registry", async () => {
    const registry = createCheckRegistry();
    for (
      const check of packServiceChecks({ url, token: TOKEN, index: INDEX })
    ) okValue(registry.register(check));
    const trace = {
      runId: "run-1",
      tenantId: "t-1",
      output: "four",
      toolCalls: [],
      toolResults: [],
      modelCalls: [],
      mode: "runtime",
    } as const;
    const length = registry.get("demo.checks.len");
    assert(length?.configJsonSchema !== undefined);
    assertEquals(await length.evaluate({ minLength: 4 }, trace, {}), {
      passed: true,
    });
    assertEquals(await length.evaluate({ minLength: 5 }, trace, {}), {
      passed: false,
      reason: "too short",
    });
    const boom = registry.get("demo.checks.boom");
    await assertRejects(
      async () => void await boom?.evaluate({}, trace, {}),
      Error,
      "check boom",
    );
    const slow = registry.get("demo.checks.slow");
    await assertRejects(
      async () =>
        void await slow?.evaluate({}, trace, { deadlineAt: Date.now() + 200 }),
      Error,
    );
  });
});

Deno.test("an index's built-in checks are not a service's", () => {
  const index = {
    guardrails: [
      { id: "a", checkId: "must-cite", kind: "zero-llm" },
      { id: "b", checkId: "acme.checks.b", checkBuiltIn: true },
      { id: "c" },
    ],
  };
  const checks = packServiceChecks({
    url: "http://localhost",
    token: "",
    index,
  });
  assertEquals(checks.map(({ id, kind }) => `${id} ${kind}`), ["c zero-llm"]);
});

/** Answers calls in order, and keeps what they were. */
class ToldServer implements AsyncDisposable {
  readonly requests: { headers: Headers; body: string }[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(answers: readonly (() => Response)[]) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        const answer = answers[this.requests.length];
        this.requests.push({
          headers: request.headers,
          body: await request.text(),
        });
        return answer?.() ?? new Response("no more answers", { status: 418 });
      },
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/gateway`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

const result = () =>
  Response.json({ v: 2, kind: "result", output: { echoed: "hi" } });
const busy = (after: string) => () =>
  new Response('{"error":"busy"}', {
    status: 503,
    headers: { "retry-after": after },
  });

/** Calls the echo tool on a server. */
async function echoOn(server: ToldServer, deadlineAt = Date.now() + 60_000) {
  return await invokeTool(
    toolAt(server.url, "demo.echo"),
    { message: "hi" },
    contextWith({ deadlineAt, idempotencyKey: "key-1" }),
  );
}

Deno.test("a 503 did not run: the same call is sent again after Retry-After, with less time left", async () => {
  await using server = new ToldServer([busy("0"), busy("0"), result]);
  okValue(await echoOn(server));
  assertEquals(server.requests.length, 3);
  const bodies = new Set(server.requests.map(({ body }) => body));
  assertEquals(bodies.size, 1);
  const left = server.requests.map(({ headers }) =>
    Number(headers.get("kindgi-timeout-ms"))
  );
  assert(left[0]! <= 60_000 && left[2]! <= left[0]! && left[2]! > 0);
});

Deno.test("a busy service that says to come back at once still gets a moment between two attempts", async () => {
  const came: number[] = [];
  const again = () => {
    came.push(Date.now());
    return busy("0")();
  };
  await using server = new ToldServer([again, again, result]);
  okValue(await echoOn(server));
  // Timers never fire early by more than the clock's own grain.
  assert(came[1]! - came[0]! >= 95);
});

Deno.test("a 503 is not waited for past the deadline", async () => {
  await using server = new ToldServer([busy("3600")]);
  const error = errValue(await echoOn(server, Date.now() + 20_000));
  assert(error.code === "handler-error");
  assertEquals((error.cause as { code: string }).code, "pack-service-busy");
  assertEquals(server.requests.length, 1);
});

Deno.test("an abort ends the wait between two attempts", async () => {
  await using server = new ToldServer([busy("30")]);
  const controller = new AbortController();
  const call = invokeTool(
    toolAt(server.url, "demo.echo"),
    { message: "hi" },
    contextWith({ abortSignal: controller.signal }),
  );
  setTimeout(() => controller.abort(), 100);
  assertEquals(errValue(await call).code, "tool-aborted");
});

Deno.test("a 502 may have run: it is never sent again", async () => {
  await using server = new ToldServer([
    () => new Response('{"error":"lost"}', { status: 502 }),
    result,
  ]);
  const error = errValue(await echoOn(server));
  assert(error.code === "handler-error");
  assertEquals((error.cause as { code: string }).code, "pack-service-failed");
  assertMatch(error.message, /Cannot tell whether the call ran/);
  assertEquals(server.requests.length, 1);
});

Deno.test("an answer that is no message of the protocol fails the call", async () => {
  for (
    const answer of [
      () => new Response("<html>"),
      () => Response.json({ v: 1, kind: "result" }),
      () => Response.json({ v: 2, kind: "check-result", result: {} }),
      () => new Response(new Uint8Array([0xff, 0xfe])),
    ]
  ) {
    await using server = new ToldServer([answer]);
    const error = errValue(await echoOn(server));
    assert(error.code === "handler-error");
    assertEquals((error.cause as { code: string }).code, "pack-service-failed");
  }
});

Deno.test("an answer that never ends is given up at a bound", async () => {
  const chunk = new Uint8Array(65_536).fill(0x20);
  await using server = new ToldServer([
    () =>
      new Response(
        new ReadableStream({ pull: (stream) => stream.enqueue(chunk) }),
      ),
  ]);
  const error = errValue(await echoOn(server));
  assertEquals(error.code, "tool-result-too-large");
});

Deno.test("a redirect is not followed: the token is for the service alone", async () => {
  await using elsewhere = new ToldServer([result]);
  const location = elsewhere.url;
  await using server = new ToldServer([
    () => new Response(null, { status: 307, headers: { location } }),
  ]);
  const error = errValue(await echoOn(server));
  assert(error.code === "handler-error");
  assertEquals((error.cause as { code: string }).code, "pack-service-refused");
  assertEquals(elsewhere.requests.length, 0);
});

Deno.test("issues that only the service finds are the model's to mend", async () => {
  const issues = [{ instancePath: "/message", message: "is rude" }];
  await using server = new ToldServer([() =>
    Response.json({
      v: 2,
      kind: "error",
      code: "input-validation-failed",
      message: "refused",
      issues,
    })]);
  const error = errValue(await echoOn(server));
  assert(error.code === "input-validation-failed");
  assertEquals(error.errors, issues);
});

Deno.test("a service that can't be reached leaves open whether the call ran", async () => {
  const tool = toolAt("http://127.0.0.1:1", "demo.echo");
  const error = errValue(
    await invokeTool(tool, { message: "hi" }, contextWith()),
  );
  assert(error.code === "handler-error");
  assertEquals((error.cause as { code: string }).code, "pack-service-failed");
});
