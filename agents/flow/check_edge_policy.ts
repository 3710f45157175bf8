/**
 * Policies: their bounds, and that only the flow's own edges carry them.
 *
 * @module
 */

import type { InvalidEdgePolicy } from "./errors.ts";
import {
  isWhole,
  MAX_PRIORITY,
  MAX_RETRY_ATTEMPTS,
  MAX_TIMEOUT_MS,
} from "./limits.ts";
import { cannotLoad, inGraph, quoted } from "./message.ts";
import {
  firstOfEdges,
  type FlowUnderCheck,
  type Level,
  type PolicyShape,
  type RetryShape,
} from "./shape.ts";

/** A policy out of bounds or out of place. */
export function invalidEdgePolicy(
  checked: FlowUnderCheck,
): InvalidEdgePolicy | undefined {
  return firstOfEdges(checked, ({ id, policy }, level) => {
    if (policy === undefined) return undefined;
    const found = policyProblem(policy, level);
    return found && {
      code: "invalid-edge-policy",
      message: cannotLoad(
        checked.flow,
        `the policy of edge ${quoted(id)}${inGraph(level)} ${found.problem}`,
      ),
      edgeId: id,
      field: found.field,
    };
  });
}

interface PolicyProblem {
  readonly field: string;
  readonly problem: string;
}

function policyProblem(
  policy: PolicyShape,
  level: Level,
): PolicyProblem | undefined {
  if (level.loop !== undefined) {
    return {
      field: "policy",
      problem: "has no effect there; only edges of the flow itself carry one",
    };
  }
  const { retry, timeoutMs, concurrencyKey, priority } = policy;
  if (timeoutMs !== undefined && !isWhole(timeoutMs, 1, MAX_TIMEOUT_MS)) {
    return outOfBounds("timeoutMs", timeoutMs, 1, MAX_TIMEOUT_MS);
  }
  if (concurrencyKey !== undefined && !isConcurrencyKey(concurrencyKey)) {
    return {
      field: "concurrencyKey",
      problem: `has the concurrencyKey ${quoted(concurrencyKey)}; ` +
        "a key is 1 to 256 printable ASCII characters",
    };
  }
  if (
    priority !== undefined && !isWhole(priority, -MAX_PRIORITY, MAX_PRIORITY)
  ) {
    return outOfBounds("priority", priority, -MAX_PRIORITY, MAX_PRIORITY);
  }
  return retry === undefined ? undefined : retryProblem(retry);
}

function retryProblem(retry: RetryShape): PolicyProblem | undefined {
  const { maxAttempts, delayMs, backoff, maxDelayMs } = retry;
  if (!isWhole(maxAttempts, 1, MAX_RETRY_ATTEMPTS)) {
    return outOfBounds("retry.maxAttempts", maxAttempts, 1, MAX_RETRY_ATTEMPTS);
  }
  if (delayMs !== undefined && delayMs < 0) {
    return negative("retry.delayMs", delayMs);
  }
  if (maxDelayMs !== undefined && maxDelayMs < 0) {
    return negative("retry.maxDelayMs", maxDelayMs);
  }
  if (backoff === "exponential" && maxDelayMs === undefined) {
    return {
      field: "retry.maxDelayMs",
      problem: "has no retry.maxDelayMs, which an exponential backoff needs",
    };
  }
  return undefined;
}

function outOfBounds(
  field: string,
  value: number,
  least: number,
  most: number,
): PolicyProblem {
  return {
    field,
    problem:
      `has ${field} ${value}; it must be a whole number from ${least} to ${most}`,
  };
}

function negative(field: string, value: number): PolicyProblem {
  return { field, problem: `has ${field} ${value}; it must be at least 0` };
}

function isConcurrencyKey(key: string): boolean {
  return /^[\x20-\x7e]{1,256}$/.test(key);
}
