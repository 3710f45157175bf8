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
  priceOf,
  route,
} from "./routing/mod.ts";
export { createScriptedProvider } from "./providers/mod.ts";
export type {
  ScriptedAnswer,
  ScriptedAnswerFunction,
  ScriptedProvider,
  ScriptedProviderOptions,
} from "./providers/mod.ts";
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
  ModelInvocationError,
  ModelMessage,
  ModelProvider,
  ModelToolCall,
  ModelToolDefinition,
  ModelUsage,
  ModelUsageRecord,
  ModelUsageSink,
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
export {
  createToolRegistry,
  invokeTool,
  MAX_TOOL_RESULT_BYTES,
  TOOL_ERROR_RETRY,
  ToolCallError,
  toolIdempotencyKey,
} from "./tools/mod.ts";
export type {
  DuplicateToolVersionError,
  InvalidVersionRangeError,
  InvokeToolOptions,
  ResolvedTool,
  TenantToolRegistry,
  Tool,
  ToolAbortedError,
  ToolCallIdentity,
  ToolContext,
  ToolEffect,
  ToolErrorRetry,
  ToolHandlerError,
  ToolInputError,
  ToolInvocationError,
  ToolInvokeError,
  ToolNotFoundError,
  ToolOutputError,
  ToolPreconditionError,
  ToolRegistry,
  ToolResolutionError,
  ToolResultTooLargeError,
  ToolVersionUnresolvableError,
  UnresolvedToolError,
} from "./tools/mod.ts";
export type { SchemaIssue } from "../base/json_schema.ts";
export type { Logger, LogLevel } from "../base/log.ts";

// Packs: tools, checks and guardrails that a pack service runs
export { packServiceChecks, packServiceTools } from "./tools/mod.ts";
export type {
  PackCheckEntry,
  PackCheckIndex,
  PackServiceAddress,
  PackServiceChecksOptions,
  PackServiceToolsOptions,
  PackToolEntry,
  PackToolIndex,
} from "./tools/mod.ts";
export { packGuardrails } from "./guardrails/mod.ts";
export type { PackGuardrailEntry } from "./guardrails/mod.ts";

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

