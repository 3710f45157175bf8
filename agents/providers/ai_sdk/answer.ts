/**
 * What an AI SDK model answered, as the runtime has it. It is read with care: an SDK provider is code that may be wrong.
 *
 * @module
 */

import { isRecord } from "../../../base/result.ts";
import type {
  ModelCallResult,
  ModelFinishReason,
  ModelToolCall,
  ModelUsage,
} from "../../routing/mod.ts";
import { signatureOf } from "./prompt.ts";
import type { ToolNames } from "./tool_names.ts";

type Warning = NonNullable<ModelCallResult["warnings"]>[number];

/** Finish reasons by the SDK's names for them. */
const FINISH_REASONS: Readonly<Record<string, ModelFinishReason>> = {
  "stop": "stop",
  "length": "length",
  "content-filter": "content-filter",
  "tool-calls": "tool-use",
  "error": "error",
  "interrupted": "interrupted",
};

/** Parts that say nothing to a turn, and are left out without a word. */
const SILENT_PARTS: ReadonlySet<unknown> = new Set([
  "reasoning",
  "source",
  "custom",
]);

/** Reads an answer; who answered, how long it took and in how many attempts is the caller's to add. */
export function readGenerated(
  given: unknown,
  names: ToolNames,
): Omit<ModelCallResult, "provider" | "durationMs"> {
  if (!isRecord(given)) throw new Error("The model's answer is no object");
  if (!Array.isArray(given.content)) {
    throw new Error("The model's answer has no content: no list of parts");
  }
  const { text, calls, ignored } = readParts(given.content, names);
  const structured = given.structuredOutputText;
  const warnings = [...readWarnings(given.warnings), ...ignored];
  const { id, modelId } = isRecord(given.response) ? given.response : {};
  const rawUsage = rawUsageOf(given.usage);
  return {
    message: {
      role: "assistant",
      content: typeof structured === "string" ? structured : text,
      ...(calls.length === 0 ? {} : { toolCalls: calls }),
    },
    finishReason: readFinishReason(given.finishReason),
    usage: readUsage(given.usage),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(typeof modelId === "string" ? { servedModel: modelId } : {}),
    ...(typeof id === "string" ? { providerRequestId: id } : {}),
    ...(rawUsage === undefined ? {} : { rawUsage }),
  };
}

function readParts(parts: readonly unknown[], names: ToolNames): {
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  readonly ignored: readonly Warning[];
} {
  let text = "";
  const calls: ModelToolCall[] = [];
  const ignored = new Set<string>();
  for (const part of parts) {
    if (!isRecord(part)) continue;
    if (part.type === "text" && typeof part.text === "string") {
      text += part.text;
    } else if (part.type === "tool-call" && part.providerExecuted !== true) {
      calls.push(readCall(part, names));
    } else if (!SILENT_PARTS.has(part.type)) {
      ignored.add(String(part.type));
    }
  }
  return {
    text,
    calls,
    ignored: [...ignored].map((type) => ({
      code: "content-ignored",
      message:
        `The model's answer has a part that turns have no use for: ${type}`,
    })),
  };
}

/** A call; what the provider said of it beside is kept, since some want it back with the result. */
function readCall(
  part: Readonly<Record<string, unknown>>,
  names: ToolNames,
): ModelToolCall {
  const signature = signatureOf(part.providerMetadata);
  return {
    id: typeof part.toolCallId === "string" ? part.toolCallId : "",
    name: names.decode(String(part.toolName)),
    arguments: part.input,
    ...(signature === undefined ? {} : { signature }),
  };
}

/** `v2` says it in a word, `v3` and `v4` as `{ unified, raw }`. */
function readFinishReason(given: unknown): ModelFinishReason {
  const word = isRecord(given) ? given.unified : given;
  return typeof word === "string" && Object.hasOwn(FINISH_REASONS, word)
    ? FINISH_REASONS[word]!
    : "other";
}

/**
 * `v2` has flat counts, `v3` and `v4` have them by parts. What isn't counted is left out, and counts that only parts have are
 * added up.
 */
function readUsage(given: unknown): ModelUsage {
  const usage = isRecord(given) ? given : {};
  const input = isRecord(usage.inputTokens) ? usage.inputTokens : {
    total: usage.inputTokens,
    cacheRead: usage.cachedInputTokens,
  };
  const output = isRecord(usage.outputTokens) ? usage.outputTokens : {
    total: usage.outputTokens,
    reasoning: usage.reasoningTokens,
  };
  const cacheReadTokens = count(input.cacheRead);
  const cacheWriteTokens = count(input.cacheWrite);
  const reasoningTokens = count(output.reasoning);
  const promptTokens = total(
    count(input.total) ?? sum(count(input.noCache), cacheReadTokens),
    sum(cacheReadTokens, cacheWriteTokens),
  );
  const completionTokens = total(
    count(output.total) ?? sum(count(output.text), reasoningTokens),
    reasoningTokens,
  );
  const counts = Object.entries({
    promptTokens,
    completionTokens,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens,
  }).filter(([, value]) => value !== undefined);
  // A count that is missing is told as a warning where answers are read.
  return Object.fromEntries(counts) as unknown as ModelUsage;
}

/** A total less than the parts it should contain was counted without them. */
function total(
  whole: number | undefined,
  parts: number | undefined,
): number | undefined {
  return whole === undefined || parts === undefined || parts <= whole
    ? whole
    : whole + parts;
}

function sum(...counts: (number | undefined)[]): number | undefined {
  return counts.every((value) => value === undefined)
    ? undefined
    : counts.reduce<number>((all, value) => all + (value ?? 0), 0);
}

function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0
    ? value as number
    : undefined;
}

function rawUsageOf(usage: unknown): unknown {
  return isRecord(usage) ? usage.raw ?? usage : undefined;
}

function readWarnings(given: unknown): Warning[] {
  if (!Array.isArray(given)) return [];
  return given.filter(isRecord).map((warning) => {
    const { type, feature, setting, tool, details, message } = warning;
    const subject = [feature, setting, isRecord(tool) ? tool.name : undefined]
      .find((name) => typeof name === "string");
    const words = [subject, details ?? message]
      .filter((word) => typeof word === "string").join(": ");
    return {
      code: `model-${typeof type === "string" ? type : "warning"}`,
      message: words === "" ? "The model's provider warns" : words,
    };
  });
}
