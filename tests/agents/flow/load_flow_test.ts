import { loadFlow } from "../../../agents/flow/mod.ts";
import type { FlowErrorCode, LeafNode } from "../../../agents/flow/mod.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  assertObjectMatch,
  assertStringIncludes,
  errValue,
  okValue,
} from "../../assert.ts";
import {
  chain,
  edge,
  fanout,
  foreachLoop,
  subgraph,
  tool,
  whileLoop,
} from "./flows.ts";
import { brokenSchema, is, REFUSED, when } from "./refused_flows.ts";

for (const [code, flows] of Object.entries(REFUSED)) {
  Deno.test(`loadFlow answers ${code} for exactly what its name says`, async (t) => {
    for (const [name, flow, fields] of flows) {
      await t.step(name, () => {
        const error = errValue(loadFlow(flow));
        assertObjectMatch(error, { code, ...fields });
        assertMatch(error.message, /^Cannot load (a )?flow/);
      });
    }
  });
}

Deno.test("the rule that comes first wins when several are broken", () => {
  const nest = (body: object) => whileLoop("broken", { body });
  const flow = (change: object = {}, loop: object = {}) =>
    chain([
      tool("a", { inputMapping: { x: { path: "nodeOutputs.ghost" } } }),
      tool("b"),
      whileLoop("l", {
        maxIterations: 0,
        concurrency: 1,
        outputSchema: brokenSchema,
        ...loop,
      }),
      foreachLoop("m", { concurrency: 0 }),
      fanout("f", { branches: [] }),
      subgraph("s", { flowRef: { flowId: "x", version: "1" } }),
    ], {
      edges: [
        edge("a", "ghost", { id: "twice" }),
        edge("b", "b", { id: "twice" }),
        edge("b", "a", { when: { op: "?" }, policy: { priority: 1_000 } }),
      ],
      output: { mapping: { x: { path: "nodeOutputs.ghost" } } },
      ...change,
    });

  // Each step mends what the error before it was about, and nothing else.
  const broken: Record<string, unknown> & {
    nodes: unknown[];
    edges: unknown[];
  } = {
    ...structuredClone(flow()),
    extra: 1,
  } as never;
  const node = (index: number) =>
    broken.nodes[index] as Record<string, unknown>;
  const edges = broken.edges as Record<string, unknown>[];
  node(1).id = "$end";
  broken.nodes.push(
    tool("a"),
    nest({
      nodes: [tool("x")],
      edges: [edge("x", "x"), edge("x", "nowhere")],
    }),
  );
  const inner = () => node(7).body as { edges: unknown[] };

  const mend: readonly (readonly [FlowErrorCode, () => void])[] = [
    ["schema-validation-failed", () => delete broken.extra],
    ["reserved-id", () => node(1).id = "b"],
    ["duplicate-node-id", () => node(6).id = "c"],
    ["duplicate-edge-id", () => edges[1]!.id = "b>b"],
    ["unknown-node-reference", () => edges[0]!.to = "b"],
    ["invalid-predicate", () => delete edges[2]!.when],
    ["invalid-edge-policy", () => delete edges[2]!.policy],
    ["loop-max-iterations", () => node(2).maxIterations = 1],
    ["loop-variant-mismatch", () => delete node(2).concurrency],
    ["loop-output-schema", () => node(2).outputSchema = {}],
    ["loop-concurrency", () => delete node(3).concurrency],
    ["invalid-fanout-node", () => Object.assign(node(4), fanout("f"))],
    ["invalid-subflow-node", () => Object.assign(node(5), subgraph("s"))],
    ["invalid-mapping", () => delete node(0).inputMapping],
    ["invalid-flow-output", () => delete broken.output],
    ["missing-start-edge", () => edges.push({ ...edge("$start", "a") })],
    ["cycle", () => edges.splice(1, 2)],
    [
      "loop-body-missing-start",
      () => inner().edges.push(edge("$loop-start", "x")),
    ],
    ["loop-body-edge-reference", () => inner().edges.splice(1, 1)],
    ["loop-body-cycle", () => inner().edges.splice(0, 1)],
  ];
  assertEquals(mend.map(([code]) => code), Object.keys(REFUSED));
  for (const [code, repair] of mend) {
    assertEquals(errValue(loadFlow(broken)).code, code);
    repair();
  }
  okValue(loadFlow(broken));
});

