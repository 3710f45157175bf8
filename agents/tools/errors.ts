/**
 * The errors of the tool registry, of calling a tool, and of a turn's calls.
 *
 * @module
 */

import type { SchemaIssue } from "../../base/json_schema.ts";
import type { ToolId } from "../agent/mod.ts";

/** This version of the tool is there already. */
export interface DuplicateToolVersionError {
  /** A version of a tool is one thing; build metadata makes no other version. */
  readonly code: "duplicate-tool-version";
  /** Names the tool, the version, and the one that is there. */
  readonly message: string;
  /** The tool's id. */
  readonly toolId: ToolId;
  /** The version that was refused. */
  readonly version: string;
}

/** There is no tool of this id. */
export interface ToolNotFoundError {
  /** Nothing is registered under the id that the tenant can see. */
  readonly code: "tool-not-found";
  /** Names the id. */
  readonly message: string;
  /** The id that was asked for. */
  readonly toolId: ToolId;
}

/** The range isn't one. */
export interface InvalidVersionRangeError {
  /** Not npm range grammar, or longer than 256 characters. */
  readonly code: "invalid-version-range";
  /** Names the tool and the range. */
  readonly message: string;
  /** The tool's id. */
  readonly toolId: ToolId;
  /** The range that was asked for. */
  readonly requestedRange: string;
}

/** No version of the tool satisfies the range. */
export interface ToolVersionUnresolvableError {
  /** The tool is there, at other versions. */
  readonly code: "tool-version-unresolvable";
  /** Names the tool, the range and the versions there are. */
  readonly message: string;
  /** The tool's id. */
  readonly toolId: ToolId;
  /** The range that was asked for. */
  readonly requestedRange: string;
  /** The versions there are, highest first. */
  readonly availableVersions: readonly string[];
}

/** Why a reference to a tool doesn't resolve. */
export type ToolResolutionError =
  | ToolNotFoundError
  | InvalidVersionRangeError
  | ToolVersionUnresolvableError;

/** A tool can't be called as things are: nothing of it ran. */
export interface ToolPreconditionError {
  /** A variable that it declares is missing, or its own input schema can't be used. */
  readonly code: "precondition-failed";
  /** Names the tool and what is missing. */
  readonly message: string;
  /** The tool's id. */
  readonly toolId: string;
  /** Everything that is missing. */
  readonly errors: readonly SchemaIssue[];
}

/** A tool's input isn't what it takes: its handler did not run. */
export interface ToolInputError {
  /** The input is no object, or breaks the tool's input schema. */
  readonly code: "input-validation-failed";
  /** Names the tool and the first issue. */
  readonly message: string;
  /** The tool's id. */
  readonly toolId: string;
  /** Everything that is wrong with the input. */
  readonly errors: readonly SchemaIssue[];
}

/** A tool's handler failed: it may have done something before it did. */
export interface ToolHandlerError {
  /** The handler threw or rejected. */
  readonly code: "handler-error";
  /** Names the tool and says what was thrown. */
  readonly message: string;
  /** The tool's id. */
  readonly toolId: string;
  /** What was thrown. */
  readonly cause: unknown;
}

/** A tool answered something else than it declares: it ran. */
export interface ToolOutputError {
  /** The output breaks the tool's output schema, or JSON can't hold it. */
  readonly code: "output-validation-failed";
  /** Names the tool and the first issue. */
  readonly message: string;
  /** The tool's id. */
  readonly toolId: string;
  /** Everything that is wrong with the output. */
  readonly errors: readonly SchemaIssue[];
}

/** A tool answered more than a conversation should carry: it ran. */
export interface ToolResultTooLargeError {
  /** The output's JSON is over the limit (`spec/durability.md`, Bytes). */
  readonly code: "tool-result-too-large";
  /** Names the tool and the limit. */
  readonly message: string;
  /** The tool's id. */
  readonly toolId: string;
  /** The limit in bytes of JSON in UTF-8. */
  readonly limitBytes: number;
}

/** A tool call was given up: the turn was aborted or its time is up. The tool may still have done something. */
export interface ToolAbortedError {
  /** The call's signal aborted; a late result is dropped. */
  readonly code: "tool-aborted";
  /** Names the tool. */
  readonly message: string;
  /** The tool's id. */
  readonly toolId: string;
}

/** Why a tool gave no result. */
export type ToolInvokeError =
  | ToolPreconditionError
  | ToolInputError
  | ToolHandlerError
  | ToolOutputError
  | ToolResultTooLargeError
  | ToolAbortedError;

/** A turn names a tool that its tenant doesn't have, or that the agent doesn't list. */
export interface UnresolvedToolError {
  /** Nothing was called. */
  readonly code: "unresolved-tool";
  /** Names the tool. */
  readonly message: string;
  /** The name that was used. */
  readonly toolId: string;
  /** How many failed calls of the turn had gone back to the model before; absent when its kind never goes back. */
  readonly toolRetries?: number;
}

/** A tool call of a turn failed, and the turn with it. */
export interface ToolInvocationError {
  /** `cause.code` says how: one of {@link ToolInvokeError}'s, or `not-authorized`. */
  readonly code: "tool-invocation-failed";
  /** Names the tool and why. */
  readonly message: string;
  /** The tool's id. */
  readonly toolId: string;
  /** The error of the call. */
  readonly cause: unknown;
  /** For an input that was refused: everything that is wrong with it. */
  readonly validationIssues?: readonly SchemaIssue[];
  /** For an input that was refused: what the model wrote; a cut text when it is over 4 096 bytes of JSON. */
  readonly receivedInput?: unknown;
  /** How many failed calls of the turn had gone back to the model before; absent when its kind never goes back. */
  readonly toolRetries?: number;
}
