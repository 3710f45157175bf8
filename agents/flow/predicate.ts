/**
 * Predicates: the conditions on edges and loops (`spec/flow.md`, predicates).
 *
 * @module
 */

import { MISSING, type OperandScope, resolveOperand } from "./operand.ts";
import { structurallyEqual } from "./structural_equality.ts";
import type {
  ComparisonPredicate,
  MembershipPredicate,
  Predicate,
  ValuePredicate,
} from "./types.ts";

/**
 * Whether a predicate holds over a run's values. Total: it answers for any values and never throws.
 *
 * A comparison with a missing side is false, except `ne` with exactly one side missing, which is true.
 */
export function evaluatePredicate(
  predicate: Predicate,
  scope: OperandScope,
): boolean {
  switch (predicate.op) {
    case "and":
      return predicate.children.every((child) =>
        evaluatePredicate(child, scope)
      );
    case "or":
      return predicate.children.some((child) =>
        evaluatePredicate(child, scope)
      );
    case "not":
      return !evaluatePredicate(predicate.child, scope);
    case "exists":
    case "notExists":
    case "truthy":
    case "falsy":
      return asksValue(predicate, scope);
    case "in":
    case "notIn":
      return isMember(predicate, scope);
    default:
      return compares(predicate, scope);
  }
}

function asksValue(predicate: ValuePredicate, scope: OperandScope): boolean {
  const value = resolveOperand(predicate.value, scope);
  switch (predicate.op) {
    case "exists":
      return value !== MISSING;
    case "notExists":
      return value === MISSING;
    case "truthy":
      return value !== MISSING && Boolean(value);
    case "falsy":
      return value === MISSING || !value;
  }
}

function isMember(
  predicate: MembershipPredicate,
  scope: OperandScope,
): boolean {
  const value = resolveOperand(predicate.value, scope);
  const set = resolveOperand(predicate.set, scope);
  if (value === MISSING || !Array.isArray(set)) return false;
  const found = set.some((item) => structurallyEqual(item, value));
  return predicate.op === "in" ? found : !found;
}

function compares(
  predicate: ComparisonPredicate,
  scope: OperandScope,
): boolean {
  const left = resolveOperand(predicate.left, scope);
  const right = resolveOperand(predicate.right, scope);
  if (left === MISSING || right === MISSING) {
    return predicate.op === "ne" && left !== right;
  }
  switch (predicate.op) {
    case "eq":
      return structurallyEqual(left, right);
    case "ne":
      return !structurallyEqual(left, right);
    default:
      return ordered(left, right, predicate.op);
  }
}

/** Orders two numbers, or two strings by code unit; nothing else has an order. */
function ordered(
  left: unknown,
  right: unknown,
  op: "lt" | "lte" | "gt" | "gte",
): boolean {
  const comparable = (typeof left === "number" && typeof right === "number") ||
    (typeof left === "string" && typeof right === "string");
  if (!comparable) return false;
  switch (op) {
    case "lt":
      return left < right;
    case "lte":
      return left <= right;
    case "gt":
      return left > right;
    case "gte":
      return left >= right;
  }
}
