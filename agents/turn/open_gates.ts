/**
 * The gates of a run that nobody has answered, read from its journal.
 *
 * @module
 */

import type { Approval, HitlBinding } from "../approvals/mod.ts";
import type { JournalEntry, RunBinding } from "../flow/mod.ts";
import {
  type GateRecord,
  SESSION_GATE_KEY,
  TOOL_GATE_PREFIX,
} from "./ask_for_approval.ts";
import { APPROVAL_WITHDRAWN_REASON } from "./gate_decision.ts";
import type { PendingApproval } from "./types.ts";

/** The gates whose waits are open, in the order they were opened. */
export function openGates(journal: readonly JournalEntry[]): GateRecord[] {
  const gates = new Map<string, GateRecord>();
  const resolved = new Set<unknown>();
  for (const { kind, payload } of journal) {
    const fields = payload as Record<string, unknown> | undefined;
    if (kind === "value.recorded") {
      const key = String(fields?.key);
      if (key !== SESSION_GATE_KEY && !key.startsWith(TOOL_GATE_PREFIX)) {
        continue;
      }
      const gate = fields?.value as GateRecord;
      gates.set(gate.waitTokenId, gate);
    } else if (kind === "wait.resumed" || kind === "wait.cancelled") {
      resolved.add(fields?.tokenId);
    }
  }
  return [...gates.values()].filter(({ waitTokenId }) =>
    !resolved.has(waitTokenId)
  );
}

/** What a run waits for, with the approvals' ids where they are known. */
export async function pendingApprovals(
  journal: readonly JournalEntry[],
  tenantId: string,
  hitl: HitlBinding | undefined,
): Promise<PendingApproval[]> {
  const pending: PendingApproval[] = [];
  for (const gate of openGates(journal)) {
    const approval = await approvalOf(hitl, tenantId, gate.waitTokenId);
    const { toolId } = gate.approval.subjectRef;
    const { requiredRole, expiresAt } = approval ?? gate.approval;
    pending.push({
      ...(approval === null ? {} : { approvalId: approval.id }),
      waitTokenId: gate.waitTokenId,
      ...(toolId === undefined ? {} : { toolId }),
      requiredRole,
      expiresAt,
    });
  }
  return pending;
}

/**
 * Completes the waits of approvals that are decided: over foreign bindings the two don't move together
 * (`spec/durability.md`, Approvals and waits move together). What can't be done now is tried again by the next resume.
 */
export async function reconcileWaits(
  journal: readonly JournalEntry[],
  run: { readonly tenantId: string; readonly runId: string },
  hitl: HitlBinding | undefined,
  runBinding: RunBinding,
): Promise<void> {
  const { tenantId, runId } = run;
  for (const { waitTokenId } of openGates(journal)) {
    const approval = await approvalOf(hitl, tenantId, waitTokenId);
    if (approval === null || approval.status === "pending") continue;
    const cancelled = CANCELLED[approval.status];
    if (cancelled !== undefined) {
      await runBinding.cancelToken(tenantId, runId, waitTokenId, cancelled);
      continue;
    }
    const { id, decidedBy, rationale } = approval;
    await runBinding.completeToken(tenantId, runId, waitTokenId, {
      decided: approval.status === "approved" ? "approve" : "reject",
      ...(decidedBy === undefined ? {} : { decidedBy: decidedBy.id }),
      approvalId: id,
      ...(rationale === undefined ? {} : { rationale }),
    });
  }
}

/** What a wait's end says of an approval that ended undecided. */
const CANCELLED: Readonly<Record<string, string>> = {
  "expired": "timeout",
  "withdrawn": APPROVAL_WITHDRAWN_REASON,
};

/** The approval of a token, where the binding can tell. */
async function approvalOf(
  hitl: HitlBinding | undefined,
  tenantId: string,
  waitTokenId: string,
): Promise<Approval | null> {
  try {
    return await hitl?.getByToken?.(tenantId, waitTokenId) ?? null;
  } catch {
    return null;
  }
}
