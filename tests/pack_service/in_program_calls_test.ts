/** Calls of a pack service inside a program: bodies, deadlines, load and drain (cases B, E). */

import { assert, assertEquals } from "../assert.ts";
import { errorOf } from "./support/caller.ts";
import { eventually } from "./support/eventually.ts";
import { gate, inMemory, ready } from "./support/hosted.ts";

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
