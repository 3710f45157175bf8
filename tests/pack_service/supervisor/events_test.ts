import { serviceEvent } from "../../../pack_service/supervisor/events.ts";
import { assertEquals } from "../../assert.ts";

const RECORD = {
  time: "2026-09-30T00:00:00.000Z",
  level: "info",
  subsystem: "pack",
  message: "listening",
};

Deno.test("a record of the service itself is an event of its name", () => {
  const line = JSON.stringify({ ...RECORD, event: "listening", port: 4711 });
  const event = serviceEvent(line);
  assertEquals(event?.kind, "listening");
  assertEquals(event?.port, 4711);
});

Deno.test("a record of a tool is shown and never acted on, whatever it calls itself", () => {
  for (
    const fields of [
      { subsystem: "pack.tool", event: "listening", kind: "listening" },
      { subsystem: "pack", event: 7, kind: "listening" },
      { subsystem: "other", kind: "boot-failed" },
    ]
  ) {
    const line = JSON.stringify({ ...RECORD, ...fields, port: 1 });
    assertEquals(serviceEvent(line)?.kind, "record");
  }
});

Deno.test("a bare line counts for the eight old kinds only", () => {
  for (
    const kind of [
      "listening",
      "boot-failed",
      "config-invalid",
      "missing-env",
      "draining",
      "stopped",
      "call",
      "handler-finished-late",
    ]
  ) {
    assertEquals(serviceEvent(JSON.stringify({ kind }))?.kind, kind);
  }
  for (const kind of ["env-dropped", "record", "started", 1, null]) {
    assertEquals(serviceEvent(JSON.stringify({ kind })), undefined);
  }
});

Deno.test("everything else is the pack's own output", () => {
  for (
    const line of [
      "",
      "hello",
      '["listening"]',
      '{"kind":"listening"',
      "null",
      ' {"kind":"listening"}',
      "{}",
    ]
  ) {
    assertEquals(serviceEvent(line), undefined, line);
  }
});
