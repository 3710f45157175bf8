import fc from "fast-check";
import { defineAgent, type DefineAgentSpec } from "../../../agents/mod.ts";
import { assert, assertEquals, errValue } from "../../assert.ts";
import { agentWith, basicSpec, define, pathsOf } from "../examples.ts";

/** An object whose property can't be read. */
function throwing(key: string): object {
  return Object.defineProperty({}, key, {
    enumerable: true,
    get: () => {
      throw new Error("no reading today");
    },
  });
}

/** A proxy that can't be used for anything. */
function revoked(target: object = {}): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

for (
  const [fields, path] of [
    [{ settings: [null] }, "/settings/0"],
    [{ modelSettings: null }, "/modelSettings"],
    [{ retrieval: [null] }, "/retrieval/0"],
    [{ parameters: "x" }, "/parameters"],
    [{ parameters: [null] }, "/parameters/0"],
    [{ conversationPolicy: null }, "/conversationPolicy"],
    [{ conversationPolicy: { hitl: null } }, "/conversationPolicy/hitl"],
    [{ output: null }, "/output"],
    [{ budget: null }, "/budget"],
    [{ memory: [] }, "/memory"],
    [{ memory: { remember: 1 } }, "/memory/remember"],
    [{ tools: [null] }, "/tools/0"],
    [{ settings: {} }, "/settings"],
    [{ capabilities: ["tool-use"] }, "/capabilities/0"],
    [
      { conversationPolicy: { hitl: { tools: { overrides: { x: null } } } } },
      "/conversationPolicy/hitl/tools/overrides/x",
    ],
  ] as const
) {
  Deno.test(`${JSON.stringify(fields)} is an issue at ${path}, not a throw`, () => {
    assertEquals(pathsOf(fields), [path]);
  });
}

for (
  const spec of [
    undefined,
    null,
    5,
    "agent",
    [],
    () => {},
    Symbol("x"),
    5n,
    revoked(),
  ]
) {
  Deno.test(`a specification of type ${typeof spec} that is no object has one issue at the root`, () => {
    const error = errValue(defineAgent(spec as unknown as DefineAgentSpec));
    assertEquals(error.code, "invalid-agent");
    assertEquals(error.issues.map(({ path }) => path), [""]);
  });
}

const cyclic: Record<string, unknown> = { needs: [] };
cyclic.self = cyclic;

for (
  const [what, fields, paths] of [
    ["a function", { description: () => "x" }, ["/description"]],
    ["a BigInt", { id: 5n }, ["/id"]],
    ["a symbol", { name: Symbol("x") }, ["/name"]],
    ["a Date", { tags: [new Date(0)] }, ["/tags/0"]],
    ["a Map", { memory: new Map() }, ["/memory"]],
    ["a cycle", { capabilities: [cyclic] }, ["/capabilities/0/self"]],
    ["a hole", { guardrails: ["a", , "b"] }, ["/guardrails/1"]],
    [
      "a function in a tool's override",
      {
        conversationPolicy: {
          hitl: { tools: { overrides: { "a/b": () => 1 } } },
        },
      },
      ["/conversationPolicy/hitl/tools/overrides/a/b"],
    ],
    ["a getter that throws", { budget: throwing("maxSteps") }, [
      "/budget/maxSteps",
    ]],
    ["a revoked proxy", { retrieval: revoked([]) }, ["/retrieval"]],
    ["an output that can't be read", { output: throwing("schema") }, [
      "/output/schema",
    ]],
    ["a key with a slash", { capabilities: [{ needs: [], "a/b": 1n }] }, [
      "/capabilities/0/a~1b",
    ]],
  ] as const
) {
  Deno.test(`${what} is reported once, at its place`, () => {
    assertEquals(pathsOf(fields), [...paths]);
  });
}

Deno.test("a field whose getter throws is an issue that says why", () => {
  const given = new Proxy(basicSpec(), {
    get(target, key) {
      if (key === "tools") throw new Error("no reading today");
      return Reflect.get(target, key);
    },
  });
  const [issue] = errValue(defineAgent(given)).issues;
  assertEquals(issue?.path, "/tools");
  assert(issue?.message.includes("no reading today"));
});

Deno.test("an endless object and one nested without end are refused in bounded time", () => {
  const endless = (): object =>
    new Proxy({}, {
      ownKeys: () => ["a", "b"],
      getOwnPropertyDescriptor: () => ({
        configurable: true,
        enumerable: true,
        value: 1,
      }),
      get: endless,
    });
  assertEquals(pathsOf({ capabilities: [endless()] }), ["/capabilities"]);
  assertEquals(pathsOf({ tags: new Array(1_000_000) }), ["/tags"]);
});

