/**
 * The gate of a conversation that has gone on for a while (`spec/agents_turn.md` 7.2).
 *
 * @module
 */

import type { Agent } from "../agent/mod.ts";
import type { Conversation } from "../conversation/mod.ts";
import type { NodeContext } from "../flow/mod.ts";
import {
  type EffectiveHitlPolicy,
  resolveEffectiveHitlPolicy,
} from "../policy/mod.ts";
import { sessionGateToken } from "./approval_tokens.ts";
import {
  type GateRecord,
  gateRecord,
  openGate,
  SESSION_GATE_KEY,
} from "./ask_for_approval.ts";
import { TurnFailure } from "./failure.ts";
import { awaitDecision } from "./gate_decision.ts";
import type { Turn } from "./turn.ts";

/** Whether a turn has to be agreed to before it runs. */
export type SessionGateResult =
  | {
    /** It runs. */
    readonly hit: false;
  }
  | {
    /** Somebody has to agree. */
    readonly hit: true;
    /** Completed turns before this one. */
    readonly turnCount: number;
    /** Completed turns after which each turn asks. */
    readonly threshold: number;
    /** Why, in one sentence. */
    readonly reason: string;
  };

/** A session's gate as it is journaled. */
export interface SessionGateRecord extends GateRecord {
  /** Completed turns before this one. */
  readonly turnCount: number;
  /** Completed turns after which each turn asks. */
  readonly threshold: number;
  /** Why. */
  readonly reason: string;
}

/**
 * Whether a session asks before its next turn: from the threshold on every turn does, and a threshold of 0 gates the first.
 *
 * @param policy An agent, or a policy that was resolved.
 * @param turnCount Completed turns so far.
 */
export function evaluateSessionGate(
  policy: Agent | EffectiveHitlPolicy,
  turnCount: number,
): SessionGateResult {
  const { turn } = "onTimeout" in policy
    ? policy
    : resolveEffectiveHitlPolicy({ tenant: undefined, agent: policy as Agent });
  if (turn === undefined || turnCount < turn.afterTurns) return { hit: false };
  const threshold = turn.afterTurns;
  return {
    hit: true,
    turnCount,
    threshold,
    reason:
      `The conversation has ${turnCount} completed turns; from ${threshold} on each turn needs approval`,
  };
}

/** Holds a turn at its session's gate: it goes on once somebody has agreed. */
export async function passSessionGate(
  turn: Turn,
  context: NodeContext,
  policy: EffectiveHitlPolicy,
  conversation: Conversation,
): Promise<void> {
  // What was journaled counts, whatever policy and count have become since.
  const gate = await context.record<SessionGateRecord | undefined>(
    SESSION_GATE_KEY,
    () => gateOf(turn, context, policy, conversation),
  );
  if (gate === undefined) return;
  await openGate(turn, context, gate);
  const decision = await awaitDecision(context, gate, "the turn");
  if (decision.approved) return;
  const { rationale } = decision;
  throw new TurnFailure({
    code: "hitl-rejected",
    message: rationale === undefined
      ? "The turn was rejected by its reviewer"
      : `The turn was rejected by its reviewer: ${rationale}`,
    ...(rationale === undefined ? {} : { rationale }),
  });
}

function gateOf(
  turn: Turn,
  context: NodeContext,
  policy: EffectiveHitlPolicy,
  conversation: Conversation,
): SessionGateRecord | undefined {
  const gate = evaluateSessionGate(policy, conversation.turnCount);
  if (!gate.hit) return undefined;
  const { turnCount, threshold, reason } = gate;
  const { agent, conversationId } = turn.input;
  const record = gateRecord(turn, context, {
    waitTokenId: sessionGateToken(context.runId, turnCount),
    requiredRole: policy.defaultReviewerRole,
    timeoutMs: policy.timeoutMs,
    subjectKind: "agent-turn:session-hitl-gate",
    subjectRef: {
      conversationId,
      agentId: agent.id,
      agentVersion: agent.version,
      turnCount,
      threshold,
    },
    title: `Let ${agent.name} go on with "${conversation.title}"?`,
    description: reason,
  });
  return { ...record, turnCount, threshold, reason };
}
