/**
 * Checks on what an author wrote, collecting everything that is wrong.
 *
 * @module
 */
import type { DefinitionIssue } from "../base/definition.ts";
import { isRecord } from "../base/result.ts";

export type { DefinitionIssue };

/** Says what is wrong with a value, or nothing. */
export type Rule = (value: unknown) => string | undefined;

/** A string with something in it. */
export const isText: Rule = (value) =>
  typeof value === "string" && value.trim() !== ""
    ? undefined
    : "must be a string that isn't blank";

/** True or false. */
export const isBoolean: Rule = (value) =>
  typeof value === "boolean" ? undefined : "must be true or false";

/** An object. */
export const isObject: Rule = (value) =>
  isRecord(value) ? undefined : "must be an object";

/** A function. */
export const isFunction: Rule = (value) =>
  typeof value === "function" ? undefined : "must be a function";

/** A list of strings. */
export const isTextList: Rule = (value) =>
  Array.isArray(value) && value.every((item) => isText(item) === undefined)
    ? undefined
    : "must be a list of strings that aren't blank";

/** A list. */
export const isList: Rule = (value) =>
  Array.isArray(value) ? undefined : "must be a list";

/** One of some words. */
export function isOneOf(words: readonly string[]): Rule {
  return (value) =>
    typeof value === "string" && words.includes(value)
      ? undefined
      : `must be one of ${words.join(", ")}`;
}

/** A whole number in a range, both ends included. */
export function isIntegerFrom(least: number, most = Infinity): Rule {
  return (value) =>
    Number.isInteger(value) && (value as number) >= least &&
      (value as number) <= most
      ? undefined
      : most === Infinity
      ? `must be a whole number of at least ${least}`
      : `must be a whole number from ${least} to ${most}`;
}

/** What an object may and must have. */
export interface Shape {
  /** Every key that is known, with its rule; unless `open`, there may be no other. */
  readonly rules: Readonly<Record<string, Rule>>;
  /** The keys that must be there. */
  readonly required?: readonly string[];
  /** Whether other keys are let through. */
  readonly open?: boolean;
}

/** Everything that is wrong with an object; a key that is undefined counts as absent. */
export function shapeIssues(
  value: unknown,
  shape: Shape,
  path = "",
): DefinitionIssue[] {
  if (!isRecord(value)) return [{ path, message: "must be an object" }];
  const issues: DefinitionIssue[] = [];
  for (const key of shape.required ?? []) {
    if (value[key] === undefined) {
      issues.push({ path: at(path, key), message: "is missing" });
    }
  }
  for (const key of Object.keys(value)) {
    if (value[key] === undefined) continue;
    const rule = Object.hasOwn(shape.rules, key) ? shape.rules[key] : undefined;
    const message = rule
      ? rule(value[key])
      : shape.open
      ? undefined
      : `isn't known; known are ${Object.keys(shape.rules).join(", ")}`;
    if (message !== undefined) issues.push({ path: at(path, key), message });
  }
  return issues;
}

/** The issues as one sentence. */
export function issueText(issues: readonly DefinitionIssue[]): string {
  return issues.map(({ path, message }) => `${path || "it"} ${message}`).join(
    "; ",
  );
}

/** The JSON pointer of a key below another. */
export function at(path: string, key: string | number): string {
  return `${path}/${String(key).replace(/~/g, "~0").replace(/\//g, "~1")}`;
}

/** An exact version as semver 2.0.0 writes it, such as `1.2.3` or `2.0.0-beta.1`. */
const EXACT_VERSION =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** An exact version; ranges and `v1.2.3` aren't. */
export const isExactVersion: Rule = (value) =>
  typeof value === "string" && value.length <= 256 && EXACT_VERSION.test(value)
    ? undefined
    : `must be an exact version such as "1.0.0"`;
