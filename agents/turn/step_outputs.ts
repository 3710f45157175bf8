/**
 * What each node of a turn journals: what the rest of the turn needs to survive a crash (`spec/agents_turn.md` 3).
 *
 * @module
 */

import type { ConversationMessage } from "../conversation/mod.ts";
import type {
  CategorizedEvaluationError,
  EvaluationResult,
} from "../guardrails/mod.ts";
import type {
  DegradedIntent,
  RetrievalWarning,
  RetrievedFact,
} from "../memory/mod.ts";
import type { ModelMessage } from "../routing/mod.ts";
import type { TurnWarning } from "./types.ts";

/** What a turn has settled before it begins; a resumed turn keeps to it. */
export interface SetupOutput {
  /** When the turn began, as ISO 8601. */
  readonly at: string;
  /** Which turn of the conversation, from 1. */
  readonly turnNumber: number;
  /** The provider that the turn is routed to. */
  readonly providerId: string;
  /** Its model. */
  readonly providerModel: string;
  /** How many tools the model is shown. */
  readonly toolCount: number;
  /** The exact version of each tool, by id. */
  readonly toolVersions: Readonly<Record<string, string>>;
  /** The exact version of each data block, by id; absent when the agent names none. */
  readonly blockVersions?: Readonly<Record<string, string>>;
}

/** The agent's instructions. */
export interface RenderPromptOutput {
  /** The text. */
  readonly rendered: string;
}

/** A stored message. */
export interface StoredMessageOutput {
  /** Its place in the conversation; -1 in a dry run. */
  readonly sequence: number;
  /** The message as the store answered it. */
  readonly message: ConversationMessage;
}

/** What memory had to say. */
export interface RunRetrievalsOutput {
  /** When, as ISO 8601. */
  readonly at: string;
  /** How many facts. */
  readonly count: number;
  /** The facts. */
  readonly retrieved: readonly RetrievedFact[];
  /** Intents carried out by half; absent when there are none. */
  readonly degraded?: readonly DegradedIntent[];
  /** What the caller should know; absent when there is nothing. */
  readonly warnings?: readonly RetrievalWarning[];
}

/** Messages that a step adds to the model's list; the list itself is never journaled twice (`spec/decisions.md` 31). */
export interface NextMessagesOutput {
  /** The messages. */
  readonly nextMessages: readonly ModelMessage[];
}

/** Tokens and money of one model call. */
export interface IterationUsage {
  /** Tokens read. */
  readonly promptTokens: number;
  /** Tokens written. */
  readonly completionTokens: number;
  /** US dollars. */
  readonly costUsd: number;
}

/** A model's answer. */
export interface ModelCallOutput extends NextMessagesOutput {
  /** When it was answered, as ISO 8601. */
  readonly at: string;
  /** Which model call of the turn, from 1. */
  readonly step: number;
  /** Its id in the account. */
  readonly callId: string;
  /** Why the model stopped. */
  readonly finishReason: string;
  /** The answer. */
  readonly message: ModelMessage;
  /** What it took. */
  readonly iterationUsage: IterationUsage;
  /** Who answered. */
  readonly provider: { readonly id: string; readonly model: string };
  /** What the provider said beside it; absent when nothing. */
  readonly warnings?: readonly TurnWarning[];
}

/** What became of an answer's tool calls. */
export interface DispatchToolsOutput extends NextMessagesOutput {
  /** Which model call of the turn. */
  readonly step: number;
  /** Why the model stopped. */
  readonly finishReason: string;
  /** The answer. */
  readonly message: ModelMessage;
  /** The messages that the step stored, in order. */
  readonly iterationAppended: readonly ConversationMessage[];
  /** What the model call took. */
  readonly iterationUsage: IterationUsage;
  /** Who answered. */
  readonly provider: { readonly id: string; readonly model: string };
  /** Whether the model is to see results. */
  readonly hasToolCalls: boolean;
}

/** What an iteration of the loop comes to: the loop's `outputSchema`. */
export interface IterationOutput extends NextMessagesOutput {
  /** Why the model stopped. */
  readonly finishReason: string;
  /** The answer. */
  readonly message: ModelMessage;
  /** The messages that the iteration stored. */
  readonly iterationAppended: readonly ConversationMessage[];
  /** What the model call took. */
  readonly iterationUsage: IterationUsage;
  /** Who answered. */
  readonly provider: { readonly id: string; readonly model: string };
  /** Whether the answer is the turn's. */
  readonly finishedTurn: boolean;
}

/** What the loop comes to. */
export interface AgentLoopOutput {
  /** The last iteration's output. */
  readonly finalOutput: IterationOutput;
}

/** What guardrails said of the answer. */
export interface EvaluateGuardrailsOutput {
  /** When, as ISO 8601. */
  readonly at: string;
  /** How many block. */
  readonly blocking: number;
  /** How many warn. */
  readonly warnings: number;
  /** How many are the host's to carry out. */
  readonly other: number;
  /** Those that couldn't be evaluated. */
  readonly errors: readonly CategorizedEvaluationError[];
  /** Those that failed and don't block: warnings, then others. */
  readonly violations: readonly EvaluationResult[];
}

/** What became of the provenance. */
export interface PersistProvenanceOutput {
  /** Whether the record was kept. */
  readonly persisted: boolean;
  /** Whether there is one: the result carries it, and it can be made again from the journal. */
  readonly recorded: boolean;
}
