/**
 * Subgraphs: which flow they run, and what has to come out of it.
 *
 * @module
 */

import { schemaProblem } from "./check_schema.ts";
import type { InvalidSubflowNode } from "./errors.ts";
import { isExactVersion } from "./limits.ts";
import { cannotLoad, quoted } from "./message.ts";
import { firstOfNodes, type FlowUnderCheck } from "./shape.ts";

/** A subgraph that doesn't pin its flow, or whose output can't be checked. */
export function invalidSubflowNode(
  checked: FlowUnderCheck,
): InvalidSubflowNode | undefined {
  return firstOfNodes(checked, (node) => {
    if (node.kind !== "subgraph") return undefined;
    const { flowId, version } = node.flowRef;
    const problem = isExactVersion(version)
      ? schemaProblem("outputSchema", node.outputSchema)
      : `runs flow ${quoted(flowId)} at version ${quoted(version)}; ` +
        "it must be an exact version such as 1.0.0";
    if (problem === undefined) return undefined;
    return {
      code: "invalid-subflow-node",
      message: cannotLoad(
        checked.flow,
        `subgraph ${quoted(node.id)} ${problem}`,
      ),
      nodeId: node.id,
    };
  });
}
