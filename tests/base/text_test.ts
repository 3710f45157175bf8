/** Text, JSON and ids that other rooms build on. */
import fc from "fast-check";
import {
  boundedEcho,
  cutTo,
  MAX_ECHO_BYTES,
  utf8Length,
} from "../../base/bounded_echo.ts";
import { mendedJson, mendedText } from "../../base/mended_text.ts";
import { nameUuid } from "../../base/name_uuid.ts";
import { oneLine } from "../../base/one_line.ts";
import { sortedJson } from "../../base/sorted_json.ts";
import { assert, assertEquals, assertMatch, assertThrows } from "../assert.ts";

Deno.test("text is mended: U+0000 and lone surrogates become U+FFFD, everything else stays", () => {
  assertEquals(mendedText("a\0b\ud800c\udc00"), "a\uFFFDb\uFFFDc\uFFFD");
  assertEquals(mendedText("plain 😀 \\u0000"), "plain 😀 \\u0000");
  const given = { "k\0": ["\ud83d", { deep: "\0" }], n: 1, gone: undefined };
  const { value, text } = mendedJson(given);
  assertEquals<unknown>(value, {
    "k\uFFFD": ["\uFFFD", { deep: "\uFFFD" }],
    n: 1,
  });
  assertEquals(text, JSON.stringify(value));
  assertEquals(mendedJson(undefined).value, null);
  assertThrows(() => mendedJson({ big: 1n }), TypeError);
});

Deno.test("mended JSON holds no text that needs mending, and mending it again changes nothing", () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: "binary" }), (json) => {
      const { value, text } = mendedJson(JSON.parse(json));
      assert(text.isWellFormed() && !text.includes("\\u0000"));
      assertEquals(mendedJson(value).text, text);
    }),
  );
});

Deno.test("sorted JSON is the same whatever order keys were written in, and reads back as the value", () => {
  assertEquals(
    sortedJson({ b: 1, a: { d: true, c: [1, "two", null] }, 10: 0, 9: 0 }),
    '{"10":0,"9":0,"a":{"c":[1,"two",null],"d":true},"b":1}',
  );
  assertEquals(sortedJson(JSON.parse('{"__proto__":1}')), '{"__proto__":1}');
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      assertEquals(sortedJson(reversed), sortedJson(value));
      assertEquals(
        JSON.parse(sortedJson(value)),
        JSON.parse(JSON.stringify(value)),
      );
    }),
  );
});

Deno.test("a name's UUID is version 5 of RFC 9562", () => {
  const dns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
  assertEquals(
    nameUuid(dns, "www.example.com"),
    "2ed6657d-e927-568b-95e1-2665a8aea6a2",
  );
  assertMatch(
    nameUuid(dns, "ü"),
    /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab]/,
  );
});

Deno.test("an echo has at most 4 096 bytes, whatever is echoed", () => {
  assertEquals(boundedEcho({ q: "x" }), { q: "x" });
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  for (const odd of [cycle, 1n, undefined, () => 1]) {
    assertEquals(boundedEcho(odd), "[not JSON]");
  }
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 9_000 }), (text) => {
      const echo = boundedEcho({ text });
      const shown = typeof echo === "string" ? echo : JSON.stringify(echo);
      assert(utf8Length(shown) <= MAX_ECHO_BYTES);
      assert(shown.isWellFormed());
    }),
  );
});

Deno.test("a cut text splits no character and keeps within its bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(40), (text, max) => {
      const cut = cutTo(text, max + 3, "…");
      assert(utf8Length(cut) <= max + 3);
      assert(cut.isWellFormed() && text.startsWith(cut.slice(0, -1)));
    }),
  );
});

Deno.test("a foreign text is one line of bounded length", () => {
  assertEquals(oneLine("a\n\n  b\t", 20), "a b");
  assertEquals(oneLine("x".repeat(10), 5), "xxxx…");
  assertEquals(oneLine("x".repeat(5), 5), "xxxxx");
  assertEquals(oneLine(" ".repeat(100) + "late", 10).length <= 10, true);
});
