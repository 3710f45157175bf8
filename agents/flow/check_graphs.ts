/**
 * Graphs: each begins somewhere and never leads back.
 *
 * @module
 */

import { findCycle } from "./cycle.ts";
import type {
  Cycle,
  LoopBodyCycle,
  LoopBodyMissingStart,
  MissingStartEdge,
} from "./errors.ts";
import { LOOP_START, START } from "./limits.ts";
import { cannotLoad, quoted } from "./message.ts";
import { firstOf, type FlowUnderCheck, type GraphShape } from "./shape.ts";

/** A flow that nothing in would ever run. */
export function missingStartEdge(
  { flow }: FlowUnderCheck,
): MissingStartEdge | undefined {
  if (hasEdgeFrom(flow, START)) return undefined;
  return {
    code: "missing-start-edge",
    message: cannotLoad(
      flow,
      `no edge leaves ${START}, so no node would ever run; ` +
        `add an edge from ${START} to the first node`,
    ),
  };
}

/** A flow whose edges lead back. */
export function cycle({ flow }: FlowUnderCheck): Cycle | undefined {
  const nodeIds = findCycle(flow);
  return nodeIds && {
    code: "cycle",
    message: cannotLoad(
      flow,
      `its edges form the cycle ${inWords(nodeIds)}; ` +
        "remove one of them, or repeat the nodes in a loop node",
    ),
    nodeIds,
  };
}

/** A loop that nothing in would ever run. */
export function loopBodyMissingStart(
  { flow, levels }: FlowUnderCheck,
): LoopBodyMissingStart | undefined {
  return firstOf(levels, ({ loop }) => {
    if (loop === undefined || hasEdgeFrom(loop.body, LOOP_START)) {
      return undefined;
    }
    return {
      code: "loop-body-missing-start",
      message: cannotLoad(
        flow,
        `no edge in the body of loop ${
          quoted(loop.id)
        } leaves ${LOOP_START}, ` +
          `so no node of it would ever run; add an edge from ${LOOP_START} ` +
          "to the body's first node",
      ),
      nodeId: loop.id,
    };
  });
}

/** A loop whose body's edges lead back. */
export function loopBodyCycle(
  { flow, levels }: FlowUnderCheck,
): LoopBodyCycle | undefined {
  return firstOf(levels, ({ loop }) => {
    const nodeIds = loop && findCycle(loop.body);
    return loop && nodeIds && {
      code: "loop-body-cycle",
      message: cannotLoad(
        flow,
        `the edges in the body of loop ${quoted(loop.id)} form the cycle ` +
          `${inWords(nodeIds)}; remove one of them`,
      ),
      nodeId: loop.id,
      nodeIds,
    };
  });
}

function hasEdgeFrom(graph: GraphShape, start: string): boolean {
  return graph.edges.some((edge) => edge.from === start);
}

/** How many nodes of a cycle a message names. */
const NAMED_NODES = 12;

function inWords(nodeIds: readonly string[]): string {
  const named = nodeIds.slice(0, NAMED_NODES).map(quoted).join(" → ");
  const more = nodeIds.length - NAMED_NODES;
  return more > 0 ? `${named} → … (${more} more)` : named;
}
