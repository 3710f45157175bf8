/**
 * What a run's journal holds: one entry for each thing that happened, in order (`spec/agents_turn.md` 21.1).
 *
 * @module
 */

import type { Timestamp } from "../agent/mod.ts";

/**
 * What an entry tells:
 *
 * - `run.started`: the run began ({@link RunStartedPayload}); always the first entry.
 * - `step.started` `{ attempt?, loopContext? }`, `step.completed` ({@link StepCompletedPayload}), `step.failed`
 *   `{ message, retrying?, loopContext? }`: a node's attempt. A failed attempt that is tried again says `retrying: true`.
 * - `edge.evaluated` `{ edgeId, taken, loopContext? }`: an edge with a `when` was decided. One without is always taken
 *   and needs no entry.
 * - `iteration.started` `{ iteration, loopContext? }` and `iteration.completed` ({@link IterationCompletedPayload}).
 * - `wait.suspended` `{ tokenId, timeoutMs?, scope }`: a node opened a wait. `wait.resumed` `{ tokenId, value }` and
 *   `wait.cancelled` `{ tokenId, reason }`: how it ended; they may come before the wait was opened.
 * - `value.recorded` `{ scope, key, value }`: a decision, made once.
 * - `run.suspended` `{ waitingOn }`: nothing could go on. `run.cancel-requested` `{ reason }`: whoever advances the run
 *   ends it as cancelled.
 * - `run.completed` `{ output? }`, `run.failed` `{ message }`, `run.cancelled` `{ reason }`: the end; nothing follows.
 */
export type JournalEntryKind =
  | "run.started"
  | "step.started"
  | "step.completed"
  | "step.failed"
  | "edge.evaluated"
  | "iteration.started"
  | "iteration.completed"
  | "wait.suspended"
  | "wait.resumed"
  | "wait.cancelled"
  | "value.recorded"
  | "run.suspended"
  | "run.cancel-requested"
  | "run.completed"
  | "run.failed"
  | "run.cancelled";

/** An entry to append; the journal assigns its sequence and time. */
export interface NewJournalEntry {
  /** What happened. */
  readonly kind: JournalEntryKind;
  /** The node it happened to; absent for the run as a whole. */
  readonly nodeId?: string;
  /** The details as JSON text, written once and stored as it is: key order counts (`spec/durability.md`, bytes). */
  readonly payload?: string;
}

/** An entry as it is read. */
export interface JournalEntry {
  /** Its place in the run's journal: 1, 2, 3… without gaps. */
  readonly sequence: number;
  /** What happened. */
  readonly kind: JournalEntryKind;
  /** The node it happened to; absent for the run as a whole. */
  readonly nodeId?: string;
  /** The details, parsed: a copy of the reader's own. */
  readonly payload?: unknown;
  /** When it was stored, by the store's clock, in whole milliseconds. */
  readonly timestamp: Timestamp;
}

/** One loop around a step. */
export interface LoopPosition {
  /** The loop. */
  readonly loopNodeId: string;
  /** The iteration, from 0. */
  readonly iteration: number;
}

/** Where in its loops a body's step stands. */
export interface LoopContext extends LoopPosition {
  /** Every loop around the step, the innermost first; the first one is this position itself. */
  readonly path: readonly LoopPosition[];
}

/** The payload of `run.started`: everything that a resume needs (`spec/durability.md`, "What a resume needs"). */
export interface RunStartedPayload {
  /** The flow and its exact version; a resume with another is `flow-mismatch`. */
  readonly flow: { readonly id: string; readonly version: string };
  /** What the run was started with; absent when that was `undefined`. */
  readonly input?: unknown;
  /** The project. */
  readonly projectId?: string;
  /** The project's organisation. */
  readonly orgId?: string;
  /** The agent's turn that the run is. */
  readonly agent?: RunAgent;
  /** Whether it is a dry run; absent when it isn't. */
  readonly dryRun?: true;
  /** Whom the run acts for. */
  readonly principal?: unknown;
  /** How that principal is authorised. */
  readonly authz?: unknown;
  /** The run and step that this run is a subgraph of. */
  readonly parent?: RunParent;
  /** What the starter wants to find again. */
  readonly metadata?: unknown;
}

/** The agent's turn that a run is. */
export interface RunAgent {
  /** The agent's id. */
  readonly id: string;
  /** The agent's version. */
  readonly version: string;
  /** The conversation. */
  readonly conversationId: string;
}

/** Which step of which run started a subgraph's run. */
export interface RunParent {
  /** The run. */
  readonly runId: string;
  /** The subgraph node. */
  readonly nodeId: string;
  /** The step's scope in that run. */
  readonly scope: string;
  /** How deep the run lies beneath the one that no run started: 1 to 10. */
  readonly depth: number;
}

/** The payload of `step.completed`. */
export interface StepCompletedPayload {
  /** The step's output; absent when that was `undefined`. */
  readonly output?: unknown;
  /** What it merged into the state. */
  readonly stateDelta?: Readonly<Record<string, unknown>>;
  /** The loops around the step; absent outside of loops. */
  readonly loopContext?: LoopContext;
}

/** The payload of `iteration.completed`. */
export interface IterationCompletedPayload {
  /** The iteration, from 0. */
  readonly iteration: number;
  /** Its output; absent when that was `undefined`. */
  readonly output?: unknown;
  /** Whether the output fits the loop's `outputSchema`; when not, the loop has failed. */
  readonly outputSchemaValid: boolean;
  /** What the exit condition answered, where it was asked after the iteration. */
  readonly exitConditionResult?: boolean;
  /** Why the loop stops behind this iteration; absent when it goes on. */
  readonly stopReason?: LoopStopReason;
  /** The loops around the loop; absent when it is in none. */
  readonly loopContext?: LoopContext;
}

/** Why a loop stopped (`spec/flow.md`, nodes). */
export type LoopStopReason =
  | "exit-condition"
  | "max-iterations"
  | "array-exhausted"
  | "iterate-over-not-array"
  | "body-failure"
  | "cancelled";
