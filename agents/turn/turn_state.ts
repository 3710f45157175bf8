/**
 * How far a turn has come: a fold over what its nodes journaled.
 *
 * A live turn applies each node's output as it comes; a resumed one applies those of the journal. Both come to the same.
 *
 * @module
 */

import { frozen } from "../../base/frozen_json.ts";
import type { ConversationMessage } from "../conversation/mod.ts";
import type { EvaluationResult } from "../guardrails/mod.ts";
import type { RetrievedFact } from "../memory/mod.ts";
import type { ModelMessage } from "../routing/mod.ts";
import { isToolErrorRetry } from "../tools/mod.ts";
import {
  BUDGET_CHECK_NODE,
  BUILD_INITIAL_MESSAGES_NODE,
  DISPATCH_TOOLS_NODE,
  EVALUATE_GUARDRAILS_NODE,
  MODEL_CALL_NODE,
  PERSIST_FINAL_MESSAGE_NODE,
  PERSIST_PROVENANCE_NODE,
  PERSIST_USER_MESSAGE_NODE,
  RENDER_PROMPT_NODE,
  RUN_RETRIEVALS_NODE,
  SETUP_NODE,
} from "./flow.ts";
import type {
  DispatchToolsOutput,
  EvaluateGuardrailsOutput,
  IterationOutput,
  ModelCallOutput,
  NextMessagesOutput,
  PersistProvenanceOutput,
  RenderPromptOutput,
  RunRetrievalsOutput,
  SetupOutput,
  StoredMessageOutput,
} from "./step_outputs.ts";
import type { TurnWarning } from "./types.ts";

/** How far a turn has come. */
export class TurnState {
  /** What was settled. */
  setup: SetupOutput | undefined;
  /** The instructions, rendered. */
  rendered = "";
  /** The user's message. */
  userMessage: ConversationMessage | undefined;
  /** The facts that were found. */
  retrieved: readonly RetrievedFact[] = [];
  /** What the model sees: the first prompt, and what each iteration added. */
  readonly messages: ModelMessage[] = [];
  /** How many of them are the first prompt. */
  initialMessages = 0;
  /** The messages that the turn stored, the final answer included. */
  readonly appended: ConversationMessage[] = [];
  /** The final answer, once it is stored. */
  finalMessage: ConversationMessage | undefined;
  /** Model calls that were answered. */
  steps = 0;
  /** Tokens read. */
  promptTokens = 0;
  /** Tokens written. */
  completionTokens = 0;
  /** US dollars. */
  costUsd = 0;
  /** US dollars of answers that were lost in a crash: they count for the budget alone. */
  lostCostUsd = 0;
  /** The account's ids of the model calls. */
  readonly callIds: Set<string> = new Set();
  /** The ids of the tool calls that the model asked for. */
  readonly toolCallIds: Set<string> = new Set();
  /** Failed tool calls that went back to the model. */
  toolRetries = 0;
  /** Who answered last. */
  provider: { readonly id: string; readonly model: string } | undefined;
  /** What the caller should know, one for each code. */
  readonly warnings: Map<string, TurnWarning> = new Map();
  /** Guardrails that failed and don't block. */
  violations: readonly EvaluationResult[] = [];
  /** Whether there is a record of how the answer came about. */
  recorded = false;
  /** What each node came to, in order: what provenance is made from. */
  readonly outputs: { readonly nodeId: string; readonly output: unknown }[] =
    [];

  /** Takes what a node came to. */
  apply(nodeId: string, output: unknown): void {
    this.outputs.push({ nodeId, output });
    switch (nodeId) {
      case SETUP_NODE:
        this.setup = output as SetupOutput;
        return;
      case RENDER_PROMPT_NODE:
        this.rendered = (output as RenderPromptOutput).rendered;
        return;
      case PERSIST_USER_MESSAGE_NODE:
        this.userMessage = (output as StoredMessageOutput).message;
        this.appended.push(this.userMessage);
        return;
      case RUN_RETRIEVALS_NODE: {
        const { retrieved, warnings = [] } = output as RunRetrievalsOutput;
        this.retrieved = retrieved;
        warnings.forEach((warning) => this.warn(warning));
        return;
      }
      case BUILD_INITIAL_MESSAGES_NODE:
        this.#show((output as NextMessagesOutput).nextMessages);
        this.initialMessages = this.messages.length;
        return;
      case MODEL_CALL_NODE:
        return this.#answered(output as ModelCallOutput);
      case DISPATCH_TOOLS_NODE:
        return this.#dispatched(output as DispatchToolsOutput);
      case BUDGET_CHECK_NODE:
        this.#show((output as IterationOutput).nextMessages);
        return;
      case EVALUATE_GUARDRAILS_NODE:
        this.violations = (output as EvaluateGuardrailsOutput).violations;
        return;
      case PERSIST_FINAL_MESSAGE_NODE:
        this.finalMessage = (output as StoredMessageOutput).message;
        this.appended.push(this.finalMessage);
        return;
      case PERSIST_PROVENANCE_NODE:
        this.recorded = (output as PersistProvenanceOutput).recorded;
        return;
    }
  }

  /** Keeps something that the caller should know; the first text of a code counts. */
  warn(warning: TurnWarning): void {
    if (!this.warnings.has(warning.code)) {
      this.warnings.set(warning.code, warning);
    }
  }

  /** Frozen: providers are a host's code, and get the same messages with every call. */
  #show(messages: readonly ModelMessage[]): void {
    for (const message of messages) this.messages.push(frozen(message));
  }

  #answered(answer: ModelCallOutput): void {
    const { step, callId, iterationUsage, provider, message } = answer;
    this.steps = Math.max(this.steps, step);
    this.promptTokens += iterationUsage.promptTokens;
    this.completionTokens += iterationUsage.completionTokens;
    this.costUsd = sumOfMoney(this.costUsd, iterationUsage.costUsd);
    this.provider = provider;
    this.callIds.add(callId);
    for (const { id } of message.toolCalls ?? []) this.toolCallIds.add(id);
    answer.warnings?.forEach((warning) => this.warn(warning));
  }

  #dispatched({ iterationAppended }: DispatchToolsOutput): void {
    for (const message of iterationAppended) {
      this.appended.push(message);
      if (message.role === "tool" && isToolErrorRetry(message.content)) {
        this.toolRetries += 1;
      }
    }
  }
}

/** Adds dollars without the dust of binary fractions, so that a cap is met exactly: 0.1 + 0.2 is 0.3 here. */
export function sumOfMoney(left: number, right: number): number {
  return Math.round((left + right) * 1e12) / 1e12;
}
