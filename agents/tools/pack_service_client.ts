/**
 * Calling a pack service over protocol v2 (`spec/handler_runtime.md` 1, `spec/durability.md`, Packs as tools).
 *
 * @module
 */

import { oneLine } from "../../base/one_line.ts";
import { reasonOf } from "../agent/mod.ts";
import {
  PACK_HEADERS,
  PACK_PROTOCOL_VERSION,
  type PackRequest,
  type PackResponse,
  parsePackResponse,
} from "../../pack_service/protocol.ts";
import { readAnswer } from "./pack_service_answer.ts";
import { ToolCallError } from "./tool_call_error.ts";

/** Where a pack service is. */
export interface PackServiceAddress {
  /** Its URL; `/v1/invoke` is added. */
  readonly url: string;
  /** The secret it was started with. */
  readonly token: string;
}

/** A call, and how long it may take. */
export interface PackServiceCall {
  /** The message to send. */
  readonly request: PackRequest;
  /** The run, for the service's records. */
  readonly runId?: string | undefined;
  /** The request within the run, for the service's records. */
  readonly requestId?: string | undefined;
  /** The caller's trace. */
  readonly traceparent?: string | undefined;
  /** When the call has to be done, in milliseconds since 1970; two minutes from now when absent. */
  readonly deadlineAt?: number | undefined;
  /** Ends the call. */
  readonly abortSignal?: AbortSignal | undefined;
}

const DEFAULT_DEADLINE_MS = 120_000;
/** The longest that a timer can wait: 2^31 - 1 ms. */
const MAX_TIMER_MS = 2_147_483_647;
const DEFAULT_RETRY_AFTER_MS = 1_000;
const LEAST_RETRY_AFTER_MS = 100;
/** The longest piece of an answer that a message repeats, in UTF-16 code units. */
const SHOWN_LENGTH = 200;

/**
 * Sends a call and answers the service's message, an error message too.
 *
 * A 503 says that the call did not run: it is sent again after `Retry-After`, as long as that is before the deadline. No
 * other answer is followed by another attempt: a 502, or a connection that breaks, leaves open whether the call ran.
 *
 * @throws {ToolCallError} If no message came: `pack-service-busy` (it did not run), `pack-service-refused` (it did not
 * run), `deadline-exceeded`, `pack-service-failed` or `tool-result-too-large` (these three: it may have run).
 */
export async function callPackService(
  address: PackServiceAddress,
  call: PackServiceCall,
): Promise<PackResponse<string>> {
  const deadlineAt = call.deadlineAt ?? Date.now() + DEFAULT_DEADLINE_MS;
  const body = JSON.stringify(call.request);
  const limit = new CallLimit(deadlineAt, call.abortSignal);
  try {
    while (true) {
      const answer = await send(address, call, body, limit);
      if (answer.status !== 503) return messageOf(address, answer);
      const wait = retryAfterMs(answer.retryAfter);
      if (wait >= limit.leftMs()) {
        throw new ToolCallError(
          "pack-service-busy",
          `The pack service at ${address.url} did not take the call before its deadline: ${
            oneLine(answer.text, SHOWN_LENGTH)
          }`,
        );
      }
      await limit.pause(wait);
    }
  } finally {
    limit.end();
  }
}

/** What came back. */
interface ServiceAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

