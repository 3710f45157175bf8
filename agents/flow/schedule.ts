/**
 * Which edges of a graph are taken and which of its nodes may run, from what has completed so far: all of it pure, so
 * that a run replayed from its journal goes the way it went (`spec/flow.md`, scheduling).
 *
 * @module
 */

import { compareCodeUnits } from "../../base/canonical_json.ts";
import { LOOP_START, START } from "./limits.ts";
import type { EdgePolicy, FlowEdge, FlowNode, Predicate } from "./types.ts";

/** A flow's graph or a loop's body. */
export interface Graph {
  /** Its nodes. */
  readonly nodes: readonly FlowNode[];
  /** Its edges. */
  readonly edges: readonly FlowEdge[];
}

/** A graph prepared for scheduling by {@link indexGraph}. */
export interface IndexedGraph {
  /** `$start` or `$loop-start`, then every node after all that lead to it. */
  readonly order: readonly string[];
  /** The edges into each node. */
  readonly incoming: ReadonlyMap<string, readonly FlowEdge[]>;
  /** The edges out of each node and out of the start. */
  readonly outgoing: ReadonlyMap<string, readonly FlowEdge[]>;
}

/** How far the running of a graph has come. */
export interface GraphProgress {
  /** The nodes that have completed. */
  readonly completed: ReadonlySet<string>;
  /** The edges decided so far, by id: whether each was taken. */
  readonly decided: ReadonlyMap<string, boolean>;
}

/** An edge that has been decided, once and for all. */
export interface EdgeDecision {
  /** The edge. */
  readonly edgeId: string;
  /** Whether it was taken. */
  readonly taken: boolean;
}

/**
 * Where a node stands: `waiting` for edges into it to be decided, `ready` to run (or running), `completed`, or `dead`
 * because none of the edges into it was taken.
 */
export type NodeStanding = "waiting" | "ready" | "completed" | "dead";

/** Prepares a loaded graph; done once for a graph, the answer serves every call below. */
export function indexGraph(graph: Graph): IndexedGraph {
  const incoming = new Map<string, FlowEdge[]>();
  const outgoing = new Map<string, FlowEdge[]>();
  for (const { id } of graph.nodes) {
    incoming.set(id, []);
    outgoing.set(id, []);
  }
  for (const edge of graph.edges) {
    incoming.get(edge.to)?.push(edge);
    const leaving = outgoing.get(edge.from);
    if (leaving === undefined) outgoing.set(edge.from, [edge]);
    else leaving.push(edge);
  }

  const undone = new Map<string, number>();
  for (const [id, edges] of incoming) {
    undone.set(id, edges.filter((edge) => !isStart(edge.from)).length);
  }
  const order = [...outgoing.keys()].filter(isStart);
  for (const [id, edges] of undone) if (edges === 0) order.push(id);
  // Grows while it is walked: a node comes once the last of those that lead to it has.
  for (const id of order) {
    if (isStart(id)) continue;
    for (const { to } of outgoing.get(id)!) {
      const left = undone.get(to);
      if (left === undefined) continue;
      undone.set(to, left - 1);
      if (left === 1) order.push(to);
    }
  }
  return { order, incoming, outgoing };
}

/**
 * Decides every edge that can be decided now and hasn't been: those out of the start and of completed nodes by their
 * `when`, those out of dead nodes as not taken, so that branches rejoin behind them. Decisions come in an order that
 * the graph alone determines; none is ever changed later.
 *
 * @param holds Evaluates a `when` over the run's values as they are now.
 */
export function decideEdges(
  graph: IndexedGraph,
  progress: GraphProgress,
  holds: (when: Predicate) => boolean,
): readonly EdgeDecision[] {
  const decisions: EdgeDecision[] = [];
  const decided = new Map(progress.decided);
  const soFar = { completed: progress.completed, decided };
  for (const id of graph.order) {
    const standing = isStart(id) ? "completed" : nodeStanding(graph, soFar, id);
    if (standing !== "completed" && standing !== "dead") continue;
    for (const { id: edgeId, when } of graph.outgoing.get(id) ?? []) {
      if (decided.has(edgeId)) continue;
      const taken = standing === "completed" &&
        (when === undefined || holds(when));
      decided.set(edgeId, taken);
      decisions.push({ edgeId, taken });
    }
  }
  return decisions;
}

/** Where a node stands. One that no edge leads to is dead from the beginning. */
export function nodeStanding(
  graph: IndexedGraph,
  { completed, decided }: GraphProgress,
  nodeId: string,
): NodeStanding {
  if (completed.has(nodeId)) return "completed";
  const edges = graph.incoming.get(nodeId) ?? [];
  if (edges.some((edge) => !decided.has(edge.id))) return "waiting";
  return edges.some((edge) => decided.get(edge.id)) ? "ready" : "dead";
}

/**
 * The nodes that are ready, in the order in which they are to be started: higher priority first, then by id. Those that
 * are running already are among them.
 */
export function readyNodes(
  graph: IndexedGraph,
  progress: GraphProgress,
): readonly string[] {
  const priority = (id: string) => nodePolicy(graph, id)?.priority ?? 0;
  return [...graph.incoming.keys()]
    .filter((id) => nodeStanding(graph, progress, id) === "ready")
    .sort((a, b) => priority(b) - priority(a) || compareCodeUnits(a, b));
}

/** Whether nothing is left to do: every node is completed or dead. */
export function isGraphDone(
  graph: IndexedGraph,
  progress: GraphProgress,
): boolean {
  return [...graph.incoming.keys()].every((id) => {
    const standing = nodeStanding(graph, progress, id);
    return standing === "completed" || standing === "dead";
  });
}

/** The policy that a node runs under: that of the edge into it, if it is the only one. */
export function nodePolicy(
  graph: IndexedGraph,
  nodeId: string,
): EdgePolicy | undefined {
  const edges = graph.incoming.get(nodeId) ?? [];
  return edges.length === 1 ? edges[0]!.policy : undefined;
}

function isStart(id: string): boolean {
  return id === START || id === LOOP_START;
}
