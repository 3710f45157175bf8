/** A pack service inside a program: `createPackService` and its `handle` (cases B, D, E). */

import {
  assert,
  assertEquals,
  assertStringIncludes,
  assertThrows,
  okValue,
} from "../assert.ts";
import {
  createPackService,
  type CreatePackServiceOptions,
  createRecordLog,
  DEFAULT_LOG_SETTINGS,
  type PackIndex,
  type PackService,
  type PackServiceEvent,
  readPackIndex,
} from "../../pack_service/mod.ts";
import { Caller, errorOf, messageOf, toolCall } from "./support/caller.ts";
import { DEMO_INDEX, DEMO_PACK, TOKEN } from "./support/demo_pack.ts";
import { eventually } from "./support/eventually.ts";

const DEMO: PackIndex = okValue(await readPackIndex(DEMO_INDEX));

interface Hosted extends AsyncDisposable {
  readonly service: PackService;
  readonly caller: Caller;
  readonly events: PackServiceEvent[];
}

/** A service over the demo pack, not prewarmed yet. */
function host(options: Partial<CreatePackServiceOptions> = {}): Hosted {
  const events: PackServiceEvent[] = [];
  const service = createPackService({
    index: DEMO,
    resolveModule: (path) => `${DEMO_PACK}/${path}`,
    token: TOKEN,
    logger: (event) => events.push(event),
    env: {},
    ...options,
  });
  const send = (request: Request) => service.handle(request);
  return {
    service,
    caller: new Caller("http://pack", send),
    events,
    [Symbol.asyncDispose]: () => service.drain(0),
  };
}

/** The same, prewarmed. */
async function ready(
  options: Partial<CreatePackServiceOptions> = {},
): Promise<Hosted> {
  const hosted = host(options);
  assertEquals(await hosted.service.prewarm(), []);
  return hosted;
}

/** A pack whose modules are given as objects. */
function inMemory(
  modules: Readonly<Record<string, unknown>>,
  index: Partial<PackIndex> = {},
): Partial<CreatePackServiceOptions> {
  return {
    index: {
      v: 1,
      packId: "memory",
      packVersion: "1.0.0",
      artifactVersion: "1",
      tools: Object.keys(modules).map((id) => ({
        id,
        modulePath: id,
        input: {},
        output: {},
      })),
      guardrails: [],
      ...index,
    },
    resolveModule: (path) => path,
    importModule: (path) => modules[path],
  };
}

/** A tool that runs until it is told to end, or aborted. */
function gate() {
  let open = () => {};
  const opened = new Promise<string>((resolve) => open = () => resolve("done"));
  const signals: AbortSignal[] = [];
  const tool = (_input: unknown, ctx: { abortSignal: AbortSignal }) => {
    signals.push(ctx.abortSignal);
    return Promise.race([
      opened,
      new Promise((resolve) =>
        ctx.abortSignal.addEventListener("abort", () => resolve("aborted"))
      ),
    ]);
  };
  return { tool, open: () => open(), signals };
}

Deno.test("[22] before it is prewarmed a service is not ready, but tells what it is", async () => {
  await using hosted = host();
  const { service, caller } = hosted;
  assertEquals(service.ready(), false);
  for (
    const answer of [
      await caller.request("/readyz"),
      await caller.invoke("demo.plain"),
    ]
  ) {
    assertEquals(answer.status, 503);
    assertEquals(answer.body, { error: "not ready" });
    assertEquals(answer.headers.get("retry-after"), "1");
  }
  assertEquals((await caller.get("/v1/info")).status, 200);
  assertEquals((await caller.request("/healthz")).status, 200);
  assertEquals(await service.prewarm(), []);
  assertEquals(service.ready(), true);
  assertEquals(await caller.output("demo.plain"), { ok: true });
});

Deno.test("prewarming tells each module that can't be imported, and the service stays not ready", async () => {
  const imported: string[] = [];
  await using hosted = host({
    importModule: (path) => {
      imported.push(path.slice(DEMO_PACK.length + 1));
      if (path.endsWith("echo.mjs")) throw new TypeError("no echo");
      if (path.endsWith("boom.mjs")) return Promise.reject("no boom");
      return { default: () => 1 };
    },
  });
  const { service, caller } = hosted;
  const [echo, boom, ...more] = await service.prewarm();
  assertEquals(more, []);
  assertEquals(echo, {
    v: 2,
    kind: "error",
    code: "handler-import-failed",
    message: "demo.echo: TypeError: no echo",
    toolId: "demo.echo",
  });
  assertEquals(boom, {
    v: 2,
    kind: "error",
    code: "handler-import-failed",
    message: "demo.checks.boom: no boom",
    checkId: "demo.checks.boom",
  });
  assertEquals(imported.length, DEMO.tools.length + DEMO.guardrails.length);
  assertEquals(imported.slice(-3), [
    "guardrails/len.mjs",
    "guardrails/slow.mjs",
    "guardrails/boom.mjs",
  ]);
  assertEquals((await caller.request("/readyz")).status, 503);
});

