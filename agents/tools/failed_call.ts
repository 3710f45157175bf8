/**
 * What becomes of a failed tool call: back to the model, or the end of the turn (`spec/agents_turn.md` 6).
 *
 * @module
 */

import type { SchemaIssue } from "../../base/json_schema.ts";
import { isRecord } from "../../base/result.ts";
import { quoted, type ToolErrorKind } from "../agent/mod.ts";
import {
  boundedEcho,
  cutTo,
  MAX_ECHO_BYTES,
  utf8Length,
} from "../../base/bounded_echo.ts";
import type { ToolInvocationError, UnresolvedToolError } from "./errors.ts";

/** A failed call of a turn. */
export type FailedToolCall = ToolInvocationError | UnresolvedToolError;

/** What stands in a failed call's result, as `kindgi`, when the model gets it back. */
export const TOOL_ERROR_RETRY = "tool-error-retry";

/** A failed call as its result, for the model to do better: at most 4 096 bytes of JSON. */
export interface ToolErrorRetry {
  /** The marker by which retries are counted. */
  readonly kindgi: typeof TOOL_ERROR_RETRY;
  /** The call failed. */
  readonly status: "failed";
  /** Why. */
  readonly error: {
    /** The kind of failure. */
    readonly kind: ToolErrorKind;
    /** What went wrong. */
    readonly message: string;
    /** What is wrong with the arguments; as many as there is room for. */
    readonly issues?: readonly SchemaIssue[];
  };
  /** What the model can do about it. */
  readonly instruction: string;
}

/** Which failed calls go back to the model, everything resolved. */
export interface FailedCallPolicy {
  /** How many failed calls of a turn at most. */
  readonly maxRetries: number;
  /** Which kinds. */
  readonly retryOn: readonly ToolErrorKind[];
}

/** A failed call, and what the turn has been through. */
export interface FailedCallInput {
  /** The failed call. */
  readonly error: FailedToolCall;
  /** The turn's policy (`resolveEffectiveToolErrors`). */
  readonly policy: FailedCallPolicy;
  /** How many failed calls of this turn have gone back to the model: see {@link isToolErrorRetry}. */
  readonly used: number;
}

/** What becomes of it. */
export type FailedCallDecision =
  | {
    /** The model gets it back, and the turn goes on. */
    readonly kind: "retry";
    /** The call's result: what is stored, and as JSON what the model reads. */
    readonly content: ToolErrorRetry;
  }
  | {
    /** The turn fails. */
    readonly kind: "fail";
    /** With this. */
    readonly error: FailedToolCall;
  };

const INSTRUCTIONS: Readonly<Record<ToolErrorKind, string>> = {
  "invalid-arguments":
    "The tool did not run. Call it again with arguments that fit its input schema.",
  "unknown-tool":
    "There is no such tool. Use only the tools that you were given, by their exact names.",
  "tool-error":
    "The tool failed, and may have done something. Call it again only if repeating it is safe, or go on without it.",
};

/** The error of a call that names no tool of the turn. */
export function unresolvedToolCall(name: string): UnresolvedToolError {
  return {
    code: "unresolved-tool",
    message: `The model called tool ${
      quoted(name)
    }, which the agent doesn't have`,
    toolId: name,
  };
}

/**
 * The error of a call that failed: what calling the tool answered becomes its cause, and for an input that was refused the
 * issues and what the model wrote are beside it.
 *
 * @param cause A `ToolInvokeError`, or another error with a code, such as `not-authorized`.
 * @param received The call's arguments, as the model wrote them.
 */
export function toolInvocationFailed(
  toolId: string,
  cause: { readonly code: string; readonly message: string },
  received: unknown,
): ToolInvocationError {
  return {
    code: "tool-invocation-failed",
    message: cause.message,
    toolId,
    cause,
    ...(cause.code === "input-validation-failed"
      ? {
        validationIssues: issuesOf(cause),
        receivedInput: boundedEcho(received),
      }
      : {}),
  };
}

/** Which kind of failure it is. */
export function failedCallKind(error: FailedToolCall): ToolErrorKind {
  if (error.code === "unresolved-tool") return "unknown-tool";
  const { cause } = error;
  return isRecord(cause) && cause.code === "input-validation-failed"
    ? "invalid-arguments"
    : "tool-error";
}

/**
 * Decides about a failed call.
 *
 * A kind that never goes back fails the turn with the error as it is. One that does goes back while fewer than `maxRetries`
 * calls of the turn have; then the turn fails, and `toolRetries` says how many went back.
 */
export function decideFailedCall(input: FailedCallInput): FailedCallDecision {
  const { error, policy, used } = input;
  const kind = failedCallKind(error);
  if (!policy.retryOn.includes(kind)) return { kind: "fail", error };
  if (used >= policy.maxRetries) {
    return { kind: "fail", error: { ...error, toolRetries: used } };
  }
  return { kind: "retry", content: retryContent(error, kind) };
}

/** Whether a tool message's content, as stored or as JSON, is a failed call that went back to the model. */
export function isToolErrorRetry(content: unknown): boolean {
  if (typeof content !== "string") {
    return isRecord(content) && content.kindgi === TOOL_ERROR_RETRY;
  }
  if (!content.startsWith("{") || !content.includes(TOOL_ERROR_RETRY)) {
    return false;
  }
  try {
    const value: unknown = JSON.parse(content);
    return isRecord(value) && value.kindgi === TOOL_ERROR_RETRY;
  } catch {
    return false;
  }
}

function retryContent(
  error: FailedToolCall,
  kind: ToolErrorKind,
): ToolErrorRetry {
  const issues = error.code === "tool-invocation-failed"
    ? error.validationIssues ?? []
    : [];
  // A quarter for the message, counted as JSON writes it; the issues share what is left.
  const message = cutJson(error.message, MAX_ECHO_BYTES / 4);
  const shown: SchemaIssue[] = [];
  for (const issue of issues) {
    const more = [...shown, shortIssue(issue)];
    if (
      utf8Length(JSON.stringify(content(kind, message, more))) > MAX_ECHO_BYTES
    ) break;
    shown.push(more[more.length - 1]!);
  }
  return content(kind, message, shown);
}

function content(
  kind: ToolErrorKind,
  message: string,
  issues: readonly SchemaIssue[],
): ToolErrorRetry {
  return {
    kindgi: TOOL_ERROR_RETRY,
    status: "failed",
    error: { kind, message, ...(issues.length === 0 ? {} : { issues }) },
    instruction: INSTRUCTIONS[kind],
  };
}

/** An issue as a model needs it: where, what, and the names or values that the keyword is about. */
function shortIssue(issue: SchemaIssue): SchemaIssue {
  const { instancePath, message, params } = issue;
  return {
    instancePath: cutJson(instancePath, 256),
    message: cutJson(message, 512),
    ...(params !== undefined && utf8Length(JSON.stringify(params)) <= 512
      ? { params }
      : {}),
  };
}

/** A text whose JSON has at most `maxBytes`, its quotes not counted. */
function cutJson(text: string, maxBytes: number): string {
  let cut = text;
  // Escapes count too, so a cut text may need another cut.
  for (
    let room = maxBytes;
    utf8Length(JSON.stringify(cut)) - 2 > maxBytes;
    room = Math.floor(room / 2)
  ) {
    cut = cutTo(text, room, "…");
  }
  return cut;
}

function issuesOf(error: object): readonly SchemaIssue[] {
  const { errors, issues } = error as Readonly<Record<string, unknown>>;
  const list = errors ?? issues;
  return Array.isArray(list) ? list as readonly SchemaIssue[] : [];
}
