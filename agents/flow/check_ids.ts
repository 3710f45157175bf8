/**
 * Names: reserved ones, and nodes or edges that share one.
 *
 * @module
 */

import type { DuplicateEdgeId, DuplicateNodeId, ReservedId } from "./errors.ts";
import { RESERVED_NODE_IDS } from "./limits.ts";
import { cannotLoad, inGraph, quoted } from "./message.ts";
import { firstOfEdges, firstOfNodes, type FlowUnderCheck } from "./shape.ts";

/** A node named like the ends of a graph. */
export function reservedId(checked: FlowUnderCheck): ReservedId | undefined {
  return firstOfNodes(checked, ({ id }, level) => {
    if (!RESERVED_NODE_IDS.includes(id)) return undefined;
    return {
      code: "reserved-id",
      message: cannotLoad(
        checked.flow,
        `a node${inGraph(level)} has the id ${quoted(id)}, which flows keep ` +
          "for themselves; give the node another id",
      ),
      nodeId: id,
    };
  });
}

/** A node id that stands twice, over the flow and every body. */
export function duplicateNodeId(
  checked: FlowUnderCheck,
): DuplicateNodeId | undefined {
  const seen = new Set<string>();
  return firstOfNodes(checked, ({ id }) => {
    if (!seen.has(id)) return void seen.add(id);
    return {
      code: "duplicate-node-id",
      message: cannotLoad(
        checked.flow,
        `two nodes have the id ${quoted(id)}; a node's id is unique over the ` +
          "flow and every loop body, so rename one",
      ),
      nodeId: id,
    };
  });
}

/** An edge id that stands twice, over the flow and every body. */
export function duplicateEdgeId(
  checked: FlowUnderCheck,
): DuplicateEdgeId | undefined {
  const seen = new Set<string>();
  return firstOfEdges(checked, ({ id }) => {
    if (!seen.has(id)) return void seen.add(id);
    return {
      code: "duplicate-edge-id",
      message: cannotLoad(
        checked.flow,
        `two edges have the id ${
          quoted(id)
        }; an edge's id is unique over the ` +
          "flow and every loop body, so rename one",
      ),
      edgeId: id,
    };
  });
}
