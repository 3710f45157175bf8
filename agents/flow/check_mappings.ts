/**
 * Mappings: they read what can be there where they stand.
 *
 * @module
 */

import { schemaProblem } from "./check_schema.ts";
import type { InvalidFlowOutput, InvalidMapping } from "./errors.ts";
import { cannotLoad, quoted } from "./message.ts";
import { operandProblem, type Place } from "./place.ts";
import {
  firstOf,
  firstOfNodes,
  type FlowUnderCheck,
  type NodeShape,
} from "./shape.ts";
import type { Mapping, Operand } from "./types.ts";

/** A node's input, or the array that a loop goes over, that reads what can't be there. */
export function invalidMapping(
  checked: FlowUnderCheck,
): InvalidMapping | undefined {
  return firstOfNodes(checked, (node, level) => {
    const operands = operandsOf(node);
    if (operands.length === 0) return undefined;
    const found = firstProblem(operands, { level, nodeId: node.id });
    return found && {
      code: "invalid-mapping",
      message: cannotLoad(
        checked.flow,
        node.kind === "loop"
          ? `the iterateOver of loop ${quoted(node.id)} ${found.problem}`
          : `${quoted(found.key)} in the inputMapping of node ` +
            `${quoted(node.id)} ${found.problem}`,
      ),
      nodeId: node.id,
      key: found.key,
    };
  });
}

/** A flow's output that reads what can't be there, or that can't be checked. */
export function invalidFlowOutput(
  { flow, levels }: FlowUnderCheck,
): InvalidFlowOutput | undefined {
  if (flow.output === undefined) return undefined;
  const { mapping, schema } = flow.output;
  const found = firstProblem(Object.entries(mapping), { level: levels[0]! });
  if (found !== undefined) {
    return {
      code: "invalid-flow-output",
      message: cannotLoad(
        flow,
        `${quoted(found.key)} in the flow's output ${found.problem}`,
      ),
      key: found.key,
    };
  }
  const problem = schema && schemaProblem("schema", schema);
  return problem === undefined ? undefined : {
    code: "invalid-flow-output",
    message: cannotLoad(flow, `the flow's output ${problem}`),
  };
}

type NamedOperand = readonly [key: string, operand: Operand];

/** The operands that a node's input is made from. */
function operandsOf(node: NodeShape): readonly NamedOperand[] {
  switch (node.kind) {
    case "tool":
    case "agent":
    case "subgraph":
      return entriesOf(node.inputMapping);
    case "loop":
      return node.iterateOver === undefined
        ? []
        : [["iterateOver", node.iterateOver]];
    case "fanout":
      return [];
  }
}

function entriesOf(mapping: Mapping | undefined): readonly NamedOperand[] {
  return mapping === undefined ? [] : Object.entries(mapping);
}

function firstProblem(
  operands: readonly NamedOperand[],
  place: Place,
): { readonly key: string; readonly problem: string } | undefined {
  return firstOf(operands, ([key, operand]) => {
    const problem = operandProblem(operand, place);
    return problem === undefined ? undefined : { key, problem };
  });
}
