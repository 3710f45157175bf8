/**
 * Questions to reviewers, and the bindings that keep them (`spec/api.md`, approvals).
 *
 * @module
 */

import type { Result } from "../../base/result.ts";
import type {
  ApprovalId,
  PersistenceError,
  ReviewerRole,
  TenantId,
  Timestamp,
} from "../agent/mod.ts";
import type { ApprovalError } from "./errors.ts";

/** Where an approval stands; all but `pending` are final. */
export type ApprovalStatus =
  | "pending"
  | "approved"
  | "rejected"
  | "expired"
  | "withdrawn";

/** What is asked about. A turn's subjects carry the fields listed here; others may carry more. */
export interface ApprovalSubjectRef {
  /** The conversation. */
  readonly conversationId?: string;
  /** The agent. */
  readonly agentId?: string;
  /** The agent's version. */
  readonly agentVersion?: string;
  /** For a tool call: the tool. */
  readonly toolId?: string;
  /** For a tool call: the tool's exact version. */
  readonly toolVersion?: string;
  /** Anything else about the subject. */
  readonly [key: string]: unknown;
}

/** What is handed over to have a question asked (`spec/agents_turn.md` 7.2, 7.3). */
export interface HitlEnqueueInput {
  /** Whose run asks. */
  readonly tenantId: string;
  /** The project. */
  readonly projectId?: string;
  /** What kind of subject: `agent-turn:session-hitl-gate`, `tool-call:pending` or a host's own. */
  readonly subjectKind: string;
  /** The subject. */
  readonly subjectRef: ApprovalSubjectRef;
  /** The lowest role that may decide. */
  readonly requiredRole: ReviewerRole;
  /** The question in a line. */
  readonly title: string;
  /** The question in full. */
  readonly description: string;
  /** The token whose completion answers the question; enqueuing is idempotent on it. */
  readonly waitTokenId: string;
  /** The run that asks. */
  readonly provenanceRef: {
    /** The run's id. */
    readonly runId: string;
  };
  /** Until when it can be answered by the role it asks first, as ISO 8601. */
  readonly expiresAt: string;
  /** How long each role has, in milliseconds; what is left until `expiresAt` when absent. */
  readonly timeoutMs?: number;
}

/** Who decides. */
export interface Decider {
  /** The reviewer's id: what the token's value carries as `decidedBy`. */
  readonly id: string;
  /** The reviewer's role. */
  readonly role: ReviewerRole;
}

/** A question to a reviewer. */
export interface Approval {
  /** Its id. */
  readonly id: ApprovalId;
  /** Whose run asks. */
  readonly tenantId: TenantId;
  /** The project. */
  readonly projectId?: string;
  /** What kind of subject. */
  readonly subjectKind: string;
  /** The subject. */
  readonly subjectRef: ApprovalSubjectRef;
  /** The lowest role that may decide; escalation raises it. */
  readonly requiredRole: ReviewerRole;
  /** The question in a line. */
  readonly title: string;
  /** The question in full. */
  readonly description: string;
  /** The token whose completion answers the question. */
  readonly waitTokenId: string;
  /** The run that asks. */
  readonly runId: string;
  /** Where it stands. */
  readonly status: ApprovalStatus;
  /** When it was asked. */
  readonly createdAt: Timestamp;
  /** How long each role has, in milliseconds. */
  readonly timeoutMs: number;
  /** Until when the role that is asked now may answer. */
  readonly expiresAt: Timestamp;
  /** Who decided. */
  readonly decidedBy?: Decider;
  /** When it was decided, expired or withdrawn. */
  readonly decidedAt?: Timestamp;
  /** Why, in the decider's words. */
  readonly rationale?: string;
}

/** What a token is completed with when its approval is decided. */
export interface ApprovalDecisionValue {
  /** The decision. */
  readonly decided: "approve" | "reject";
  /** The decider's id. */
  readonly decidedBy: string;
  /** The approval. */
  readonly approvalId: string;
  /** Why, in the decider's words. */
  readonly rationale?: string;
}

