import fc from "fast-check";
import { frozenJson } from "../../base/frozen_json.ts";
import { assert, assertEquals, assertThrows } from "../assert.ts";

function readBack(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : JSON.parse(text);
}

function assertFrozen(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  assert(Object.isFrozen(value));
  Object.values(value).forEach(assertFrozen);
}

function assertAsRead(value: unknown): void {
  const copy = frozenJson(value);
  assertEquals(copy, readBack(value));
  assertEquals(JSON.stringify(copy), JSON.stringify(value));
  assertFrozen(copy);
}

Deno.test("a frozen copy is what the JSON text of any value reads as", () => {
  const anything = fc.anything({
    withDate: true,
    withSparseArray: true,
    withNullPrototype: true,
    withBoxedValues: true,
    withMap: true,
    withTypedArray: true,
  });
  fc.assert(fc.property(anything, assertAsRead), { numRuns: 500 });
});

Deno.test("a frozen copy treats what isn't plain data as JSON does", () => {
  class Point {
    x = 1;
  }
  const values: unknown[] = [
    undefined,
    () => 1,
    Symbol("s"),
    { kept: 1, gone: undefined, call: () => 1, [Symbol("s")]: 1 },
    [undefined, () => 1, , 1],
    [NaN, Infinity, -0, { zero: -0 }],
    { toJSON: () => ({ of: "its own" }) },
    { at: new Date(0), point: new Point(), items: new Set([1]) },
    JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":2}}'),
    Object.assign([1], { extra: 2 }),
    Object.create({ inherited: 1 }),
    Object.defineProperty({ seen: 1 }, "hidden", { value: 1 }),
    { 2: "two", b: 1, 1: "one" },
  ];
  values.forEach(assertAsRead);
});

Deno.test("a frozen copy of something deep is whole, and of a cycle refused", () => {
  let deep: unknown = "end";
  for (let depth = 0; depth < 500; depth++) {
    deep = depth % 2 ? [deep] : { deep };
  }
  assertAsRead(deep);
  const cycle: Record<string, unknown> = {};
  cycle.self = { cycle };
  assertThrows(() => frozenJson(cycle), TypeError);
  assertThrows(() => frozenJson({ big: 1n }), TypeError);
});

Deno.test("a frozen copy shares nothing with what it was made from", () => {
  const list = [1];
  const copy = frozenJson({ list, frozen: Object.freeze({ list }) });
  list.push(2);
  assertEquals(copy, { list: [1], frozen: { list: [1] } });
});
