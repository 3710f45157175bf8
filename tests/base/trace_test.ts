import { assert, assertEquals, assertMatch } from "../assert.ts";
import { newSpanId, parseTraceparent } from "../../base/trace.ts";

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const span = "00f067aa0ba902b7";

Deno.test("a valid traceparent is read into its parts", () => {
  assertEquals(parseTraceparent(`00-${trace}-${span}-01`), {
    traceId: trace,
    parentId: span,
    flags: "01",
  });
});

Deno.test("a later version may carry more fields, version 00 may not", () => {
  assertEquals(
    parseTraceparent(`cc-${trace}-${span}-01-what-ever`)?.traceId,
    trace,
  );
  assertEquals(parseTraceparent(`01-${trace}-${span}-00`)?.flags, "00");
  assertEquals(parseTraceparent(`00-${trace}-${span}-01-x`), undefined);
});

Deno.test("a traceparent that breaks a rule counts as absent", () => {
  for (
    const header of [
      undefined,
      null,
      "",
      "00",
      `ff-${trace}-${span}-01`,
      `00-${trace.toUpperCase()}-${span}-01`,
      `00-${"0".repeat(32)}-${span}-01`,
      `00-${trace}-${"0".repeat(16)}-01`,
      `00-${trace.slice(1)}-${span}-01`,
      `00-${trace}-${span}-1`,
      `00-${trace}-${span}`,
      `cc-${trace}-${span}-01x`,
      ` 00-${trace}-${span}-01`,
      `0g-${trace}-${span}-01`,
    ]
  ) {
    assertEquals(parseTraceparent(header), undefined, String(header));
  }
});

Deno.test("span ids are 16 hex digits and fresh each time", () => {
  const ids = Array.from({ length: 100 }, () => newSpanId());
  for (const id of ids) assertMatch(id, /^[0-9a-f]{16}$/);
  assert(new Set(ids).size === ids.length);
});
