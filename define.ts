/**
 * What a pack's author imports: helpers that check a definition where it is written.
 *
 * Cheap to load in every module of a pack and safe in a bundler: neither a validator nor a template engine nor any
 * platform API comes along.
 *
 * @module
 */
export * from "./define/mod.ts";

// Agents
export {
  COMPARISON_OPERATORS,
  defineAgent,
  MODEL_FEATURES,
  REVIEWER_ROLES,
  TOOL_ERROR_KINDS,
  TOOL_HITL_MODES,
} from "./agents/agent/mod.ts";
export type {
  Agent,
  AgentId,
  AgentMemory,
  AgentOutput,
  AgentOutputSpec,
  AgentPins,
  AllowDenyList,
  BlockRef,
  Brand,
  Capability,
  ComparisonOperator,
  ContextWindowRequirement,
  ConversationPolicy,
  CostRequirement,
  DefineAgentSpec,
  FeatureRequirement,
  HitlPolicy,
  InvalidAgentError,
  LatencyRequirement,
  ModelFeature,
  ModelsRequirement,
  Preference,
  PromptParameter,
  PromptRef,
  ProvidersRequirement,
  RegionRequirement,
  Requirement,
  RetrievalIntent,
  ReviewerRole,
  Semver,
  ToolErrorKind,
  ToolErrorsSpec,
  ToolHitlMode,
  ToolHitlRule,
  ToolRef,
  TurnBudget,
  VersionDerivation,
} from "./agents/agent/mod.ts";

// Flows; not by the room's own door, which provides the loader and with it a validator.
export { defineFlow } from "./agents/flow/define_flow.ts";
export type * from "./agents/flow/types.ts";
export type * from "./agents/flow/errors.ts";