Deno.test("[20] a body over a limit of one's own is 413, and the next call works", async () => {
  await using hosted = await ready({ maxBodyBytes: 256 });
  const { service, caller } = hosted;
  const long = await caller.post("x".repeat(1_000));
  assertEquals(long.status, 413);
  assertEquals(typeof (long.body as { error: unknown }).error, "string");
  const streamed = await caller.post(
    new Blob(["x".repeat(1_000)]).stream() as ReadableStream,
  );
  assertEquals(streamed.status, 413);
  assertEquals(service.inFlight(), 0);
  assertEquals(await caller.output("demo.plain"), { ok: true });
});

Deno.test("a body that never ends is 408 within its time", async () => {
  await using hosted = await ready({ bodyTimeoutMs: 50 });
  const { service, caller } = hosted;
  const answer = await caller.post(
    new ReadableStream({
      start: (controller) =>
        controller.enqueue(new TextEncoder().encode('{"v":2')),
    }),
  );
  assertEquals(answer.status, 408);
  assertEquals(service.inFlight(), 0);
});

Deno.test("[48] a check whose config schema doesn't compile isn't imported by its call", async () => {
  const imported: string[] = [];
  await using hosted = await ready({
    index: {
      ...DEMO,
      tools: [],
      guardrails: [{
        id: "broken",
        checkModulePath: "guardrails/len.mjs",
        configSchema: { type: "object", required: ["ghost"] },
      }],
    },
    importModule: (path) => {
      imported.push(path);
      return import(`file://${path}`);
    },
  });
  const { caller } = hosted;
  assertEquals(imported.length, 1);
  const error = errorOf(await caller.check("broken"));
  assertEquals(error.code, "input-validation-failed");
  assertEquals(imported.length, 1);
});

Deno.test("[52] [53] [55] a program hears how each call ended, and of work that ends late", async () => {
  const { tool, signals } = gate();
  await using hosted = await ready({
    ...inMemory({ tool }, {
      guardrails: [{ id: "check", checkModulePath: "tool" }],
    }),
    importModule: () => ({
      default: tool,
      evaluate: (_config: unknown, _trace: unknown, bindings: never) =>
        tool(undefined, bindings),
    }),
    defaultTimeoutMs: 30,
  });
  const { service, caller, events } = hosted;
  assertEquals((await caller.error("tool")).code, "deadline-exceeded");
  assertEquals(
    errorOf(await caller.check("check")).code,
    "deadline-exceeded",
  );
  await eventually("four events", () => events[3]);
  assertEquals(signals.map(({ aborted }) => aborted), [true, true]);

  const leave = new AbortController();
  const left = caller.invoke("tool", {}, {
    signal: leave.signal,
    headers: { "kindgi-timeout-ms": "60000" },
  });
  await eventually("the call", () => signals[2]);
  assertEquals(service.inFlight(), 1);
  leave.abort();
  assertEquals(errorOf(await left).code, "cancelled");
  assertEquals(service.inFlight(), 0);
  await eventually("six events", () => events[5]);

  assertEquals(
    events.map(({ kind }) => kind),
    Array(3).fill(["call", "handler-finished-late"]).flat(),
  );
  const calls = events.filter((event) => event.kind === "call");
  assertEquals(
    calls.map(({ target, id, outcome }) => ({ target, id, outcome })),
    [
      { target: "tool", id: "tool", outcome: "deadline-exceeded" },
      { target: "check", id: "check", outcome: "deadline-exceeded" },
      { target: "tool", id: "tool", outcome: "cancelled" },
    ],
  );
  assert(calls.every(({ durationMs }) => Number.isInteger(durationMs)));
  const late = events.filter((event) => event.kind === "handler-finished-late");
  assertEquals(late.map(({ target, id }) => ({ target, id })), [
    { target: "tool", id: "tool" },
    { target: "check", id: "check" },
    { target: "tool", id: "tool" },
  ]);
  assert(late.every(({ afterMs }) => Number.isInteger(afterMs)));
});

Deno.test("[56] [57] calls run side by side up to the cap, and one more is refused", async () => {
  const { tool, open } = gate();
  await using hosted = await ready({
    ...inMemory({ tool, quick: () => "quick" }),
    maxConcurrency: 2,
  });
  const { service, caller } = hosted;
  const running = [caller.output("tool"), caller.output("tool")];
  await eventually("two calls", () => service.inFlight() === 2 || undefined);
  const refused = await caller.invoke("quick");
  assertEquals(refused.status, 503);
  assertEquals(refused.body, { error: "overloaded" });
  assertEquals((await caller.request("/readyz")).status, 200);
  open();
  assertEquals(await Promise.all(running), ["done", "done"]);
  assertEquals(await caller.output("quick"), "quick");
  assertEquals(service.inFlight(), 0);
});

