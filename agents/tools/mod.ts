/**
 * Tools: what a model may call, and the registry in which a turn finds them.
 *
 * @module
 */

// Tools
export type { Tool, ToolContext, ToolEffect } from "./tool.ts";

// The registry
export { createToolRegistry } from "./registry.ts";
export type {
  ResolvedTool,
  TenantToolRegistry,
  ToolRegistry,
} from "./registry.ts";

// Errors
export type {
  DuplicateToolVersionError,
  InvalidVersionRangeError,
  ToolNotFoundError,
  ToolResolutionError,
  ToolVersionUnresolvableError,
} from "./errors.ts";
