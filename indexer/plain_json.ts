/**
 * Taking a definition's values as plain JSON, which is all that an index can carry.
 *
 * @module
 */
import { err, ok, type Result } from "../base/result.ts";
import { escapePointer } from "./json_pointer.ts";

/** How deep a definition may nest: the depth that a pack service takes in a body. */
const MAX_DEPTH = 1_000;

/** Why a value can't be written as JSON. */
export interface NotPlain {
  /** Where in the value: a JSON pointer. */
  readonly path: string;
  /** What is wrong, as the end of a sentence about the value there. */
  readonly reason: string;
}

/** An object or array that is still being looked through. */
interface Open {
  readonly value: object;
  readonly path: string;
  readonly keys: readonly string[];
  next: number;
}

/**
 * A copy of a value as JSON writes and reads it, or why it can't be one: a cycle, a BigInt, a number that isn't finite,
 * or nesting past 1 000 levels. Nesting is walked without the call stack, so no depth can overflow it.
 */
export function toPlainJson(value: unknown): Result<unknown, NotPlain> {
  const problem = findProblem(value);
  if (problem) return err(problem);
  const text = JSON.stringify(value);
  return ok(text === undefined ? undefined : JSON.parse(text));
}

function findProblem(root: unknown): NotPlain | undefined {
  const stack: Open[] = [];
  const inside = new Set<object>();

  /** Looks at one value; opens it when it has values inside. */
  const look = (value: unknown, path: string): NotPlain | undefined => {
    if (typeof value === "bigint") {
      return { path, reason: "is a BigInt, which JSON can't write" };
    }
    if (typeof value === "number" && !Number.isFinite(value)) {
      return { path, reason: `is ${value}, which JSON can't write` };
    }
    if (typeof value !== "object" || value === null) return undefined;
    // What has a JSON form of its own (a Date, a URL) is written by JSON.
    if (typeof (value as { toJSON?: unknown }).toJSON === "function") {
      return undefined;
    }
    if (inside.has(value)) return { path, reason: "holds itself" };
    if (stack.length >= MAX_DEPTH) {
      return { path: "", reason: `nests deeper than ${MAX_DEPTH} levels` };
    }
    inside.add(value);
    stack.push({ value, path, keys: Object.keys(value), next: 0 });
    return undefined;
  };

  let problem = look(root, "");
  while (!problem && stack.length > 0) {
    const open = stack[stack.length - 1]!;
    const key = open.keys[open.next++];
    if (key === undefined) {
      stack.pop();
      inside.delete(open.value);
      continue;
    }
    const item = (open.value as Record<string, unknown>)[key];
    problem = look(item, `${open.path}/${escapePointer(key)}`);
  }
  return problem;
}
