/**
 * Flows: what they are made of, loading them, and the rules by which they run.
 *
 * @module
 */

import { provideHostChecks } from "../../base/host_checks.ts";
import { loadFlow } from "./load_flow.ts";

export type { Err, Ok, Result } from "../../base/result.ts";
export type { Brand, RunId, TenantId, Timestamp } from "../agent/mod.ts";

// The model
export type {
  BodyEdge,
  ComparisonPredicate,
  EdgePolicy,
  FanoutBranch,
  FanoutNode,
  Flow,
  FlowEdge,
  FlowNode,
  FlowOutput,
  FlowReference,
  ForeachLoopNode,
  JsonSchema,
  JunctionPredicate,
  LeafNode,
  LiteralOperand,
  LoopBody,
  LoopNode,
  LoopNodeBase,
  Mapping,
  MembershipPredicate,
  NegationPredicate,
  Operand,
  PathOperand,
  Predicate,
  RetryPolicy,
  SubgraphNode,
  ValuePredicate,
  WhileLoopNode,
} from "./types.ts";
export {
  DEFAULT_MAX_PARALLELISM,
  END,
  LOOP_END,
  LOOP_START,
  RESERVED_NODE_IDS,
  START,
} from "./limits.ts";
export { FLOW_SCHEMA } from "./schema.ts";

// Loading
export { defineFlow } from "./define_flow.ts";
export { loadFlow };
export type {
  Cycle,
  DuplicateEdgeId,
  DuplicateNodeId,
  FlowError,
  FlowErrorBase,
  FlowErrorCode,
  FlowSchemaIssue,
  InvalidEdgePolicy,
  InvalidFanoutNode,
  InvalidFlowOutput,
  InvalidMapping,
  InvalidPredicate,
  InvalidSubflowNode,
  LoopBodyCycle,
  LoopBodyEdgeReference,
  LoopBodyMissingStart,
  LoopConcurrency,
  LoopMaxIterations,
  LoopOutputSchema,
  LoopVariantMismatch,
  MissingStartEdge,
  ReservedId,
  SchemaValidationFailed,
  UnknownNodeReference,
} from "./errors.ts";

// Values while a flow runs
export {
  MISSING,
  type OperandScope,
  resolveMapping,
  resolveOperand,
} from "./operand.ts";
export { evaluatePredicate } from "./predicate.ts";

// Scheduling
export {
  decideEdges,
  type EdgeDecision,
  type Graph,
  type GraphProgress,
  type IndexedGraph,
  indexGraph,
  isGraphDone,
  nodePolicy,
  type NodeStanding,
  nodeStanding,
  readyNodes,
} from "./schedule.ts";
export { retryDelayMs } from "./retry_delay.ts";

// Running: the binding, its handlers and its errors
export { createRunBinding } from "./run/create_run_binding.ts";
export type { CreateRunBindingInput } from "./run/create_run_binding.ts";
export type { FindFlow } from "./run/run_subgraph.ts";
export type {
  CancelWaitsInput,
  EndRunInput,
  ExclusiveKey,
  ResumeRunInput,
  RunBinding,
  RunFlowInput,
  RunResult,
} from "./run_binding.ts";
export { WaitpointCancelledError } from "./node_context.ts";
export type {
  Authorize,
  AuthorizeAnswer,
  AuthorizeRequest,
  NodeContext,
  NodeHandler,
  NodeHandlers,
  UsageSink,
  WaitOptions,
} from "./node_context.ts";
export type {
  FlowMismatchError,
  HandlerMissingError,
  JournalFailedError,
  KernelError,
  KernelErrorBase,
  KernelErrorCode,
  RunAlreadyStartedError,
  RunAlreadyTerminalError,
  RunExecutingError,
  RunLeaseLostError,
  RunNotFoundError,
  RunWaitAbortedError,
  StuckError,
  WaitpointError,
} from "./kernel_errors.ts";

// Keeping runs: the journal's contract
export {
  concurrencyLeaseKey,
  conversationLeaseKey,
  runLeaseKey,
} from "./lease.ts";
export type { JournalError } from "./journal_error.ts";
export type {
  Appended,
  AppendInput,
  ListRunsInput,
  Parked,
  ParkInput,
  ResolveTokenInput,
  RunJournal,
  StartedExclusive,
  StartedRun,
  StartExclusiveInput,
  StartRunInput,
  TokenOutcome,
  TokenResolution,
} from "./run_journal.ts";
export { runStartKey } from "./run_record.ts";
export type {
  NewRun,
  PendingWait,
  RunRecord,
  RunStatus,
} from "./run_record.ts";
export type { HeldLease, LeaseFence, WaitingLease } from "./lease.ts";
export type {
  IterationCompletedPayload,
  JournalEntry,
  JournalEntryKind,
  LoopContext,
  LoopPosition,
  LoopStopReason,
  NewJournalEntry,
  RunAgent,
  RunParent,
  RunStartedPayload,
  StepCompletedPayload,
} from "./journal_entry.ts";

provideHostChecks({ loadFlow });
