/**
 * How a call to a handler or a check fails.
 *
 * @module
 */
import { typescriptAdvice } from "../base/typescript_advice.ts";
import type { SchemaIssue } from "../base/json_schema.ts";
import { err, type Result } from "../base/result.ts";
import { causeOf, describeThrown } from "./causes.ts";

/** The codes of the pack protocol that running a handler or a check can end in. */
export type HandlerErrorCode =
  /** The input, or a check's config, doesn't fit its schema, or the schema doesn't compile. Pack code did not run. */
  | "input-validation-failed"
  /** The handler ran; what it answered doesn't fit the output schema, or that schema doesn't compile. */
  | "output-validation-failed"
  /** The module can't be loaded. */
  | "handler-import-failed"
  /** The tool's module has no handler among its exports. */
  | "handler-shape-invalid"
  /** The check's module has no check among its exports. */
  | "check-shape-invalid"
  /** The handler or check threw. */
  | "handler-throw";

/** Why a call gave no output. */
export interface HandlerError {
  /** What kind of failure it is. */
  readonly code: HandlerErrorCode;
  /** What could not be done, to which tool or check, and why. */
  readonly message: string;
  /** The id of the tool; for a check, the check's id. */
  readonly toolId?: string;
  /** What was thrown, as JSON data: `{ name, message, stack }` for an error. */
  readonly cause?: unknown;
  /** Everything that is wrong with the value. */
  readonly issues?: readonly SchemaIssue[];
}

/** How a call ends: the output (or the check's result), or why there is none. */
export type HandlerOutcome = Result<unknown, HandlerError>;

/** A failure with what was thrown; `what` is the message up to the reason. */
export function failedByThrow(
  code: HandlerErrorCode,
  toolId: string,
  what: string,
  thrown: unknown,
): HandlerOutcome {
  return err({
    code,
    message: `${what}: ${describeThrown(thrown)}${typescriptAdvice(thrown)}`,
    toolId,
    cause: causeOf(thrown),
  });
}

/** A failure with what is wrong with a value; `what` is the message up to the first issue. */
export function failedByIssues(
  code: HandlerErrorCode,
  toolId: string,
  what: string,
  issues: readonly SchemaIssue[],
): HandlerOutcome {
  const [first] = issues;
  const place = first === undefined || first.instancePath === ""
    ? ""
    : ` at ${first.instancePath}`;
  const reason = first === undefined ? "" : `: ${first.message}`;
  return err({
    code,
    message: `${what}${place}${reason}`,
    toolId,
    issues,
  });
}

/** A failure that has nothing beside its message. */
export function failed(
  code: HandlerErrorCode,
  toolId: string,
  message: string,
): HandlerOutcome {
  return err({ code, message, toolId });
}