/** Which earlier approval would cover a call (`spec/decisions.md` 19). */
export interface ApprovedEarlierInput {
  /** Whose. */
  readonly tenantId: string;
  /** The conversation. */
  readonly conversationId: string;
  /** The tool. */
  readonly toolId: string;
  /** Its exact version. */
  readonly toolVersion: string;
  /** The role that is required now: an approval by a lower one doesn't cover; `standard` when absent. */
  readonly requiredRole?: ReviewerRole;
}

/** A wait that has no approval any more and that somebody has to cancel. */
export interface ExpiredWait {
  /** Whose. */
  readonly tenantId: string;
  /** The run. */
  readonly runId: string;
  /** The token. */
  readonly waitTokenId: string;
}

/** What a turn asks of whoever asks people: the `hitl` binding. Only `enqueue` is a must. */
export interface HitlBinding {
  /** Asks; idempotent on `waitTokenId`. A turn parks whether or not this succeeds. */
  enqueue(
    input: HitlEnqueueInput,
  ): Promise<{
    /** The approval. */
    readonly approvalId: string;
  }>;
  /** Whether an earlier approval covers a call; without it `ask_on_first_use` asks every time. */
  approvedEarlier?(input: ApprovedEarlierInput): Promise<boolean>;
  /** The approval of a token; without it a resume can't reconcile. */
  getByToken?(
    tenantId: string,
    waitTokenId: string,
  ): Promise<Approval | null>;
}

/** Which approvals to list; conditions add up. */
export interface ListApprovalsInput {
  /** Whose. */
  readonly tenantId: string;
  /** Only those that stand there. */
  readonly status?: ApprovalStatus;
  /** Only those of this run. */
  readonly runId?: string;
  /** Only those about this conversation. */
  readonly conversationId?: string;
  /** How many at most. */
  readonly limit?: number;
}

/** A decision. */
export interface DecideApprovalInput {
  /** Whose approval. */
  readonly tenantId: string;
  /** The approval. */
  readonly approvalId: string;
  /** The decision. */
  readonly decision: "approve" | "reject";
  /** Who decides. */
  readonly decidedBy: Decider;
  /** Why. */
  readonly rationale?: string;
}

/** Which approvals to withdraw; one of `runId` and `conversationId` at least. */
export interface WithdrawApprovalsInput {
  /** Whose. */
  readonly tenantId: string;
  /** Those of this run. */
  readonly runId?: string;
  /** Those about this conversation. */
  readonly conversationId?: string;
}

/** Keeps approvals, and is a complete `hitl` binding. Every method is tenant-scoped. */
export interface ApprovalStore extends HitlBinding {
  /** Whether an earlier approval covers a call. */
  approvedEarlier(input: ApprovedEarlierInput): Promise<boolean>;
  /** The approval of a token, or `null`. */
  getByToken(tenantId: string, waitTokenId: string): Promise<Approval | null>;
  /** Approvals, the newest first. */
  list(
    input: ListApprovalsInput,
  ): Promise<Result<readonly Approval[], PersistenceError>>;
  /** An approval, or `approval-not-found`. */
  get(
    tenantId: string,
    approvalId: string,
  ): Promise<Result<Approval, ApprovalError>>;
  /**
   * Decides a pending approval and, in the same transaction, completes its wait with an {@link ApprovalDecisionValue}
   * where the run is kept in the same store. A past-due approval is escalated first. The same decision again answers
   * the same approval.
   */
  decide(input: DecideApprovalInput): Promise<Result<Approval, ApprovalError>>;
  /**
   * Raises every past-due approval by one role with a fresh deadline; past `admin` it expires, and its wait is cancelled
   * with reason `timeout` in the same transaction where the run is kept in the same store. Answers the expired ones.
   */
  expireDue(input: {
    /** The moment that deadlines are held against. */
    readonly now: Date;
    /** Only this tenant's; every tenant's when absent. */
    readonly tenantId?: string;
  }): Promise<Result<readonly ExpiredWait[], PersistenceError>>;
  /** Withdraws pending approvals; answers those withdrawn. Their waits are the caller's to cancel. */
  withdraw(
    input: WithdrawApprovalsInput,
  ): Promise<Result<readonly Approval[], PersistenceError>>;
}
