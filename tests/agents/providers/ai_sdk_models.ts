/** Models of the AI SDK for tests. */
import type { AiSdkLanguageModel } from "../../../agents/providers/ai_sdk.ts";
import {
  aiSdkProvider,
  type ModelCallInput,
  type ModelInfo,
  type ModelProvider,
} from "../../../agents/providers/ai_sdk.ts";

/** What the runtime knows of the model. */
export const INFO: ModelInfo = {
  name: "m1",
  contextWindow: 128_000,
  features: ["tool-use", "structured-output"],
  cost: { promptUsdPer1kTokens: 1, completionUsdPer1kTokens: 2 },
};

/** A call that only says hello. */
export const CALL: ModelCallInput = {
  model: "m1",
  messages: [{ role: "user", content: "Hello" }],
};

/** Usage as the SDK's v3 and v4 have it. */
export const USAGE = {
  inputTokens: { total: 10, noCache: 7, cacheRead: 2, cacheWrite: 1 },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
};

/** Makes a provider of one model. */
export function providerOf(
  model: AiSdkLanguageModel,
  info: Partial<ModelInfo> = {},
  maxRetries?: number,
): ModelProvider {
  return aiSdkProvider({
    id: "p",
    region: "eu",
    models: [{ model, info: { ...INFO, ...info } }],
    ...(maxRetries === undefined ? {} : { maxRetries }),
  });
}

/** An answer as the SDK's v3 and v4 have it. */
export function generated(fields: object = {}) {
  return {
    content: [{ type: "text" as const, text: "Hi" }],
    finishReason: { unified: "stop" as const, raw: "stop" },
    usage: USAGE,
    warnings: [],
    ...fields,
  };
}

/** A model written by hand: of any specification, answering by a function. */
export function handMade(
  specificationVersion: string,
  doGenerate: (options: never) => unknown,
): AiSdkLanguageModel {
  return {
    specificationVersion,
    provider: "hand",
    modelId: "made",
    doGenerate: (options: never) => Promise.resolve(doGenerate(options)),
  };
}