Deno.test("a flow with every kind of node, edge and setting loads as it is, without $schema", () => {
  const flow = chain([
    tool("a", { config: { deep: [{ x: null }] } }),
    { id: "b", kind: "agent", ref: "acme.helper" },
    whileLoop("w", {
      evaluationTiming: "before",
      collectAllIterations: true,
      body: {
        nodes: [
          foreachLoop("inner", { concurrency: 3 }),
          tool("after-inner", {
            inputMapping: {
              first: { path: "nodeOutputs.a.x" },
              all: { path: "nodeOutputs.inner.outputs" },
            },
          }),
        ],
        edges: [
          edge("$loop-start", "inner"),
          edge("inner", "after-inner", {
            when: {
              op: "eq",
              left: { path: "nodeOutputs.inner.stopReason" },
              right: { literal: "array-exhausted" },
            },
          }),
          edge("after-inner", "$loop-end"),
        ],
      },
      exitCondition: {
        op: "or",
        children: [
          {
            op: "gte",
            left: { path: "iterationIndex" },
            right: { literal: 2 },
          },
          {
            op: "not",
            child: {
              op: "falsy",
              value: { path: "nodeOutputs.after-inner.more" },
            },
          },
          { op: "in", value: { path: "state.mode" }, set: { literal: ["a"] } },
        ],
      },
    }),
    fanout("f", { concurrency: 2, convergence: "settle-all" }),
    subgraph("s", { convergence: "settle-all" }),
  ], {
    name: "Everything",
    description: "One of each.",
    maxParallelism: 4,
    metadata: { owner: "acme" },
    output: {
      mapping: { sum: { path: "nodeOutputs.s.sum" }, of: { literal: null } },
      schema: { type: "object" },
    },
  });
  const first = flow.edges[0]!;
  const withPolicy = {
    ...flow,
    edges: [{
      ...first,
      policy: {
        retry: {
          maxAttempts: 10,
          delayMs: 0,
          backoff: "exponential",
          maxDelayMs: 1_000,
        },
        timeoutMs: 3_600_000,
        concurrencyKey: "orders for {acme}",
        priority: -100,
      },
    }, ...flow.edges.slice(1)],
  };
  const loaded = okValue(
    loadFlow({ $schema: "https://example.com/flow.json", ...withPolicy }),
  );
  assertEquals<unknown>(loaded, withPolicy);
});

Deno.test("a policy on one of several incoming edges loads: it just doesn't count", () => {
  okValue(loadFlow(chain([tool("a"), tool("b")], {
    edges: [
      edge("$start", "a"),
      edge("$start", "b", { policy: { priority: 5 } }),
      edge("a", "b"),
      edge("b", "$end", { policy: { timeoutMs: 5 } }),
    ],
  })));
});

Deno.test("a loaded flow is a copy: changing the original later doesn't reach it", () => {
  const config = { limit: 1 };
  const original = chain([tool("a", { config })]);
  const loaded = okValue(loadFlow(original));
  config.limit = 2;
  assertObjectMatch(loaded, { nodes: [{ config: { limit: 1 } }] });
});

Deno.test("keys that are undefined count as left out", () => {
  const loaded = okValue(
    loadFlow(chain([tool("a", { config: undefined })], { name: undefined })),
  );
  assert(!("name" in loaded) && !("config" in loaded.nodes[0]!));
});

Deno.test("a key named __proto__ is data and pollutes nothing", () => {
  const flow = JSON.parse(
    JSON.stringify(chain([tool("a", { config: { X: { polluted: true } } })]))
      .replace('"X"', '"__proto__"'),
  );
  const loaded = okValue(loadFlow(flow));
  const { config } = loaded.nodes[0] as LeafNode & { config: object };
  assertEquals(Object.keys(config), ["__proto__"]);
  assertEquals(Object.getPrototypeOf(config), Object.prototype);
  assertEquals(({} as { polluted?: boolean }).polluted, undefined);

  const extra = JSON.parse('{"id":"x","version":"1.0.0","__proto__":{}}');
  assertEquals(errValue(loadFlow(extra)).code, "schema-validation-failed");
});

