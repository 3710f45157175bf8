/**
 * Saying what is wrong with a flow's shape in words that name the key or value at fault.
 *
 * @module
 */

import type { SchemaIssue } from "../../base/json_schema.ts";
import type { FlowSchemaIssue } from "./errors.ts";
import { quoted } from "./message.ts";

/** An issue of the validator as one of ours; nothing for one that only repeats another. */
export function inWords(issue: SchemaIssue): FlowSchemaIssue[] {
  // Says only that the `then` of a node's kind didn't fit, and what in it stands beside it.
  if (issue.keyword === "if") return [];
  return [{ path: issue.instancePath, message: messageOf(issue) }];
}

function messageOf({ keyword, message, params }: SchemaIssue): string {
  switch (keyword) {
    case "additionalProperties":
      return `must not have the key ${
        quoted(String(params?.additionalProperty))
      }`;
    case "required":
      return `must have the key ${quoted(String(params?.missingProperty))}`;
    case "type":
      return `must be ${withArticle(String(params?.type))}`;
    case "enum":
      return `must be one of ${listed(params?.allowedValues)}`;
    case "pattern":
      // The only pattern in a flow.
      return "must be an exact version such as 1.0.0";
    case "minLength":
      return "must not be empty";
    case "minProperties":
    case "maxProperties":
      // Only operands count their keys.
      return 'must have either the key "literal" or the key "path"';
    default:
      return message;
  }
}

/** A type of JSON Schema with its article: `an object`, `a string`. */
function withArticle(type: string): string {
  return `${/^[aio]/.test(type) ? "an" : "a"} ${type}`;
}

function listed(values: unknown): string {
  return Array.isArray(values)
    ? values.map((value) => JSON.stringify(value)).join(", ")
    : String(values);
}
