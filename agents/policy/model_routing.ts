/**
 * What a tenant's `model-routing` policy must look like before a turn routes by it.
 *
 * @module
 */

import {
  type DefinitionIssue,
  isPlainObject,
  pointerSegment,
  shown,
} from "../agent/mod.ts";

const LISTS = ["providers", "models"] as const;
const CAPS = ["maxCostPerCallUsd", "maxTokensPerCall"] as const;

/**
 * What is wrong with the bounds of a `model-routing` policy. A list that is text would let through whatever is a part of
 * it, and a bound that can't be read none: so they are refused. Keys that aren't bounds are left to the host.
 */
export function modelRoutingIssues(policy: unknown): DefinitionIssue[] {
  if (!isPlainObject(policy)) {
    return [{ path: "", message: "must be an object" }];
  }
  const issues = LISTS.flatMap((key) => allowDenyIssues(policy[key], key));
  issues.push(...namesIssues(policy.regionAllow, "/regionAllow"));
  for (const key of CAPS) {
    const cap = policy[key];
    if (cap === undefined || typeof cap === "number" && cap >= 0) continue;
    issues.push({
      path: `/${key}`,
      message: `must be a number of 0 or more, not ${shown(cap)}`,
    });
  }
  return issues;
}

function allowDenyIssues(value: unknown, key: string): DefinitionIssue[] {
  if (value === undefined) return [];
  if (!isPlainObject(value)) {
    return [{ path: `/${key}`, message: "must be { allow, deny }" }];
  }
  const unknown = Object.keys(value)
    .filter((name) => name !== "allow" && name !== "deny")
    .map((name) => ({
      path: `/${key}/${pointerSegment(name)}`,
      message: "is not a known key: use allow, deny",
    }));
  return [
    ...unknown,
    ...namesIssues(value.allow, `/${key}/allow`),
    ...namesIssues(value.deny, `/${key}/deny`),
  ];
}

function namesIssues(value: unknown, path: string): DefinitionIssue[] {
  const fine = value === undefined ||
    Array.isArray(value) &&
      [...value].every((name: unknown) => typeof name === "string");
  return fine
    ? []
    : [{ path, message: `must be a list of names, not ${shown(value)}` }];
}
