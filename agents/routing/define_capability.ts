/**
 * `defineCapability`: checks what an author needs of a model.
 *
 * @module
 */

import { compileSchema } from "../../base/json_schema.ts";
import { err, ok, type Result } from "../../base/result.ts";
import {
  type Capability,
  CAPABILITY_SCHEMA,
  type DefinitionIssue,
  issueCount,
  issueSummary,
  plainCopy,
} from "../agent/mod.ts";
import type { InvalidCapabilityError } from "./errors.ts";

/**
 * Checks a capability against `CAPABILITY_SCHEMA` and answers a deep copy of it. Never throws.
 *
 * `defineAgent` doesn't call it, and the router takes an empty list of needs; this is for authors who want to know.
 */
export function defineCapability(
  spec: Capability,
): Result<Capability, InvalidCapabilityError> {
  const { value, problems } = plainCopy(spec);
  const issues = problems.size > 0
    ? [...problems].map(([path, message]) => ({ path, message }))
    : schemaIssues(value);
  if (issues.length === 0) return ok(value as Capability);
  return err({
    code: "invalid-capability",
    message: `Cannot define a capability: ${issueCount(issues.length)} (${
      issueSummary(issues)
    })`,
    issues,
  });
}

function schemaIssues(value: unknown): DefinitionIssue[] {
  const compiled = compileSchema(CAPABILITY_SCHEMA, "output");
  if (compiled.kind === "err") throw compiled.error.cause; // our own schema
  return compiled.value(value).map(({ instancePath, message }) => ({
    path: instancePath,
    message,
  }));
}
