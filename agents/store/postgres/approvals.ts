/**
 * Approvals in Postgres (`ApprovalStore`): a decision, or an expiry, and the end of its wait are one transaction.
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
  type ExpiredWait,
  type HitlEnqueueInput,
  type ListApprovalsInput,
  newApproval,
  type WithdrawApprovalsInput,
} from "../../approvals/mod.ts";
import { mended } from "../../conversation/mod.ts";
import { approvalNotFound } from "../approval_waits.ts";
import { storedText } from "../stored_text.ts";
import {
  approvalById,
  approvalByToken,
  type ApprovalRow,
  expireWithin,
  insertApproval,
  loadedApproval,
  storeApproval,
  withdrawWithin,
} from "./approval_rows.ts";
import type { Parameter, PostgresDatabase } from "./database.ts";
import { persistenceError, reasonOf } from "./failures.ts";
import { knownTenants } from "./tenants.ts";

/** Approvals of all tenants. */
export class PostgresApprovals implements ApprovalStore {
  readonly #database: PostgresDatabase;

  /** Keeps its approvals in a database, and resolves their tokens in its runs. */
  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async enqueue(
    input: HitlEnqueueInput,
  ): Promise<{ readonly approvalId: string }> {
    const { tenantId, waitTokenId } = input;
    try {
      return await this.#database.transaction(tenantId, async (transaction) => {
        const approval = newApproval(
          mended(input) as HitlEnqueueInput,
          crypto.randomUUID(),
          new Date(transaction.now),
        );
        if (await insertApproval(transaction, tenantId, approval)) {
          return { approvalId: approval.id };
        }
        const known = await approvalByToken(transaction, waitTokenId);
        return { approvalId: known!.id };
      });
    } catch (thrown) {
      throw failure("ask for an approval", thrown);
    }
  }

  async approvedEarlier(input: ApprovedEarlierInput): Promise<boolean> {
    try {
      const rows = await this.#database.transaction(
        input.tenantId,
        (transaction) =>
          transaction.run<ApprovalRow>(
            "SELECT approval FROM agent_approvals WHERE {mine} AND conversation_id = $1 AND status = 'approved'",
            storedText(input.conversationId),
          ),
      );
      return rows.some((row) => coversCall(loadedApproval(row), input));
    } catch (thrown) {
      throw failure("read earlier approvals", thrown);
    }
  }

  async getByToken(
    tenantId: string,
    waitTokenId: string,
  ): Promise<Approval | null> {
    try {
      return await this.#database.transaction(
        tenantId,
        (transaction) => approvalByToken(transaction, waitTokenId),
      );
    } catch (thrown) {
      throw failure("read an approval", thrown);
    }
  }

  async list(
    { tenantId, status, runId, conversationId, limit }: ListApprovalsInput,
  ): Promise<Result<readonly Approval[], PersistenceError>> {
    const values: Parameter[] = [
      status ?? null,
      runId === undefined ? null : storedText(runId),
      conversationId === undefined ? null : storedText(conversationId),
      limit === undefined ? null : `${Math.max(0, Math.floor(limit))}`,
    ];
    try {
      const rows = await this.#database.transaction(
        tenantId,
        (transaction) =>
          transaction.run<ApprovalRow>(
            `SELECT approval FROM agent_approvals
              WHERE {mine} AND ($1::text IS NULL OR status = $1) AND ($2::text IS NULL OR run_id = $2)
                AND ($3::text IS NULL OR conversation_id = $3)
              ORDER BY position DESC LIMIT $4::text::bigint`,
            ...values,
          ),
      );
      return ok(rows.map(loadedApproval));
    } catch (thrown) {
      return err(persistenceError("list approvals", thrown));
    }
  }

  async get(
    tenantId: string,
    approvalId: string,
  ): Promise<Result<Approval, ApprovalError>> {
    try {
      const approval = await this.#database.transaction(
        tenantId,
        (transaction) => approvalById(transaction, approvalId),
      );
      return approval === undefined
        ? approvalNotFound(approvalId)
        : ok(approval);
    } catch (thrown) {
      return err(persistenceError(`read approval ${approvalId}`, thrown));
    }
  }

  async decide(
    input: DecideApprovalInput,
  ): Promise<Result<Approval, ApprovalError>> {
    assertDecision(input);
    const { tenantId, approvalId } = input;
    try {
      return await this.#database.transaction(
        tenantId,
        async (transaction): Promise<Result<Approval, ApprovalError>> => {
          const stored = await approvalById(
            transaction,
            approvalId,
            "FOR UPDATE",
          );
          if (stored === undefined) return approvalNotFound(approvalId);
          const now = new Date(transaction.now);
          const { approval, result } = decideApproval(stored, input, now);
          await storeApproval(transaction, stored, approval);
          return result;
        },
      );
    } catch (thrown) {
      return err(persistenceError(`decide approval ${approvalId}`, thrown));
    }
  }

  async expireDue(
    { now, tenantId }: { readonly now: Date; readonly tenantId?: string },
  ): Promise<Result<readonly ExpiredWait[], PersistenceError>> {
    try {
      const tenants = tenantId === undefined
        ? await knownTenants(this.#database)
        : [tenantId];
      const expired: ExpiredWait[] = [];
      for (const tenant of tenants) {
        expired.push(
          ...await this.#database.transaction(
            tenant,
            (transaction) => expireWithin(transaction, now),
          ),
        );
      }
      return ok(expired);
    } catch (thrown) {
      return err(persistenceError("expire approvals", thrown));
    }
  }

  async withdraw(
    input: WithdrawApprovalsInput,
  ): Promise<Result<readonly Approval[], PersistenceError>> {
    try {
      return ok(
        await this.#database.transaction(
          input.tenantId,
          (transaction) => withdrawWithin(transaction, input),
        ),
      );
    } catch (thrown) {
      return err(persistenceError("withdraw approvals", thrown));
    }
  }
}

function failure(doing: string, cause: unknown): Error {
  return new Error(`Cannot ${doing}: ${reasonOf(cause)}`, { cause });
}
