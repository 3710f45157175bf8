/**
 * Trying a call again that a provider was too busy for, and telling why one failed without telling what was sent.
 *
 * @module
 */

import { redactText } from "../../../base/redact.ts";
import { isRecord } from "../../../base/result.ts";
import { untilAborted } from "../../../base/until_aborted.ts";

/** The pause before the first further attempt, in milliseconds; each one after that is twice as long. */
const FIRST_PAUSE_MS = 500;
/** A provider that wants a longer pause than this isn't waited for. */
const LONGEST_PAUSE_MS = 60_000;
/** Longest message of a provider's that is repeated, in UTF-16 code units. */
const MAX_MESSAGE = 2_000;

/**
 * A model call that the AI SDK or its provider failed.
 *
 * It keeps the message and the status. The SDK's own error, which holds the whole request with its address and headers,
 * is left behind: errors of turns are journaled and shown.
 */
export class AiSdkCallError extends Error {
  /** The class's name, as for every error. */
  override readonly name = "AiSdkCallError";
  /** The only code there is. */
  readonly code = "model-provider-failed";
  /** The HTTP status that the provider answered with, when it did. */
  readonly status: number | undefined;
  /** How often the call was tried. */
  readonly attempts: number;

  /** Makes one of what the SDK threw. */
  constructor(thrown: unknown, attempts: number) {
    const status = statusOf(thrown);
    super(messageOf(thrown, status, attempts));
    this.status = status;
    this.attempts = attempts;
  }
}

/** What calls the model, and when to stop. */
export interface AttemptsOptions<Answer> {
  /** Calls the model once. */
  readonly call: () => PromiseLike<Answer>;
  /** How often a call may be tried again. */
  readonly maxRetries: number;
  /** Ends the call and the pauses. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Calls a model until it answers.
 *
 * Tried again is what the provider was too busy for or failed at (429, 5xx), and a connection that the SDK says may be
 * tried again: after the time that the provider asks for, at most a minute, else after half a second, twice as long each
 * time, less up to a half by chance.
 *
 * @throws {AiSdkCallError} When it fails for good.
 */
export async function callInAttempts<Answer>(
  { call, maxRetries, signal }: AttemptsOptions<Answer>,
): Promise<{ readonly answer: Answer; readonly attempts: number }> {
  for (let attempt = 1;; attempt += 1) {
    let thrown: unknown;
    try {
      const answer = await untilAborted(signal, async () => await call());
      return { answer, attempts: attempt };
    } catch (error) {
      if (signal?.aborted) throw error;
      thrown = error;
    }
    const pauseMs = isTransient(thrown) && attempt <= maxRetries
      ? pauseBefore(thrown, attempt)
      : undefined;
    if (pauseMs === undefined) throw new AiSdkCallError(thrown, attempt);
    await pause(pauseMs, signal);
  }
}

function isTransient(thrown: unknown): boolean {
  const status = statusOf(thrown);
  return status === undefined
    ? isRecord(thrown) && thrown.isRetryable === true
    : status === 429 || status >= 500;
}

function statusOf(thrown: unknown): number | undefined {
  const { statusCode } = isRecord(thrown) ? thrown : {};
  return typeof statusCode === "number" ? statusCode : undefined;
}

/** How long to wait, in milliseconds; `undefined` when the provider wants more time than anybody waits. */
function pauseBefore(thrown: unknown, attempt: number): number | undefined {
  const asked = askedPause(thrown);
  if (asked !== undefined) {
    return asked > LONGEST_PAUSE_MS ? undefined : asked;
  }
  return FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
}

/** What `retry-after-ms` or `retry-after` (seconds, or a date) says, in milliseconds. */
function askedPause(thrown: unknown): number | undefined {
  const headers = isRecord(thrown) ? thrown.responseHeaders : undefined;
  if (!isRecord(headers)) return undefined;
  const given = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const inMs = amount(given.get("retry-after-ms"));
  if (inMs !== undefined) return inMs;
  const after = given.get("retry-after");
  const inSeconds = amount(after);
  if (inSeconds !== undefined) return inSeconds * 1_000;
  // A date has letters; a number that is none of seconds would be taken for a year.
  const at = typeof after === "string" && /[a-z]/i.test(after)
    ? Date.parse(after)
    : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

function amount(value: unknown): number | undefined {
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const number = Number(value);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return untilAborted(
    signal,
    () => new Promise<void>((done) => timer = setTimeout(done, ms)),
  ).finally(() => clearTimeout(timer));
}

function messageOf(
  thrown: unknown,
  status: number | undefined,
  attempts: number,
): string {
  const { message } = isRecord(thrown) || thrown instanceof Error
    ? thrown as { message?: unknown }
    : { message: String(thrown) };
  const words = typeof message === "string" && message !== ""
    // Masked first, so that no half of a secret is left over at the cut.
    ? redactText(message).slice(0, MAX_MESSAGE)
    : "the provider gave no reason";
  const wayOut = status === 401
    ? " (check the API key that the model was made with)"
    : "";
  const told = status === undefined
    ? words
    : `HTTP ${status}: ${words}${wayOut}`;
  return attempts === 1 ? told : `${told} (after ${attempts} attempts)`;
}
