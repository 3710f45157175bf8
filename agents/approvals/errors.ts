/**
 * Why an approval can't be read or decided: plain values, told apart by `code`.
 *
 * @module
 */

import type { PersistenceError, ReviewerRole } from "../agent/mod.ts";
import type { Approval } from "./approval.ts";

/** The tenant has no such approval. */
export interface ApprovalNotFoundError {
  /** Unknown, deleted, or another tenant's: the answer doesn't tell which. */
  readonly code: "approval-not-found";
  /** Names the approval. */
  readonly message: string;
  /** The approval that was asked for. */
  readonly approvalId: string;
}

/** The decider's role is lower than the approval requires. */
export interface ApprovalRoleTooLowError {
  /** Somebody with a higher role has to decide. */
  readonly code: "approval-role-too-low";
  /** Names both roles. */
  readonly message: string;
  /** The approval. */
  readonly approvalId: string;
  /** The role that it requires now. */
  readonly requiredRole: ReviewerRole;
}

/** The approval was decided otherwise, or withdrawn. */
export interface ApprovalAlreadyDecidedError {
  /** A decision is made once. */
  readonly code: "approval-already-decided";
  /** Says how it stands. */
  readonly message: string;
  /** The approval as it stands. */
  readonly approval: Approval;
}

/** Nobody decided in time. */
export interface ApprovalExpiredError {
  /** Its last deadline has passed. */
  readonly code: "approval-expired";
  /** Names the approval and the deadline. */
  readonly message: string;
  /** The approval. */
  readonly approvalId: string;
}

/** Why an approval can't be read or decided. */
export type ApprovalError =
  | ApprovalNotFoundError
  | ApprovalRoleTooLowError
  | ApprovalAlreadyDecidedError
  | ApprovalExpiredError
  | PersistenceError;
