/**
 * What an agent is: its data, how it is defined, versioned and kept. Loads neither Ajv nor LiquidJS.
 *
 * @module
 */

// Defining
export { defineAgent } from "./define.ts";
export { AGENT_SCHEMA } from "./agent_schema.ts";
export type {
  Agent,
  AgentMemory,
  AgentOutput,
  AgentOutputSpec,
  AgentPins,
  BlockRef,
  ConversationPolicy,
  DefineAgentSpec,
  HitlPolicy,
  JsonSchema,
  PromptParameter,
  PromptRef,
  RetrievalIntent,
  ToolRef,
  TurnBudget,
} from "./types.ts";
export { AUTO_INJECTED_VARS } from "./parameter_names.ts";
export { parameterIssues } from "./check_parameters.ts";
export { hostTemplateProblem } from "./check_identity.ts";
export { isPlainObject, plainCopy, reasonOf } from "./plain_copy.ts";
export type { PlainCopy, PlainCopyOptions } from "./plain_copy.ts";
export { isFilledText, isPositiveInteger } from "./values.ts";

// Capabilities
export { CAPABILITY_SCHEMA } from "./capability_schema.ts";
export {
  COMPARISON_OPERATORS,
  DEFAULT_CAPABILITY_KIND,
  MODEL_FEATURES,
  WELL_KNOWN_CAPABILITY_KINDS,
} from "./capability.ts";
export type {
  AllowDenyList,
  Capability,
  ComparisonOperator,
  ContextWindowRequirement,
  CostRequirement,
  FeatureRequirement,
  LatencyRequirement,
  ModelFeature,
  ModelsRequirement,
  Preference,
  ProvidersRequirement,
  RegionRequirement,
  Requirement,
} from "./capability.ts";

// Human review and failed tool calls: the levels
export {
  isReviewerRole,
  isToolHitlMode,
  REVIEWER_ROLES,
  TOOL_HITL_MODES,
} from "./hitl_levels.ts";
export type {
  ReviewerRole,
  ToolHitlMode,
  ToolHitlRule,
} from "./hitl_levels.ts";
export {
  MAX_TOOL_ERROR_RETRIES,
  TOOL_ERROR_KINDS,
  validateToolErrorsSpec,
} from "./tool_errors.ts";
export type { ToolErrorKind, ToolErrorsSpec } from "./tool_errors.ts";
export { validateSpec } from "./spec_validation.ts";
export type { SpecValidation } from "./spec_validation.ts";

// Data blocks: the shapes
export { BLOCK_KINDS, isBlockId } from "./blocks.ts";
export type {
  BlockDefinition,
  BlockIssue,
  BlockKind,
  PromptBlock,
  PromptBlockContent,
  SettingsBlock,
  SettingsBlockContent,
} from "./blocks.ts";

// Versions and the registry
export {
  compareVersions,
  isExactVersion,
  isVersionRange,
  pickVersion,
  sameVersion,
} from "./versions.ts";
export type { PickedVersion } from "./versions.ts";
export { createAgentRegistry } from "./registry.ts";
export type { AgentRegistry } from "./registry.ts";

// Ids
export { makeEnvName } from "./ids.ts";
export type {
  AgentId,
  ApprovalId,
  Brand,
  ConversationId,
  DurationMs,
  EnvName,
  FactId,
  FlowId,
  GuardrailId,
  IsoDuration,
  NodeId,
  OrgId,
  PackId,
  PolicyId,
  ProjectId,
  ProvenanceId,
  ReviewerId,
  RunId,
  Semver,
  SessionId,
  TenantId,
  ThreadId,
  Timestamp,
  ToolId,
  UserId,
  VersionDerivation,
} from "./ids.ts";

// Issues and errors
export {
  issueCount,
  issueSummary,
  pointerSegment,
  quoted,
  shown,
} from "./issues.ts";
export type { DefinitionIssue } from "./issues.ts";
export type {
  AgentAlreadyRegisteredError,
  AgentError,
  AgentNotFoundError,
  AgentVersionMismatchError,
  ConversationClosedError,
  ConversationNotFoundError,
  InvalidAgentError,
  InvalidMessageError,
  PersistenceError,
} from "./errors.ts";
export type { Err, Ok, Result } from "../../base/result.ts";
export type { StandardResult, ZodSchema } from "../../base/zod_schema.ts";
