import { assert, assertEquals, assertStringIncludes } from "../../assert.ts";
import { errorOf, render, textOf } from "./instructions_fixture.ts";

/** Renders with one parameter `v`; the message of the failure that this must be. */
function refusal(value: unknown, template = "{{ v }}"): string {
  const error = errorOf(render(template, { parameters: { v: value } }));
  assertEquals(error.code, "render-failure");
  return error.message;
}

class Account {
  name = "a";
  get secret(): string {
    return "s3cret";
  }
}

Deno.test("functions, getters, class instances and own toString are refused before the engine runs anything", () => {
  let ran = 0;
  const run = () => {
    ran++;
    return "s3cret";
  };
  const odd: unknown[] = [
    run,
    { f: run },
    { deep: [{ f: run }] },
    Object.defineProperty({}, "g", { get: run, enumerable: true }),
    Object.defineProperty([1], 0, { get: run }),
    { toString: run },
    { toString: "text" },
    Object.assign([1], { toString: run }),
    Object.assign([1], { join: run }),
    { toLiquid: run },
    { valueOf: run },
    { then: run },
    { [Symbol.iterator]: run, next: run },
    new Account(),
    new Date(0),
    new Map([["a", 1]]),
    new Uint8Array(2),
    Object.create({ secret: "s3cret" }),
    Symbol("s"),
    10n,
    NaN,
    Infinity,
  ];
  for (const value of odd) {
    const message = refusal(value);
    assertStringIncludes(message, "plain data");
    assert(!message.includes("s3cret"));
  }
  assertEquals(ran, 0);
});

Deno.test("numbers are rendered as they are, and the negative zero as JSON has it", () => {
  for (const [value, text] of [[0, "0"], [-0, "0"], [1, "1"], [-1.5, "-1.5"]]) {
    const parameters = { v: value };
    assertEquals(textOf(render("{{ v }}", { parameters })), text);
    assertEquals(textOf(render("{{ v | json }}", { parameters })), text);
  }
});

Deno.test("a refusal names where the value is", () => {
  assertStringIncludes(
    refusal({ list: [{ f: () => 1 }] }),
    "v.list.0.f is a function",
  );
});

Deno.test("a value that refers to itself, or that is nested without end, is refused and never hangs", () => {
  const loop: Record<string, unknown> = {};
  loop.again = [loop, loop];
  assertStringIncludes(refusal(loop), "refers to itself");
  let deep: unknown = 1;
  for (let level = 0; level < 20_000; level++) deep = [deep];
  assertStringIncludes(refusal(deep), "nested deeper");
  let wide: unknown = "x";
  for (let level = 0; level < 40; level++) wide = [wide, wide];
  assertStringIncludes(refusal(wide), "more than");
});

Deno.test("a proxy that throws fails the render, and nothing else", () => {
  const hostile = new Proxy({}, {
    ownKeys() {
      throw new Error("no keys for you");
    },
  });
  assertStringIncludes(refusal(hostile), "no keys for you");
});

Deno.test("[trap 22] a prototype's secret leaks through no filter", () => {
  const items = [
    Object.assign(Object.create({ secret: "s3cret" }), { name: "b" }),
    Object.assign(Object.create({ secret: "s3cret" }), { name: "a" }),
  ];
  const uses = [
    "{{ v | sort: 'secret' | json }}",
    "{{ v | where: 'secret', 's3cret' | size }}",
    "{{ v | map: 'secret' | join }}",
    "{{ v | group_by: 'secret' | json }}",
    "{{ v | sum: 'secret' }}",
    "{{ v | find: 'secret', 's3cret' | json }}",
    "{{ v | where_exp: 'i', 'i.secret == \"s3cret\"' | json }}",
    "{{ v[0].secret }}",
  ];
  for (const template of uses) {
    assert(!refusal(items, template).includes("s3cret"), template);
  }
  const plain = [{ name: "b" }, { name: "a" }];
  for (const name of ["constructor", "__proto__", "toString"]) {
    const text = textOf(render(
      `{{ v | map: '${name}' | json }}{{ v | sort: '${name}' | map: 'name' | join }}`,
      { parameters: { v: plain } },
    ));
    assertEquals(text, "[null,null]b a");
  }
});

Deno.test("names that objects inherit are data like any other", () => {
  const v = JSON.parse(
    '{"__proto__":{"polluted":"p"},"constructor":"c","hasOwnProperty":"h"}',
  );
  assertEquals(
    textOf(
      render(
        "{{ v.__proto__.polluted }}{{ v.constructor }}{{ v.hasOwnProperty }}",
        {
          parameters: { v },
        },
      ),
    ),
    "pch",
  );
  assertEquals(({} as Record<string, unknown>).polluted, undefined);
  assertEquals(
    textOf(render(
      "{% assign __proto__ = v %}{% increment constructor %}{% capture toString %}x{% endcapture %}{{ toString }}",
      { parameters: { v: 1 } },
    )),
    "0x",
  );
  assertEquals(String({}), "[object Object]");
});

Deno.test("objects without a prototype, undefined properties and gaps are data as JSON has it", () => {
  const v = Object.assign(Object.create(null), {
    a: [1, undefined, , 2],
    b: undefined,
  });
  assertEquals(
    textOf(render("{{ v | json }}", { parameters: { v } })),
    '{"a":[1,null,null,2]}',
  );
});