Deno.test("what isn't plain JSON is refused at its place, and nothing makes loadFlow throw", async (t) => {
  const cyclic: Record<string, unknown> = { ...chain([tool("a")]) };
  cyclic.metadata = { self: cyclic };
  let deep: unknown = {};
  for (let i = 0; i < 100_000; i++) deep = { op: "not", child: deep };
  let shared: unknown = "x";
  for (let i = 0; i < 40; i++) shared = [shared, shared];
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const unspeakable = new Proxy({}, {
    getPrototypeOf: () => {
      throw {
        toString: () => {
          throw 1;
        },
      };
    },
  });

  const inMetadata: readonly (readonly [string, unknown, string, RegExp])[] = [
    ["a function", { f() {} }, "/metadata/f", /function/],
    ["a symbol", { s: Symbol("s") }, "/metadata/s", /symbol/],
    ["a BigInt", { n: 1n }, "/metadata/n", /bigint/],
    ["NaN", { n: NaN }, "/metadata/n", /NaN/],
    ["Infinity", { n: -Infinity }, "/metadata/n", /Infinity/],
    ["undefined in a list", { l: [undefined] }, "/metadata/l/0", /undefined/],
    ["a hole", { l: [1, , 3] }, "/metadata/l/1", /undefined/],
    ["a Date", { d: new Date(0) }, "/metadata/d", /class/],
    ["a Map", { "a/b~": new Map() }, "/metadata/a~1b~0", /class/],
    [
      "a throwing getter",
      {
        get x() {
          throw new Error("gone");
        },
      },
      "/metadata/x",
      /gone/,
    ],
    ["a revoked proxy", { x: revoked.proxy }, "/metadata/x", /./],
    [
      "a proxy that throws the unspeakable",
      { x: unspeakable },
      "/metadata/x",
      /threw/,
    ],
    ["a shared object many times over", { shared }, "", /1000000 values/],
  ];
  for (const [name, metadata, path, message] of inMetadata) {
    await t.step(name, () => {
      const error = errValue(loadFlow(chain([tool("a")], { metadata })));
      assert(error.code === "schema-validation-failed");
      assertEquals(error.issues[0]?.path, path);
      assertMatch(error.issues[0]!.message, message);
    });
  }
  await t.step("a cycle", () => {
    assertObjectMatch(errValue(loadFlow(cyclic)), {
      code: "schema-validation-failed",
      issues: [{ path: "/metadata/self", message: "must not contain itself" }],
    });
  });
  await t.step("a predicate without end", () => {
    const error = errValue(loadFlow(chain([tool("a")], when(deep))));
    assertEquals(error.code, "schema-validation-failed");
    assertStringIncludes(error.message, "levels deep");
  });
  await t.step("a flow whose id throws when read", () => {
    const error = errValue(loadFlow({
      get id() {
        throw new Error("no id today");
      },
    }));
    assertStringIncludes(error.message, "no id today");
  });
  await t.step("a Zod schema, with what to do", () => {
    const zod = { _zod: {}, "~standard": {}, parse() {} };
    Object.setPrototypeOf(zod, class Schema {}.prototype);
    assertStringIncludes(
      errValue(loadFlow(chain([whileLoop("l", { outputSchema: zod })])))
        .message,
      "z.toJSONSchema",
    );
  });
});

Deno.test("the deepest flow that is read loads, and long chains don't exhaust the stack", () => {
  let child: unknown = is({ literal: true });
  for (let i = 0; i < 200; i++) child = { op: "not", child };
  okValue(loadFlow(chain([tool("a")], when(child))));

  const nodes = Array.from({ length: 20_000 }, (_, index) =>
    tool(`n${index}`, {
      inputMapping: {
        first: { path: "nodeOutputs.n0" },
        n: { literal: index },
      },
    })).with(0, tool("n0"));
  const long = chain(nodes);
  okValue(loadFlow(long));
  const ring = { ...long, edges: [...long.edges, edge("n19999", "n0")] };
  const error = errValue(loadFlow(ring));
  assert(error.code === "cycle");
  assertEquals(error.nodeIds.length, 20_001);
  assert(error.message.length < 1_000);
});

Deno.test("a message names the flow, the place, and what to do", () => {
  const message = (flow: unknown) => errValue(loadFlow(flow)).message;
  assertEquals(
    message(chain([tool("a")], { edges: [edge("$start", "ghost")] })),
    'Cannot load flow "acme.flow" 1.0.0: edge "$start>ghost" has "ghost" as its "to", ' +
      "which is neither a node of the flow nor $end; add the node or correct the edge",
  );
  assertEquals(
    message(chain([
      tool("a", { inputMapping: { x: { path: "nodeOutputs.a.b.y" } } }),
      tool("a.b"),
    ])),
    'Cannot load flow "acme.flow" 1.0.0: "x" in the inputMapping of node "a" reads ' +
      '"nodeOutputs.a.b.y", but node "a" has no output before it ends',
  );
  assertStringIncludes(
    message(chain([
      tool("one", { inputMapping: { x: { path: "nodeOutputs.a.b.y" } } }),
      tool("a.b"),
    ])),
    'the id "a.b" holds a dot, so no path can name it',
  );
});
