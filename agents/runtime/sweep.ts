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

/** Escalates and expires what is due, asks again what couldn't be asked, and completes the waits of what is decided. */
export async function sweepApprovals(
  store: AgentStore,
  bindings: RuntimeBindings,
  now: Date,
): Promise<Result<SweepReport, PersistenceError>> {
  const { runBinding } = bindings;
  const expired = await store.approvals.expireDue({ now });
  if (expired.kind === "err") return expired;
  for (const { tenantId, runId, waitTokenId } of expired.value) {
    await runBinding.cancelToken(tenantId, runId, waitTokenId, "timeout");
  }
  const tenants = await store.tenants();
  if (tenants.kind === "err") return tenants;
  let asked = 0;
  for (const tenantId of tenants.value) {
    const runs = await runBinding.listRuns({ tenantId, status: "suspended" });
    if (runs.kind === "err") continue;
    for (const { runId, resumable } of runs.value) {
      if (resumable) continue;
      asked += await askAgain(tenantId, runId, bindings);
    }
  }
  return ok({ expired: expired.value.length, asked });
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
