/**
 * Fanouts: their branches, and how many of them run at once.
 *
 * @module
 */

import { schemaProblem } from "./check_schema.ts";
import type { InvalidFanoutNode } from "./errors.ts";
import { isWhole } from "./limits.ts";
import { cannotLoad, quoted } from "./message.ts";
import { firstOfNodes, type FlowUnderCheck } from "./shape.ts";
import type { FanoutNode } from "./types.ts";

/** A fanout that can't be run as it is written. */
export function invalidFanoutNode(
  checked: FlowUnderCheck,
): InvalidFanoutNode | undefined {
  return firstOfNodes(checked, (node) => {
    if (node.kind !== "fanout") return undefined;
    const found = fanoutProblem(node);
    return found && {
      code: "invalid-fanout-node",
      message: cannotLoad(
        checked.flow,
        `fanout ${quoted(node.id)} ${found.problem}`,
      ),
      nodeId: node.id,
      ...(found.branchId === undefined ? {} : { branchId: found.branchId }),
    };
  });
}

interface FanoutProblem {
  readonly problem: string;
  readonly branchId?: string;
}

function fanoutProblem(
  { branches, concurrency }: FanoutNode,
): FanoutProblem | undefined {
  if (branches.length === 0) {
    return { problem: "has no branches; it needs at least one" };
  }
  const seen = new Set<string>();
  for (const { branchId } of branches) {
    if (seen.has(branchId)) {
      return {
        branchId,
        problem: `has two branches ${quoted(branchId)}; rename one`,
      };
    }
    seen.add(branchId);
  }
  if (concurrency !== undefined && !isWhole(concurrency, 1, branches.length)) {
    return {
      problem: `has concurrency ${concurrency}; it must be a whole number ` +
        `from 1 to ${branches.length}, the number of its branches`,
    };
  }
  for (const { branchId, outputSchema } of branches) {
    const problem = schemaProblem("outputSchema", outputSchema);
    if (problem !== undefined) {
      return {
        branchId,
        problem: `${problem} (branch ${quoted(branchId)})`,
      };
    }
  }
  return undefined;
}
