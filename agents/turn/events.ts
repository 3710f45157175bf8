/**
 * What a turn tells while it runs (`spec/agents_turn.md` 13).
 *
 * @module
 */

import type { ConversationMessage } from "../conversation/mod.ts";
import type { RetrievedFact } from "../memory/mod.ts";
import type { InvokeAgentError } from "./errors.ts";

/** What every event carries. */
export interface TurnEventBase<Kind extends string> {
  /** What happened. */
  readonly kind: Kind;
  /** The turn's run. */
  readonly runId: string;
  /** Its place among the events of this process's part of the turn: 1, 2, 3… without gaps. */
  readonly sequence: number;
}

/** Everything the turn needs is there. */
export interface TurnStartedEvent extends TurnEventBase<"turn.started"> {
  /** The conversation. */
  readonly conversationId: string;
  /** Which turn of it, from 1. */
  readonly turnNumber: number;
  /** The agent. */
  readonly agentId: string;
  /** Its version. */
  readonly agentVersion: string;
  /** What the user said. */
  readonly userMessage: string;
}

/** Memory was read. */
export interface RetrievalCompletedEvent
  extends TurnEventBase<"retrieval.completed"> {
  /** How many facts were found. */
  readonly count: number;
  /** Which. */
  readonly factIds: readonly string[];
}

/** A model is about to be called. */
export interface ModelCallStartedEvent
  extends TurnEventBase<"model.call.started"> {
  /** Which model call of the turn, from 1. */
  readonly step: number;
  /** The provider. */
  readonly providerId: string;
  /** Its model. */
  readonly model: string;
}

/** A model answered. */
export interface ModelCallCompletedEvent
  extends TurnEventBase<"model.call.completed"> {
  /** Which model call of the turn. */
  readonly step: number;
  /** Why it stopped. */
  readonly finishReason: string;
  /** Tokens read. */
  readonly promptTokens: number;
  /** Tokens written. */
  readonly completionTokens: number;
  /** US dollars. */
  readonly costUsd: number;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** What events about one tool call carry. */
export interface ToolEventBase<Kind extends string>
  extends TurnEventBase<Kind> {
  /** The model call that asked for it. */
  readonly step: number;
  /** The tool. */
  readonly toolId: string;
  /** The call. */
  readonly invocationId: string;
}

/** A tool is about to run, or a rejected call to be answered. */
export interface ToolStartedEvent extends ToolEventBase<"tool.started"> {
  /** The tool's exact version. */
  readonly toolVersion: string;
  /** The range that the agent names. */
  readonly toolVersionRange: string;
  /** What it is called with. */
  readonly arguments: unknown;
}

/** A tool's result is stored. */
export interface ToolCompletedEvent extends ToolEventBase<"tool.completed"> {
  /** The tool's exact version. */
  readonly toolVersion: string;
  /** The range that the agent names. */
  readonly toolVersionRange: string;
  /** The result; for a rejected call `{ status: "rejected", rationale? }`. */
  readonly output: unknown;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** A tool call failed, whether or not the model is told and the turn goes on. */
export interface ToolFailedEvent extends ToolEventBase<"tool.failed"> {
  /** Why. */
  readonly error: {
    /** For programs. */
    readonly code: string;
    /** For people. */
    readonly message: string;
  };
}

/** A message of the agent is stored. */
export interface AgentMessageEvent extends TurnEventBase<"agent.message"> {
  /** The model call that it is of. */
  readonly step: number;
  /** Whether it is the turn's answer. */
  readonly isFinal: boolean;
  /** The message. */
  readonly message: ConversationMessage;
}

/** A guardrail's check failed. */
export interface GuardrailViolatedEvent
  extends TurnEventBase<"guardrail.violated"> {
  /** What the guardrail says of a violation. */
  readonly action: string;
  /** How serious it is. */
  readonly severity: string;
  /** The guardrail. */
  readonly guardrailId: string;
  /** Why. */
  readonly reason?: string;
}

/** A guardrail couldn't be evaluated. */
export interface GuardrailErrorEvent extends TurnEventBase<"guardrail.error"> {
  /** The guardrail. */
  readonly guardrailId: string;
  /** What it would have done. */
  readonly action?: string;
  /** How serious a violation would have been. */
  readonly severity?: string;
  /** Why, for programs. */
  readonly code: string;
  /** Why, for people. */
  readonly message: string;
}

/** The turn has its answer: the last event. */
export interface TurnCompletedEvent extends TurnEventBase<"turn.completed"> {
  /** The conversation. */
  readonly conversationId: string;
  /** Which turn of it. */
  readonly turnNumber: number;
  /** The answer. */
  readonly response: ConversationMessage;
  /** The facts that were found. */
  readonly retrieved: readonly RetrievedFact[];
  /** Milliseconds. */
  readonly durationMs: number;
  /** US dollars. */
  readonly totalCostUsd: number;
}

/** The turn has failed: the last event. */
export interface TurnFailedEvent extends TurnEventBase<"turn.failed"> {
  /** The conversation. */
  readonly conversationId: string;
  /** Why, for programs. */
  readonly errorCode: InvokeAgentError["code"];
  /** Why, for people. */
  readonly message: string;
}

/** Everything that a turn tells, by `kind`. */
export type TurnEvent =
  | TurnStartedEvent
  | RetrievalCompletedEvent
  | ModelCallStartedEvent
  | ModelCallCompletedEvent
  | ToolStartedEvent
  | ToolCompletedEvent
  | ToolFailedEvent
  | AgentMessageEvent
  | GuardrailViolatedEvent
  | GuardrailErrorEvent
  | TurnCompletedEvent
  | TurnFailedEvent;

/**
 * Hears a turn's events, one at a time and in order: the turn goes on once it has answered. What it throws is swallowed. One
 * that hasn't answered when the turn is to end is waited for a moment, and no more.
 */
export type OnTurnEvent = (event: TurnEvent) => void | Promise<void>;
