/** Flows that can't be loaded, by the code that each of them gives, in the loader's order. */
import type { FlowErrorCode } from "../../../agents/flow/mod.ts";
import {
  bodyOf,
  chain,
  edge,
  fanout,
  foreachLoop,
  subgraph,
  tool,
  whileLoop,
} from "./flows.ts";

/** One tool `a`, with a predicate on its edge to `$end`. */
export const when = (predicate: unknown) => ({
  edges: [edge("$start", "a"), edge("a", "$end", { when: predicate })],
});
/** One tool `a`, with a policy on its edge from `$start`. */
const policy = (policy: unknown) => ({
  edges: [edge("$start", "a", { policy }), edge("a", "$end")],
});
/** A predicate that asks for one value. */
export const is = (value: unknown) => ({ op: "exists", value });
/** A JSON Schema that doesn't compile. */
export const brokenSchema = { type: "strange" };

/** One flow per way to break a rule: what is broken, the flow, and what the error has to hold. */
export const REFUSED: Readonly<
  Record<FlowErrorCode, readonly (readonly [string, unknown, object])[]>
> = {
  "schema-validation-failed": [
    ["no object", [], { issues: [{ path: "", message: "must be an object" }] }],
    ["an unknown key", chain([tool("a")], { owner: "me" }), {
      issues: [{ path: "", message: 'must not have the key "owner"' }],
    }],
    ["no version", { id: "x", nodes: [], edges: [] }, {
      issues: [{ path: "", message: 'must have the key "version"' }],
    }],
    ["an empty id", chain([tool("a")], { id: "" }), {
      issues: [{ path: "/id", message: "must not be empty" }],
    }],
    ["a version range", chain([tool("a")], { version: "^1.0.0" }), {
      issues: [{
        path: "/version",
        message: "must be an exact version such as 1.0.0",
      }],
    }],
    ["no parallelism", chain([tool("a")], { maxParallelism: 0 }), {
      issues: [{ path: "/maxParallelism", message: "must be >= 1" }],
    }],
    ["an unknown kind", chain([tool("a", { kind: "http" })]), {
      issues: [{
        path: "/nodes/0/kind",
        message: 'must be one of "tool", "agent", "loop", "fanout", "subgraph"',
      }],
    }],
    ["a key of another kind", chain([fanout("a", { ref: "x" })]), {
      issues: [{ path: "/nodes/0", message: 'must not have the key "ref"' }],
    }],
    ["an unknown policy key", chain([tool("a")], policy({ retries: 3 })), {
      issues: [{
        path: "/edges/0/policy",
        message: 'must not have the key "retries"',
      }],
    }],
    [
      "an operand that is both",
      chain([
        tool("a", { inputMapping: { x: { literal: 1, path: "state" } } }),
      ]),
      {
        issues: [{
          path: "/nodes/0/inputMapping/x",
          message: 'must have either the key "literal" or the key "path"',
        }],
      },
    ],
  ],
  "reserved-id": [
    ["$start", chain([tool("$start")]), { nodeId: "$start" }],
    ["$end", chain([tool("$end")]), { nodeId: "$end" }],
    [
      "$loop-start in a body",
      chain([whileLoop("l", { body: bodyOf("$loop-start") })]),
      { nodeId: "$loop-start" },
    ],
    ["$loop-end outside a loop", chain([tool("$loop-end")]), {
      nodeId: "$loop-end",
    }],
  ],
  "duplicate-node-id": [
    ["side by side", chain([tool("a"), tool("a")]), { nodeId: "a" }],
    [
      "in a body",
      chain([tool("a"), whileLoop("l", { body: bodyOf("a") })]),
      { nodeId: "a" },
    ],
    [
      "in two bodies",
      chain([
        whileLoop("l", { body: bodyOf("x") }),
        whileLoop("m", { body: bodyOf("x") }),
      ]),
      { nodeId: "x" },
    ],
  ],
  "duplicate-edge-id": [
    [
      "side by side",
      chain([tool("a")], {
        edges: [edge("$start", "a"), edge("$start", "a")],
      }),
      { edgeId: "$start>a" },
    ],
    [
      "in a body",
      chain([whileLoop("l")], {
        edges: [
          edge("$start", "l", { id: "$loop-start>l-step" }),
          edge("l", "$end"),
        ],
      }),
      { edgeId: "$loop-start>l-step" },
    ],
  ],
  "unknown-node-reference": [
    [
      "from",
      chain([tool("a")], {
        edges: [edge("$start", "a"), edge("ghost", "$end", { id: "e" })],
      }),
      { edgeId: "e", endpoint: "from", referencedId: "ghost" },
    ],
    [
      "to",
      chain([tool("a")], { edges: [edge("$start", "ghost", { id: "e" })] }),
      { edgeId: "e", endpoint: "to", referencedId: "ghost" },
    ],
    [
      "out of the end",
      chain([tool("a")], {
        edges: [edge("$start", "a"), edge("$end", "a", { id: "e" })],
      }),
      { edgeId: "e", endpoint: "from", referencedId: "$end" },
    ],
    [
      "into a body",
      chain([whileLoop("l")], {
        edges: [edge("$start", "l-step", { id: "e" })],
      }),
      { edgeId: "e", endpoint: "to", referencedId: "l-step" },
    ],
  ],
  "invalid-predicate": [
    ["an unknown operator", chain([tool("a")], when({ op: "matches" })), {
      edgeId: "a>$end",
      path: "",
    }],
    [
      "a missing side",
      chain([tool("a")], when({ op: "eq", left: { literal: 1 } })),
      { edgeId: "a>$end", path: "" },
    ],
    [
      "a part of another operator",
      chain(
        [tool("a")],
        when({ op: "exists", value: { literal: 1 }, set: { literal: [] } }),
      ),
      { path: "" },
    ],
    ["no children", chain([tool("a")], when({ op: "and", children: [] })), {
      path: "/children",
    }],
    [
      "an unknown root",
      chain(
        [tool("a")],
        when({
          op: "or",
          children: [
            is({ path: "state" }),
            { op: "not", child: is({ path: "outputs.a" }) },
          ],
        }),
      ),
      { path: "/children/1/child/value" },
    ],
    [
      "an unknown node",
      chain([tool("a")], when(is({ path: "nodeOutputs.ghost" }))),
      { path: "/value" },
    ],
    ["no node", chain([tool("a")], when(is({ path: "nodeOutputs" }))), {
      path: "/value",
    }],
    ["an empty step", chain([tool("a")], when(is({ path: "state..x" }))), {
      path: "/value",
    }],
    ["an iteration", chain([tool("a")], when(is({ path: "iterationIndex" }))), {
      path: "/value",
    }],
    [
      "the loop's own output",
      chain([
        whileLoop("l", { exitCondition: is({ path: "nodeOutputs.l.done" }) }),
      ]),
      { nodeId: "l", path: "/value" },
    ],
    [
      "a part of the iteration's number",
      chain([
        whileLoop("l", { exitCondition: is({ path: "iterationIndex.x" }) }),
      ]),
      { nodeId: "l", path: "/value" },
    ],
  ],
  "invalid-edge-policy": [
    [
      "no attempts",
      chain([tool("a")], policy({ retry: { maxAttempts: 0 } })),
      { edgeId: "$start>a", field: "retry.maxAttempts" },
    ],
    [
      "eleven attempts",
      chain([tool("a")], policy({ retry: { maxAttempts: 11 } })),
      { field: "retry.maxAttempts" },
    ],
    [
      "a negative delay",
      chain([tool("a")], policy({ retry: { maxAttempts: 2, delayMs: -1 } })),
      { field: "retry.delayMs" },
    ],
    [
      "a negative longest delay",
      chain([tool("a")], policy({ retry: { maxAttempts: 2, maxDelayMs: -1 } })),
      { field: "retry.maxDelayMs" },
    ],
    [
      "an endless backoff",
      chain(
        [tool("a")],
        policy({ retry: { maxAttempts: 2, backoff: "exponential" } }),
      ),
      { field: "retry.maxDelayMs" },
    ],
    ["no time", chain([tool("a")], policy({ timeoutMs: 0 })), {
      field: "timeoutMs",
    }],
    ["over an hour", chain([tool("a")], policy({ timeoutMs: 3_600_001 })), {
      field: "timeoutMs",
    }],
    ["an empty key", chain([tool("a")], policy({ concurrencyKey: "" })), {
      field: "concurrencyKey",
    }],
    [
      "a long key",
      chain([tool("a")], policy({ concurrencyKey: "k".repeat(257) })),
      { field: "concurrencyKey" },
    ],
    [
      "a key with an umlaut",
      chain([tool("a")], policy({ concurrencyKey: "ü" })),
      {
        field: "concurrencyKey",
      },
    ],
    ["half a priority", chain([tool("a")], policy({ priority: 0.5 })), {
      field: "priority",
    }],
    ["a priority over 100", chain([tool("a")], policy({ priority: 101 })), {
      field: "priority",
    }],
    [
      "an edge of a body",
      chain([
        whileLoop("l", {
          body: bodyOf("x", {
            edges: [
              edge("$loop-start", "x", { policy: { priority: 1 } }),
            ],
          }),
        }),
      ]),
      { edgeId: "$loop-start>x", field: "policy" },
    ],
  ],
  "loop-max-iterations": [
    ["none", chain([whileLoop("l", { maxIterations: undefined })]), {
      nodeId: "l",
    }],
    ["zero", chain([whileLoop("l", { maxIterations: 0 })]), { nodeId: "l" }],
    ["a fraction", chain([whileLoop("l", { maxIterations: 1.5 })]), {
      nodeId: "l",
    }],
    ["too many", chain([whileLoop("l", { maxIterations: 10_001 })]), {
      nodeId: "l",
    }],
  ],
  "loop-variant-mismatch": [
    [
      "a while loop without a condition",
      chain([whileLoop("l", { exitCondition: undefined })]),
      { nodeId: "l", field: "exitCondition" },
    ],
    [
      "a while loop over an array",
      chain([whileLoop("l", { iterateOver: { literal: [] } })]),
      { nodeId: "l", field: "iterateOver" },
    ],
    ["a while loop at once", chain([whileLoop("l", { concurrency: 1 })]), {
      nodeId: "l",
      field: "concurrency",
    }],
    [
      "a foreach loop over nothing",
      chain([foreachLoop("l", { iterateOver: undefined })]),
      { nodeId: "l", field: "iterateOver" },
    ],
    [
      "a foreach loop with a condition",
      chain([foreachLoop("l", { exitCondition: is({ literal: 1 }) })]),
      { nodeId: "l", field: "exitCondition" },
    ],
    [
      "a foreach loop with a timing",
      chain([foreachLoop("l", { evaluationTiming: "after" })]),
      { nodeId: "l", field: "evaluationTiming" },
    ],
  ],
  "loop-output-schema": [
    ["none", chain([whileLoop("l", { outputSchema: undefined })]), {
      nodeId: "l",
    }],
    ["a broken one", chain([whileLoop("l", { outputSchema: brokenSchema })]), {
      nodeId: "l",
    }],
  ],
  "loop-concurrency": [
    ["none", chain([foreachLoop("l", { concurrency: 0 })]), { nodeId: "l" }],
    [
      "more than iterations",
      chain([foreachLoop("l", { maxIterations: 3, concurrency: 4 })]),
      { nodeId: "l" },
    ],
    [
      "more than 32",
      chain([foreachLoop("l", { maxIterations: 100, concurrency: 33 })]),
      { nodeId: "l" },
    ],
  ],
  "invalid-fanout-node": [
    ["no branches", chain([fanout("f", { branches: [] })]), { nodeId: "f" }],
    [
      "two of one id",
      chain([
        fanout("f", {
          branches: [
            { branchId: "b", handler: "x", outputSchema: {} },
            { branchId: "b", handler: "y", outputSchema: {} },
          ],
        }),
      ]),
      { nodeId: "f", branchId: "b" },
    ],
    ["more at once than branches", chain([fanout("f", { concurrency: 3 })]), {
      nodeId: "f",
    }],
    [
      "a broken schema",
      chain([
        fanout("f", {
          branches: [
            { branchId: "b", handler: "x", outputSchema: brokenSchema },
          ],
        }),
      ]),
      { nodeId: "f", branchId: "b" },
    ],
  ],
  "invalid-subflow-node": [
    [
      "a version range",
      chain([subgraph("s", { flowRef: { flowId: "x", version: "^1.0.0" } })]),
      { nodeId: "s" },
    ],
    [
      "a broken schema",
      chain([subgraph("s", { outputSchema: brokenSchema })]),
      {
        nodeId: "s",
      },
    ],
  ],
  "invalid-mapping": [
    [
      "an unknown node",
      chain([
        tool("a", { inputMapping: { x: { path: "nodeOutputs.ghost.y" } } }),
      ]),
      { nodeId: "a", key: "x" },
    ],
    [
      "its own output",
      chain([tool("a", { inputMapping: { x: { path: "nodeOutputs.a" } } })]),
      { nodeId: "a", key: "x" },
    ],
    [
      "an iteration",
      chain([tool("a", { inputMapping: { x: { path: "iterationOutput" } } })]),
      { nodeId: "a", key: "x" },
    ],
    [
      "a node of a body from outside",
      chain([
        whileLoop("l"),
        subgraph("s", {
          inputMapping: { x: { path: "nodeOutputs.l-step" } },
        }),
      ]),
      { nodeId: "s", key: "x" },
    ],
    [
      "the loop around it",
      chain([
        whileLoop("l", {
          body: bodyOf("x", {
            nodes: [
              tool("x", { inputMapping: { y: { path: "nodeOutputs.l" } } }),
            ],
          }),
        }),
      ]),
      { nodeId: "x", key: "y" },
    ],
    [
      "an array that isn't there",
      chain([
        foreachLoop("l", { iterateOver: { path: "nodeOutputs.l-step.items" } }),
      ]),
      { nodeId: "l", key: "iterateOver" },
    ],
  ],
  "invalid-flow-output": [
    [
      "an unknown node",
      chain([tool("a")], {
        output: { mapping: { x: { path: "nodeOutputs.ghost" } } },
      }),
      { key: "x" },
    ],
    [
      "an iteration",
      chain([tool("a")], {
        output: { mapping: { x: { path: "iterationIndex" } } },
      }),
      { key: "x" },
    ],
    [
      "a broken schema",
      chain([tool("a")], { output: { mapping: {}, schema: brokenSchema } }),
      {},
    ],
  ],
  "missing-start-edge": [
    ["no edges", chain([tool("a")], { edges: [] }), {}],
    ["an end only", chain([tool("a")], { edges: [edge("a", "$end")] }), {}],
  ],
  "cycle": [
    [
      "a node to itself",
      chain([tool("a")], { edges: [edge("$start", "a"), edge("a", "a")] }),
      { nodeIds: ["a", "a"] },
    ],
    [
      "three nodes behind a way in",
      chain([tool("in"), tool("c"), tool("a"), tool("b")], {
        edges: [
          edge("$start", "in"),
          edge("in", "b"),
          edge("b", "c"),
          edge("c", "a"),
          edge("a", "b"),
          edge("c", "$end"),
        ],
      }),
      { nodeIds: ["a", "b", "c", "a"] },
    ],
  ],
  "loop-body-missing-start": [
    [
      "an empty body",
      chain([whileLoop("l", { body: { nodes: [], edges: [] } })]),
      { nodeId: "l" },
    ],
    [
      "an inner body",
      chain([
        whileLoop("l", {
          body: {
            nodes: [
              whileLoop("m", {
                body: bodyOf("x", { edges: [edge("x", "$loop-end")] }),
              }),
            ],
            edges: [edge("$loop-start", "m"), edge("m", "$loop-end")],
          },
        }),
      ]),
      { nodeId: "m" },
    ],
  ],
  "loop-body-edge-reference": [
    [
      "a node outside",
      chain([
        tool("a"),
        whileLoop("l", {
          body: bodyOf("x", {
            edges: [edge("$loop-start", "x"), edge("x", "a", { id: "e" })],
          }),
        }),
      ]),
      { nodeId: "l", edgeId: "e", endpoint: "to", referencedId: "a" },
    ],
    [
      "the flow's end",
      chain([
        whileLoop("l", {
          body: bodyOf("x", {
            edges: [edge("$loop-start", "x"), edge("x", "$end", { id: "e" })],
          }),
        }),
      ]),
      { nodeId: "l", edgeId: "e", endpoint: "to", referencedId: "$end" },
    ],
  ],
  "loop-body-cycle": [
    [
      "a node to itself",
      chain([
        whileLoop("l", {
          body: bodyOf("x", {
            edges: [edge("$loop-start", "x"), edge("x", "x")],
          }),
        }),
      ]),
      { nodeId: "l", nodeIds: ["x", "x"] },
    ],
  ],
};
