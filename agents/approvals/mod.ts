/**
 * Questions to reviewers: what one is, who may decide it, and what a decision does.
 *
 * @module
 */

// Approvals and their bindings
export type {
  Approval,
  ApprovalDecisionValue,
  ApprovalStatus,
  ApprovalSubjectRef,
  Decider,
  HitlEnqueueInput,
} from "./approval.ts";
export type {
  ApprovalStore,
  ApprovedEarlierInput,
  DecideApprovalInput,
  ExpiredWait,
  HitlBinding,
  ListApprovalsInput,
  WithdrawApprovalsInput,
} from "./approval_bindings.ts";

// What happens to one
export {
  assertDecision,
  coversCall,
  decideApproval,
  decisionValue,
  escalateDue,
  isRoleAtLeast,
  newApproval,
} from "./decide.ts";
export type { Decided } from "./decide.ts";

// Errors
export type {
  ApprovalAlreadyDecidedError,
  ApprovalError,
  ApprovalExpiredError,
  ApprovalNotFoundError,
  ApprovalRoleTooLowError,
} from "./errors.ts";

// What the contracts are written in
export { REVIEWER_ROLES } from "../agent/mod.ts";
export type {
  ApprovalId,
  Brand,
  Err,
  Ok,
  PersistenceError,
  Result,
  ReviewerRole,
  TenantId,
  Timestamp,
} from "../agent/mod.ts";
