/**
 * What deciding, escalating and expiring do to an approval: pure, so that every store does the same.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import {
  type ApprovalId,
  REVIEWER_ROLES,
  type ReviewerRole,
  shown,
  type TenantId,
  type Timestamp,
} from "../agent/mod.ts";
import type {
  Approval,
  ApprovalDecisionValue,
  HitlEnqueueInput,
} from "./approval.ts";
import type {
  ApprovedEarlierInput,
  DecideApprovalInput,
} from "./approval_bindings.ts";
import type { ApprovalError } from "./errors.ts";

/** Whether a role may do what another may. */
export function isRoleAtLeast(
  role: ReviewerRole,
  required: ReviewerRole,
): boolean {
  return REVIEWER_ROLES.indexOf(role) >= REVIEWER_ROLES.indexOf(required);
}

/** A fresh approval. */
export function newApproval(
  input: HitlEnqueueInput,
  id: string,
  now: Date,
): Approval {
  const expiresAt = new Date(input.expiresAt);
  const left = expiresAt.getTime() - now.getTime();
  return {
    id: id as ApprovalId,
    tenantId: input.tenantId as TenantId,
    ...(input.projectId === undefined ? {} : { projectId: input.projectId }),
    subjectKind: input.subjectKind,
    subjectRef: input.subjectRef,
    requiredRole: input.requiredRole,
    title: input.title,
    description: input.description,
    waitTokenId: input.waitTokenId,
    runId: input.provenanceRef.runId,
    status: "pending",
    createdAt: timestamp(now),
    timeoutMs: input.timeoutMs ?? Math.max(0, left),
    expiresAt: timestamp(expiresAt),
  };
}

/** A pending approval as it stands at a moment: raised by one role when it is past due, expired past the highest. */
export function escalateDue(approval: Approval, now: Date): Approval {
  if (approval.status !== "pending") return approval;
  if (Date.parse(approval.expiresAt) > now.getTime()) return approval;
  const next =
    REVIEWER_ROLES[REVIEWER_ROLES.indexOf(approval.requiredRole) + 1];
  if (next === undefined) {
    return { ...approval, status: "expired", decidedAt: timestamp(now) };
  }
  return {
    ...approval,
    requiredRole: next,
    expiresAt: timestamp(new Date(now.getTime() + approval.timeoutMs)),
  };
}

/** What a decision comes to. */
export interface Decided {
  /** The approval as it is to be stored, also when the decision is refused: it may have been raised or expired. */
  readonly approval: Approval;
  /** What the decider is answered. */
  readonly result: Result<Approval, ApprovalError>;
}

/**
 * Holds what a decider sent to what it has to be: a decision that is spelt wrong is neither of the two.
 *
 * @throws {TypeError} If it is no decision by somebody with an id and a role.
 */
export function assertDecision(
  { approvalId, decision, decidedBy }: DecideApprovalInput,
): void {
  const by: Partial<DecideApprovalInput["decidedBy"]> | undefined = decidedBy;
  const wrong = decision !== "approve" && decision !== "reject"
    ? `its decision is ${shown(decision)}, neither "approve" nor "reject"`
    : typeof by?.id !== "string" || typeof by.role !== "string"
    ? `decidedBy is ${shown(by)}: give the reviewer as { id, role }`
    : undefined;
  if (wrong === undefined) return;
  throw new TypeError(`Cannot decide approval ${approvalId}: ${wrong}`);
}

/** Decides an approval at a moment; one that is past due is raised first. */
export function decideApproval(
  stored: Approval,
  { decision, decidedBy, rationale }: DecideApprovalInput,
  now: Date,
): Decided {
  const approval = escalateDue(stored, now);
  const status = decision === "approve" ? "approved" : "rejected";
  const refuse = (error: ApprovalError): Decided => ({
    approval,
    result: err(error),
  });
  const named = `Cannot ${decision} approval ${approval.id}`;
  if (approval.status === status) return { approval, result: ok(approval) };
  if (approval.status === "expired") {
    return refuse({
      code: "approval-expired",
      message: `${named}: nobody decided before ${approval.expiresAt}`,
      approvalId: approval.id,
    });
  }
  if (approval.status !== "pending") {
    return refuse({
      code: "approval-already-decided",
      message: `${named}: it was ${approval.status} before`,
      approval,
    });
  }
  if (!isRoleAtLeast(decidedBy.role, approval.requiredRole)) {
    return refuse({
      code: "approval-role-too-low",
      message:
        `${named} as ${decidedBy.role}: it takes a reviewer with role ${approval.requiredRole} or higher`,
      approvalId: approval.id,
      requiredRole: approval.requiredRole,
    });
  }
  const decided: Approval = {
    ...approval,
    status,
    decidedBy: { id: decidedBy.id, role: decidedBy.role },
    decidedAt: timestamp(now),
    ...(rationale === undefined ? {} : { rationale }),
  };
  return { approval: decided, result: ok(decided) };
}

/** What the token of a decided approval is completed with; `undefined` while nobody has decided. */
export function decisionValue(
  { id, status, decidedBy, rationale }: Approval,
): ApprovalDecisionValue | undefined {
  if (status !== "approved" && status !== "rejected") return undefined;
  return {
    decided: status === "approved" ? "approve" : "reject",
    decidedBy: decidedBy!.id,
    approvalId: id,
    ...(rationale === undefined ? {} : { rationale }),
  };
}

/** Whether an approval covers a later call (`spec/decisions.md` 19): same conversation, tool and exact version. */
export function coversCall(
  { status, subjectRef, decidedBy }: Approval,
  { conversationId, toolId, toolVersion, requiredRole = "standard" }:
    ApprovedEarlierInput,
): boolean {
  return status === "approved" &&
    subjectRef.conversationId === conversationId &&
    subjectRef.toolId === toolId && subjectRef.toolVersion === toolVersion &&
    decidedBy !== undefined && isRoleAtLeast(decidedBy.role, requiredRole);
}

function timestamp(moment: Date): Timestamp {
  return moment.toISOString() as Timestamp;
}