Deno.test("[58] draining refuses new calls and waits for the running one", async () => {
  const { tool, open } = gate();
  await using hosted = await ready(inMemory({ tool }));
  const { service, caller } = hosted;
  const running = caller.output("tool");
  await eventually("the call", () => service.inFlight() === 1 || undefined);
  let drained = false;
  const draining = service.drain(60_000).then(() => drained = true);
  assertEquals(service.ready(), false);
  for (
    const answer of [
      await caller.request("/readyz"),
      await caller.invoke("tool"),
    ]
  ) {
    assertEquals(answer.status, 503);
    assertEquals(answer.body, { error: "draining" });
    assertEquals(answer.headers.get("retry-after"), "1");
  }
  assertEquals((await caller.request("/healthz")).status, 200);
  assertEquals((await caller.get("/v1/info")).status, 200);
  assertEquals(drained, false);
  open();
  assertEquals(await running, "done");
  await draining;
  assertEquals(service.inFlight(), 0);
});

Deno.test("a drain that runs out of time ends all the same", async () => {
  const { tool, open } = gate();
  await using hosted = await ready(inMemory({ tool }));
  const { service, caller } = hosted;
  const running = caller.output("tool");
  await eventually("the call", () => service.inFlight() === 1 || undefined);
  await service.drain(30);
  assertEquals(service.inFlight(), 1);
  open();
  assertEquals(await running, "done");
});

Deno.test("[87] [88] what is missing of the environment is told once, by name", async () => {
  const index: PackIndex = {
    ...DEMO,
    env: { required: ["A_URL", "B_URL"], optional: ["C"] },
  };
  await using strict = await ready({ index, env: { A_URL: "" } });
  const names = ["A_URL", "B_URL"];
  assertEquals(strict.events, [
    { kind: "missing-env", check: "strict", names },
  ]);
  assertEquals(strict.service.ready(), false);
  const refused = await strict.caller.invoke("demo.plain");
  assertEquals(refused.status, 503);
  assertEquals(refused.body, { error: "missing env", missingEnv: names });

  await using warned = await ready({
    index,
    env: { A_URL: "a" },
    envCheck: "warn",
  });
  assertEquals(warned.events, [
    { kind: "missing-env", check: "warn", names: ["B_URL"] },
  ]);
  assertEquals(await warned.caller.output("demo.plain"), { ok: true });

  await using fine = await ready({ index, env: { A_URL: "a", B_URL: " " } });
  assertEquals(fine.events, []);
});

Deno.test("a given log gets the same as records, and what tools write", async () => {
  const lines: string[] = [];
  await using hosted = await ready({
    ...inMemory({
      logs: (_input: unknown, ctx: { log: { info(message: string): void } }) =>
        ctx.log.info("from the tool"),
    }),
    log: createRecordLog({
      settings: DEFAULT_LOG_SETTINGS,
      write: (text) => void lines.push(text),
      terminal: false,
      noColor: true,
    }),
  });
  const { caller } = hosted;
  await caller.output("logs");
  const [fromTool, call, ...more] = lines.map((line) => JSON.parse(line));
  assertEquals(more, []);
  assertEquals(fromTool.subsystem, "pack.tool");
  assertEquals(fromTool.message, "from the tool");
  assertEquals(call.event, "call");
  for (const { runId, packId } of [fromTool, call]) {
    assertEquals(runId, "run-1");
    // Only a started service's records name the pack.
    assertEquals(packId, undefined);
  }
});

Deno.test("a handler's own objects are safe from the caller's, and throws of any kind are answers", async () => {
  const hostile = {
    get message(): string {
      throw new Error("no message");
    },
  };
  await using hosted = await ready(inMemory({
    throws: () => {
      throw hostile;
    },
    rejects: () => Promise.reject(undefined),
    thenable: () => ({
      then: (resolve: (value: string) => void) => resolve("late"),
    }),
  }));
  const { caller, service } = hosted;
  assertEquals((await caller.error("throws")).code, "handler-throw");
  assertEquals((await caller.error("rejects")).cause, null);
  assertEquals(await caller.output("thenable"), "late");
  assertEquals(service.inFlight(), 0);
});

Deno.test("a strict tool is refused in a program, unless the program takes it as it is [executors.md]", async () => {
  const index: PackIndex = {
    ...DEMO,
    tools: DEMO.tools.map((tool) => ({ ...tool, sandbox: "strict" })),
  };
  const error = assertThrows(() => host({ index }), TypeError);
  assertStringIncludes(error.message, "demo.echo");
  await using hosted = await ready({ index, sandbox: "off" });
  const { caller } = hosted;
  assertEquals(await caller.output("demo.plain"), { ok: true });
  const isolated: PackIndex = {
    ...DEMO,
    tools: DEMO.tools.map((tool) => ({ ...tool, sandbox: "context-isolated" })),
  };
  await using within = await ready({ index: isolated });
  assertEquals(await within.caller.output("demo.plain"), { ok: true });
});

Deno.test("a request is answered whatever its URL's origin", async () => {
  await using hosted = await ready();
  const { service } = hosted;
  const call = new Request("https://other.example:8443/v1/invoke?x=/v1/info", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "kindgi-pack-token": TOKEN,
    },
    body: JSON.stringify(toolCall("demo.plain")),
  });
  const response = await service.handle(call);
  messageOf({
    status: response.status,
    headers: response.headers,
    body: await response.json(),
  }, "result");
});
