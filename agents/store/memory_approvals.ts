/**
 * Approvals in memory (`ApprovalStore`): a decision, or an expiry, and the end of its wait are one step.
 *
 * @module
 */

import { frozen } from "../../base/frozen_json.ts";
import { ok, type Result } from "../../base/result.ts";
import type { PersistenceError } from "../agent/mod.ts";
import {
  type Approval,
  type ApprovalError,
  type ApprovalStore,
  type ApprovedEarlierInput,
  assertDecision,
  coversCall,
  decideApproval,
  type DecideApprovalInput,
  escalateDue,
  type ExpiredWait,
  type HitlEnqueueInput,
  type ListApprovalsInput,
  newApproval,
  type WithdrawApprovalsInput,
} from "../approvals/mod.ts";
import { mended } from "../conversation/mod.ts";
import { approvalNotFound, waitOutcome, withdrawn } from "./approval_waits.ts";
import type { StoreClock } from "./memory_clock.ts";
import type { MemoryJournal } from "./memory_journal.ts";
import type { MemoryTenants } from "./memory_tenants.ts";

/** Approvals of all tenants. */
export class MemoryApprovals implements ApprovalStore {
  readonly #tenants: MemoryTenants;
  readonly #clock: StoreClock;
  readonly #journal: MemoryJournal;

  /** Keeps its approvals with the tenants, and resolves their tokens in the journal. */
  constructor(
    tenants: MemoryTenants,
    clock: StoreClock,
    journal: MemoryJournal,
  ) {
    this.#tenants = tenants;
    this.#clock = clock;
    this.#journal = journal;
  }

  enqueue(input: HitlEnqueueInput): Promise<{ readonly approvalId: string }> {
    const tenant = this.#tenants.of(input.tenantId);
    const known = tenant.approvalByToken.get(input.waitTokenId);
    if (known !== undefined) return Promise.resolve({ approvalId: known });
    try {
      const approval = newApproval(
        mended(input) as HitlEnqueueInput,
        crypto.randomUUID(),
        new Date(this.#clock.now()),
      );
      tenant.putApproval(frozen(approval));
      return Promise.resolve({ approvalId: approval.id });
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  approvedEarlier(input: ApprovedEarlierInput): Promise<boolean> {
    for (
      const approval of this.#tenants.of(input.tenantId).approvals.values()
    ) {
      if (coversCall(approval, input)) return Promise.resolve(true);
    }
    return Promise.resolve(false);
  }

  getByToken(tenantId: string, waitTokenId: string): Promise<Approval | null> {
    const { approvals, approvalByToken } = this.#tenants.of(tenantId);
    const id = approvalByToken.get(waitTokenId);
    return Promise.resolve(id === undefined ? null : approvals.get(id) ?? null);
  }

  list(
    { tenantId, status, runId, conversationId, limit }: ListApprovalsInput,
  ): Promise<Result<readonly Approval[], PersistenceError>> {
    const found = [...this.#tenants.of(tenantId).approvals.values()]
      .filter((approval) =>
        (status === undefined || approval.status === status) &&
        (runId === undefined || approval.runId === runId) &&
        (conversationId === undefined ||
          approval.subjectRef.conversationId === conversationId)
      )
      .reverse();
    return Promise.resolve(ok(found.slice(0, limit)));
  }

  get(
    tenantId: string,
    approvalId: string,
  ): Promise<Result<Approval, ApprovalError>> {
    const approval = this.#tenants.of(tenantId).approvals.get(approvalId);
    return Promise.resolve(
      approval === undefined ? approvalNotFound(approvalId) : ok(approval),
    );
  }

  // Asynchronous, so that what it throws rejects.
  // deno-lint-ignore require-await
  async decide(
    input: DecideApprovalInput,
  ): Promise<Result<Approval, ApprovalError>> {
    assertDecision(input);
    const tenant = this.#tenants.of(input.tenantId);
    const stored = tenant.approvals.get(input.approvalId);
    if (stored === undefined) return approvalNotFound(input.approvalId);
    const { approval, result } = decideApproval(
      stored,
      input,
      new Date(this.#clock.now()),
    );
    this.#store(stored, approval);
    return result;
  }

  expireDue(
    { now, tenantId }: { readonly now: Date; readonly tenantId?: string },
  ): Promise<Result<readonly ExpiredWait[], PersistenceError>> {
    const expired: ExpiredWait[] = [];
    for (const [id, tenant] of this.#tenants.each(tenantId)) {
      for (const stored of [...tenant.approvals.values()]) {
        const approval = escalateDue(stored, now);
        if (approval === stored) continue;
        this.#store(stored, approval);
        if (approval.status !== "expired") continue;
        const { runId, waitTokenId } = approval;
        expired.push({ tenantId: id, runId, waitTokenId });
      }
    }
    return Promise.resolve(ok(expired));
  }

  withdraw(
    input: WithdrawApprovalsInput,
  ): Promise<Result<readonly Approval[], PersistenceError>> {
    return Promise.resolve(ok(this.withdrawNow(input)));
  }

  /** Withdraws pending approvals within the caller's step. */
  withdrawNow(
    { tenantId, runId, conversationId }: WithdrawApprovalsInput,
  ): Approval[] {
    const tenant = this.#tenants.of(tenantId);
    const taken: Approval[] = [];
    if (runId === undefined && conversationId === undefined) return taken;
    for (const stored of [...tenant.approvals.values()]) {
      const wanted = stored.status === "pending" &&
        (runId === undefined || stored.runId === runId) &&
        (conversationId === undefined ||
          stored.subjectRef.conversationId === conversationId);
      if (!wanted) continue;
      const approval = frozen(withdrawn(stored, this.#clock.timestamp()));
      tenant.putApproval(approval);
      taken.push(approval);
    }
    return taken;
  }

  /** Removes the approvals about a conversation. */
  removeOf(tenantId: string, conversationId: string): void {
    const tenant = this.#tenants.of(tenantId);
    for (const { id, waitTokenId, subjectRef } of tenant.approvals.values()) {
      if (subjectRef.conversationId !== conversationId) continue;
      tenant.approvals.delete(id);
      tenant.approvalByToken.delete(waitTokenId);
    }
  }

  /** Keeps what became of an approval, and ends its wait by it. */
  #store(stored: Approval, approval: Approval): void {
    if (approval !== stored) {
      this.#tenants.of(stored.tenantId).putApproval(frozen(approval));
    }
    const outcome = waitOutcome(approval);
    if (outcome === undefined) return;
    // A run that is kept elsewhere isn't found here: its wait is the caller's to end.
    void this.#journal.resolveToken({
      tenantId: approval.tenantId,
      runId: approval.runId,
      outcome,
    });
  }
}
