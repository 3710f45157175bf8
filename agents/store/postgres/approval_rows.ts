/**
 * Approvals as rows. Everything here happens within the caller's transaction.
 *
 * @module
 */

import {
  type Approval,
  escalateDue,
  type ExpiredWait,
  type WithdrawApprovalsInput,
} from "../../approvals/mod.ts";
import { waitOutcome, withdrawn } from "../approval_waits.ts";
import { resolutionEntry } from "../journal_entries.ts";
import { storedText } from "../stored_text.ts";
import type { Transaction } from "./database.ts";

/** A row of `agent_approvals`. */
export interface ApprovalRow {
  /** The approval as JSON. */
  readonly approval: string;
}

/** Withdraws pending approvals within the caller's transaction. */
export async function withdrawWithin(
  transaction: Transaction,
  { runId, conversationId }: WithdrawApprovalsInput,
): Promise<Approval[]> {
  if (runId === undefined && conversationId === undefined) return [];
  const rows = await transaction.run<ApprovalRow>(
    `SELECT approval FROM agent_approvals
      WHERE {mine} AND status = 'pending' AND ($1::text IS NULL OR run_id = $1)
        AND ($2::text IS NULL OR conversation_id = $2) ORDER BY position FOR UPDATE`,
    runId === undefined ? null : storedText(runId),
    conversationId === undefined ? null : storedText(conversationId),
  );
  const approvals = rows.map((row) =>
    withdrawn(loadedApproval(row), transaction.now)
  );
  for (const approval of approvals) await put(transaction, approval);
  return approvals;
}

/** Escalates what is due and expires what can't be escalated; answers the waits that ended. */
export async function expireWithin(
  transaction: Transaction,
  now: Date,
): Promise<ExpiredWait[]> {
  const rows = await transaction.run<ApprovalRow>(
    `SELECT approval FROM agent_approvals
      WHERE {mine} AND status = 'pending' AND expires_at <= $1::text::timestamp with time zone ORDER BY position FOR UPDATE`,
    now.toISOString(),
  );
  const expired: ExpiredWait[] = [];
  for (const row of rows) {
    const stored = loadedApproval(row);
    const approval = escalateDue(stored, now);
    await storeApproval(transaction, stored, approval);
    if (approval.status !== "expired") continue;
    const { tenantId, runId, waitTokenId } = approval;
    expired.push({ tenantId, runId, waitTokenId });
  }
  return expired;
}

/** Adds an approval; `false` when there is one of its token. */
export async function insertApproval(
  transaction: Transaction,
  tenantId: string,
  approval: Approval,
): Promise<boolean> {
  const { conversationId } = approval.subjectRef;
  const tenant = storedText(tenantId);
  await transaction.run("SELECT kindgi_know_tenant($1)", tenant);
  const inserted = await transaction.run(
    `INSERT INTO agent_approvals
      (tenant_id, id, wait_token_id, run_id, conversation_id, status, expires_at, approval)
      VALUES ($1, $2, $3, $4, $5, $6, $7::text::timestamp with time zone, $8)
      ON CONFLICT (tenant_id, wait_token_id) DO NOTHING RETURNING id`,
    tenant,
    approval.id,
    storedText(approval.waitTokenId),
    storedText(approval.runId),
    typeof conversationId === "string" ? storedText(conversationId) : null,
    approval.status,
    approval.expiresAt,
    JSON.stringify(approval),
  );
  return inserted.length > 0;
}

/** An approval by its id. */
export async function approvalById(
  transaction: Transaction,
  approvalId: string,
  lock = "",
): Promise<Approval | undefined> {
  const [row] = await transaction.run<ApprovalRow>(
    `SELECT approval FROM agent_approvals WHERE {mine} AND id = $1 ${lock}`,
    storedText(approvalId),
  );
  return row === undefined ? undefined : loadedApproval(row);
}

/** An approval by its token. */
export async function approvalByToken(
  transaction: Transaction,
  waitTokenId: string,
): Promise<Approval | null> {
  const [row] = await transaction.run<ApprovalRow>(
    "SELECT approval FROM agent_approvals WHERE {mine} AND wait_token_id = $1",
    storedText(waitTokenId),
  );
  return row === undefined ? null : loadedApproval(row);
}

async function put(
  transaction: Transaction,
  approval: Approval,
): Promise<void> {
  await transaction.run(
    "UPDATE agent_approvals SET status = $2, expires_at = $3::text::timestamp with time zone, approval = $4 WHERE {mine} AND id = $1",
    approval.id,
    approval.status,
    approval.expiresAt,
    JSON.stringify(approval),
  );
}

/** Keeps what became of an approval, and ends its wait by it. */
export async function storeApproval(
  transaction: Transaction,
  stored: Approval,
  approval: Approval,
): Promise<void> {
  if (approval !== stored) await put(transaction, approval);
  const outcome = waitOutcome(approval);
  if (outcome === undefined) return;
  const { kind, payload } = resolutionEntry(outcome);
  // A run that is kept elsewhere isn't found here: its wait is the caller's to end.
  await transaction.run(
    "SELECT kindgi_journal_resolve($1, $2::text::jsonb)",
    storedText(approval.tenantId),
    JSON.stringify({
      runId: storedText(approval.runId),
      tokenId: storedText(outcome.tokenId),
      outcome: JSON.stringify(outcome),
      kind,
      payload,
    }),
  );
}

/** An approval from its row. */
export function loadedApproval({ approval }: ApprovalRow): Approval {
  return JSON.parse(approval);
}
