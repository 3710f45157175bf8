/**
 * Agents: definitions, instructions, and everything that a turn is decided by.
 *
 * An agent is data. {@link defineAgent} checks what an author writes and answers it as plain, JSON-serialisable data that
 * can be stored, versioned and pinned; {@link createAgentRegistry} keeps agents by id and version. What an agent names is
 * found in registries: tools ({@link createToolRegistry}), model providers ({@link createProviderRegistry}), guardrails
 * and their checks ({@link createGuardrailRegistry}, {@link createCheckRegistry}), data blocks
 * ({@link createBlockRegistry}), a tenant's policies ({@link createPolicyRegistry}).
 *
 * Functions that can fail for a reason their caller should handle answer a {@link Result}: `{ kind: "ok", value }` or
 * `{ kind: "err", error }`, where the error has a `code`. The exception is {@link renderInstructions}, which answers
 * `{ ok: true, value }` or `{ ok: false, error }`. Ids go in as plain strings and come out branded.
 *
 * @module
 */

// Defining agents
export {
  AGENT_SCHEMA,
  AUTO_INJECTED_VARS,
  createAgentRegistry,
  defineAgent,
} from "./agent/mod.ts";
export type {
  Agent,
  AgentMemory,
  AgentOutput,
  AgentOutputSpec,
  AgentPins,
  AgentRegistry,
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
} from "./agent/mod.ts";

// Versions
export { compareVersions, pickVersion } from "./agent/mod.ts";
export type { PickedVersion } from "./agent/mod.ts";

// Data blocks and pins
export { BLOCK_KINDS } from "./agent/mod.ts";
export type {
  BlockDefinition,
  BlockIssue,
  BlockKind,
  PromptBlock,
  PromptBlockContent,
  SettingsBlock,
  SettingsBlockContent,
} from "./agent/mod.ts";
export {
  createBlockRegistry,
  MODEL_SETTINGS_SCHEMA,
  pinChanges,
  pinsDigest,
  settingsSchemaIssues,
  tunableKeys,
  validateBlock,
} from "./blocks/mod.ts";
export type {
  BlockReader,
  BlockRegistry,
  BlockRequest,
  BlockUnresolvableError,
  ComparablePins,
  DuplicateBlockError,
  InvalidBlockError,
  PinChange,
  TunableEnum,
  TunableKey,
  TunableNumber,
} from "./blocks/mod.ts";

// Instructions: checking and rendering templates
export {
  checkDraftedTemplate,
  DRAFTED_TEMPLATE_MAX,
  renderInstructions,
  templateProblem,
  TemplateRenderBudgetError,
  TemplateRenderError,
} from "./instructions/mod.ts";
export type {
  DraftedTemplateContext,
  InstructionsSource,
  MissingParameterError,
  PromptRenderError,
  RenderContext,
  RenderFailureError,
  RenderInstructionsResult,
  RenderResult,
  TemplateRenderer,
  TemplateRenderRequest,
} from "./instructions/mod.ts";

// Instructions: bounds on what tenants write
export {
  configureTenantInputBounds,
  resetTenantInputBounds,
  tenantInputBounds,
} from "./instructions/mod.ts";
export type {
  LiquidBounds,
  RenderBudgetBounds,
  TenantInputBounds,
  TenantInputBoundsSettings,
} from "./instructions/mod.ts";

// Capabilities
export {
  CAPABILITY_SCHEMA,
  COMPARISON_OPERATORS,
  MODEL_FEATURES,
  WELL_KNOWN_CAPABILITY_KINDS,
} from "./agent/mod.ts";
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
} from "./agent/mod.ts";
export { defineCapability } from "./routing/mod.ts";
export type { InvalidCapabilityError } from "./routing/mod.ts";

// Model providers and routing
export {
  createProviderRegistry,
  mergeTenantPolicies,
  route,
} from "./routing/mod.ts";
export type {
  CapabilityUnsatisfiableError,
  DuplicateProviderError,
  InvalidProviderError,
  InvalidProviderReason,
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
  ProviderModel,
  ProviderRegistry,
  ProviderRegistryHandle,
  ProviderSeed,
  RejectionReason,
  Route,
  RouteInput,
  TenantPolicy,
  UnsatisfiedRequirement,
} from "./routing/mod.ts";

