/**
 * The errors of the tool registry.
 *
 * @module
 */

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
