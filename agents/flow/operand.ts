/**
 * Operands and mappings: how a flow's values are found in a run (`spec/flow.md`, operands).
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import type { Mapping, Operand } from "./types.ts";

/** The values of a run that operands read: JSON, none of it changed by reading. */
export interface OperandScope {
  /** What the run was started with. */
  readonly runInput: unknown;
  /** What the nodes have merged into the run's state. */
  readonly state: unknown;
  /** The outputs of the nodes that have completed, by node id. */
  readonly nodeOutputs: Readonly<Record<string, unknown>>;
  /** The iteration's number, from 0; only in a loop's exit condition. */
  readonly iterationIndex?: number;
  /** The iteration's output; only in a loop's exit condition. */
  readonly iterationOutput?: unknown;
}

/** Stands for a path that leads nowhere, which is neither `null` nor any other value. */
export const MISSING: unique symbol = Symbol("missing");

/**
 * The value of an operand, or {@link MISSING}. Never throws.
 *
 * Only own keys of objects are followed: a path doesn't step into arrays, strings or prototypes, and a value of
 * `undefined` is missing.
 */
export function resolveOperand(
  operand: Operand,
  scope: OperandScope,
): unknown {
  if (!("path" in operand)) {
    return operand.literal === undefined ? MISSING : operand.literal;
  }
  let value: unknown = scope;
  for (const key of operand.path.split(".")) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return MISSING;
    value = value[key];
  }
  return value === undefined ? MISSING : value;
}

/** The object that a mapping stands for; a key whose path is missing is left out. Never throws. */
export function resolveMapping(
  mapping: Mapping,
  scope: OperandScope,
): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [key, operand] of Object.entries(mapping)) {
    const value = resolveOperand(operand, scope);
    if (value === MISSING) continue;
    // Defined rather than assigned, so that a key named `__proto__` is a key like any other.
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return object;
}
