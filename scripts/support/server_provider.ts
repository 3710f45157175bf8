/**
 * A model behind a server that speaks the OpenAI-compatible protocol.
 *
 * @module
 */
import process from "node:process";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { ModelProvider } from "../../agents/mod.ts";
import { aiSdkProvider } from "../../agents/providers/ai_sdk.ts";
import type { ModelChoice } from "./model_choice.ts";

/**
 * What is taken for granted of a model that a command line names: that it calls tools, and room enough for a conversation.
 * Nothing is known of its prices, and a turn costs nothing as far as it is told; `--providers` takes one that knows better.
 */
export function serverProvider(
  { name, url, keyVariable }: Extract<ModelChoice, { kind: "server" }>,
): ModelProvider {
  const apiKey = process.env[keyVariable];
  const server = createOpenAICompatible({
    name: "server",
    baseURL: url,
    ...(apiKey ? { apiKey } : {}),
  });
  return aiSdkProvider({
    id: "server",
    region: "unspecified",
    models: [{
      model: server.chatModel(name),
      info: {
        name,
        contextWindow: 128_000,
        features: ["tool-use", "parallel-tool-use", "structured-output"],
        cost: { promptUsdPer1kTokens: 0, completionUsdPer1kTokens: 0 },
      },
    }],
  });
}
