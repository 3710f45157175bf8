/**
 * What starts a turn, and what comes of it.
 *
 * @module
 */

import type { Agent, ReviewerRole } from "../agent/mod.ts";
import type { ConversationMessage } from "../conversation/mod.ts";
import type { EvaluationResult } from "../guardrails/mod.ts";
import type { RetrievedFact } from "../memory/mod.ts";
import type { ProvenanceRecord } from "../provenance/mod.ts";

/** A turn to start (`spec/agents_turn.md` 1.4). */
export interface InvokeAgentInput {
  /** Whose turn. */
  readonly tenantId: string;
  /** The project. */
  readonly projectId: string;
  /** The project's organisation: what tools and guardrails are told, never taken from a model. */
  readonly orgId?: string;
  /** The agent. */
  readonly agent: Agent;
  /** A conversation that was opened with this agent at this version. */
  readonly conversationId: string;
  /** What the user says. */
  readonly userMessage: string;
  /** Values of the instructions' parameters. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  /** Structured input: any JSON; templates read it as `input`, checks as `trace.attributes.stepInput`. */
  readonly input?: unknown;
  /** The end user: the actor of the stored message. */
  readonly participantId?: string;
  /** Ends the turn; not kept, so a resumed turn has none of it. */
  readonly abortSignal?: AbortSignal;
  /** Stores nothing, calls no model and no tool; retrieval and guardrails run. */
  readonly dryRun?: boolean;
  /** Whom the turn acts for: with it, each tool call is authorised before it runs. */
  readonly principal?: unknown;
  /** How that principal is authorised, such as `{ fgaApiUrl }`. */
  readonly authz?: unknown;
  /**
   * Starts the turn at most once per tenant, conversation and key (`spec/durability.md`, Idempotent start): another invoke
   * with it answers what a resume of that run would.
   */
  readonly idempotencyKey?: string;
  /** The caller's trace, as W3C Trace Context writes it: handed on to tools and checks. */
  readonly traceparent?: string;
}

/** A turn to take further. */
export interface ResumeAgentTurnInput {
  /** Whose turn. */
  readonly tenantId: string;
  /** The turn's run. */
  readonly runId: string;
  /** The agent, at the version the run was started with. */
  readonly agent: Agent;
  /** The project's organisation; what the run was started with when absent. */
  readonly orgId?: string;
  /** Ends the resumed part. */
  readonly abortSignal?: AbortSignal;
}

/** What a turn used. */
export interface AgentTurnUsage {
  /** Model calls. */
  readonly steps: number;
  /** Tokens read, those from caches included. */
  readonly promptTokens: number;
  /** Tokens written, reasoning included. */
  readonly completionTokens: number;
  /** US dollars, as far as calls reported or priced them. */
  readonly totalCostUsd: number;
  /** Milliseconds; of a resumed turn only the resumed part. */
  readonly durationMs: number;
}

/** Something about a turn that its caller should know. */
export interface TurnWarning {
  /**
   * - `fallback-provider`: only a fallback provider fitted.
   * - `length`, `content-filter`: the model stopped for that reason, and the answer may be cut.
   * - `usage-unreported`: the provider reports no token counts; they count 0.
   * - `memory-needs-participant`: a `same-user` retrieval found nothing, since no end user is named.
   * - `feature-unavailable`: the agent declares something that isn't built yet; the message names the field.
   * - Anything else is the provider's own.
   */
  readonly code: string;
  /** What it means here. */
  readonly message: string;
}

/** A question that a parked turn waits for. */
export interface PendingApproval {
  /** The approval; absent when asking failed so far (`sweep` asks again). */
  readonly approvalId?: string;
  /** The token that the turn waits for. */
  readonly waitTokenId: string;
  /** For a tool call: the tool. */
  readonly toolId?: string;
  /** The lowest role that may decide. */
  readonly requiredRole: ReviewerRole;
  /** Until when, as ISO 8601. */
  readonly expiresAt: string;
}

/** The final answer of a turn; of a parked one a placeholder without a place in the conversation. */
export type AgentTurnResponse = ConversationMessage | {
  /** The mark of the placeholder. */
  readonly role: "assistant";
  /** Nothing yet. */
  readonly content: "";
};

/** What comes of a turn (`spec/agents_turn.md` 1.6). Absent optionals are absent keys. */
export interface AgentTurnResult {
  /** The turn's run. */
  readonly runId: string;
  /** The conversation. */
  readonly conversationId: string;
  /** Which turn of the conversation, from 1; 0 for a parked turn, turns so far for a dry run. */
  readonly turnNumber: number;
  /** Every message the turn stored, in order. */
  readonly appended: readonly ConversationMessage[];
  /** The final answer. */
  readonly response: AgentTurnResponse;
  /** The facts that were found; one that two intents found stands twice. */
  readonly retrieved: readonly RetrievedFact[];
  /** Guardrails that failed and don't halt: reported, not carried out. */
  readonly violations: readonly EvaluationResult[];
  /** What it used. */
  readonly usage: AgentTurnUsage;
  /** Who answered last. */
  readonly provider: {
    /** The provider. */
    readonly id: string;
    /** Its model. */
    readonly model: string;
  };
  /** What the caller should know. */
  readonly warnings?: readonly TurnWarning[];
  /** The typed answer, for an agent with `output`; `null` in a dry run. */
  readonly output?: unknown;
  /** How the answer came about. */
  readonly provenance?: ProvenanceRecord;
  /** Whether nothing of it was stored. */
  readonly dryRun?: true;
  /** Whether it has ended, or waits for a person: then the other fields are placeholders until it is resumed. */
  readonly status?: "completed" | "suspended";
  /** For a parked turn: what it waits for. */
  readonly pending?: readonly PendingApproval[];
}
