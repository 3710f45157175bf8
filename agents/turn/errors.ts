/**
 * How turns fail: plain values, told apart by `code` (`spec/agents_turn.md` 10).
 *
 * An error that was carried through a run is JSON-plain: a thrown `cause` is `{ code?, message }` then.
 *
 * @module
 */

import type { AgentError } from "../agent/mod.ts";
import type { BlockUnresolvableError } from "../blocks/mod.ts";
import type {
  GuardrailViolationError,
  UnresolvedGuardrailError,
} from "../guardrails/mod.ts";
import type { SemanticUnavailableError } from "../memory/mod.ts";
import type { TenantPolicyUnavailableError } from "../policy/mod.ts";
import type { ModelInvocationError } from "../routing/mod.ts";
import type { ToolInvocationError, UnresolvedToolError } from "../tools/mod.ts";

/** A tool of the agent doesn't resolve to a version. */
export interface UnresolvableToolVersionError {
  /** The range isn't one, or no version satisfies it; or the version that a resumed turn began with is gone. */
  readonly code: "tool-version-unresolvable";
  /** Names the tool, the range and the versions there are. */
  readonly message: string;
  /** The tool. */
  readonly toolId: string;
  /** The range that the agent names, or the exact version that was pinned. */
  readonly requestedRange: string;
  /** The versions there are, highest first; absent when the range isn't one. */
  readonly availableVersions?: readonly string[];
}

/** No model can take the turn. */
export interface CapabilityRoutingError {
  /** Nothing fits, the agent needs nothing, or the model that a resumed turn began with is gone or denied. */
  readonly code: "capability-routing-failed";
  /** Which requirements stand in the way. */
  readonly message: string;
  /** The router's `capability-unsatisfiable`, or `null`. */
  readonly cause: unknown;
}

/** The turn went past its budget. */
export interface BudgetExceededError {
  /** What was stored so far stays. */
  readonly code: "budget-exceeded";
  /** Names the limit and what was observed. */
  readonly message: string;
  /** Model calls with tools still to run, or US dollars. */
  readonly kind: "steps" | "cost";
  /** The limit. */
  readonly limit: number;
  /** How far it went. */
  readonly observed: number;
}

/** The turn was ended from outside. */
export interface AgentTurnAbortedError {
  /** The user's message is stored, an answer is not. */
  readonly code: "agent-turn-aborted";
  /** Says by what. */
  readonly message: string;
  /** The caller's signal or a cancelled run, or `maxWallMs`. */
  readonly reason: "external" | "timeout";
}

/** A person would have to agree; a type of the contract that no turn answers, since a turn parks instead. */
export interface HitlRequiredError {
  /** Somebody has to agree first. */
  readonly code: "hitl-required";
  /** Says who. */
  readonly message: string;
  /** Completed turns after which the session asks. */
  readonly threshold: number;
  /** The approval. */
  readonly approvalId?: string;
}

/** A reviewer said no to the turn, or answered what isn't a decision. */
export interface HitlRejectedError {
  /** Nothing is stored in the conversation. */
  readonly code: "hitl-rejected";
  /** Says what was rejected. */
  readonly message: string;
  /** Why, in the reviewer's words. */
  readonly rationale?: string;
}

/** Nobody answered, and the wait was cancelled. */
export interface HitlCancelledError {
  /** The turn can't go on. */
  readonly code: "hitl-cancelled";
  /** Says what was waited for, and why no longer. */
  readonly message: string;
  /** Why, such as `timeout`. */
  readonly reason: string;
}

/** The question was taken back. */
export interface HitlWithdrawnError {
  /** The turn can't go on. */
  readonly code: "hitl-withdrawn";
  /** Says what was waited for. */
  readonly message: string;
  /** Why. */
  readonly reason: string;
}

/** The tenant has spent its render budget. */
export interface RateLimitExceededError {
  /** Try again later. */
  readonly code: "rate-limit-exceeded";
  /** Names the budget. */
  readonly message: string;
}

/** The final answer doesn't fit the agent's `output`, and no repair is left. */
export interface OutputSchemaViolationError {
  /** The answer is not stored. */
  readonly code: "output-schema-violation";
  /** Names the first problem. */
  readonly message: string;
  /** Every problem of the last answer, as `<pointer or (root)> <what is wrong>`. */
  readonly errors: readonly string[];
  /** How many answers were tried. */
  readonly attempts: number;
}

/** The turn acts for somebody, and nothing is bound that could say what that one may do (`spec/decisions.md` 28). */
export interface AuthorizationUnavailableError {
  /** Give the run binding an `authorize`. */
  readonly code: "authorization-unavailable";
  /** Says so. */
  readonly message: string;
}

/** Neither the snapshot nor the journal of a run is there. */
export interface RunSnapshotMissingError {
  /** Unknown, deleted, or another tenant's. */
  readonly code: "run-snapshot-missing";
  /** Names the run. */
  readonly message: string;
  /** The run. */
  readonly runId: string;
}

/** The snapshot of a run can't be read. */
export interface RunSnapshotUnreadableError {
  /** The run is as it was. */
  readonly code: "run-snapshot-unreadable";
  /** Names the run and why. */
  readonly message: string;
  /** The run. */
  readonly runId: string;
  /** What the store threw or answered. */
  readonly cause: unknown;
}

/** The journal of a run can't be read. */
export interface RunJournalUnavailableError {
  /** The run is as it was. */
  readonly code: "run-journal-unavailable";
  /** Names the run and why. */
  readonly message: string;
  /** The run. */
  readonly runId: string;
  /** The run binding's error. */
  readonly cause: unknown;
}

/** An idempotency key stands for another turn. */
export interface IdempotencyKeyConflictError {
  /** Another agent, version or message was started with it in this conversation. */
  readonly code: "idempotency-key-conflict";
  /** Names the run that it stands for. */
  readonly message: string;
  /** That run. */
  readonly runId: string;
}

/** Every way in which a turn fails. */
export type InvokeAgentError =
  | AgentError
  | UnresolvedToolError
  | UnresolvableToolVersionError
  | BlockUnresolvableError
  | CapabilityRoutingError
  | ModelInvocationError
  | ToolInvocationError
  | BudgetExceededError
  | AgentTurnAbortedError
  | HitlRequiredError
  | HitlRejectedError
  | HitlCancelledError
  | HitlWithdrawnError
  | GuardrailViolationError
  | UnresolvedGuardrailError
  | TenantPolicyUnavailableError
  | SemanticUnavailableError
  | RateLimitExceededError
  | OutputSchemaViolationError
  | AuthorizationUnavailableError
  | RunSnapshotMissingError
  | RunSnapshotUnreadableError
  | RunJournalUnavailableError
  | IdempotencyKeyConflictError;
