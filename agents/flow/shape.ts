/**
 * A flow that fits `FLOW_SCHEMA`, before the rules that a schema can't hold have been checked.
 *
 * @module
 */

import type {
  FanoutNode,
  FlowOutput,
  JsonSchema,
  LeafNode,
  Operand,
  SubgraphNode,
} from "./types.ts";

/** A predicate whose operator may be unknown and whose operands may not be those that the operator takes. */
export interface PredicateShape {
  readonly op: string;
  readonly left?: Operand;
  readonly right?: Operand;
  readonly value?: Operand;
  readonly set?: Operand;
  readonly children?: readonly PredicateShape[];
  readonly child?: PredicateShape;
}

/** A retry policy whose numbers may be out of bounds. */
export interface RetryShape {
  readonly maxAttempts: number;
  readonly delayMs?: number;
  readonly backoff?: "fixed" | "linear" | "exponential";
  readonly maxDelayMs?: number;
}

/** A policy whose numbers may be out of bounds. */
export interface PolicyShape {
  readonly retry?: RetryShape;
  readonly timeoutMs?: number;
  readonly concurrencyKey?: string;
  readonly priority?: number;
}

/** An edge whose ends may lead nowhere. */
export interface EdgeShape {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly when?: PredicateShape;
  readonly policy?: PolicyShape;
}

/** A loop that may have what only the other kind takes, and lack what its own needs. */
export interface LoopShape {
  readonly id: string;
  readonly kind: "loop";
  readonly loopKind: "while" | "foreach";
  readonly body: GraphShape;
  readonly maxIterations?: number;
  readonly outputSchema?: JsonSchema;
  readonly collectAllIterations?: boolean;
  readonly exitCondition?: PredicateShape;
  readonly evaluationTiming?: "after" | "before";
  readonly iterateOver?: Operand;
  readonly concurrency?: number;
}

/** A node of any kind. */
export type NodeShape = LeafNode | LoopShape | FanoutNode | SubgraphNode;

/** Nodes and the edges between them: a flow's or a body's. */
export interface GraphShape {
  readonly nodes: readonly NodeShape[];
  readonly edges: readonly EdgeShape[];
}

/** A flow of the right shape. */
export interface FlowShape extends GraphShape {
  readonly id: string;
  readonly version: string;
  readonly name?: string;
  readonly description?: string;
  readonly maxParallelism?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly output?: FlowOutput;
}

/** One graph of a flow and where it stands. */
export interface Level {
  /** The nodes and edges. */
  readonly graph: GraphShape;
  /** The ids of its nodes. */
  readonly nodeIds: ReadonlySet<string>;
  /** The loop whose body it is; `undefined` for the flow itself. */
  readonly loop?: LoopShape;
  /** The graph that holds that loop; `undefined` for the flow itself. */
  readonly outer?: Level;
}

/** A flow while it is being checked. */
export interface FlowUnderCheck {
  /** The flow. */
  readonly flow: FlowShape;
  /** The flow's own graph first, then every body, a loop's before those inside it. */
  readonly levels: readonly Level[];
}

/** One graph as a level, inside the level that holds its loop. */
export function levelOf(
  graph: GraphShape,
  inside?: { readonly loop: LoopShape; readonly outer: Level },
): Level {
  const nodeIds = new Set(graph.nodes.map((node) => node.id));
  return { graph, nodeIds, ...inside };
}

/** Lists the graphs of a flow: its own first, then the bodies in the order of their loops. */
export function levelsOf(flow: FlowShape): Level[] {
  const levels: Level[] = [];
  const visit = (level: Level): void => {
    levels.push(level);
    for (const node of level.graph.nodes) {
      if (node.kind === "loop") {
        visit(levelOf(node.body, { loop: node, outer: level }));
      }
    }
  };
  visit(levelOf(flow));
  return levels;
}

/** The first answer that isn't `undefined`. */
export function firstOf<T, E>(
  items: Iterable<T>,
  check: (item: T) => E | undefined,
): E | undefined {
  for (const item of items) {
    const problem = check(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The first problem of any node, bodies included. */
export function firstOfNodes<E>(
  { levels }: FlowUnderCheck,
  check: (node: NodeShape, level: Level) => E | undefined,
): E | undefined {
  return firstOf(
    levels,
    (level) => firstOf(level.graph.nodes, (node) => check(node, level)),
  );
}

/** The first problem of any edge, bodies included. */
export function firstOfEdges<E>(
  { levels }: FlowUnderCheck,
  check: (edge: EdgeShape, level: Level) => E | undefined,
): E | undefined {
  return firstOf(
    levels,
    (level) => firstOf(level.graph.edges, (edge) => check(edge, level)),
  );
}
