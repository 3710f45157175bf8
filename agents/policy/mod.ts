/**
 * What a tenant demands of its agents' turns: human review, retries of failed tools, and the registry of policies.
 *
 * @module
 */

// Human review
export { resolveEffectiveHitlPolicy } from "./effective_hitl.ts";
export type {
  EffectiveHitlInput,
  EffectiveHitlPolicy,
} from "./effective_hitl.ts";
export {
  combineHitlSpecs,
  higherRole,
  stricterToolHitlRule,
  toolHitlRule,
  validateHitlSpec,
} from "./hitl_spec.ts";
export type { HitlSpec } from "./hitl_spec.ts";

// Gates

// Failed tool calls
export { resolveEffectiveToolErrors } from "./effective_tool_errors.ts";
export type {
  EffectiveToolErrors,
  EffectiveToolErrorsInput,
} from "./effective_tool_errors.ts";

// Kinds and the registry
export { POLICY_KINDS, validatePolicySpec } from "./kinds.ts";
export type { PolicyKind, PolicySpec } from "./kinds.ts";
export { createPolicyRegistry, evaluateTenantPolicy } from "./registry.ts";
export type {
  PolicyAlreadyBoundError,
  PolicyContext,
  PolicyExecutor,
  PolicyRegistry,
  TenantPolicyUnavailableError,
} from "./registry.ts";
