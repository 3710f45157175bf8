/**
 * A provider that answers from a script: for tests and demonstrations.
 *
 * @module
 */

import type {
  ModelCallInput,
  ModelCallResult,
  ModelFinishReason,
  ModelProvider,
  ModelToolCall,
  ModelUsage,
} from "../routing/mod.ts";

/** One answer of a script, or what the call throws. */
export type ScriptedAnswer =
  | {
    /** What is said; nothing when absent. */
    readonly text?: string;
    /** The tools to call. */
    readonly toolCalls?: readonly ModelToolCall[];
    /** Why the model stops; `tool-use` with calls and `stop` without, when absent. */
    readonly finishReason?: ModelFinishReason;
    /** The tokens it takes; 10 and 5 when absent. */
    readonly usage?: ModelUsage;
    /** US dollars; 0 when absent. */
    readonly costUsd?: number;
    /** A scripted answer doesn't throw. */
    readonly throws?: never;
  }
  | {
    /** What the call rejects with. */
    readonly throws: unknown;
  };

/** Answers a call; `index` counts the provider's calls from 0. */
export type ScriptedAnswerFunction = (
  call: ModelCallInput,
  index: number,
) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** A script. */
export interface ScriptedProviderOptions {
  /** The provider's id; `scripted` when absent. */
  readonly id?: string;
  /** Its region; `unspecified` when absent. */
  readonly region?: string;
  /** Its one model's name; `scripted` when absent. */
  readonly model?: string;
  /** The answers in order, or one function for all. */
  readonly answers:
    | readonly (ScriptedAnswer | ScriptedAnswerFunction)[]
    | ScriptedAnswerFunction;
}

/** A provider with a script. */
export interface ScriptedProvider extends ModelProvider {
  /** Every call so far, as it came. */
  readonly calls: ModelCallInput[];
}

/**
 * Makes a provider that answers from a script (`spec/api.md`).
 *
 * Its model has 128 000 tokens, calls tools, several at once too, writes structured output, and costs nothing. A call past
 * the script's end rejects.
 */
export function createScriptedProvider(
  options: ScriptedProviderOptions,
): ScriptedProvider {
  const { id = "scripted", region = "unspecified", model = "scripted" } =
    options;
  const { answers } = options;
  const calls: ModelCallInput[] = [];
  return {
    metadata: {
      id,
      region,
      models: [{
        name: model,
        contextWindow: 128_000,
        features: ["tool-use", "parallel-tool-use", "structured-output"],
        cost: { promptUsdPer1kTokens: 0, completionUsdPer1kTokens: 0 },
      }],
    },
    calls,
    async invoke(call) {
      const index = calls.length;
      // The caller may go on adding to its list of messages.
      calls.push({ ...call, messages: [...call.messages] });
      const answer = typeof answers === "function" ? answers : answers[index];
      if (answer === undefined) {
        throw new Error(
          `The script of provider ${id} has ${
            (answers as readonly unknown[]).length
          } answers, and this is call ${index + 1}: add an answer`,
        );
      }
      const scripted = typeof answer === "function"
        ? await answer(call, index)
        : answer;
      if ("throws" in scripted) throw scripted.throws;
      return resultOf(scripted, { id, model });
    },
  };
}

function resultOf(
  answer: Exclude<ScriptedAnswer, { readonly throws: unknown }>,
  provider: ModelCallResult["provider"],
): ModelCallResult {
  const { text = "", toolCalls = [], costUsd = 0 } = answer;
  const calling = toolCalls.length > 0;
  return {
    message: {
      role: "assistant",
      content: text,
      ...(calling ? { toolCalls } : {}),
    },
    finishReason: answer.finishReason ?? (calling ? "tool-use" : "stop"),
    usage: answer.usage ?? { promptTokens: 10, completionTokens: 5 },
    costUsd,
    durationMs: 0,
    provider,
  };
}
