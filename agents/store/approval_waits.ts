/**
 * What approvals and waits have to do with each other, and other answers about approvals that every store gives alike.
 *
 * @module
 */

import { err, type Result } from "../../base/result.ts";
import type { Timestamp } from "../agent/mod.ts";
import {
  type Approval,
  type ApprovalError,
  decisionValue,
} from "../approvals/mod.ts";
import type { TokenOutcome } from "../flow/mod.ts";

/** How an approval ends its wait; `undefined` while it doesn't. */
export function waitOutcome(approval: Approval): TokenOutcome | undefined {
  const tokenId = approval.waitTokenId;
  if (approval.status === "expired") {
    return { tokenId, kind: "cancelled", reason: "timeout" };
  }
  const value = decisionValue(approval);
  return value === undefined
    ? undefined
    : { tokenId, kind: "completed", value };
}

/** A pending approval once it is withdrawn. */
export function withdrawn(approval: Approval, decidedAt: Timestamp): Approval {
  return { ...approval, status: "withdrawn", decidedAt };
}

/** The tenant has no such approval. */
export function approvalNotFound(
  approvalId: string,
): Result<never, ApprovalError> {
  return err({
    code: "approval-not-found",
    message: `Cannot find approval ${approvalId}: the tenant has no such one`,
    approvalId,
  });
}
