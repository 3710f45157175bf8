/**
 * A model call as the AI SDK has it.
 *
 * @module
 */

import { isRecord } from "../../../base/result.ts";
import type {
  ModelCallInput,
  ModelInfo,
  ModelMessage,
  ModelToolCall,
} from "../../routing/mod.ts";
import type {
  GenerateOptions,
  PromptMessage,
  ToolCallPart,
} from "./language_model.ts";
import type { ToolNames } from "./tool_names.ts";

/** Every tool id that a call mentions: the tools it offers and those that its messages have called. */
export function* mentionedTools(call: ModelCallInput): Iterable<string> {
  for (const tool of call.tools ?? []) yield tool.name;
  for (const message of call.messages) {
    for (const { name } of message.toolCalls ?? []) yield name;
  }
}

/** Writes a call down as the SDK has it. A model that takes no temperature is sent none. */
export function generateOptions(
  call: ModelCallInput,
  info: ModelInfo,
  names: ToolNames,
): GenerateOptions {
  const { tools = [], structuredOutput, temperature, maxOutputTokens } = call;
  return {
    prompt: promptOf(call.messages, names),
    ...(tools.length === 0 ? {} : {
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: "function",
        name: names.encode(name),
        description,
        inputSchema,
      })),
      toolChoice: { type: "auto" },
    }),
    ...(structuredOutput === undefined ? {} : {
      responseFormat: {
        type: "json",
        name: structuredOutput.name,
        schema: structuredOutput.schema,
      },
    }),
    ...(temperature === undefined || info.sampling === false
      ? {}
      : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(call.abortSignal === undefined
      ? {}
      : { abortSignal: call.abortSignal }),
  };
}

function promptOf(
  messages: readonly ModelMessage[],
  names: ToolNames,
): PromptMessage[] {
  const called = new Map<string, string>();
  const prompt: PromptMessage[] = [];
  for (const message of messages) {
    switch (message.role) {
      case "system":
        prompt.push({ role: "system", content: message.content });
        break;
      case "user":
        prompt.push({
          role: "user",
          content: [{ type: "text", text: message.content }],
        });
        break;
      case "assistant":
        for (const { id, name } of message.toolCalls ?? []) {
          called.set(id, names.encode(name));
        }
        prompt.push(assistantMessage(message, names));
        break;
      case "tool":
        addResult(prompt, message, called);
    }
  }
  return prompt;
}

function assistantMessage(
  { content, toolCalls = [] }: ModelMessage,
  names: ToolNames,
): PromptMessage {
  const calls = toolCalls.map((call) => callPart(call, names));
  return {
    role: "assistant",
    // Some providers refuse an empty text, and others a message without any part.
    content: content === "" && calls.length > 0
      ? calls
      : [{ type: "text", text: content }, ...calls],
  };
}

function callPart(call: ModelToolCall, names: ToolNames): ToolCallPart {
  const options = call.signature === undefined
    ? undefined
    : metadataOf(call.signature);
  return {
    type: "tool-call",
    toolCallId: call.id,
    toolName: names.encode(call.name),
    input: inputOf(call.arguments),
    ...(options === undefined ? {} : { providerOptions: options }),
  };
}

/** Providers refuse an input that is no object, which is what becomes of arguments that weren't JSON. */
function inputOf(given: unknown): unknown {
  if (given === undefined) return {};
  return isRecord(given) ? given : { arguments: given };
}

/** The results of one answer's calls stand together in one message. */
function addResult(
  prompt: PromptMessage[],
  { toolCallId = "", content }: ModelMessage,
  called: ReadonlyMap<string, string>,
): void {
  const part = {
    type: "tool-result",
    toolCallId,
    toolName: called.get(toolCallId) ?? "unknown",
    output: { type: "text", value: content },
  } as const;
  const last = prompt.at(-1);
  if (last?.role !== "tool") {
    prompt.push({ role: "tool", content: [part] });
  } else {
    prompt[prompt.length - 1] = {
      role: "tool",
      content: [...last.content, part],
    };
  }
}

/** What a provider said of a call, as its signature keeps it. */
export function signatureOf(metadata: unknown): string | undefined {
  return metadata === undefined || metadata === null
    ? undefined
    : JSON.stringify(metadata);
}

/** What was kept in a signature; `undefined` for one that another provider wrote. */
function metadataOf(signature: string): unknown {
  try {
    const metadata: unknown = JSON.parse(signature);
    return typeof metadata === "object" && metadata !== null
      ? metadata
      : undefined;
  } catch {
    return undefined;
  }
}
