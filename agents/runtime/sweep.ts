/**
 * Keeping questions to reviewers going (`spec/durability.md`, Approvals and waits move together).
 *
 * @module
 */

import { ok, type Result } from "../../base/result.ts";
import type { PersistenceError } from "../agent/mod.ts";
import type { AgentStore } from "../store/mod.ts";
import { openGates, reconcileWaits } from "../turn/mod.ts";
import type { SweepReport } from "./types.ts";
import type { RuntimeBindings } from "./wire_bindings.ts";

/**
 * Escalates and expires what is due, asks again what couldn't be asked, and completes the waits of what is decided. Without
 * a `hitl` binding it cancels waits past their time.
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
  let expired = due.value.length;
  let asked = 0;
  for (const tenantId of tenants.value) {
    for (const runId of await unattendedRuns(tenantId, store, bindings)) {
      if (bindings.hitl === undefined) {
        expired += await cancelDue(tenantId, runId, bindings, now);
      } else asked += await askAgain(tenantId, runId, bindings);
    }
  }
  return ok({ expired, asked });
}

/**
 * The parked runs that have to be looked at. Those whose questions are known to wait in this store are none: a sweep that
 * read every parked run's journal would cost more with each of them.
 */
async function unattendedRuns(
  tenantId: string,
  { approvals }: AgentStore,
  { runBinding, hitl }: RuntimeBindings,
): Promise<string[]> {
  const runs = await runBinding.listRuns({ tenantId, status: "suspended" });
  if (runs.kind === "err") return [];
  const parked = runs.value.filter(({ resumable }) => !resumable);
  if (parked.length === 0) return [];
  const waiting = hitl === approvals
    ? await approvals.list({ tenantId, status: "pending" })
    : undefined;
  const known = new Set(
    waiting?.kind === "ok"
      ? waiting.value.map(({ waitTokenId }) => waitTokenId)
      : [],
  );
  return parked
    .filter(({ waitingOn }) =>
      waitingOn.length === 0 ||
      !waitingOn.every(({ tokenId }) => known.has(tokenId))
    )
    .map(({ runId }) => runId);
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
