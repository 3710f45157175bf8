/**
 * The kinds of tenant policy, and what a document of each looks like (`spec/agents_define.md` 12.3).
 *
 * @module
 */

import {
  type DefinitionIssue,
  isPlainObject,
  type ToolErrorsSpec,
  validateSpec,
  validateToolErrorsSpec,
} from "../agent/mod.ts";
import { type HitlSpec, validateHitlSpec } from "./hitl_spec.ts";

/** Every kind of tenant policy. A turn applies `model-routing`, `tool-errors` and `hitl`; a store, `retention`. */
export const POLICY_KINDS = [
  "access-control",
  "model-routing",
  "adapter-allowlist",
  "rate-limit",
  "retention",
  "compliance",
  "tool-errors",
  "hitl",
] as const;

/** One of {@link POLICY_KINDS}. */
export type PolicyKind = (typeof POLICY_KINDS)[number];

/** The document of a kind of policy: typed where the kind's shape is known here, an object elsewhere. */
export type PolicySpec<Kind extends PolicyKind> = Kind extends "hitl" ? HitlSpec
  : Kind extends "tool-errors" ? ToolErrorsSpec
  : Readonly<Record<string, unknown>>;

/**
 * What is wrong with a policy's document: `tool-errors` and `hitl` in full, `retention` only that it is an object; `[]`
 * for the kinds whose consumers check them themselves. Never throws.
 */
export function validatePolicySpec(
  kind: PolicyKind,
  spec: unknown,
): DefinitionIssue[] {
  switch (kind) {
    case "tool-errors":
      return issuesOf(validateToolErrorsSpec(spec));
    case "hitl":
      return issuesOf(validateHitlSpec(spec));
    case "retention":
      return issuesOf(validateSpec(spec, retentionIssues));
    default:
      return [];
  }
}

function retentionIssues(spec: unknown): DefinitionIssue[] {
  return isPlainObject(spec)
    ? []
    : [{ path: "", message: "must be an object" }];
}

function issuesOf(
  checked: { kind: "ok" } | { kind: "err"; issues: DefinitionIssue[] },
): DefinitionIssue[] {
  return checked.kind === "ok" ? [] : checked.issues;
}
