/**
 * The error of something that isn't shaped like a flow.
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import type { FlowSchemaIssue, SchemaValidationFailed } from "./errors.ts";
import { quoted } from "./message.ts";

/** How many issues the message repeats; all of them are in the error. */
const NAMED_ISSUES = 3;

/** Puts the issues (at least one) into an error that names the flow as far as it can be told. */
export function wrongShape(
  input: unknown,
  issues: readonly FlowSchemaIssue[],
): SchemaValidationFailed {
  const named = issues.slice(0, NAMED_ISSUES).map(({ path, message }) =>
    `${path === "" ? "the flow" : path} ${message}`
  ).join("; ");
  const more = issues.length - NAMED_ISSUES;
  return {
    code: "schema-validation-failed",
    message: `Cannot load ${nameOf(input)}: ${named}${
      more > 0 ? `; and ${more} more` : ""
    }`,
    issues,
  };
}

function nameOf(input: unknown): string {
  try {
    if (isRecord(input) && typeof input.id === "string" && input.id !== "") {
      return `flow ${quoted(input.id)}`;
    }
  } catch {
    // Reading it throws: it goes unnamed.
  }
  return "a flow";
}