// Guardrails: judging an answer
export {
  buildRunTrace,
  categorizeOutcomes,
  evaluateGate,
  guardrailViolation,
  resolveGuardrails,
} from "./guardrails/mod.ts";
export type {
  CategorizedEvaluationError,
  CategorizedOutcomes,
  ComplianceRecord,
  ComplianceSink,
  EvaluationError,
  EvaluationErrorCode,
  EvaluationResult,
  GateBindings,
  GateInput,
  GuardrailOutcome,
  GuardrailsBindings,
  GuardrailViolationError,
  RunTraceInput,
  TraceMessage,
  UnresolvedGuardrailError,
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

// Memory: facts and reading them
export {
  formatRetrievedForPrompt,
  MEMORY_RULE,
  promptMemory,
  runRetrievals,
} from "./memory/mod.ts";
export type {
  DegradedIntent,
  Fact,
  FactAttribution,
  FactHit,
  FactInput,
  FactQuery,
  FactReaders,
  FactScope,
  FactTrust,
  FusedRanks,
  ListFactsInput,
  MemoryError,
  MemoryQueryBinding,
  MemoryStore,
  PromptMemory,
  Retrieval,
  RetrievalBindings,
  RetrievalContext,
  RetrievalError,
  RetrievalInput,
  RetrievalWarning,
  RetrievedFact,
  SearchByKeywordInput,
  SearchBySemanticInput,
  SemanticUnavailableError,
} from "./memory/mod.ts";

// Memory: for those who store facts
export {
  embed,
  fuseRankings,
  holdsAt,
  isInScope,
  isReadableBy,
  rankByKeyword,
  rankBySimilarity,
} from "./memory/mod.ts";
export type { EmbeddedFact, Embedding, FusedHit } from "./memory/mod.ts";

// Memory: embeddings
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

// Provenance
export {
  createProvenanceBuilder,
  createStaticKeyProvider,
  generateSigningKey,
  persistProvenance,
  PROVENANCE_RECORD_VERSION,
  signProvenance,
  verifyProvenance,
} from "./provenance/mod.ts";
export type {
  KeyAnswer,
  KeyProvider,
  PersistedProvenance,
  ProvenanceBindings,
  ProvenanceBuilder,
  ProvenanceBuilderOptions,
  ProvenanceEdge,
  ProvenanceEdgeKind,
  ProvenanceEmitBinding,
  ProvenanceEmitContext,
  ProvenanceError,
  ProvenanceFlowRef,
  ProvenanceNode,
  ProvenanceNodeKind,
  ProvenanceRecord,
  ProvenanceSignature,
  SignedProvenanceRecord,
  SigningKey,
  SigningKeyPair,
  VerificationKey,
} from "./provenance/mod.ts";

// Turns, and the runtime around them
export * from "./turn/mod.ts";
export * from "./runtime/mod.ts";

// Conversations, snapshots and approvals: what a host's own bindings implement
export { CONVERSATION_CLOSED_REASON } from "./conversation/mod.ts";
export type {
  AppendMessageInput,
  Conversation,
  ConversationBinding,
  ConversationMessage,
  ConversationPage,
  ConversationPageCursor,
  ConversationScope,
  ConversationWithMessages,
  GetWithMessagesInput,
  ListConversationsInput,
  ListConversationsPageInput,
  MessageContent,
  MessageRole,
  MessageToolCall,
  OpenConversationInput,
  ReadMessagesInput,
  RunSnapshotBinding,
  RunSnapshotRecord,
  RunSnapshotWriteInput,
  WaitCanceller,
} from "./conversation/mod.ts";
export type {
  Approval,
  ApprovalAlreadyDecidedError,
  ApprovalDecisionValue,
  ApprovalError,
  ApprovalExpiredError,
  ApprovalNotFoundError,
  ApprovalRoleTooLowError,
  ApprovalStatus,
  ApprovalStore,
  ApprovalSubjectRef,
  ApprovedEarlierInput,
  DecideApprovalInput,
  Decider,
  ExpiredWait,
  HitlBinding,
  HitlEnqueueInput,
  ListApprovalsInput,
  WithdrawApprovalsInput,
} from "./approvals/mod.ts";

// Running flows
export {
  conversationLeaseKey,
  createRunBinding,
  FLOW_SCHEMA,
  loadFlow,
  WaitpointCancelledError,
} from "./flow/mod.ts";
export type {
  Appended,
  AppendInput,
  Authorize,
  AuthorizeAnswer,
  AuthorizeRequest,
  BodyEdge,
  CancelWaitsInput,
  ComparisonPredicate,
  CreateRunBindingInput,
  Cycle,
  DuplicateEdgeId,
  DuplicateNodeId,
  EdgePolicy,
  EndRunInput,
  ExclusiveKey,
  FanoutBranch,
  FanoutNode,
  FindFlow,
  Flow,
  FlowEdge,
  FlowError,
  FlowErrorBase,
  FlowErrorCode,
  FlowMismatchError,
  FlowNode,
  FlowOutput,
  FlowReference,
  FlowSchemaIssue,
  ForeachLoopNode,
  Graph,
  HandlerMissingError,
  HeldLease,
  InvalidEdgePolicy,
  InvalidFanoutNode,
  InvalidFlowOutput,
  InvalidMapping,
  InvalidPredicate,
  InvalidSubflowNode,
  IterationCompletedPayload,
  JournalEntry,
  JournalEntryKind,
  JournalError,
  JournalFailedError,
  JunctionPredicate,
  KernelError,
  KernelErrorBase,
  KernelErrorCode,
  LeafNode,
  LeaseFence,
  ListRunsInput,
  LiteralOperand,
  LoopBody,
  LoopBodyCycle,
  LoopBodyEdgeReference,
  LoopBodyMissingStart,
  LoopConcurrency,
  LoopContext,
  LoopMaxIterations,
  LoopNode,
  LoopNodeBase,
  LoopOutputSchema,
  LoopPosition,
  LoopStopReason,
  LoopVariantMismatch,
  Mapping,
  MembershipPredicate,
  MissingStartEdge,
  NegationPredicate,
  NewJournalEntry,
  NewRun,
  NodeContext,
  NodeHandler,
  NodeHandlers,
  Operand,
  Parked,
  ParkInput,
  PathOperand,
  PendingWait,
  Predicate,
  ReservedId,
  ResolveTokenInput,
  ResumeRunInput,
  RetryPolicy,
  RunAgent,
  RunAlreadyStartedError,
  RunAlreadyTerminalError,
  RunBinding,
  RunExecutingError,
  RunFlowInput,
  RunJournal,
  RunLeaseLostError,
  RunNotFoundError,
  RunParent,
  RunRecord,
  RunResult,
  RunStartedPayload,
  RunStatus,
  RunWaitAbortedError,
  SchemaValidationFailed,
  StartedExclusive,
  StartedRun,
  StartExclusiveInput,
  StartRunInput,
  StepCompletedPayload,
  StuckError,
  SubgraphNode,
  TokenOutcome,
  TokenResolution,
  UnknownNodeReference,
  UsageSink,
  ValuePredicate,
  WaitingLease,
  WaitOptions,
  WaitpointError,
  WhileLoopNode,
} from "./flow/mod.ts";

// Storing: everything that turns persist
export { createMemoryStore } from "./store/mod.ts";
export type {
  AgentStore,
  CreateMemoryStoreInput,
  MemoryAgentStore,
  ProvenanceStore,
  PurgeInput,
  UsageStore,
  UsageTotals,
  UsageTotalsInput,
} from "./store/mod.ts";

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
