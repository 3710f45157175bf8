import { isoTime } from "../../base/iso_time.ts";
import { assertEquals, assertThrows } from "../assert.ts";

Deno.test("a time is written as dates write it, whichever was written before", () => {
  const times = [0, 1, 1, -1, 0, 1_700_000_000_000.5, 8.64e15];
  for (const time of times) {
    assertEquals(isoTime(time), new Date(time).toISOString());
  }
});

Deno.test("what is no time is refused each time", () => {
  for (const time of [Number.NaN, Number.NaN, Infinity, 8.64e15 + 1]) {
    assertThrows(() => isoTime(time), RangeError);
  }
  assertEquals(isoTime(0), "1970-01-01T00:00:00.000Z");
});
