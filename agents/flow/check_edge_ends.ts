/**
 * The ends of edges: each has to be a node of the edge's own graph, or that graph's start or end.
 *
 * @module
 */

import type { LoopBodyEdgeReference, UnknownNodeReference } from "./errors.ts";
import { END, LOOP_END, LOOP_START, START } from "./limits.ts";
import { cannotLoad, inGraph, quoted } from "./message.ts";
import {
  type EdgeShape,
  firstOf,
  type FlowUnderCheck,
  type Level,
} from "./shape.ts";

/** An edge of the flow itself that leads from or to nowhere. */
export function unknownNodeReference(
  checked: FlowUnderCheck,
): UnknownNodeReference | undefined {
  return firstOf(checked.levels.filter((level) => !level.loop), (level) => {
    const end = looseEnd(level);
    return end && {
      code: "unknown-node-reference",
      message: cannotLoad(checked.flow, end.problem),
      edgeId: end.edgeId,
      endpoint: end.endpoint,
      referencedId: end.referencedId,
    };
  });
}

/** An edge of a body that leads from or to somewhere outside that body. */
export function loopBodyEdgeReference(
  checked: FlowUnderCheck,
): LoopBodyEdgeReference | undefined {
  return firstOf(checked.levels, (level) => {
    const end = level.loop && looseEnd(level);
    return level.loop && end && {
      code: "loop-body-edge-reference",
      message: cannotLoad(checked.flow, end.problem),
      nodeId: level.loop.id,
      edgeId: end.edgeId,
      endpoint: end.endpoint,
      referencedId: end.referencedId,
    };
  });
}

/** An end of an edge that is no node of the edge's graph. */
interface LooseEnd {
  readonly edgeId: string;
  readonly endpoint: "from" | "to";
  readonly referencedId: string;
  readonly problem: string;
}

function looseEnd(level: Level): LooseEnd | undefined {
  const start = level.loop ? LOOP_START : START;
  const end = level.loop ? LOOP_END : END;

  const problemAt = (
    edge: EdgeShape,
    endpoint: "from" | "to",
    sentinel: string,
  ): LooseEnd | undefined => {
    const referencedId = edge[endpoint];
    if (referencedId === sentinel || level.nodeIds.has(referencedId)) {
      return undefined;
    }
    const graph = level.loop ? "that body" : "the flow";
    return {
      edgeId: edge.id,
      endpoint,
      referencedId,
      problem: `edge ${quoted(edge.id)}${inGraph(level)} has ` +
        `${quoted(referencedId)} as its ${
          quoted(endpoint)
        }, which is neither ` +
        `a node of ${graph} nor ${sentinel}; add the node or correct the edge`,
    };
  };
  return firstOf(
    level.graph.edges,
    (edge) => problemAt(edge, "from", start) ?? problemAt(edge, "to", end),
  );
}