Deno.test("an agent shared by many references is copied, not refused", () => {
  const shared = { feature: "tool-use" };
  const agent = agentWith({ capabilities: [{ needs: [shared, shared] }] });
  assertEquals<unknown>(agent.capabilities[0]?.needs, [shared, shared]);
});

Deno.test("a key named __proto__ is data and gives nobody a prototype", () => {
  const overrides = JSON.parse('{"__proto__": "never_ask"}');
  const agent = agentWith({
    conversationPolicy: { hitl: { tools: { overrides } } },
  });
  const stored = agent.conversationPolicy?.hitl?.tools?.overrides ?? {};
  assertEquals(Object.keys(stored), ["__proto__"]);
  assertEquals(Object.getPrototypeOf(stored), Object.prototype);
});

/** Values that code trips over, fast-check's included: so properties get their names and {@link placed} puts them in. */
const ODD: Readonly<Record<string, () => unknown>> = {
  "odd:symbol": () => Symbol("x"),
  "odd:function": () => () => {
    throw new Error("called");
  },
  "odd:cycle": () => cyclic,
  "odd:getter": () => throwing("id"),
  "odd:no keys": () =>
    new Proxy({}, {
      ownKeys: () => {
        throw new Error("no keys");
      },
    }),
  "odd:unprintable": () =>
    new Proxy([], {
      get: () => {
        throw { toString: () => 5n, valueOf: null };
      },
    }),
  "odd:toJSON": () => ({ toJSON: () => 5 }),
  "odd:no text": () => ({ toString: null, valueOf: null }),
  "odd:zod": () => ({ _zod: {}, "~standard": null }),
  "odd:zod getter": () => ({
    _zod: throwing("x"),
    "~standard": throwing("jsonSchema"),
  }),
  "odd:zod cycle": () => ({
    _zod: {},
    "~standard": {},
    toJSONSchema: () => cyclic,
  }),
  "odd:revoked": () => revoked(),
  "odd:revoked list": () => revoked([]),
};

/** A generated value with the odd ones in their places. */
function placed(value: unknown): unknown {
  if (typeof value === "string") return ODD[value]?.() ?? value;
  if (Array.isArray(value)) return value.map(placed);
  const plain = typeof value === "object" && value !== null &&
    Object.getPrototypeOf(value) === Object.prototype;
  if (!plain) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, placed(item)]),
  );
}

const odd = fc.oneof(
  fc.constantFrom(...Object.keys(ODD)),
  fc.constantFrom<unknown>(NaN, -0, ""),
  fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withObjectString: true,
    withSparseArray: true,
    withTypedArray: true,
    withBoxedValues: true,
  }),
);

const FIELDS = [
  ...Object.keys(basicSpec()),
  "description",
  "parameters",
  "memory",
  "settings",
  "modelSettings",
  "output",
  "toolErrors",
  "conversationPolicy",
  "budget",
  "tags",
];

/** Sane fields, some of which are replaced or deepened by odd values. */
const oddFields = fc.dictionary(
  fc.constantFrom(...FIELDS),
  fc.oneof(
    odd,
    fc.array(odd, { maxLength: 3 }),
    fc.record({ id: odd, version: odd, name: odd, type: odd, prompt: odd }, {
      requiredKeys: [],
    }),
    fc.record(
      { hitl: fc.record({ tools: odd, onTimeout: odd }), schema: odd },
      {
        requiredKeys: [],
      },
    ),
  ),
  { maxKeys: 5 },
);

Deno.test("defineAgent never throws, and what it accepts is JSON through and through", () => {
  fc.assert(
    fc.property(oddFields, (fields) => {
      const defined = define(placed(fields) as Record<string, unknown>);
      if (defined.kind === "err") {
        assertEquals(defined.error.code, "invalid-agent");
        assert(defined.error.issues.length > 0);
        JSON.stringify(defined.error);
      } else {
        assertEquals(JSON.parse(JSON.stringify(defined.value)), defined.value);
      }
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("defineAgent never throws, whatever is given for the whole", () => {
  fc.assert(
    fc.property(odd, (given) => {
      const defined = defineAgent(placed(given) as DefineAgentSpec);
      assertEquals(defined.kind, "err");
    }),
    { numRuns: 500 },
  );
});

Deno.test("defining what was defined changes nothing", () => {
  const agent = agentWith({
    tools: [{ id: "acme.x", version: "^1" }],
    budget: { maxSteps: 3 },
  });
  const again = defineAgent(agent as unknown as DefineAgentSpec);
  assertEquals(again, { kind: "ok", value: agent });
});
