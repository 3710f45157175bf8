/**
 * What a flow is: nodes, edges, and the operands, mappings, predicates and policies on them. All of it is plain JSON.
 *
 * @module
 */

import type { JsonSchema } from "../../base/definition.ts";

export type { JsonSchema };

/** A value written in the flow itself. */
export interface LiteralOperand {
  /** The value: any JSON. */
  readonly literal: unknown;
}

/**
 * A value looked up while the flow runs.
 *
 * The path is dot-separated: `runInput…`, `state…`, `nodeOutputs.<nodeId>…`, and in a loop's exit condition also
 * `iterationIndex` and `iterationOutput…`. It has no wildcards and doesn't step into arrays.
 */
export interface PathOperand {
  /** The path, such as `nodeOutputs.classify.label`. */
  readonly path: string;
}

/** Where a value comes from: the flow itself or the run. */
export type Operand = LiteralOperand | PathOperand;

/** An object put together from operands: one key each; a key whose path is missing is left out. */
export type Mapping = Readonly<Record<string, Operand>>;

/** Compares two values; a missing side makes it false, but for `ne` with exactly one side missing. */
export interface ComparisonPredicate {
  /** `eq` and `ne` compare structure; the others order two numbers or two strings and are false for anything else. */
  readonly op: "eq" | "ne" | "lt" | "lte" | "gt" | "gte";
  /** The value before the operator. */
  readonly left: Operand;
  /** The value after the operator. */
  readonly right: Operand;
}

/** Looks for a value in an array; false when either is missing or the set is no array. */
export interface MembershipPredicate {
  /** Whether the value has to be in the set or outside it. */
  readonly op: "in" | "notIn";
  /** The value to look for. */
  readonly value: Operand;
  /** The array to look in. */
  readonly set: Operand;
}

/** Asks one value: does it exist (`null` does), is it truthy as JavaScript has it. */
export interface ValuePredicate {
  /** The question. A missing value is falsy and doesn't exist. */
  readonly op: "exists" | "notExists" | "truthy" | "falsy";
  /** The value asked about. */
  readonly value: Operand;
}

/** Joins predicates. */
export interface JunctionPredicate {
  /** Whether all have to hold or one is enough. */
  readonly op: "and" | "or";
  /** The predicates joined: at least one. */
  readonly children: readonly Predicate[];
}

/** Turns a predicate round. */
export interface NegationPredicate {
  /** The mark of a negation. */
  readonly op: "not";
  /** The predicate turned round. */
  readonly child: Predicate;
}

/** A condition over a run's values, told apart by `op`; evaluating one never throws. */
export type Predicate =
  | ComparisonPredicate
  | MembershipPredicate
  | ValuePredicate
  | JunctionPredicate
  | NegationPredicate;

/** How often and how soon a failed node is tried again. */
export interface RetryPolicy {
  /** Attempts in all, the first one included: 1 to 10. */
  readonly maxAttempts: number;
  /** The delay that the backoff starts from, in milliseconds; 0 by default. */
  readonly delayMs?: number;
  /** How the delay grows; `fixed` by default. */
  readonly backoff?: "fixed" | "linear" | "exponential";
  /** The longest delay, in milliseconds: required for `exponential`, 60 000 by default for `linear`. */
  readonly maxDelayMs?: number;
}

/** How the node at the end of an edge runs. It counts only when the edge is that node's sole incoming one. */
export interface EdgePolicy {
  /** Tries a failed node again. */
  readonly retry?: RetryPolicy;
  /** How long one attempt may take, in milliseconds: 1 to 3 600 000. An attempt out of time is a failed one. */
  readonly timeoutMs?: number;
  /** 1 to 256 printable ASCII characters: of all nodes of a tenant under one key, one runs at a time. */
  readonly concurrencyKey?: string;
  /** -100 to 100, 0 by default: of several ready nodes the higher priority goes first. */
  readonly priority?: number;
}

/** An edge inside a loop's body: from `$loop-start` or a node to a node or `$loop-end`. */
export interface BodyEdge {
  /** Unique over the flow and every body. */
  readonly id: string;
  /** The node that has to complete first, or `$loop-start`. */
  readonly from: string;
  /** The node that may run then, or `$loop-end`. */
  readonly to: string;
  /** Whether the edge is taken, asked once when `from` has completed; without it the edge always is. */
  readonly when?: Predicate;
}

/** An edge of a flow: from `$start` or a node to a node or `$end`. */
export interface FlowEdge extends BodyEdge {
  /** How the node at `to` runs. */
  readonly policy?: EdgePolicy;
}

