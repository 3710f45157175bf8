/**
 * The bindings that ask reviewers and keep what they decide (`spec/api.md`, approvals).
 *
 * @module
 */

import type { Result } from "../../base/result.ts";
import type { PersistenceError, ReviewerRole } from "../agent/mod.ts";
import type {
  Approval,
  ApprovalStatus,
  Decider,
  HitlEnqueueInput,
} from "./approval.ts";
import type { ApprovalError } from "./errors.ts";

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
