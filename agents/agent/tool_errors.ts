/**
 * What happens to a failed tool call: back to the model, or the end of the turn (`spec/agents_define.md` 12.2).
 *
 * @module
 */

import { type DefinitionIssue, pointerSegment, shown } from "./issues.ts";
import { isPlainObject } from "./plain_copy.ts";
import { type SpecValidation, validateSpec } from "./spec_validation.ts";

/** The kinds of failed tool call. */
export const TOOL_ERROR_KINDS = [
  "invalid-arguments",
  "unknown-tool",
  "tool-error",
] as const;

/** One of {@link TOOL_ERROR_KINDS}. */
export type ToolErrorKind = (typeof TOOL_ERROR_KINDS)[number];

/** The most retries that a turn can be given. */
export const MAX_TOOL_ERROR_RETRIES = 10;

/** Which failed calls go back to the model, and how often in a turn; an absent field leaves the turn's default. */
export interface ToolErrorsSpec {
  /** How many failed calls of a turn the model gets back: 0 to 10; a turn's default is 1. */
  readonly maxRetries?: number;
  /** Which kinds go back to it; a turn's default is `invalid-arguments` and `unknown-tool`. */
  readonly retryOn?: readonly ToolErrorKind[];
}

/**
 * Checks a tool-errors specification: an agent's `toolErrors`, or a tenant's `tool-errors` policy.
 *
 * Issues: `""` not a plain object, or unreadable; `/<key>` unknown; `/maxRetries` not an integer from 0 to 10;
 * `/retryOn` not a list; `/retryOn/<i>` an unknown kind, or one listed twice. Never throws.
 */
export function validateToolErrorsSpec(
  value: unknown,
): SpecValidation<ToolErrorsSpec> {
  return validateSpec(value, toolErrorsIssues);
}

function toolErrorsIssues(value: unknown): DefinitionIssue[] {
  if (!isPlainObject(value)) {
    return [{
      path: "",
      message: "must be an object with maxRetries and retryOn, both optional",
    }];
  }
  const issues: DefinitionIssue[] = [];
  for (const key of Object.keys(value)) {
    if (key === "maxRetries" || key === "retryOn") continue;
    issues.push({
      path: `/${pointerSegment(key)}`,
      message: "is not a known key: use maxRetries and retryOn",
    });
  }
  const { maxRetries, retryOn } = value;
  if (
    maxRetries !== undefined &&
    !(Number.isInteger(maxRetries) && (maxRetries as number) >= 0 &&
      (maxRetries as number) <= MAX_TOOL_ERROR_RETRIES)
  ) {
    issues.push({
      path: "/maxRetries",
      message: `must be an integer from 0 to ${MAX_TOOL_ERROR_RETRIES}, not ${
        shown(maxRetries)
      }`,
    });
  }
  if (retryOn === undefined) return issues;
  if (!Array.isArray(retryOn)) {
    issues.push({
      path: "/retryOn",
      message: `must be a list of ${TOOL_ERROR_KINDS.join(", ")}`,
    });
    return issues;
  }
  [...retryOn].forEach((kind: unknown, index) => {
    if (!(TOOL_ERROR_KINDS as readonly unknown[]).includes(kind)) {
      issues.push({
        path: `/retryOn/${index}`,
        message: `must be one of ${TOOL_ERROR_KINDS.join(", ")}, not ${
          shown(kind)
        }`,
      });
    } else if (retryOn.indexOf(kind) < index) {
      issues.push({
        path: `/retryOn/${index}`,
        message: `${shown(kind)} is listed twice`,
      });
    }
  });
  return issues;
}
