/**
 * What an operand may read from where it stands.
 *
 * @module
 */

import { quoted } from "./message.ts";
import type { Level } from "./shape.ts";
import type { Operand } from "./types.ts";

/** A place in a flow from which values are read. */
export interface Place {
  /** The graph it is in. It also sees the nodes of the graphs around that one. */
  readonly level: Level;
  /** The node it belongs to, which has no output yet; absent for edges and for the flow's output. */
  readonly nodeId?: string;
  /** Whether it is the exit condition of the loop whose body the graph is, which also sees the iteration. */
  readonly exitCondition?: boolean;
}

/** Why an operand can't be read there, to be put after its name; `undefined` when it can. */
export function operandProblem(
  operand: Operand,
  place: Place,
): string | undefined {
  if (!("path" in operand)) return undefined;
  const { path } = operand;
  const [root, next, ...rest] = path.split(".");
  const reads = `reads ${quoted(path)}`;
  if (path.split(".").includes("")) {
    return `${reads}, which is no path: its parts are separated by single dots`;
  }
  switch (root) {
    case "runInput":
    case "state":
      return undefined;
    case "iterationIndex":
    case "iterationOutput":
      if (!place.exitCondition) {
        return `${reads}, which only a loop's exit condition has`;
      }
      if (root === "iterationIndex" && next !== undefined) {
        return `${reads}, but iterationIndex is a number and has no parts`;
      }
      return undefined;
    case "nodeOutputs":
      return nodeOutputProblem(reads, next, rest, place);
    default:
      return `${reads}, which begins with none of runInput, state, ` +
        `nodeOutputs${
          place.exitCondition ? ", iterationIndex, iterationOutput" : ""
        }`;
  }
}

function nodeOutputProblem(
  reads: string,
  nodeId: string | undefined,
  rest: readonly string[],
  place: Place,
): string | undefined {
  if (nodeId === undefined) {
    return `${reads} without saying of which node: write nodeOutputs.<nodeId>`;
  }
  if (isUnfinished(nodeId, place)) {
    return `${reads}, but node ${quoted(nodeId)} has no output before it ends`;
  }
  if (isInReach(nodeId, place)) return undefined;
  const dotted = dottedIdInReach([nodeId, ...rest].join("."), place);
  return dotted === undefined
    ? `${reads}, but there is no node ${quoted(nodeId)} in reach`
    : `${reads}, but the id ${
      quoted(dotted)
    } holds a dot, so no path can name it`;
}

/** Whether a node is in the place's graph or in one around it. */
function isInReach(nodeId: string, place: Place): boolean {
  for (let at: Level | undefined = place.level; at; at = at.outer) {
    if (at.nodeIds.has(nodeId)) return true;
  }
  return false;
}

/** Whether a node can't have an output yet: the place's own, or a loop around it. */
function isUnfinished(nodeId: string, place: Place): boolean {
  if (nodeId === place.nodeId) return true;
  for (let at: Level | undefined = place.level; at; at = at.outer) {
    if (at.loop?.id === nodeId) return true;
  }
  return false;
}

/** The node with a dot in its id that a path was meant for, if there is one. */
function dottedIdInReach(tail: string, place: Place): string | undefined {
  for (let at: Level | undefined = place.level; at; at = at.outer) {
    for (const id of at.nodeIds) {
      if (id.includes(".") && `${tail}.`.startsWith(`${id}.`)) return id;
    }
  }
  return undefined;
}
