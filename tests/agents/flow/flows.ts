/** Small flows for tests. */
import type {
  FanoutNode,
  Flow,
  FlowEdge,
  ForeachLoopNode,
  LeafNode,
  SubgraphNode,
  WhileLoopNode,
} from "../../../agents/flow/mod.ts";

/** A tool node. */
export function tool(id: string, more: object = {}): LeafNode {
  return { id, kind: "tool", ref: `handlers.${id}`, ...more };
}

/** An edge; its id is made of its ends unless one is given. */
export function edge(from: string, to: string, more: object = {}): FlowEdge {
  return { id: `${from}>${to}`, from, to, ...more };
}

/** A flow of nodes in a chain from `$start` to `$end`. */
export function chain(nodes: Flow["nodes"], more: object = {}): Flow {
  const stops = ["$start", ...nodes.map((node) => node.id), "$end"];
  return {
    id: "acme.flow",
    version: "1.0.0",
    nodes,
    edges: stops.slice(1).map((to, index) => edge(stops[index]!, to)),
    ...more,
  };
}

/** A body of one tool. */
export function bodyOf(id: string, more: object = {}): WhileLoopNode["body"] {
  return {
    nodes: [tool(id)],
    edges: [edge("$loop-start", id), edge(id, "$loop-end")],
    ...more,
  };
}

/** A `while` loop over one tool, `<id>-step`. */
export function whileLoop(id: string, more: object = {}): WhileLoopNode {
  return {
    id,
    kind: "loop",
    loopKind: "while",
    body: bodyOf(`${id}-step`),
    maxIterations: 3,
    outputSchema: { type: "object" },
    exitCondition: { op: "truthy", value: { path: "iterationOutput.done" } },
    ...more,
  };
}

/** A `foreach` loop over one tool, `<id>-step`. */
export function foreachLoop(id: string, more: object = {}): ForeachLoopNode {
  return {
    id,
    kind: "loop",
    loopKind: "foreach",
    body: bodyOf(`${id}-step`),
    maxIterations: 3,
    outputSchema: { type: "object" },
    iterateOver: { path: "runInput.items" },
    ...more,
  };
}

/** A fanout of two branches. */
export function fanout(id: string, more: object = {}): FanoutNode {
  return {
    id,
    kind: "fanout",
    branches: [
      { branchId: "left", handler: "left", outputSchema: {} },
      { branchId: "right", handler: "right", outputSchema: {} },
    ],
    convergence: "all-succeed",
    ...more,
  };
}

/** A subgraph. */
export function subgraph(id: string, more: object = {}): SubgraphNode {
  return {
    id,
    kind: "subgraph",
    flowRef: { flowId: "acme.other", version: "2.1.0-beta.1+build.5" },
    inputMapping: { order: { path: "runInput.order" } },
    outputSchema: { type: "object" },
    convergence: "success-only",
    ...more,
  };
}
