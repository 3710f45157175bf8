/**
 * Questions to reviewers and their answers (`spec/api.md`, approvals).
 *
 * @module
 */

import type {
  ApprovalId,
  ReviewerRole,
  TenantId,
  Timestamp,
} from "../agent/mod.ts";

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
