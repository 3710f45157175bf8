/**
 * Asking a reviewer: the question is journaled, handed over, and its token registered (`spec/durability.md`, Gates).
 *
 * @module
 */

import type { ReviewerRole } from "../agent/mod.ts";
import type { ApprovalSubjectRef, HitlEnqueueInput } from "../approvals/mod.ts";
import type { NodeContext } from "../flow/mod.ts";
import { storeSnapshot } from "./snapshot.ts";
import type { Turn } from "./turn.ts";

/** The key under which a session's gate is journaled. */
export const SESSION_GATE_KEY = "session-hitl-gate";
/** What the keys of tool calls' gates begin with; the call's id follows. */
export const TOOL_GATE_PREFIX = "tool-hitl-gate:";

/** A gate as it is journaled: whatever policies become, the question stays this one. */
export interface GateRecord {
  /** The token that the question completes. */
  readonly waitTokenId: string;
  /** The lowest role that may decide. */
  readonly requiredRole: ReviewerRole;
  /** Milliseconds that each tier of reviewers has. */
  readonly timeoutMs: number;
  /** The question, so that a sweep can ask it again. */
  readonly approval: HitlEnqueueInput;
}

/** What a question is made of. */
export interface Question {
  /** The token. */
  readonly waitTokenId: string;
  /** The lowest role that may decide. */
  readonly requiredRole: ReviewerRole;
  /** Milliseconds that each tier of reviewers has. */
  readonly timeoutMs: number;
  /** What kind of subject. */
  readonly subjectKind: string;
  /** The subject. */
  readonly subjectRef: ApprovalSubjectRef;
  /** The question in a line. */
  readonly title: string;
  /** The question in full. */
  readonly description: string;
}

/** The gate of a question, for the journal. */
export function gateRecord(
  { input }: Turn,
  context: NodeContext,
  question: Question,
): GateRecord {
  const { waitTokenId, requiredRole, timeoutMs, ...subject } = question;
  const { tenantId, projectId } = input;
  return {
    waitTokenId,
    requiredRole,
    timeoutMs,
    approval: {
      tenantId,
      projectId,
      ...subject,
      requiredRole,
      waitTokenId,
      provenanceRef: { runId: context.runId },
      expiresAt: new Date(context.clockNow() + timeoutMs).toISOString(),
      timeoutMs,
    },
  };
}

/**
 * Hands a journaled question over and registers its token. Handing over may fail: the turn parks all the same, and a sweep
 * asks again.
 */
export async function openGate(
  turn: Turn,
  context: NodeContext,
  gate: GateRecord,
): Promise<void> {
  turn.gated = true;
  await storeSnapshot(turn, "before a park");
  try {
    await turn.bindings.hitl?.enqueue(gate.approval);
  } catch {
    // Swallowed: see above.
  }
  const { waitTokenId, timeoutMs } = gate;
  await context.openWait(waitTokenId, { timeoutMs });
}
