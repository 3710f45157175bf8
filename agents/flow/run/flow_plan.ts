/**
 * What running a flow needs to know of it, worked out once for each flow or body and kept with it.
 *
 * @module
 */

import {
  compileSchema,
  type SchemaValidator,
} from "../../../base/json_schema.ts";
import { END, LOOP_END, LOOP_START, START } from "../limits.ts";
import { type Graph, type IndexedGraph, indexGraph } from "../schedule.ts";
import type { FlowNode, JsonSchema } from "../types.ts";

/** A graph ready to be run. */
export interface GraphPlan {
  /** Its edges by node. */
  readonly graph: IndexedGraph;
  /** Its nodes by id. */
  readonly nodes: ReadonlyMap<string, FlowNode>;
  /** The nodes that edges lead from to each node, whether taken or not. */
  readonly upstream: ReadonlyMap<string, readonly string[]>;
  /** The nodes with an edge to the end: what the output is made of. */
  readonly last: readonly string[];
  /** The nodes in order where one follows the other and nothing is to be decided; absent in any other graph. */
  readonly chain?: readonly FlowNode[];
}

const plans = new WeakMap<object, GraphPlan>();

/** The plan of a flow's graph or a loop's body. */
export function planOf(graph: Graph): GraphPlan {
  const known = plans.get(graph);
  if (known !== undefined) return known;
  const last = new Set<string>();
  for (const { from, to } of graph.edges) {
    if (to === END || to === LOOP_END) last.add(from);
  }
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const indexed = indexGraph(graph);
  const upstream = new Map<string, readonly string[]>();
  for (const [id, edges] of indexed.incoming) {
    const sources = new Set(edges.map(({ from }) => from));
    upstream.set(id, [...sources].filter((from) => nodes.has(from)));
  }
  const chain = chainOf(graph, indexed);
  const plan = {
    graph: indexed,
    nodes,
    upstream,
    last: [...last].filter((id) => nodes.has(id)),
    ...(chain === undefined ? {} : { chain }),
  };
  plans.set(graph, plan);
  return plan;
}

/** A graph's nodes in order, if each has one edge in and one out, and no edge asks for anything. */
function chainOf(
  { nodes, edges }: Graph,
  { outgoing }: IndexedGraph,
): FlowNode[] | undefined {
  if (edges.some(({ when }) => when !== undefined)) return undefined;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const chain: FlowNode[] = [];
  let [edge, ...others] = outgoing.get(START) ?? outgoing.get(LOOP_START) ?? [];
  while (edge !== undefined && others.length === 0) {
    const node = byId.get(edge.to);
    if (node === undefined) {
      return chain.length === nodes.length ? chain : undefined;
    }
    byId.delete(node.id);
    chain.push(node);
    [edge, ...others] = outgoing.get(node.id) ?? [];
  }
  return undefined;
}

const validators = new WeakMap<object, SchemaValidator>();

/** What is wrong with a value under a schema of a loaded flow, in words; `undefined` when it fits. */
export function misfit(schema: JsonSchema, value: unknown): string | undefined {
  let validator = validators.get(schema);
  if (validator === undefined) {
    const compiled = compileSchema(schema, "output");
    if (compiled.kind === "err") {
      return `its schema doesn't compile: ${compiled.error.message}`;
    }
    validator = compiled.value;
    validators.set(schema, validator);
  }
  // JSON has no undefined: a missing output is held against the schema as null.
  const issues = validator(value === undefined ? null : value);
  if (issues.length === 0) return undefined;
  return issues.map(({ instancePath, message }) =>
    `${instancePath || "(root)"} ${message}`
  ).join("; ");
}

/** What a flow asks of its run, bodies included. */
export interface FlowNeeds {
  /** The names of the handlers that it calls. */
  readonly handlers: ReadonlySet<string>;
  /** Whether it runs other flows. */
  readonly subgraphs: boolean;
}

const needs = new WeakMap<object, FlowNeeds>();

/** What a flow asks of its run. */
export function needsOf(flow: Graph): FlowNeeds {
  const known = needs.get(flow);
  if (known !== undefined) return known;
  const handlers = new Set<string>();
  let subgraphs = false;
  const open: Graph[] = [flow];
  for (const { nodes } of open) {
    for (const node of nodes) {
      switch (node.kind) {
        case "tool":
        case "agent":
          handlers.add(node.ref);
          break;
        case "fanout":
          for (const { handler } of node.branches) handlers.add(handler);
          break;
        case "loop":
          open.push(node.body);
          break;
        case "subgraph":
          subgraphs = true;
          break;
      }
    }
  }
  const found = { handlers, subgraphs };
  needs.set(flow, found);
  return found;
}
