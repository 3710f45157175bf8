/**
 * Models of the AI SDK as a model provider: any language model object of its specifications v2, v3 and v4.
 *
 * ```ts
 * import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
 * import { aiSdkProvider } from "@kindgi-deno/runtime/agents/ai-sdk";
 *
 * const server = createOpenAICompatible({
 *   name: "local",
 *   baseURL: "http://127.0.0.1:11434/v1",
 * });
 * const provider = aiSdkProvider({
 *   id: "local",
 *   region: "eu",
 *   models: [{
 *     model: server.chatModel("some-model"),
 *     info: {
 *       name: "some-model",
 *       contextWindow: 128_000,
 *       features: ["tool-use", "structured-output"],
 *       cost: { promptUsdPer1kTokens: 0, completionUsdPer1kTokens: 0 },
 *     },
 *   }],
 * });
 * ```
 *
 * @module
 */

import type {
  ModelCallInput,
  ModelCallResult,
  ModelInfo,
  ModelProvider,
} from "../routing/mod.ts";
import { readGenerated } from "./ai_sdk/answer.ts";
import { callInAttempts } from "./ai_sdk/attempts.ts";
import type { AiSdkLanguageModel } from "./ai_sdk/language_model.ts";
import { generateOptions, mentionedTools } from "./ai_sdk/prompt.ts";
import { nameTools } from "./ai_sdk/tool_names.ts";

export { AiSdkCallError } from "./ai_sdk/attempts.ts";
export type { AiSdkLanguageModel } from "./ai_sdk/language_model.ts";

// What the provider is written in
export type * from "../agent/mod.ts";
export type * from "../routing/mod.ts";

const SPECIFICATIONS: readonly string[] = ["v2", "v3", "v4"];
const MAX_RETRIES = 2;

/** A model, and what the runtime has to know of it. */
export interface AiSdkModel {
  /** The SDK's object. */
  readonly model: AiSdkLanguageModel;
  /** What routing and prices go by; its `name` is the runtime's name of the model, which may be another than the SDK's. */
  readonly info: ModelInfo;
}

/** What a provider is made of. */
export interface AiSdkProviderOptions {
  /** The provider's id, unique within a tenant. */
  readonly id: string;
  /** Where its models run. */
  readonly region: string;
  /** Its models, one at least. */
  readonly models: readonly AiSdkModel[];
  /** How often a call is tried again that failed with 429 or 5xx; 2 when absent. */
  readonly maxRetries?: number;
}

/**
 * Makes a provider of models of the AI SDK (`spec/durability.md`, Models).
 *
 * Tools are shown under names that every model takes, and come back under their ids; structured output is asked for with its
 * schema; tokens come with their parts, and what a provider doesn't count is left out. A call that fails with 429 or 5xx is
 * tried again within the one call. An abort ends the call at once. What fails for good rejects with `AiSdkCallError`.
 *
 * @throws {TypeError} If there is no model, two have one name, or one is no language model object of v2, v3 or v4.
 */
export function aiSdkProvider(options: AiSdkProviderOptions): ModelProvider {
  const { id, region, models, maxRetries = MAX_RETRIES } = options;
  const byName = modelsByName(id, models);
  if (!Number.isSafeInteger(maxRetries) || maxRetries < 0) {
    throw new TypeError(
      `Provider ${id}: maxRetries is ${maxRetries}, not a whole number from 0`,
    );
  }
  return {
    metadata: { id, region, models: models.map(({ info }) => info) },
    async invoke(call) {
      const entry = byName.get(call.model);
      if (entry === undefined) {
        throw new Error(
          `Provider ${id} has no model ${call.model}: it has ${
            [...byName.keys()].join(", ")
          }`,
        );
      }
      return await invoke(entry, call, id, maxRetries);
    },
  };
}

async function invoke(
  { model, info }: AiSdkModel,
  call: ModelCallInput,
  id: string,
  maxRetries: number,
): Promise<ModelCallResult> {
  const began = performance.now();
  const names = nameTools(mentionedTools(call));
  const sent = generateOptions(call, info, names);
  const { answer, attempts } = await callInAttempts({
    // The three specifications agree in what is sent.
    call: () => model.doGenerate(sent as never),
    maxRetries,
    signal: call.abortSignal,
  });
  return {
    ...readGenerated(answer, names),
    durationMs: Math.round(performance.now() - began),
    provider: { id, model: info.name },
    attempts,
  };
}

function modelsByName(
  id: string,
  models: readonly AiSdkModel[],
): ReadonlyMap<string, AiSdkModel> {
  if (models.length === 0) throw new TypeError(`Provider ${id} has no models`);
  const byName = new Map<string, AiSdkModel>();
  for (const entry of models) {
    const { model, info } = entry;
    if (byName.has(info.name)) {
      throw new TypeError(`Provider ${id} has two models named ${info.name}`);
    }
    if (!isLanguageModel(model)) {
      throw new TypeError(
        `Provider ${id}, model ${info.name}: this is no language model object of the AI SDK's specifications ${
          SPECIFICATIONS.join(", ")
        }; pass what an SDK provider makes, not the model's name`,
      );
    }
    byName.set(info.name, entry);
  }
  return byName;
}

function isLanguageModel(model: AiSdkLanguageModel): boolean {
  return typeof model === "object" && model !== null &&
    SPECIFICATIONS.includes(model.specificationVersion) &&
    typeof model.doGenerate === "function";
}
