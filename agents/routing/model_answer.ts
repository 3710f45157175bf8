/**
 * What a provider answered, looked at as it arrives: a host's provider is code that may be wrong (`spec/decisions.md` 27,
 * `spec/durability.md`, Models).
 *
 * @module
 */

import { boundedEcho, NOT_JSON } from "../../base/bounded_echo.ts";
import { mendedFrozenJson } from "../../base/frozen_json.ts";
import { mendedText } from "../../base/mended_text.ts";
import { err, isRecord, ok, type Result } from "../../base/result.ts";
import { shown } from "../agent/mod.ts";
import type {
  ModelCallResult,
  ModelMessage,
  ModelToolCall,
  ModelUsage,
} from "./model_provider.ts";
import type { ProviderModel } from "./constraint.ts";
import { priceOf } from "./pricing.ts";
import { type ToolCallIdScope, uniqueToolCallIds } from "./tool_call_ids.ts";

/** An answer that a turn can go on with: complete, priced, its calls paired. */
export interface ModelAnswer extends Omit<ModelCallResult, "finishReason"> {
  /** The answer, from the assistant; `toolCalls` is absent when there are none. */
  readonly message: ModelMessage;
  /** Why the model stopped; an `other` reason counts as `stop`. */
  readonly finishReason: "stop" | "tool-use" | "length" | "content-filter";
  /** US dollars: as the provider reports them, else priced from the model's prices. */
  readonly costUsd: number;
}

/** What an answer is read with. */
export interface ModelAnswerContext extends ProviderModel {
  /** Milliseconds that the call took, for a provider that doesn't say. */
  readonly durationMs: number;
  /** Where tool call ids have to be unique; within the answer when absent. */
  readonly ids?: ToolCallIdScope | undefined;
}

/** Finish reasons that a turn goes on with, by what a provider says. */
const FINISH_REASONS: Readonly<Record<string, ModelAnswer["finishReason"]>> = {
  "stop": "stop",
  "tool-use": "tool-use",
  "length": "length",
  "content-filter": "content-filter",
  "other": "stop",
};

const COUNTS = ["promptTokens", "completionTokens"] as const;
const PARTS = [
  "cacheReadTokens",
  "cacheWriteTokens",
  "reasoningTokens",
] as const;

/**
 * Reads what a provider answered; the error says which field is wrong.
 *
 * Counts of tokens that are left out count 0, with the warning `usage-unreported`; a cost that is left out is priced. Text
 * is mended, arguments of calls that come as JSON text are parsed, and empty or repeated call ids are replaced.
 */
export function readModelAnswer(
  given: unknown,
  context: ModelAnswerContext,
): Result<ModelAnswer, string> {
  if (!isRecord(given)) return err(`the answer is ${shown(given)}, no object`);
  const { finishReason: reason } = given;
  const finishReason = typeof reason === "string" &&
      Object.hasOwn(FINISH_REASONS, reason)
    ? FINISH_REASONS[reason]
    : undefined;
  if (finishReason === undefined) {
    return err(
      reason === "error" || reason === "interrupted"
        ? `the model ended with finishReason "${reason}"`
        : `finishReason is ${shown(reason)}, not one of ${
          Object.keys(FINISH_REASONS).join(", ")
        }`,
    );
  }
  const message = readMessage(given.message, context.ids);
  if (message.kind === "err") return message;
  const usage = readUsage(given.usage);
  if (usage.kind === "err") return usage;
  const costUsd = given.costUsd ?? undefined;
  if (costUsd !== undefined && !isAmount(costUsd)) {
    return err(
      `costUsd is ${shown(costUsd)}, not a number of dollars from 0`,
    );
  }
  const { durationMs, warnings } = given;
  return ok({
    message: message.value,
    finishReason,
    usage: usage.value.usage,
    costUsd: costUsd ?? priceOf(usage.value.usage, context.model.cost),
    durationMs: isAmount(durationMs) ? durationMs : context.durationMs,
    provider: readProvider(given.provider, context),
    ...withWarnings(warnings, usage.value.unreported),
    ...readDetails(given),
  });
}

/** Who answered, as the provider says; whoever was called where it doesn't. */
function readProvider(
  given: unknown,
  { provider, model }: ProviderModel,
): ModelAnswer["provider"] {
  const { id, model: name } = isRecord(given) ? given : {};
  return typeof id === "string" && typeof name === "string"
    ? { id: mendedText(id), model: mendedText(name) }
    : { id: provider.metadata.id, model: model.name };
}

/** What is only for the account: kept where it is what it should be. */
function readDetails(
  given: Readonly<Record<string, unknown>>,
): Pick<
  ModelCallResult,
  "servedModel" | "providerRequestId" | "attempts" | "rawUsage"
