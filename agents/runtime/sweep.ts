/**
 * Keeping questions to reviewers going (`spec/durability.md`, Approvals and waits move together).
 *
 * @module
 */

import { ok, type Result } from "../../base/result.ts";
import type { PersistenceError } from "../agent/mod.ts";
import type { Approval } from "../approvals/mod.ts";
import type { RunRecord } from "../flow/mod.ts";
import type { AgentStore } from "../store/mod.ts";
import { openGates, reconcileWaits } from "../turn/mod.ts";
import type { SweepReport } from "./types.ts";
import type { RuntimeBindings } from "./wire_bindings.ts";

/**
 * How many turns of a tenant are looked through at once, here and by the worker. Journals list the latest first, and what
 * has waited longest comes last: it is left out of a list that is cut short, for as long as newer ones stand still.
 */
export const LOOKED_THROUGH = 10_000;

/**
 * Escalates and expires what is due, asks again what couldn't be asked, completes the waits of what is decided, and withdraws
 * questions that nothing waits for any more. Without a `hitl` binding it cancels waits past their time.
 */
export async function sweepApprovals(
  store: AgentStore,
  bindings: RuntimeBindings,
  now: Date,
): Promise<Result<SweepReport, PersistenceError>> {
  const { runBinding } = bindings;
  const due = await store.approvals.expireDue({ now });
  if (due.kind === "err") return due;
  for (const { tenantId, runId, waitTokenId } of due.value) {
    await runBinding.cancelToken(tenantId, runId, waitTokenId, "timeout");
  }
  const tenants = await store.tenants();
  if (tenants.kind === "err") return tenants;
  const report = { expired: due.value.length, asked: 0, withdrawn: 0 };
  for (const tenantId of tenants.value) {
    const pending = bindings.hitl === store.approvals
      ? await pendingOf(tenantId, store)
      : [];
    const parked = await parkedRuns(tenantId, bindings);
    // A sweep that read every parked run's journal would cost more with each of them.
    const waiting = new Set(pending.map(({ waitTokenId }) => waitTokenId));
    for (const { runId, waitingOn } of parked) {
      const isAsked = waitingOn.length > 0 &&
        waitingOn.every(({ tokenId }) => waiting.has(tokenId));
      if (isAsked) continue;
      if (bindings.hitl === undefined) {
        report.expired += await cancelDue(tenantId, runId, bindings, now);
      } else report.asked += await askAgain(tenantId, runId, bindings);
    }
    const alive = new Set<string>(parked.map(({ runId }) => runId));
    for (const runId of new Set(pending.map(({ runId }) => runId))) {
      if (alive.has(runId)) continue;
      report.withdrawn += await withdrawEnded(tenantId, runId, store);
    }
  }
  return ok(report);
}

/** The questions of a tenant that nobody has answered; none where they can't be read. */
async function pendingOf(
  tenantId: string,
  { approvals }: AgentStore,
): Promise<readonly Approval[]> {
  const pending = await approvals.list({ tenantId, status: "pending" });
  return pending.kind === "ok" ? pending.value : [];
}

/** The runs that wait for somebody. */
async function parkedRuns(
  tenantId: string,
  { runBinding }: RuntimeBindings,
): Promise<readonly RunRecord[]> {
  const runs = await runBinding.listRuns({
    tenantId,
    status: "suspended",
    limit: LOOKED_THROUGH,
  });
  return runs.kind === "ok"
    ? runs.value.filter(({ resumable }) => !resumable)
    : [];
}

/** Withdraws the questions of a run that has ended, such as of a turn that failed over another one; answers how many. */
async function withdrawEnded(
  tenantId: string,
  runId: string,
  { journal, approvals }: AgentStore,
): Promise<number> {
  const run = await journal.get(tenantId, runId);
  // A run that is kept elsewhere isn't found here, and its questions are its host's.
  if (run.kind === "err" || run.value?.endedAt === undefined) return 0;
  const withdrawn = await approvals.withdraw({ tenantId, runId });
  return withdrawn.kind === "ok" ? withdrawn.value.length : 0;
}

/** Cancels a run's waits whose time is over; answers how many. */
async function cancelDue(
  tenantId: string,
  runId: string,
  { runBinding }: RuntimeBindings,
  now: Date,
): Promise<number> {
  const journal = await runBinding.readJournal(tenantId, runId);
  if (journal.kind === "err") return 0;
  let cancelled = 0;
  for (const { waitTokenId, approval } of openGates(journal.value)) {
    if (Date.parse(approval.expiresAt) > now.getTime()) continue;
    const done = await runBinding.cancelToken(
      tenantId,
      runId,
      waitTokenId,
      "timeout",
    );
    if (done.kind === "ok") cancelled += 1;
  }
  return cancelled;
}

/** Asks what a run waits for and nobody was asked; answers how many questions. */
async function askAgain(
  tenantId: string,
  runId: string,
  { runBinding, hitl }: RuntimeBindings,
): Promise<number> {
  const journal = await runBinding.readJournal(tenantId, runId);
  if (journal.kind === "err") return 0;
  let asked = 0;
  for (const { waitTokenId, approval } of openGates(journal.value)) {
    try {
      const known = await hitl?.getByToken?.(tenantId, waitTokenId);
      if (known !== null) continue;
      await hitl?.enqueue(approval);
      asked += 1;
    } catch {
      // The next sweep asks.
    }
  }
  await reconcileWaits(journal.value, { tenantId, runId }, hitl, runBinding);
  return asked;
}