async function send(
  address: PackServiceAddress,
  call: PackServiceCall,
  body: string,
  limit: CallLimit,
): Promise<ServiceAnswer> {
  const leftMs = Math.ceil(limit.leftMs());
  if (leftMs <= 0) throw limit.error();
  const headers: Record<string, string> = {
    "content-type": "application/json",
    [PACK_HEADERS.protocol]: String(PACK_PROTOCOL_VERSION),
    [PACK_HEADERS.token]: address.token,
    [PACK_HEADERS.timeoutMs]: String(leftMs),
  };
  addHeader(headers, PACK_HEADERS.runId, call.runId);
  addHeader(headers, PACK_HEADERS.requestId, call.requestId);
  addHeader(headers, PACK_HEADERS.traceparent, call.traceparent);
  try {
    const response = await fetch(invokeUrl(address.url), {
      method: "POST",
      headers,
      body,
      // The token is for this service alone.
      redirect: "manual",
      signal: limit.signal,
    });
    return {
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      text: await readAnswer(response),
    };
  } catch (thrown) {
    if (limit.signal.aborted) throw limit.error();
    if (thrown instanceof ToolCallError) throw thrown;
    throw new ToolCallError(
      "pack-service-failed",
      `Cannot tell whether the call ran: the pack service at ${address.url} can't be reached, or went away: ${
        reasonOf(thrown)
      }`,
      [],
      { cause: thrown },
    );
  }
}

function messageOf(
  { url }: PackServiceAddress,
  { status, text }: ServiceAnswer,
): PackResponse<string> {
  if (status === 200) {
    const message = parsePackResponse(parsed(text));
    if (message.kind === "ok") return message.value;
    throw new ToolCallError(
      "pack-service-failed",
      `${url} doesn't answer as a pack service does: ${message.error.message}`,
    );
  }
  if (status >= 500) {
    throw new ToolCallError(
      "pack-service-failed",
      `Cannot tell whether the call ran: the pack service at ${url} answered status ${status}: ${
        oneLine(text, SHOWN_LENGTH)
      }`,
    );
  }
  throw new ToolCallError(
    "pack-service-refused",
    `The pack service at ${url} refused the call with status ${status}: ${
      oneLine(text, SHOWN_LENGTH)
    }${status === 401 ? "; give the service's token" : ""}`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function invokeUrl(url: string): string {
  return `${url.replace(/\/+$/, "")}/v1/invoke`;
}

/** A value that no header can hold is left out: these are for records alone. */
function addHeader(
  headers: Record<string, string>,
  name: string,
  value: string | undefined,
): void {
  if (value !== undefined && /^[\x21-\x7e]+$/.test(value)) {
    headers[name] = value;
  }
}

/** `Retry-After` in milliseconds: seconds or a date; a second where it is neither. A service that is busy gets a moment. */
function retryAfterMs(header: string | null): number {
  if (header === null) return DEFAULT_RETRY_AFTER_MS;
  const ms = /^\d{1,6}$/.test(header)
    ? Number(header) * 1_000
    : Date.parse(header) - Date.now();
  return Number.isNaN(ms)
    ? DEFAULT_RETRY_AFTER_MS
    : Math.max(LEAST_RETRY_AFTER_MS, ms);
}

/** How long a call may take: until its deadline, or until its caller gives up. */
class CallLimit {
  readonly #controller = new AbortController();
  readonly #deadlineAt: number;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #giveUp = (): void => this.#controller.abort();

  constructor(deadlineAt: number, callerSignal: AbortSignal | undefined) {
    this.#deadlineAt = deadlineAt;
    this.#callerSignal = callerSignal;
    const wait = Math.min(MAX_TIMER_MS, Math.max(0, this.leftMs()));
    this.#timer = setTimeout(this.#giveUp, wait);
    if (callerSignal?.aborted) this.#giveUp();
    callerSignal?.addEventListener("abort", this.#giveUp, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  leftMs(): number {
    return this.#deadlineAt - Date.now();
  }

  error(): ToolCallError {
    return this.#callerSignal?.aborted
      ? new ToolCallError("cancelled", "The call was given up by its caller")
      : new ToolCallError(
        "deadline-exceeded",
        "The call's time was up before the pack service answered; it may have run",
      );
  }

  /** Waits, or rejects when the call is over before. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        clearTimeout(timer);
        reject(this.error());
      };
      const timer = setTimeout(() => {
        this.signal.removeEventListener("abort", onAbort);
        resolve();
      }, ms);
      if (this.signal.aborted) onAbort();
      else this.signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#callerSignal?.removeEventListener("abort", this.#giveUp);
  }
}