> {
  const { servedModel, providerRequestId, attempts, rawUsage } = given;
  const raw = rawUsage === undefined ? undefined : asJson(rawUsage);
  return {
    ...(typeof servedModel === "string" ? { servedModel } : {}),
    ...(typeof providerRequestId === "string" ? { providerRequestId } : {}),
    ...(isCount(attempts) ? { attempts } : {}),
    ...(raw === undefined ? {} : { rawUsage: raw }),
  };
}

/** A value as JSON holds it, or `undefined` when JSON can't write it. */
function asJson(value: unknown): unknown {
  try {
    return mendedFrozenJson(value);
  } catch {
    return undefined;
  }
}

function readMessage(
  given: unknown,
  ids: ToolCallIdScope = { step: 1, taken: new Set() },
): Result<ModelMessage, string> {
  if (!isRecord(given)) return err(`message is ${shown(given)}, no message`);
  const { content, toolCalls } = given;
  if (
    content !== undefined && content !== null && typeof content !== "string"
  ) {
    return err(`message.content is ${shown(content)}, no text`);
  }
  const calls = toolCalls ?? [];
  if (!Array.isArray(calls)) {
    return err(`message.toolCalls is ${shown(calls)}, no list`);
  }
  const unnamed = calls.findIndex((call) =>
    !isRecord(call) || typeof call.name !== "string"
  );
  if (unnamed !== -1) {
    return err(`message.toolCalls[${unnamed}].name is missing`);
  }
  // Mended before they are compared: two that a store would keep as one are one.
  const mended = calls.map(({ id }) =>
    typeof id === "string" ? mendedText(id) : id
  );
  const unique = uniqueToolCallIds(mended, ids);
  const read = calls.map((call: Record<string, unknown>, index) =>
    readCall(call, unique[index]!)
  );
  return ok({
    role: "assistant",
    content: mendedText(content ?? ""),
    ...(read.length === 0 ? {} : { toolCalls: read }),
  });
}

/** A call with what else the provider says of it, such as a signature that it wants back. */
function readCall(
  { arguments: given, ...rest }: Readonly<Record<string, unknown>>,
  id: string,
): ModelToolCall {
  const extra = asJson(rest);
  return {
    ...(isRecord(extra) ? extra : {}),
    id,
    name: mendedText(String(rest.name)),
    arguments: readArguments(given),
  };
}

/** Arguments that some providers leave as JSON text; what isn't JSON stays a text, cut, for the call to refuse. */
function readArguments(given: unknown): unknown {
  if (given === undefined) return {};
  if (typeof given !== "string") return asJson(given) ?? NOT_JSON;
  if (given.trim() === "") return {};
  try {
    return asJson(JSON.parse(given));
  } catch {
    return boundedEcho(mendedText(given));
  }
}

/** The counts, and whether one that is always there was left out. */
interface ReadUsage {
  readonly usage: ModelUsage;
  readonly unreported: boolean;
}

function readUsage(reported: unknown): Result<ReadUsage, string> {
  const given = reported ?? {};
  if (!isRecord(given)) return err(`usage is ${shown(given)}, no object`);
  for (const name of [...COUNTS, ...PARTS]) {
    const count = given[name] ?? 0;
    if (!isCount(count)) {
      return err(
        `usage.${name} is ${shown(count)}, not a whole number from 0`,
      );
    }
  }
  const counts = given as Partial<ModelUsage>;
  const usage: ModelUsage = {
    promptTokens: counts.promptTokens ?? 0,
    completionTokens: counts.completionTokens ?? 0,
    ...Object.fromEntries(
      PARTS.filter((name) => isCount(counts[name]))
        .map((name) => [name, counts[name]]),
    ),
  };
  const cached = (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
  if (cached > usage.promptTokens) {
    return err(
      `usage.promptTokens is ${usage.promptTokens}, less than the ${cached} cached tokens that are part of it`,
    );
  }
  if ((usage.reasoningTokens ?? 0) > usage.completionTokens) {
    return err(
      `usage.completionTokens is ${usage.completionTokens}, less than the ${usage.reasoningTokens} reasoning tokens that are part of it`,
    );
  }
  const unreported = COUNTS.some((name) => !isCount(counts[name]));
  return ok({ usage, unreported });
}

function withWarnings(
  given: unknown,
  unreported: boolean,
): Pick<ModelAnswer, "warnings"> {
  const warnings = Array.isArray(given) ? given.flatMap(readWarning) : [];
  const all = unreported
    ? [...warnings, {
      code: "usage-unreported",
      message: "The provider reports no token counts: they count 0",
    }]
    : warnings;
  return all.length === 0 ? {} : { warnings: all };
}

/** A warning that says something, without what else comes along. */
function readWarning(
  given: unknown,
): NonNullable<ModelAnswer["warnings"]> {
  const { code, message } = isRecord(given) ? given : {};
  return typeof code === "string" && typeof message === "string"
    ? [{ code: mendedText(code), message: mendedText(message) }]
    : [];
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
