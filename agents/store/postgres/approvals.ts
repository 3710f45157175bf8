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
import { resolutionEntry } from "../journal_entries.ts";
import { loadedText, storedText } from "../stored_text.ts";
import type { Parameter, PostgresDatabase, Transaction } from "./database.ts";
import { persistenceError, reasonOf } from "./failures.ts";

interface ApprovalRow {
  readonly approval: string;
}

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
        if (await insert(transaction, tenantId, approval)) {
          return { approvalId: approval.id };
        }
        const known = await byToken(transaction, waitTokenId);
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
      return rows.some((row) => coversCall(loaded(row), input));
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
        (transaction) => byToken(transaction, waitTokenId),
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
      return ok(rows.map(loaded));
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
        (transaction) => byId(transaction, approvalId),
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
    const { tenantId, approvalId } = input;
    try {
      return await this.#database.transaction(
        tenantId,
        async (transaction): Promise<Result<Approval, ApprovalError>> => {
          const stored = await byId(transaction, approvalId, "FOR UPDATE");
          if (stored === undefined) return approvalNotFound(approvalId);
          const now = new Date(transaction.now);
          const { approval, result } = decideApproval(stored, input, now);
          await store(transaction, stored, approval);
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

/** Every tenant that ever wrote. */
export async function knownTenants(
  database: PostgresDatabase,
): Promise<string[]> {
  const rows = await database.plain<{ tenant_id: string }>(
    "SELECT tenant_id FROM {schema}.agent_tenants ORDER BY tenant_id",
  );
  return rows.map(({ tenant_id }) => loadedText(tenant_id));
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
  const approvals = rows.map((row) => withdrawn(loaded(row), transaction.now));
  for (const approval of approvals) await put(transaction, approval);
  return approvals;
}

async function expireWithin(
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
    const stored = loaded(row);
    const approval = escalateDue(stored, now);
    await store(transaction, stored, approval);
    if (approval.status !== "expired") continue;
    const { tenantId, runId, waitTokenId } = approval;
    expired.push({ tenantId, runId, waitTokenId });
  }
  return expired;
}

/** Adds an approval; `false` when there is one of its token. */
async function insert(
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

async function byId(
  transaction: Transaction,
  approvalId: string,
  lock = "",
): Promise<Approval | undefined> {
  const [row] = await transaction.run<ApprovalRow>(
    `SELECT approval FROM agent_approvals WHERE {mine} AND id = $1 ${lock}`,
    storedText(approvalId),
  );
  return row === undefined ? undefined : loaded(row);
}

async function byToken(
  transaction: Transaction,
  waitTokenId: string,
): Promise<Approval | null> {
  const [row] = await transaction.run<ApprovalRow>(
    "SELECT approval FROM agent_approvals WHERE {mine} AND wait_token_id = $1",
    storedText(waitTokenId),
  );
  return row === undefined ? null : loaded(row);
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
async function store(
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

function loaded({ approval }: ApprovalRow): Approval {
  return JSON.parse(approval);
}

function failure(doing: string, cause: unknown): Error {
  return new Error(`Cannot ${doing}: ${reasonOf(cause)}`, { cause });
}
