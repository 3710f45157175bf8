/**
 * Reading what a model wants to call a tool with (`spec/decisions.md` 20, 27).
 *
 * @module
 */

import { compileSchema, type SchemaIssue } from "../../base/json_schema.ts";
import { mendedJson } from "../../base/mended_text.ts";
import { err, isRecord, ok, type Result } from "../../base/result.ts";
import { quoted, reasonOf } from "../agent/mod.ts";
import type { ToolInputError, ToolPreconditionError } from "./errors.ts";
import type { Tool } from "./tool.ts";

/** A tool's input: always an object. */
export type ToolInput = Readonly<Record<string, unknown>>;

/**
 * Reads a call's arguments and checks them against the tool's input schema, before anybody is asked and anything runs.
 *
 * Arguments that are missing, empty or null are `{}`; a text is read as JSON; what isn't an object then is refused. What is
 * answered is a copy with the schema's defaults filled in.
 */
export function readToolInput(
  tool: Tool,
  given: unknown,
): Result<ToolInput, ToolInputError | ToolPreconditionError> {
  const schema = compileSchema(tool.input, "input");
  if (schema.kind === "err") {
    const message = `its input schema can't be used: ${schema.error.message}`;
    return err({
      code: "precondition-failed",
      message: `Cannot call tool ${quoted(tool.id)}: ${message}`,
      toolId: tool.id,
      errors: [rootIssue(message)],
    });
  }
  const read = readArguments(given);
  if (read.kind === "err") return err(inputRefused(tool, [read.error]));
  const issues = schema.value(read.value);
  return issues.length === 0 ? read : err(inputRefused(tool, issues));
}

/** The error of an input that isn't what the tool takes. */
export function inputRefused(
  tool: Tool,
  errors: readonly SchemaIssue[],
): ToolInputError {
  return {
    code: "input-validation-failed",
    message: `Cannot call tool ${quoted(tool.id)}: its input ${
      firstIssue(errors)
    }`,
    toolId: tool.id,
    errors,
  };
}

/** The first issue in words, and how many there are beside it. */
export function firstIssue(issues: readonly SchemaIssue[]): string {
  const [first, ...others] = issues;
  if (first === undefined) return "is not valid";
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return `${first.instancePath} ${first.message}`.trim() + more;
}

/** An issue with the whole value. */
export function rootIssue(message: string): SchemaIssue {
  return { instancePath: "", message };
}

function readArguments(given: unknown): Result<ToolInput, SchemaIssue> {
  const parsed = typeof given === "string" ? parse(given) : ok(given);
  if (parsed.kind === "err") return parsed;
  const value = parsed.value ?? {};
  if (!isRecord(value)) {
    return err(rootIssue("must be an object of the tool's parameters"));
  }
  try {
    const { value: copy } = mendedJson(value);
    return isRecord(copy)
      ? ok(copy)
      : err(rootIssue("must be an object of the tool's parameters"));
  } catch (thrown) {
    return err(rootIssue(`must be JSON: ${reasonOf(thrown)}`));
  }
}

function parse(text: string): Result<unknown, SchemaIssue> {
  if (text.trim() === "") return ok(undefined);
  try {
    return ok(JSON.parse(text));
  } catch (thrown) {
    return err(rootIssue(`must be valid JSON: ${reasonOf(thrown)}`));
  }
}
