/**
 * Carrying a typed error through a run, whose failures are texts (`spec/agents_turn.md` 10.2).
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import { reasonOf } from "../agent/mod.ts";
import type { InvokeAgentError } from "./errors.ts";

/** What marks a text as one of ours. */
const SENTINEL = "kindgi:turn-failure";

/** How deep the causes of an error are carried. */
const MAX_DEPTH = 8;

/** Thrown by a node of a turn: its message is the error as text. */
export class TurnFailure extends Error {
  /** The class's name, as for every error. */
  override readonly name = "TurnFailure";
  /** The error. */
  readonly error: InvokeAgentError;

  /** Makes the failure of an error. */
  constructor(error: InvokeAgentError) {
    super(turnFailureMessage(error));
    this.error = error;
  }
}

/**
 * An error as the text that {@link parseFailureMessage} reads back.
 *
 * A nested `Error` becomes `{ code?, message }`. What JSON can't write (a cycle, a BigInt) becomes a text that says what it
 * was; nothing makes this throw.
 */
export function turnFailureMessage(error: InvokeAgentError): string {
  try {
    return JSON.stringify({ [SENTINEL]: true, error: plain(error, 0) });
  } catch {
    const { code, message } = error;
    return JSON.stringify({ [SENTINEL]: true, error: { code, message } });
  }
}

/**
 * The error in a run's failure text, or `undefined` when there is none.
 *
 * The text may hold others around it: a loop puts a mark before its body's failure, and a runtime may join several.
 */
export function parseFailureMessage(
  text: string,
): InvokeAgentError | undefined {
  const whole = decoded(text);
  if (whole !== undefined) return whole;
  for (const chunk of balancedChunks(text)) {
    const error = decoded(chunk);
    if (error !== undefined) return error;
  }
  return undefined;
}

function decoded(text: string): InvokeAgentError | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && value[SENTINEL] === true &&
        isRecord(value.error) && typeof value.error.code === "string"
      ? value.error as unknown as InvokeAgentError
      : undefined;
  } catch {
    return undefined;
  }
}

/** The outermost `{…}` of a text, by braces that stand outside of JSON strings. */
function* balancedChunks(text: string): Iterable<string> {
  let depth = 0;
  let start = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === "\\") at++;
      else if (char === '"') inString = false;
    } else if (char === "{") {
      if (depth++ === 0) start = at;
    } else if (depth > 0 && char === '"') inString = true;
    else if (depth > 0 && char === "}" && --depth === 0) {
      yield text.slice(start, at + 1);
    }
  }
}

/** A value as JSON will hold it, its errors as plain objects. */
function plain(value: unknown, depth: number): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return "[nested too deep]";
  if (value instanceof Error) {
    const { code } = value as { code?: unknown };
    return {
      ...(typeof code === "string" ? { code } : {}),
      message: reasonOf(value),
    };
  }
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1));
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") {
    return JSON.parse(JSON.stringify(value) ?? "null");
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, plain(item, depth + 1)]),
  );
}