/** A node that calls one handler of the run. */
export interface LeafNode {
  /** Unique over the flow and every body. */
  readonly id: string;
  /** What the handler stands for. */
  readonly kind: "tool" | "agent";
  /** The handler's name among the run's handlers. */
  readonly ref: string;
  /** Settings that the handler gets as they are. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The node's input. Without it: its one upstream output, several by node id, or the run's input after `$start`. */
  readonly inputMapping?: Mapping;
}

/** What a loop runs once an iteration. */
export interface LoopBody {
  /** The body's nodes; loops among them have bodies of their own. */
  readonly nodes: readonly FlowNode[];
  /** The body's edges, from `$loop-start` to `$loop-end`. */
  readonly edges: readonly BodyEdge[];
}

/** What both kinds of loop have. */
export interface LoopNodeBase {
  /** Unique over the flow and every body. */
  readonly id: string;
  /** The mark of a loop. */
  readonly kind: "loop";
  /** What runs each iteration. */
  readonly body: LoopBody;
  /** The most iterations there may be: 1 to 10 000. */
  readonly maxIterations: number;
  /** What every iteration's output has to fit. */
  readonly outputSchema: JsonSchema;
  /** Whether the loop's output also lists every iteration's output; false by default. */
  readonly collectAllIterations?: boolean;
}

/** A loop that goes on until its exit condition holds. */
export interface WhileLoopNode extends LoopNodeBase {
  /** The mark of this kind of loop. */
  readonly loopKind: "while";
  /** Ends the loop when it holds. It may also read `iterationIndex` and `iterationOutput…`. */
  readonly exitCondition: Predicate;
  /** Whether the condition is asked after each iteration (the default) or before it. */
  readonly evaluationTiming?: "after" | "before";
}

/** A loop over the items of an array. */
export interface ForeachLoopNode extends LoopNodeBase {
  /** The mark of this kind of loop. */
  readonly loopKind: "foreach";
  /** The array, resolved once; anything else fails the loop. */
  readonly iterateOver: Operand;
  /** Iterations at once: 1 (the default) to the smaller of `maxIterations` and 32. */
  readonly concurrency?: number;
}

/** A node that runs its body again and again. */
export type LoopNode = WhileLoopNode | ForeachLoopNode;

/** One branch of a {@link FanoutNode}. */
export interface FanoutBranch {
  /** Unique within the node. */
  readonly branchId: string;
  /** The handler's name among the run's handlers. */
  readonly handler: string;
  /** What the branch's output has to fit. */
  readonly outputSchema: JsonSchema;
}

/** A node that gives its input to several branches at once. */
export interface FanoutNode {
  /** Unique over the flow and every body. */
  readonly id: string;
  /** The mark of a fanout. */
  readonly kind: "fanout";
  /** The branches: at least one. */
  readonly branches: readonly FanoutBranch[];
  /** Branches at once: 1 to their number, which is the default. */
  readonly concurrency?: number;
  /** When the node is done: every branch succeeded, the first one did, or all have settled either way. */
  readonly convergence: "all-succeed" | "any-succeed" | "settle-all";
}

/** Which flow a {@link SubgraphNode} runs. */
export interface FlowReference {
  /** The flow's id. */
  readonly flowId: string;
  /** The flow's exact version. */
  readonly version: string;
}

/** A node that is a whole run of another flow of the tenant. */
export interface SubgraphNode {
  /** Unique over the flow and every body. */
  readonly id: string;
  /** The mark of a subgraph. */
  readonly kind: "subgraph";
  /** The flow to run. */
  readonly flowRef: FlowReference;
  /** The other flow's run input. */
  readonly inputMapping: Mapping;
  /** What the other flow's output has to fit. */
  readonly outputSchema: JsonSchema;
  /** Whether its failure fails the node, or becomes `{ status: 'failed', error }`. */
  readonly convergence: "success-only" | "settle-all";
}

/** A node of a flow or a loop's body, told apart by `kind`. */
export type FlowNode = LeafNode | LoopNode | FanoutNode | SubgraphNode;

/** Where a flow's output comes from. */
export interface FlowOutput {
  /** The output's keys. */
  readonly mapping: Mapping;
  /** What the output has to fit. */
  readonly schema?: JsonSchema;
}

/** A flow: a directed graph without cycles, from `$start` to `$end` (`spec/flow.md`). */
export interface Flow {
  /** Not empty. */
  readonly id: string;
  /** An exact semantic version. */
  readonly version: string;
  /** A name for people. */
  readonly name?: string;
  /** What the flow is for. */
  readonly description?: string;
  /** The nodes, in no particular order. */
  readonly nodes: readonly FlowNode[];
  /** The edges, in no particular order. */
  readonly edges: readonly FlowEdge[];
  /** Nodes running at once: at least 1, 8 by default. */
  readonly maxParallelism?: number;
  /** Anything the author keeps with the flow; nothing reads it. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The flow's output. Without it: that of the node before `$end`, several by node id. */
  readonly output?: FlowOutput;
}
