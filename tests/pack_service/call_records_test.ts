/** What a service process writes about its calls (cases G). */

import { assert, assertEquals, assertMatch } from "../assert.ts";
import { ServiceProcess } from "./support/service_process.ts";
import { TempPack } from "./support/temp_pack.ts";
import { HAS_EXECUTORS } from "./support/service_command.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER_SPAN = "00f067aa0ba902b7";
const headers = { traceparent: `00-${TRACE_ID}-${CALLER_SPAN}-01` };

Deno.test("[82] a call is recorded with its trace, its ids and its outcome", async () => {
  await using service = await ServiceProcess.start();
  const ctx = { tenantId: "t-1", runId: "r-82", requestId: "q", orgId: "" };
  await service.caller.output("demo.echo", { message: "hi" }, { ctx, headers });
  const record = await service.untilRecord("call", { runId: "r-82" });
  assertEquals(record.traceId, TRACE_ID);
  assertMatch(String(record.spanId), /^[0-9a-f]{16}$/);
  assert(record.spanId !== CALLER_SPAN);
  assertEquals(record.tenantId, "t-1");
  assertEquals(record.requestId, "q");
  assertEquals("orgId" in record, false);
  assertEquals(record.toolId, "demo.echo");
  assertEquals(record.outcome, "ok");
  assertEquals(record.level, "info");
  assertEquals(record.packId, "demo");
  assertEquals(record.artifactVersion, "20260930.1");
  assertMatch(String(record.message), /^tool demo\.echo ok \d+ms$/);
  assertEquals(record.inMessage, ["target", "id", "outcome", "durationMs"]);

  await service.caller.invoke("demo.throws", {}, {
    ctx: { ...ctx, runId: "r-untraced" },
    headers: { traceparent: "00-nonsense" },
  });
  const failed = await service.untilRecord("call", { runId: "r-untraced" });
  assertEquals(failed.outcome, "handler-throw");
  assertEquals(failed.level, "warn");
  assertEquals("traceId" in failed, false);
  assertEquals("spanId" in failed, false);

  await service.caller.invoke("demo.ghost", {}, {
    ctx: { ...ctx, runId: "r-unknown" },
  });
  const unknown = await service.untilRecord("call", { runId: "r-unknown" });
  assertEquals(unknown.outcome, "tool-not-in-pack");
  assertEquals(unknown.toolId, "demo.ghost");
});

/** A line of the service's own, printed by pack code: what a process that both share can't tell apart. */
const POSES = `console.error(JSON.stringify({
  time: "2026-09-30T00:00:00.000Z", level: "info", severity: "INFO",
  subsystem: "pack", message: "forged", event: "listening", port: 1,
}));`;

Deno.test(
  "[84] what a tool logs carries its call's ids, secrets redacted, and it can't pose as the service",
  async () => {
    await using pack = await TempPack.write({
      tools: {
        logs: `export default (_input, ctx) => {
        ctx.log.info("found", { orderId: "o-1" });
        ctx.log.warn("careful", { password: "p", event: "stopped", runId: "forged" });
        ctx.log.child({ part: "a" }).info("in part");
        ctx.log.debug("not written");
        ${HAS_EXECUTORS ? POSES : ""}
      };`,
      },
    });
    await using service = await ServiceProcess.start({ index: pack.index });
    await service.caller.output("logs", {}, {
      ctx: { tenantId: "t-1", runId: "r-84" },
      headers,
    });
    const call = await service.untilRecord("call", { runId: "r-84" });
    const lines = service.records().filter(({ subsystem }) =>
      subsystem === "pack.tool"
    );
    assertEquals(lines.map(({ message }) => message), [
      "found",
      "careful",
      "in part",
    ]);
    for (const line of lines) {
      assertEquals(line.runId, "r-84");
      assertEquals(line.tenantId, "t-1");
      assertEquals(line.traceId, TRACE_ID);
      assertEquals(line.spanId, call.spanId);
      assertEquals("event" in line, false);
      assertEquals("kind" in line, false);
    }
    const [found, careful, inPart] = lines;
    assertEquals(found?.orderId, "o-1");
    assertEquals(found?.level, "info");
    assertEquals(careful?.password, "[redacted]");
    assertEquals(inPart?.part, "a");
    assertEquals(service.records("listening").length, 1);
  },
);

Deno.test("tools' lines have a level of their own", async () => {
  await using pack = await TempPack.write({
    tools: {
      logs: `export default (_input, ctx) => {
        ctx.log.debug("detail");
        return ctx.log.isLevelEnabled("debug");
      };`,
    },
  });
  await using service = await ServiceProcess.start({
    index: pack.index,
    env: { KINDGI_LOG_LEVELS: "pack.tool=debug,pack=error" },
  });
  assertEquals(await service.caller.output("logs"), true);
  service.signal("SIGTERM");
  await service.ended();
  const messages = service.records().map(({ subsystem, event, message }) =>
    event ?? `${subsystem}: ${message}`
  );
  assertEquals(messages, [
    "listening",
    "pack.tool: detail",
    "draining",
    "stopped",
  ]);
});