// Tools
export { createToolRegistry } from "./tools/mod.ts";
export type {
  DuplicateToolVersionError,
  InvalidVersionRangeError,
  ResolvedTool,
  TenantToolRegistry,
  Tool,
  ToolContext,
  ToolEffect,
  ToolNotFoundError,
  ToolRegistry,
  ToolResolutionError,
  ToolVersionUnresolvableError,
} from "./tools/mod.ts";
export type { Logger, LogLevel } from "../base/log.ts";

// Guardrails and checks
export {
  BUILT_IN_CHECK_IDS,
  createCheckRegistry,
  createGuardrailRegistry,
} from "./guardrails/mod.ts";
export type {
  CheckBindings,
  CheckKind,
  CheckRegistry,
  CheckResult,
  DuplicateCheckError,
  Guardrail,
  GuardrailAction,
  GuardrailRegistry,
  GuardrailScope,
  GuardrailSeverity,
  RegisteredCheck,
  RunTrace,
  TraceModelCall,
  TraceToolCall,
  TraceToolResult,
} from "./guardrails/mod.ts";

// Policies: human review
export { REVIEWER_ROLES, TOOL_HITL_MODES } from "./agent/mod.ts";
export type {
  ReviewerRole,
  SpecValidation,
  ToolHitlMode,
  ToolHitlRule,
} from "./agent/mod.ts";
export {
  combineHitlSpecs,
  higherRole,
  resolveEffectiveHitlPolicy,
  stricterToolHitlRule,
  toolHitlRule,
  validateHitlSpec,
} from "./policy/mod.ts";
export type {
  EffectiveHitlInput,
  EffectiveHitlPolicy,
  HitlSpec,
} from "./policy/mod.ts";

// Policies: failed tool calls
export {
  MAX_TOOL_ERROR_RETRIES,
  TOOL_ERROR_KINDS,
  validateToolErrorsSpec,
} from "./agent/mod.ts";
export type { ToolErrorKind, ToolErrorsSpec } from "./agent/mod.ts";
export { resolveEffectiveToolErrors } from "./policy/mod.ts";
export type {
  EffectiveToolErrors,
  EffectiveToolErrorsInput,
} from "./policy/mod.ts";

// Policies: kinds and the registry
export {
  createPolicyRegistry,
  POLICY_KINDS,
  validatePolicySpec,
} from "./policy/mod.ts";
export type {
  PolicyAlreadyBoundError,
  PolicyContext,
  PolicyExecutor,
  PolicyKind,
  PolicyRegistry,
  PolicySpec,
  TenantPolicyUnavailableError,
} from "./policy/mod.ts";

// Memory
export { createEmbeddingProviderRegistry } from "./memory/mod.ts";
export type {
  AmbiguousEmbeddingProviderError,
  DuplicateEmbeddingModelError,
  EmbeddingDescription,
  EmbeddingProvider,
  EmbeddingProviderRegistry,
  EmbeddingResolutionError,
  NoEmbeddingProviderError,
  UnknownEmbeddingModelError,
} from "./memory/mod.ts";

// Storing: tables and the envelope of their JSON columns
export {
  AGENTS_TENANT_SCOPED_TABLES,
  CURRENT_AGENTS_PAYLOAD_VERSION,
  EnvelopeOpenError,
  unwrap,
  unwrapOrThrow,
  wrap,
} from "./store/mod.ts";
export type {
  Envelope,
  EnvelopeError,
  MalformedEnvelopeError,
  UnsupportedPayloadVersionError,
} from "./store/mod.ts";

// Ids, versions and times
export { makeEnvName } from "./agent/mod.ts";
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
} from "./agent/mod.ts";

// Results, issues and the errors of agents
export type {
  AgentAlreadyRegisteredError,
  AgentError,
  AgentNotFoundError,
  AgentVersionMismatchError,
  ConversationClosedError,
  ConversationNotFoundError,
  DefinitionIssue,
  Err,
  InvalidAgentError,
  InvalidMessageError,
  Ok,
  PersistenceError,
  Result,
  StandardResult,
  ZodSchema,
} from "./agent/mod.ts";
