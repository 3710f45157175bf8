/**
 * Flows: what they are made of, loading them, and the rules by which they run.
 *
 * @module
 */

import { provideHostChecks } from "../../base/host_checks.ts";
import { loadFlow } from "./load_flow.ts";

export type { Err, Ok, Result } from "../../base/result.ts";

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

provideHostChecks({ loadFlow });
