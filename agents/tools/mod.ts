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

// Calling one
export { invokeTool, MAX_TOOL_RESULT_BYTES } from "./invoke.ts";
export type { InvokeToolOptions } from "./invoke.ts";
export { readToolInput } from "./tool_input.ts";
export type { ToolInput } from "./tool_input.ts";
export { ToolCallError } from "./tool_call_error.ts";
export { toolIdempotencyKey } from "./idempotency_key.ts";
export type { ToolCallIdentity } from "./idempotency_key.ts";
export { boundedEcho, MAX_ECHO_BYTES } from "../../base/bounded_echo.ts";

// Packs as tools
export { packServiceTools } from "./pack_service_tools.ts";
export type {
  PackServiceToolsOptions,
  PackToolEntry,
  PackToolIndex,
} from "./pack_service_tools.ts";
export { packServiceChecks } from "./pack_service_checks.ts";
export type {
  PackCheckEntry,
  PackCheckIndex,
  PackServiceChecksOptions,
} from "./pack_service_checks.ts";
export type { PackServiceAddress } from "./pack_service_client.ts";

// When a call fails
export {
  decideFailedCall,
  failedCallKind,
  isToolErrorRetry,
  TOOL_ERROR_RETRY,
  toolInvocationFailed,
  unresolvedToolCall,
} from "./failed_call.ts";
export type {
  FailedCallDecision,
  FailedCallInput,
  FailedCallPolicy,
  FailedToolCall,
  ToolErrorRetry,
} from "./failed_call.ts";

// Errors
export type {
  DuplicateToolVersionError,
  InvalidVersionRangeError,
  ToolAbortedError,
  ToolHandlerError,
  ToolInputError,
  ToolInvocationError,
  ToolInvokeError,
  ToolNotFoundError,
  ToolOutputError,
  ToolPreconditionError,
  ToolResolutionError,
  ToolResultTooLargeError,
  ToolVersionUnresolvableError,
  UnresolvedToolError,
} from "./errors.ts";
