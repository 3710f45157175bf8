/**
 * Why a flow can't be loaded: a union told apart by `code`, in the order in which the loader looks (`spec/flow.md`).
 *
 * @module
 */

/** One way in which a flow has the wrong shape. */
export interface FlowSchemaIssue {
  /** Where, as a JSON pointer into the flow: `/nodes/0/kind`; empty for the flow itself. */
  readonly path: string;
  /** What is wrong there. */
  readonly message: string;
}

/** What every flow error has. */
export interface FlowErrorBase<Code extends string> {
  /** Which rule is broken. */
  readonly code: Code;
  /** One or two sentences for people: the flow, the node or edge, what is wrong, what to do. */
  readonly message: string;
}

/** The flow doesn't fit `FLOW_SCHEMA`, or isn't plain JSON. */
export interface SchemaValidationFailed
  extends FlowErrorBase<"schema-validation-failed"> {
  /** Everything wrong with the shape: at least one issue. */
  readonly issues: readonly FlowSchemaIssue[];
}

/** A node has a name that flows keep for themselves: `$start`, `$end`, `$loop-start` or `$loop-end`. */
export interface ReservedId extends FlowErrorBase<"reserved-id"> {
  /** The name. */
  readonly nodeId: string;
}

/** Two nodes of the flow and its bodies have one id. */
export interface DuplicateNodeId extends FlowErrorBase<"duplicate-node-id"> {
  /** The id. */
  readonly nodeId: string;
}

/** Two edges of the flow and its bodies have one id. */
export interface DuplicateEdgeId extends FlowErrorBase<"duplicate-edge-id"> {
  /** The id. */
  readonly edgeId: string;
}

/** An edge of the flow itself begins or ends at something that isn't a node of the flow. */
export interface UnknownNodeReference
  extends FlowErrorBase<"unknown-node-reference"> {
  /** The edge. */
  readonly edgeId: string;
  /** Which end of it. */
  readonly endpoint: "from" | "to";
  /** What that end names. */
  readonly referencedId: string;
}

/** A `when` or an exit condition is no predicate, or reads something that can't be there. */
export interface InvalidPredicate extends FlowErrorBase<"invalid-predicate"> {
  /** The edge whose `when` it is. */
  readonly edgeId?: string;
  /** The loop whose exit condition it is. */
  readonly nodeId?: string;
  /** Where in the predicate, as a JSON pointer; empty for the whole. */
  readonly path: string;
}

/** An edge's policy is out of bounds, or stands on an edge of a loop's body. */
export interface InvalidEdgePolicy
  extends FlowErrorBase<"invalid-edge-policy"> {
  /** The edge. */
  readonly edgeId: string;
  /** The key at fault, such as `retry.maxAttempts`; `policy` for the whole. */
  readonly field: string;
}

/** A loop's `maxIterations` is missing or isn't a whole number from 1 to 10 000. */
export interface LoopMaxIterations
  extends FlowErrorBase<"loop-max-iterations"> {
  /** The loop. */
  readonly nodeId: string;
}

/** A loop lacks what its `loopKind` needs, or has what only the other kind takes. */
export interface LoopVariantMismatch
  extends FlowErrorBase<"loop-variant-mismatch"> {
  /** The loop. */
  readonly nodeId: string;
  /** The key that is missing or out of place. */
  readonly field: string;
}

/** A loop's `outputSchema` is missing or doesn't compile. */
export interface LoopOutputSchema extends FlowErrorBase<"loop-output-schema"> {
  /** The loop. */
  readonly nodeId: string;
}

/** A loop's `concurrency` isn't a whole number from 1 to the smaller of `maxIterations` and 32. */
export interface LoopConcurrency extends FlowErrorBase<"loop-concurrency"> {
  /** The loop. */
  readonly nodeId: string;
}

/** A fanout has no branches, two of one id, a branch schema that doesn't compile, or a concurrency out of bounds. */
export interface InvalidFanoutNode
  extends FlowErrorBase<"invalid-fanout-node"> {
  /** The fanout. */
  readonly nodeId: string;
  /** The branch at fault, when it is one. */
  readonly branchId?: string;
}

/** A subgraph names no exact version, or its output schema doesn't compile. */
export interface InvalidSubflowNode
  extends FlowErrorBase<"invalid-subflow-node"> {
  /** The subgraph. */
  readonly nodeId: string;
}

/** An input mapping or an `iterateOver` reads an unknown node, the node's own output, or what only loops have. */
export interface InvalidMapping extends FlowErrorBase<"invalid-mapping"> {
  /** The node. */
  readonly nodeId: string;
  /** The mapping's key, or `iterateOver`. */
  readonly key: string;
}

/** The flow's output reads an unknown node or what only loops have, or its schema doesn't compile. */
export interface InvalidFlowOutput
  extends FlowErrorBase<"invalid-flow-output"> {
  /** The mapping's key at fault; absent when it is the schema. */
  readonly key?: string;
}

/** No edge leaves `$start`, so nothing would ever run. */
export type MissingStartEdge = FlowErrorBase<"missing-start-edge">;

/** The flow's edges lead back to where they came from. */
export interface Cycle extends FlowErrorBase<"cycle"> {
  /** The nodes on the way round; the first one again at the end. */
  readonly nodeIds: readonly string[];
}

/** No edge of a loop's body leaves `$loop-start`. */
export interface LoopBodyMissingStart
  extends FlowErrorBase<"loop-body-missing-start"> {
  /** The loop. */
  readonly nodeId: string;
}

/** An edge of a loop's body begins or ends at something that isn't a node of that body. */
export interface LoopBodyEdgeReference
  extends FlowErrorBase<"loop-body-edge-reference"> {
  /** The loop. */
  readonly nodeId: string;
  /** The edge. */
  readonly edgeId: string;
  /** Which end of it. */
  readonly endpoint: "from" | "to";
  /** What that end names. */
  readonly referencedId: string;
}

/** The edges of a loop's body lead back to where they came from. */
export interface LoopBodyCycle extends FlowErrorBase<"loop-body-cycle"> {
  /** The loop. */
  readonly nodeId: string;
  /** The nodes on the way round; the first one again at the end. */
  readonly nodeIds: readonly string[];
}

/** Why a flow can't be loaded. */
export type FlowError =
  | SchemaValidationFailed
  | ReservedId
  | DuplicateNodeId
  | DuplicateEdgeId
  | UnknownNodeReference
  | InvalidPredicate
  | InvalidEdgePolicy
  | LoopMaxIterations
  | LoopVariantMismatch
  | LoopOutputSchema
  | LoopConcurrency
  | InvalidFanoutNode
  | InvalidSubflowNode
  | InvalidMapping
  | InvalidFlowOutput
  | MissingStartEdge
  | Cycle
  | LoopBodyMissingStart
  | LoopBodyEdgeReference
  | LoopBodyCycle;

/** The codes of {@link FlowError}. */
export type FlowErrorCode = FlowError["code"];
