/**
 * How a tool that runs elsewhere says what went wrong there.
 *
 * @module
 */

import type { SchemaIssue } from "../../base/json_schema.ts";

/**
 * Thrown by a handler that knows more about its failure than that it failed.
 *
 * With the code `input-validation-failed`, `output-validation-failed` or `tool-result-too-large` the call fails as if the
 * runtime had found it itself; any other code is a handler's failure, and stands in its cause.
 */
export class ToolCallError extends Error {
  /** The class's name, as for every error. */
  override readonly name = "ToolCallError";
  /** What went wrong, for programs. */
  readonly code: string;
  /** For an input or output that was refused: everything that is wrong with it. */
  readonly issues: readonly SchemaIssue[];

  /** Makes one. */
  constructor(
    code: string,
    message: string,
    issues: readonly SchemaIssue[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.issues = issues;
  }
}
