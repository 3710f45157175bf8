import fc from "fast-check";
import {
  evaluatePredicate,
  type Flow,
  type FlowEdge,
  type FlowNode,
  loadFlow,
} from "../../../agents/flow/mod.ts";
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import { edge, foreachLoop, tool } from "./flows.ts";
import { randomDag } from "./random_dag.ts";
import { REFUSED } from "./refused_flows.ts";

Deno.test("any graph whose edges only go forward loads as it is", () => {
  fc.assert(fc.property(randomDag, (flow) => {
    assertEquals<unknown>(okValue(loadFlow(flow)), flow);
  }));
});

Deno.test("an edge that leads back gives cycle, naming edges that are there", () => {
  fc.assert(fc.property(randomDag, fc.nat(), (flow, pick) => {
    const inner = flow.edges.filter((edge) =>
      edge.from !== "$start" && edge.to !== "$end"
    );
    const forward = inner[pick % Math.max(1, inner.length)] ??
      edge(flow.nodes[0]!.id, flow.nodes[0]!.id);
    const back = edge(forward.to, forward.from, { id: "back" });
    const edges = [...flow.edges, back];
    const error = errValue(loadFlow({ ...flow, edges }));
    assert(error.code === "cycle");
    assertEquals(error.nodeIds.at(0), error.nodeIds.at(-1));
    error.nodeIds.slice(1).forEach((to, index) => {
      const from = error.nodeIds[index];
      assert(edges.some((edge) => edge.from === from && edge.to === to));
    });
  }));
});

/** The same flow with nodes and edges of every graph in another order. */
function reordered(flow: Flow, seed: number): Flow {
  const random = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), {
    seed,
    numRuns: 64,
  });
  let next = 0;
  const shuffle = <T>(items: readonly T[]): T[] =>
    items.map((item) => [random[next++ % random.length]!, item] as const)
      .sort(([a], [b]) => a - b).map(([, item]) => item);
  const nodes = (list: readonly FlowNode[]): FlowNode[] =>
    shuffle(list).map((node) =>
      node.kind === "loop"
        ? {
          ...node,
          body: {
            nodes: nodes(node.body.nodes),
            edges: shuffle(node.body.edges),
          },
        }
        : node
    );
  return { ...flow, nodes: nodes(flow.nodes), edges: shuffle(flow.edges) };
}

/** One refused flow of each code whose nodes and edges are lists. */
const refused = Object.values(REFUSED).flat().map(([, flow]) => flow as Flow)
  .filter(({ nodes, edges }) => Array.isArray(nodes) && Array.isArray(edges));

Deno.test("the order of nodes and edges doesn't change which error comes out", () => {
  const two = fc.tuple(
    fc.constantFrom(...refused),
    fc.constantFrom(...refused),
  );
  fc.assert(fc.property(two, fc.integer(), ([one, other], seed) => {
    // Two broken flows in one, the second with names of its own.
    const renamed: Flow = JSON.parse(
      JSON.stringify(other).replaceAll(
        /"(?!\$)([a-z-]+)"/g,
        (whole, name) => ids(other).has(name) ? `"${name}2"` : whole,
      ),
    );
    const both: Flow = {
      ...one,
      nodes: [...one.nodes, ...renamed.nodes],
      edges: [
        ...one.edges,
        ...renamed.edges.map((edge) => ({ ...edge, id: `${edge.id} 2` })),
      ],
    };
    // One flow's start edge may be all that the other lacked: then both orders have to load.
    assertEquals(outcome(reordered(both, seed)), outcome(both));
  }));
});

function outcome(flow: Flow): string {
  const loaded = loadFlow(flow);
  return loaded.kind === "ok" ? "loaded" : loaded.error.code;
}

function ids(flow: Flow): Set<string> {
  const found = new Set<string>();
  JSON.stringify(flow, (key, value) => {
    if (key === "id" && typeof value === "string") found.add(value);
    return value;
  });
  return found;
}

Deno.test("loadFlow answers, and never throws, for anything at all", () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
  });
  const nearly = fc.record({
    id: fc.constant("x"),
    version: fc.constant("1.0.0"),
    nodes: fc.array(fc.oneof(anything, fc.constant(tool("a")))),
    edges: fc.array(fc.oneof(anything, fc.constant(edge("$start", "a")))),
    output: fc.oneof(fc.constant(undefined), anything),
  });
  fc.assert(
    fc.property(fc.oneof(anything, nearly), (input) => {
      const result = loadFlow(input);
      assert(
        result.kind === "ok" ||
          result.error.code.length > 0 && result.error.message.length > 0,
      );
    }),
    { numRuns: 500 },
  );
});

Deno.test("what has loaded loads again to the same, and its predicates evaluate", () => {
  fc.assert(fc.property(randomDag, (flow) => {
    const withLoop: Flow = {
      ...flow,
      nodes: [...flow.nodes, foreachLoop("loop")],
      edges: [
        ...flow.edges,
        edge("$start", "loop", {
          when: { op: "truthy", value: { path: "runInput.items" } },
        }),
      ],
    };
    const loaded = okValue(loadFlow(withLoop));
    assertEquals(okValue(loadFlow(loaded)), loaded);
    const whens = loaded.edges.flatMap((edge: FlowEdge) => edge.when ?? []);
    for (const when of whens) {
      evaluatePredicate(when, { runInput: null, state: {}, nodeOutputs: {} });
    }
  }));
});
