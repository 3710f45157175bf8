/**
 * Waiting for a reviewer, and reading what comes (`spec/agents_turn.md` 7.4). What isn't an approval is none.
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import { CONVERSATION_CLOSED_REASON } from "../conversation/mod.ts";
import { type NodeContext, WaitpointCancelledError } from "../flow/mod.ts";
import type { ConversationId } from "../agent/mod.ts";
import { TurnFailure } from "./failure.ts";
import type { InvokeAgentError } from "./errors.ts";

/** Why a wait says that its question was taken back. */
export const APPROVAL_WITHDRAWN_REASON = "approval-withdrawn";

/** What a reviewer decided. */
export type GateDecision =
  | {
    /** Somebody agreed. */
    readonly approved: true;
    /** Who. */
    readonly decidedBy?: string;
    /** The approval. */
    readonly approvalId?: string;
  }
  | {
    /** Nobody agreed. */
    readonly approved: false;
    /** Somebody said no, or the answer was no decision. */
    readonly reason: "rejected" | "unreadable";
    /** Why. */
    readonly rationale?: string;
    /** Who. */
    readonly decidedBy?: string;
    /** The approval. */
    readonly approvalId?: string;
  };

const UNREADABLE =
  "The answer to the approval could not be read as a decision, so the call was not approved.";

/** Reads what a token was completed with; only `decided: "approve"` approves. */
export function readGateDecision(value: unknown): GateDecision {
  const given = isRecord(value) ? value : {};
  const { decided, rationale, decidedBy, approvalId } = given;
  const by = {
    ...(typeof decidedBy === "string" ? { decidedBy } : {}),
    ...(typeof approvalId === "string" ? { approvalId } : {}),
  };
  if (decided === "approve") return { approved: true, ...by };
  if (decided !== "reject") {
    return {
      approved: false,
      reason: "unreadable",
      rationale: UNREADABLE,
      ...by,
    };
  }
  return {
    approved: false,
    reason: "rejected",
    ...(typeof rationale === "string" ? { rationale } : {}),
    ...by,
  };
}

/**
 * Waits for a decision; parks the run while there is none.
 *
 * @param what What was asked about, for the error.
 * @throws {TurnFailure} If the wait was cancelled.
 */
export async function awaitDecision(
  context: NodeContext,
  gate: { readonly waitTokenId: string; readonly timeoutMs: number },
  what: string,
): Promise<GateDecision> {
  const { waitTokenId, timeoutMs } = gate;
  let value: unknown;
  try {
    value = await context.waitForToken(waitTokenId, { timeoutMs });
  } catch (thrown) {
    if (!(thrown instanceof WaitpointCancelledError)) throw thrown;
    throw new TurnFailure(
      cancelledError(thrown.reason, what, context.agent?.conversationId ?? ""),
    );
  }
  return readGateDecision(value);
}

function cancelledError(
  reason: string,
  what: string,
  conversationId: string,
): InvokeAgentError {
  switch (reason) {
    case CONVERSATION_CLOSED_REASON:
      return {
        code: "conversation-closed",
        message:
          `Conversation ${conversationId} was closed while ${what} waited for approval`,
        conversationId: conversationId as ConversationId,
      };
    case APPROVAL_WITHDRAWN_REASON:
      return {
        code: "hitl-withdrawn",
        message: `The approval of ${what} was withdrawn`,
        reason,
      };
    default:
      return {
        code: "hitl-cancelled",
        message: `The approval of ${what} was given up: ${reason}`,
        reason,
      };
  }
}
