import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  okValue,
} from "../assert.ts";
import { createRecordLog, parseLogSettings } from "../../base/log.ts";
import type { PackEvent } from "../../pack_service/events.ts";
import {
  callCorrelation,
  createPackRecords,
  type PackRecords,
} from "../../pack_service/records.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const ctx = {
  tenantId: "t-1",
  runId: "r-1",
  projectId: "p-1",
  orgId: "",
  requestId: 7,
};
const pack = { packId: "demo", artifactVersion: "20260920.1" };

function keepingRecords(
  env: Record<string, string> = {},
  identity: typeof pack | null = pack,
): { records: PackRecords; read: () => Record<string, unknown>[] } {
  const lines: string[] = [];
  const log = createRecordLog({
    settings: okValue(parseLogSettings(env)),
    write: (text) => void lines.push(text),
    terminal: false,
    noColor: true,
  });
  return {
    records: createPackRecords(log, identity ?? undefined),
    read: () => lines.map((line) => JSON.parse(line)),
  };
}

function recordOf(
  event: PackEvent,
  identity?: typeof pack,
): Record<string, unknown> {
  const { records, read } = keepingRecords({}, identity ?? pack);
  records.event(event, callCorrelation(ctx, traceparent));
  return read()[0]!;
}

Deno.test("[82] a call's record has the caller's trace, a span of its own, the call's ids and its outcome", () => {
  const record = recordOf({
    kind: "call",
    target: "tool",
    id: "demo.echo",
    durationMs: 12,
    outcome: "ok",
  });
  assertEquals(record.traceId, "4bf92f3577b34da6a3ce929d0e0e4736");
  assertMatch(record.spanId as string, /^[0-9a-f]{16}$/);
  assertNotEquals(record.spanId as string, "00f067aa0ba902b7");
  assertEquals(record.tenantId, "t-1");
  assertEquals(record.runId, "r-1");
  assertEquals(record.projectId, "p-1");
  assert(!("orgId" in record) && !("requestId" in record));
  assertEquals(record.toolId, "demo.echo");
  assertEquals(record.outcome, "ok");
  assertEquals(record.level, "info");
  assertEquals(record.subsystem, "pack");
  assertEquals(record.event, "call");
  assertEquals(record.kind, "call");
  assertEquals(record.packId, "demo");
  assertEquals(record.artifactVersion, "20260920.1");
  assertMatch(record.message as string, /^tool demo\.echo ok \d+ms$/);
  assertEquals(record.inMessage, ["target", "id", "outcome", "durationMs"]);
});

Deno.test("a check's failed call is a warning with its check id and no ids of a context", () => {
  const { records, read } = keepingRecords();
  records.event(
    {
      kind: "call",
      target: "check",
      id: "demo.short",
      durationMs: 3,
      outcome: "handler-throw",
    },
    callCorrelation(undefined, "00-broken"),
  );
  const record = read()[0]!;
  assertEquals(record.level, "warn");
  assertEquals(record.checkId, "demo.short");
  for (
    const key of ["toolId", "tenantId", "runId", "traceId", "spanId"]
  ) assert(!(key in record), key);
});

Deno.test("work that settles late is told with the call's ids and the time it took", () => {
  const record = recordOf({
    kind: "handler-finished-late",
    target: "tool",
    id: "demo.slow",
    afterMs: 900,
  });
  assertEquals(record.level, "warn");
  assertEquals(record.afterMs, 900);
  assertEquals(record.toolId, "demo.slow");
  assertEquals(record.runId, "r-1");
  assertEquals(record.packId, "demo");
});

Deno.test("[84] what a tool logs carries its call's ids and no event, secrets redacted", () => {
  const { records, read } = keepingRecords();
  records.tool({
    level: "info",
    message: "found",
    fields: { orderId: "o-1", password: "p" },
  }, callCorrelation(ctx, traceparent));
  const record = read()[0]!;
  assertEquals(record.subsystem, "pack.tool");
  assertEquals(record.message, "found");
  assertEquals(record.orderId, "o-1");
  assertEquals(record.runId, "r-1");
  assertEquals(record.traceId, "4bf92f3577b34da6a3ce929d0e0e4736");
  assertEquals(record.password, "[redacted]");
  assertEquals(record.packId, "demo");
  assert(!("event" in record) && !("kind" in record));
});

Deno.test("a tool can neither pose as the service nor as another call", () => {
  const { records, read } = keepingRecords();
  const fields = {
    event: "listening",
    kind: "listening",
    port: 1,
    runId: "other",
    traceId: "other",
    packId: "other",
  };
  records.tool(
    { level: "warn", message: "x", fields },
    callCorrelation(ctx, undefined),
  );
  const record = read()[0]!;
  assertEquals(record.runId, "r-1");
  assertEquals(record.packId, "demo");
  assert(!("event" in record) && !("traceId" in record));
  assertEquals(record.fields, {
    event: "listening",
    kind: "listening",
    runId: "other",
    traceId: "other",
    packId: "other",
  });
});

