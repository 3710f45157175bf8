/**
 * The relay: carries one call to the child that serves, whoever listens for it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { isRecord } from "../../base/result.ts";
import { PACK_HEADERS } from "../protocol.ts";
import type { HttpAnswer } from "./http_answer.ts";
import type { CallerSignal, Upstream, UpstreamRequest } from "./upstream.ts";

export type { CallerSignal };

/** One call to carry. */
export interface RelayRequest {
  /** What is asked: a call, or what the service serves. */
  readonly route: "invoke" | "info";
  /** The request message, not looked into. Kept until an answer begins. */
  readonly body?: Uint8Array | string;
  /**
   * Fires when the caller is gone; the child then sees a closed connection. Given as a function it is asked for only
   * when the call takes longer than a moment, for platforms on which making a signal costs much.
   */
  readonly signal?: CallerSignal | undefined;
  /** The caller's deadline in milliseconds from now; passed on when finite and above 0. */
  readonly timeoutMs?: number | undefined;
  /** The caller's run id, for correlation. */
  readonly runId?: string | undefined;
  /** The caller's request id, for correlation. */
  readonly requestId?: string | undefined;
  /** The caller's protocol version, not checked. */
  readonly protocol?: string | undefined;
  /** The caller's W3C trace context. */
  readonly traceparent?: string | undefined;
}

/** What became of a call. */
export type RelayOutcome =
  /** The child's answer: its status, the headers a caller may see, and its body. */
  | {
    readonly kind: "answer";
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array;
  }
  /** No child serves or none could be reached: the call did not run, and may be sent again. */
  | { readonly kind: "unavailable"; readonly reason: string }
  /** The child went away during the call or its answer broke off: the call may have run. */
  | { readonly kind: "failed"; readonly reason: string }
  /** The caller went away. */
  | { readonly kind: "cancelled" };

/** Carries calls to whichever child serves. */
export interface PackServiceRelay {
  /**
   * Carries one call.
   *
   * A call that a retired child refused, and that so did not run, goes to the child that took its place, once.
   *
   * @throws {TypeError} If a header value holds a character that HTTP can't carry.
   */
  forward(request: RelayRequest): Promise<RelayOutcome>;
  /** Whether a child serves. */
  serving(): boolean;
}

/** The answer headers that a caller sees. */
const PASSED_BACK = [
  "content-type",
  "retry-after",
  PACK_HEADERS.artifactVersion,
  PACK_HEADERS.durationMs,
];

/** Creates the relay to the child that `current` names at the moment of a call. */
export function createRelay(
  token: string,
  current: () => Upstream | undefined,
): PackServiceRelay {
  const common = `host: 127.0.0.1\r\n${PACK_HEADERS.token}: ${token}\r\n`;
  const heads = {
    info: `GET /v1/info HTTP/1.1\r\n${common}`,
    invoke:
      `POST /v1/invoke HTTP/1.1\r\n${common}content-type: application/json\r\n`,
  };
  return {
    serving: () => current() !== undefined,
    forward: async (request) => {
      const upstreamRequest = toUpstream(request, heads[request.route]);
      const first = current();
      if (first === undefined) return NOT_SERVING;
      let outcome = await first.send(upstreamRequest);
      const next = current();
      const didNotRun = outcome.kind === "unreachable" ||
        (outcome.kind === "answer" && isDraining(outcome.answer));
      if (didNotRun && next !== undefined && next !== first) {
        outcome = await next.send(upstreamRequest);
      }
      switch (outcome.kind) {
        case "answer":
          return toAnswer(outcome.answer);
        case "unreachable":
          return { kind: "unavailable", reason: outcome.reason };
        case "broken":
          return { kind: "failed", reason: outcome.reason };
        case "cancelled":
          return outcome;
      }
    },
  };
}

const NOT_SERVING: RelayOutcome = {
  kind: "unavailable",
  reason: "no pack service",
};

/** The request to a child: `head` is what is the same in all requests of a route. */
function toUpstream(request: RelayRequest, head: string): UpstreamRequest {
  const { route, signal, timeoutMs } = request;
  const body = route === "info"
    ? undefined
    : typeof request.body === "string"
    ? Buffer.from(request.body)
    : request.body ?? new Uint8Array(0);
  if (body !== undefined) head += `content-length: ${body.length}\r\n`;
  if (timeoutMs !== undefined && Number.isFinite(timeoutMs) && timeoutMs > 0) {
    head += `${PACK_HEADERS.timeoutMs}: ${timeoutMs}\r\n`;
  }
  head += header(PACK_HEADERS.runId, request.runId);
  head += header(PACK_HEADERS.requestId, request.requestId);
  head += header(PACK_HEADERS.protocol, request.protocol);
  head += header(PACK_HEADERS.traceparent, request.traceparent);
  return { head: `${head}\r\n`, body, signal };
}

function header(name: string, value: string | undefined): string {
  if (value === undefined) return "";
  // deno-lint-ignore no-control-regex -- control characters are what must not pass
  if (!/^[^\x00-\x08\x0a-\x1f\x7f\u0100-\uffff]*$/.test(value)) {
    throw new TypeError(
      `Cannot forward a call: the value of ${name} holds a character that an HTTP header can't carry`,
    );
  }
  return `${name}: ${value}\r\n`;
}

function toAnswer(answer: HttpAnswer): RelayOutcome {
  const headers: Record<string, string> = {};
  for (const name of PASSED_BACK) {
    const value = answer.headers.get(name);
    if (value !== undefined) headers[name] = value;
  }
  return { kind: "answer", status: answer.status, headers, body: answer.body };
}

/** Whether a child refused a call because it drains: it did not run it (`spec/handler_runtime.md` 3.1). */
function isDraining(answer: HttpAnswer): boolean {
  if (answer.status !== 503) return false;
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(answer.body));
    return isRecord(body) && body.error === "draining";
  } catch {
    return false;
  }
}
