/**
 * Approvals in SQLite (`ApprovalStore`): a decision, or an expiry, and the end of its wait are one transaction.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { PersistenceError } from "../../agent/mod.ts";
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
} from "../../approvals/mod.ts";
import { mended } from "../../conversation/mod.ts";
import { approvalNotFound, waitOutcome, withdrawn } from "../approval_waits.ts";
import type { SqliteDatabase, Value } from "./database.ts";
import { persistenceError, reasonOf } from "./failures.ts";
import type { SqliteRuns } from "./runs.ts";

interface ApprovalRow {
  readonly approval: string;
}

/** Approvals of all tenants. */
export class SqliteApprovals implements ApprovalStore {
  readonly #sql: SqliteDatabase;
  readonly #runs: SqliteRuns;

  /** Keeps its approvals in a database, and resolves their tokens in its runs. */
  constructor(sql: SqliteDatabase, runs: SqliteRuns) {
    this.#sql = sql;
    this.#runs = runs;
  }

  enqueue(input: HitlEnqueueInput): Promise<{ readonly approvalId: string }> {
    const { tenantId, waitTokenId } = input;
    return this.#sql.write(() => {
      const known = this.#byToken(tenantId, waitTokenId);
      if (known !== null) return { approvalId: known.id };
      const approval = newApproval(
        mended(input) as HitlEnqueueInput,
        crypto.randomUUID(),
        new Date(this.#sql.clock.now()),
      );
      this.#sql.know(tenantId);
      this.#sql.run(
        `INSERT INTO agent_approvals
          (tenant_id, id, wait_token_id, run_id, conversation_id, status, expires_at, approval)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        tenantId,
        approval.id,
        approval.waitTokenId,
        approval.runId,
        approval.subjectRef.conversationId,
        approval.status,
        Date.parse(approval.expiresAt),
        JSON.stringify(approval),
      );
      return { approvalId: approval.id };
    }).catch((thrown) => {
      throw failure("ask for an approval", thrown);
    });
  }

  approvedEarlier(input: ApprovedEarlierInput): Promise<boolean> {
    return this.#sql.read(() =>
      this.#sql.all<ApprovalRow>(
        `SELECT approval FROM agent_approvals
          WHERE tenant_id = ? AND conversation_id = ? AND status = 'approved'`,
        input.tenantId,
        input.conversationId,
      ).some((row) => coversCall(loaded(row), input))
    ).catch((thrown) => {
      throw failure("read earlier approvals", thrown);
    });
  }

  getByToken(tenantId: string, waitTokenId: string): Promise<Approval | null> {
    return this.#sql.read(() => this.#byToken(tenantId, waitTokenId))
      .catch((thrown) => {
        throw failure("read an approval", thrown);
      });
  }

  list(
    { tenantId, status, runId, conversationId, limit }: ListApprovalsInput,
  ): Promise<Result<readonly Approval[], PersistenceError>> {
    let conditions = "tenant_id = ?";
    const values: Value[] = [tenantId];
    if (status !== undefined) {
      conditions += " AND status = ?";
      values.push(status);
    }
    if (runId !== undefined) {
      conditions += " AND run_id = ?";
      values.push(runId);
    }
    if (conversationId !== undefined) {
      conditions += " AND conversation_id = ?";
      values.push(conversationId);
    }
    return this.#sql.read(() =>
      ok(
        this.#sql.all<ApprovalRow>(
          `SELECT approval FROM agent_approvals WHERE ${conditions} ORDER BY position DESC LIMIT ?`,
          ...values,
          // Less than 0 is no limit.
          limit ?? -1,
        ).map(loaded),
      )
    ).catch((thrown) => err(persistenceError("list approvals", thrown)));
  }

  get(
    tenantId: string,
    approvalId: string,
  ): Promise<Result<Approval, ApprovalError>> {
    return this.#sql.read(() => {
      const approval = this.#find(tenantId, approvalId);
      return approval === undefined
        ? approvalNotFound(approvalId)
        : ok(approval);
    }).catch((thrown) =>
      err(persistenceError(`read approval ${approvalId}`, thrown))
    );
  }

  async decide(
    input: DecideApprovalInput,
  ): Promise<Result<Approval, ApprovalError>> {
    assertDecision(input);
    const { tenantId, approvalId } = input;
    return await this.#sql.write((): Result<Approval, ApprovalError> => {
      const stored = this.#find(tenantId, approvalId);
      if (stored === undefined) return approvalNotFound(approvalId);
      const now = new Date(this.#sql.clock.now());
      const { approval, result } = decideApproval(stored, input, now);
      this.#store(stored, approval);
      return result;
    }).catch((thrown) =>
      err(persistenceError(`decide approval ${approvalId}`, thrown))
    );
  }

  expireDue(
    { now, tenantId }: { readonly now: Date; readonly tenantId?: string },
  ): Promise<Result<readonly ExpiredWait[], PersistenceError>> {
    return this.#sql.write(() => {
      const rows = this.#sql.all<ApprovalRow>(
        `SELECT approval FROM agent_approvals
          WHERE status = 'pending' AND expires_at <= ?1 AND (?2 IS NULL OR tenant_id = ?2) ORDER BY position`,
        now.getTime(),
        tenantId,
      );
      const expired: ExpiredWait[] = [];
      for (const row of rows) {
        const stored = loaded(row);
        const approval = escalateDue(stored, now);
        this.#store(stored, approval);
        if (approval.status !== "expired") continue;
        const { runId, waitTokenId } = approval;
        expired.push({ tenantId: approval.tenantId, runId, waitTokenId });
      }
      return ok(expired);
    }).catch((thrown) => err(persistenceError("expire approvals", thrown)));
  }

  withdraw(
    input: WithdrawApprovalsInput,
  ): Promise<Result<readonly Approval[], PersistenceError>> {
    return this.#sql.write(() => ok(this.withdrawNow(input)))
      .catch((thrown) => err(persistenceError("withdraw approvals", thrown)));
  }

  /** Withdraws pending approvals within the caller's transaction. */
  withdrawNow(
    { tenantId, runId, conversationId }: WithdrawApprovalsInput,
  ): Approval[] {
    if (runId === undefined && conversationId === undefined) return [];
    const rows = this.#sql.all<ApprovalRow>(
      `SELECT approval FROM agent_approvals
        WHERE tenant_id = ?1 AND status = 'pending' AND (?2 IS NULL OR run_id = ?2)
          AND (?3 IS NULL OR conversation_id = ?3) ORDER BY position`,
      tenantId,
      runId,
      conversationId,
    );
    return rows.map((row) => {
      const approval = withdrawn(loaded(row), this.#sql.clock.timestamp());
      this.#put(approval);
      return approval;
    });
  }

  #find(tenantId: string, approvalId: string): Approval | undefined {
    const row = this.#sql.get<ApprovalRow>(
      "SELECT approval FROM agent_approvals WHERE tenant_id = ? AND id = ?",
      tenantId,
      approvalId,
    );
    return row === undefined ? undefined : loaded(row);
  }

  #byToken(tenantId: string, waitTokenId: string): Approval | null {
    const row = this.#sql.get<ApprovalRow>(
      "SELECT approval FROM agent_approvals WHERE tenant_id = ? AND wait_token_id = ?",
      tenantId,
      waitTokenId,
    );
    return row === undefined ? null : loaded(row);
  }

  #put(approval: Approval): void {
    this.#sql.run(
      "UPDATE agent_approvals SET status = ?, expires_at = ?, approval = ? WHERE tenant_id = ? AND id = ?",
      approval.status,
      Date.parse(approval.expiresAt),
      JSON.stringify(approval),
      approval.tenantId,
      approval.id,
    );
  }

  /** Keeps what became of an approval, and ends its wait by it. */
  #store(stored: Approval, approval: Approval): void {
    if (approval !== stored) this.#put(approval);
    const outcome = waitOutcome(approval);
    if (outcome === undefined) return;
    // A run that is kept elsewhere isn't found here: its wait is the caller's to end.
    const run = this.#runs.find(approval.tenantId, approval.runId);
    if (run !== undefined && run.endedAt === undefined) {
      this.#runs.resolve(run, outcome);
    }
  }
}

function loaded({ approval }: ApprovalRow): Approval {
  return JSON.parse(approval);
}

function failure(doing: string, cause: unknown): Error {
  return new Error(`Cannot ${doing}: ${reasonOf(cause)}`, { cause });
}
