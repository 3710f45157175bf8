import fc from "fast-check";
import { canonicalJson, compareCodeUnits } from "../../base/canonical_json.ts";
import {
  assert,
  assertEquals,
  assertStringIncludes,
  assertThrows,
} from "../assert.ts";

/** JSON as values, with keys that are awkward to sort. */
const key = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.constantFrom("10", "9", "01", "4294967295", "é", "\u{1f600}", "\uffff"),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, -0, 1.5, 1e21),
    fc.string(),
    fc.integer(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 5 }),
  ),
})).value;

Deno.test("canonical JSON says the same as JSON", () => {
  fc.assert(fc.property(json, (value) => {
    const text = canonicalJson(value);
    assertEquals(
      JSON.stringify(JSON.parse(text)),
      JSON.stringify(JSON.parse(canonicalJson(JSON.parse(text)))),
    );
    assertEquals(
      sorted(JSON.parse(text)),
      sorted(JSON.parse(JSON.stringify(value))),
    );
  }));
});

Deno.test("canonical JSON is its own canonical form, and doesn't depend on the order of keys", () => {
  fc.assert(fc.property(json, (value) => {
    const text = canonicalJson(value);
    assertEquals(canonicalJson(JSON.parse(text)), text);
    assertEquals(canonicalJson(reversed(value)), text);
  }));
});

Deno.test("canonical JSON is what JSON writes with two spaces for objects whose keys are in order", () => {
  fc.assert(fc.property(json, (value) => {
    assertEquals(
      canonicalJson(value),
      `${JSON.stringify(sorted(value), null, 2)}\n`,
    );
  }));
});

Deno.test("strings are ordered by code unit, a total order", () => {
  fc.assert(fc.property(fc.array(fc.string()), (strings) => {
    const mine = [...strings].sort(compareCodeUnits);
    assertEquals(mine, [...strings].sort());
    for (let at = 1; at < mine.length; at++) {
      assert(compareCodeUnits(mine[at - 1]!, mine[at]!) <= 0);
    }
  }));
  // An astral character sorts by its first half, below U+FFFF.
  assert(compareCodeUnits("\u{1f600}", "\uffff") < 0);
});

Deno.test("integer-like keys come first and in the order of numbers", () => {
  const text = canonicalJson({ b: 1, "10": 1, a: 1, "9": 1, "01": 1 });
  assertEquals(
    text.match(/"[^"]+"/g),
    [`"9"`, `"10"`, `"01"`, `"a"`, `"b"`],
  );
});

Deno.test("what JSON leaves out is left out, and numbers are written as JSON writes them", () => {
  const value = {
    a: undefined,
    b: () => 1,
    c: Symbol(),
    d: -0,
    e: 1.0,
    f: NaN,
  };
  assertEquals(
    canonicalJson(value),
    `{\n  "d": 0,\n  "e": 1,\n  "f": null\n}\n`,
  );
  assertEquals(canonicalJson([undefined]), "[\n  null\n]\n");
  assertEquals(canonicalJson(JSON.parse(`{"__proto__": 1}`)), "{}\n");
  assertEquals(canonicalJson(new Date(0)), `"1970-01-01T00:00:00.000Z"\n`);
});

Deno.test("[trap 47] nesting is bounded by the length of a text, never by the call stack", () => {
  const nested = (levels: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level++) {
      value = level % 2 === 0 ? [value] : { k: value };
    }
    return value;
  };
  assertEquals(canonicalJson(nested(5_000)).split("\n").length, 10_002);
  // Two spaces a level make 20 GB of this one, which no text can hold; that is what the error says.
  const error = assertThrows(() => canonicalJson(nested(100_000)), RangeError);
  assertStringIncludes(error.message, "string length");
});

Deno.test("a cycle and a BigInt are refused; one object in two places is not a cycle", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = [cyclic];
  assertThrows(() => canonicalJson(cyclic), TypeError);
  assertThrows(() => canonicalJson({ n: 1n }), TypeError);
  const shared = { x: 1 };
  assertEquals(JSON.parse(canonicalJson([shared, shared])), [shared, shared]);
});

/** A value with the keys of its objects in their final order, by the plainest means. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value).filter((name) => name !== "__proto__").sort()
      .map((name) => [name, sorted((value as Record<string, unknown>)[name])]),
  );
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).reverse().map((
      [name, item],
    ) => [name, reversed(item)]),
  );
}
