/**
 * What an operand may read from where it stands.
 *
 * @module
 */

import { quoted } from "./message.ts";
import type { Level, LoopShape } from "./shape.ts";
import type { Operand } from "./types.ts";

/** What can be read at one place of a flow. */
export interface Readable {
  /** The nodes whose outputs are in reach: those of the graph and of the graphs around it. */
  readonly nodeIds: ReadonlySet<string>;
  /** Of those, the ones that can't have an output yet: the node itself and the loops around it. */
  readonly unfinished: ReadonlySet<string>;
  /** Whether it is a loop's exit condition, which also sees the iteration. */
  readonly exitCondition: boolean;
}

/** What a node in a graph may read; without a node, what an edge there may read. */
export function readableAt(level: Level, nodeId?: string): Readable {
  const nodeIds = new Set<string>();
  const unfinished = new Set(nodeId === undefined ? [] : [nodeId]);
  for (let at: Level | undefined = level; at !== undefined; at = at.outer) {
    for (const node of at.graph.nodes) nodeIds.add(node.id);
    if (at.loop !== undefined) unfinished.add(at.loop.id);
  }
  return { nodeIds, unfinished, exitCondition: false };
}

/** What a loop's exit condition may read: also its body's nodes and the iteration. */
export function readableInExitCondition(
  loop: LoopShape,
  level: Level,
): Readable {
  const body: Level = { graph: loop.body, loop, outer: level };
  return { ...readableAt(body), exitCondition: true };
}

/** Why an operand can't be read there, to be put after its name; `undefined` when it can. */
export function operandProblem(
  operand: Operand,
  readable: Readable,
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
      if (!readable.exitCondition) {
        return `${reads}, which only a loop's exit condition has`;
      }
      if (root === "iterationIndex" && next !== undefined) {
        return `${reads}, but iterationIndex is a number and has no parts`;
      }
      return undefined;
    case "nodeOutputs":
      return nodeOutputProblem(reads, next, rest, readable);
    default:
      return `${reads}, which begins with none of runInput, state, ` +
        `nodeOutputs${
          readable.exitCondition ? ", iterationIndex, iterationOutput" : ""
        }`;
  }
}

function nodeOutputProblem(
  reads: string,
  nodeId: string | undefined,
  rest: readonly string[],
  readable: Readable,
): string | undefined {
  if (nodeId === undefined) {
    return `${reads} without saying of which node: write nodeOutputs.<nodeId>`;
  }
  if (readable.unfinished.has(nodeId)) {
    return `${reads}, but node ${quoted(nodeId)} has no output before it ends`;
  }
  if (readable.nodeIds.has(nodeId)) return undefined;
  const dotted = rest.map((_, index) =>
    [nodeId, ...rest.slice(0, index + 1)].join(".")
  ).find((id) => readable.nodeIds.has(id));
  return dotted === undefined
    ? `${reads}, but there is no node ${quoted(nodeId)} in reach`
    : `${reads}, but the id ${
      quoted(dotted)
    } holds a dot, so no path can name it`;
}