Deno.test("a tool may log anything as its message and fields", () => {
  const { records, read } = keepingRecords();
  const tool = (message: unknown, fields?: unknown) =>
    records.tool({
      level: "error",
      message: message as string,
      fields: fields as object,
    }, {});
  tool("failed", new TypeError("no"));
  tool(undefined, "bare");
  tool(Symbol("s"));
  tool(Object.create(null), [1]);
  const [failed, bare, symbol, hollow] = read();
  assertEquals((failed!.error as { name: string }).name, "TypeError");
  assertEquals([bare!.message, bare!.value], ["undefined", "bare"]);
  assertEquals(symbol!.message, "Symbol(s)");
  assertEquals([hollow!.message, hollow!.value], ["[unreadable]", [1]]);
});

Deno.test("tools' levels are set by themselves", () => {
  const { records, read } = keepingRecords({
    KINDGI_LOG_LEVELS: "pack=error,pack.tool=debug",
  });
  assert(records.toolEnabled("debug") && !records.toolEnabled("trace"));
  records.tool({ level: "debug", message: "seen" }, {});
  records.tool({ level: "trace", message: "unseen" }, {});
  records.event({
    kind: "call",
    target: "tool",
    id: "x",
    durationMs: 1,
    outcome: "ok",
  });
  assertEquals(read().map((record) => record.message), ["seen"]);
});

Deno.test("[78] lifecycle lines are written at any level, others obey it", () => {
  const { records, read } = keepingRecords({ KINDGI_LOG_LEVEL: "error" });
  const problems = ["p"];
  const lifecycle: PackEvent[] = [
    { kind: "listening", port: 8080, ...pack },
    { kind: "boot-failed", problems },
    { kind: "config-invalid", problems },
    { kind: "draining" },
    { kind: "stopped" },
  ];
  const others: PackEvent[] = [
    { kind: "missing-env", check: "strict", names: ["A"] },
    { kind: "env-dropped", names: ["A"] },
    { kind: "call", target: "tool", id: "x", durationMs: 1, outcome: "ok" },
    { kind: "handler-finished-late", target: "tool", id: "x", afterMs: 1 },
    { kind: "executor-blocked", executor: "shared", silentMs: 1, waiting: 1 },
    { kind: "stats", calls: {}, inFlight: 0, executorsLost: 0 },
    { kind: "sandbox-off", names: ["x"] },
    { kind: "limits-ignored", names: ["x"] },
  ];
  for (const event of [...lifecycle, ...others]) records.event(event);
  assertEquals(
    read().map((record) => record.event),
    lifecycle.map((event) => event.kind),
  );
});

Deno.test("the listening record is the one a supervisor waits for", () => {
  const record = recordOf({ kind: "listening", port: 4711, ...pack });
  const { time, message, ...rest } = record;
  assert(typeof time === "string" && typeof message === "string");
  assertEquals(rest, {
    level: "info",
    severity: "INFO",
    subsystem: "pack",
    event: "listening",
    kind: "listening",
    port: 4711,
    packId: "demo",
    artifactVersion: "20260920.1",
  });
});

Deno.test("only the records of a started service name the pack", () => {
  const names = ["A"];
  assertEquals(
    recordOf({ kind: "missing-env", check: "warn", names }).packId,
    "demo",
  );
  assert(!("packId" in recordOf({ kind: "env-dropped", names })));
  assert(!("packId" in recordOf({ kind: "draining" })));
  const { records, read } = keepingRecords({}, null);
  records.event({ kind: "missing-env", check: "warn", names });
  assert("names" in read()[0]! && !("packId" in read()[0]!));
});

Deno.test("a lost executor and unhandled pack code are errors with what is known", () => {
  const lost = recordOf({
    kind: "executor-lost",
    executor: "shared",
    reason: "out-of-memory",
    calls: 2,
    exitCode: 133,
  });
  assertEquals(lost.level, "error");
  assertEquals(lost.reason, "out-of-memory");
  assertEquals(lost.exitCode, 133);
  const unhandled = recordOf({
    kind: "pack-unhandled",
    origin: "unhandledrejection",
    cause: { name: "Error", message: "boom", stack: "Error: boom\n at x" },
  });
  assertEquals(unhandled.level, "error");
  assertEquals((unhandled.cause as { stack: string }).stack.length > 0, true);
});
