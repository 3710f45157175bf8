/**
 * Which model a turn calls: capabilities, providers, a tenant's bounds, and the router.
 *
 * @module
 */

// Capabilities
export { defineCapability } from "./define_capability.ts";

// Providers
export { createProviderRegistry } from "./provider_registry.ts";
export type {
  ProviderRegistry,
  ProviderRegistryHandle,
  ProviderSeed,
} from "./provider_registry.ts";
export type {
  ModelCallInput,
  ModelCallResult,
  ModelCost,
  ModelFinishReason,
  ModelInfo,
  ModelMessage,
  ModelProvider,
  ModelToolCall,
  ModelToolDefinition,
  ModelUsage,
  ProviderMetadata,
} from "./model_provider.ts";

// Calling a model
export { callModel, modelInvocationFailed } from "./call_model.ts";
export type { ModelCall } from "./call_model.ts";
export { readModelAnswer } from "./model_answer.ts";
export type { ModelAnswer, ModelAnswerContext } from "./model_answer.ts";
export { uniqueToolCallIds } from "./tool_call_ids.ts";
export type { ToolCallIdScope } from "./tool_call_ids.ts";

// Usage
export { priceOf } from "./pricing.ts";
export { recordModelUsage } from "./usage_record.ts";
export type { ModelUsageRecord, ModelUsageSink } from "./usage_record.ts";

// Routing
export { route } from "./route.ts";
export type { Route, RouteInput } from "./route.ts";
export type { ProviderModel } from "./constraint.ts";
export { mergeTenantPolicies } from "./tenant_policy.ts";
export type { TenantPolicy } from "./tenant_policy.ts";

// Errors
export type {
  CapabilityUnsatisfiableError,
  DuplicateProviderError,
  InvalidCapabilityError,
  InvalidProviderError,
  InvalidProviderReason,
  ModelCallAbortedError,
  ModelInvocationError,
  RejectionReason,
  UnsatisfiedRequirement,
} from "./errors.ts";
