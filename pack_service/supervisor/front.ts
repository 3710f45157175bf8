/**
 * The front: the HTTP face of a supervisor, the same address and token for its whole life.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { PACK_HEADERS } from "../protocol.ts";
import { declaredLength, readBody } from "./read_body.ts";
import type { PackServiceRelay, RelayOutcome, RelayRequest } from "./relay.ts";

/** Longest time in which a request's body must arrive, in milliseconds (`spec/decisions.md` 12). */
const BODY_TIMEOUT_MS = 30_000;

/** A body that a refused request may still have: read to its end; one larger, or of unknown size, ends the connection. */
const MAX_REFUSED_BODY_BYTES = 65_536;

/** What {@link createFront} needs. */
export interface FrontOptions {
  /** The token that callers must send. */
  readonly token: string;
  /** Where calls go. */
  readonly relay: PackServiceRelay;
  /** Largest request body, in bytes. */
  readonly maxBodyBytes: number;
}

/** The routes and their methods. */
const ROUTES: Readonly<Record<string, "GET" | "POST">> = {
  "/v1/invoke": "POST",
  "/v1/info": "GET",
  "/healthz": "GET",
  "/readyz": "GET",
};

/** Creates the handler of the front's listener; the order of its checks is that of `spec/handler_runtime.md` 6, Front. */
export function createFront(
  options: FrontOptions,
): (request: Request) => Promise<Response> {
  const { relay, maxBodyBytes } = options;
  const token = Buffer.from(options.token);

  const answer = async (request: Request): Promise<Response> => {
    const path = pathOf(request.url);
    const method = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
    if (method === undefined) {
      return await refuse(request, 404, `Not found: ${path}`);
    }
    const asked = request.method === "HEAD" ? "GET" : request.method;
    if (asked !== method) {
      const problem = `Use ${method} for ${path}, not ${request.method}`;
      return await refuse(request, 405, problem, { allow: method });
    }
    if (path === "/healthz") return json(200, { status: "ok" });
    if (path === "/readyz") {
      return relay.serving()
        ? json(200, { status: "ready" })
        : json(503, { error: "no pack service" }, RETRY);
    }
    if (!isToken(request.headers.get(PACK_HEADERS.token), token)) {
      const problem = `Missing or wrong ${PACK_HEADERS.token}`;
      return await refuse(request, 401, problem);
    }
    if (path === "/v1/info") return await forward(request, { route: "info" });

    const read = await readBody(request, maxBodyBytes, BODY_TIMEOUT_MS);
    if (read.kind === "body") {
      return await forward(request, { route: "invoke", body: read.bytes });
    }
    const [status, problem] = BODY_PROBLEMS[read.kind];
    return json(status, { error: problem(maxBodyBytes) }, CLOSE);
  };

  const forward = async (
    request: Request,
    call: RelayRequest,
  ): Promise<Response> =>
    toResponse(
      await relay.forward({
        ...call,
        ...passedOn(request.headers),
        signal: request.signal,
      }),
    );

  return async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return json(500, { error: reason }, CLOSE);
    }
  };
}

const RETRY = { "retry-after": "1" };
const CLOSE = { connection: "close" };

const BODY_PROBLEMS = {
  "too-large": [413, (max: number) => `The body is over ${max} bytes`],
  "too-slow": [
    408,
    () => `The body didn't arrive within ${BODY_TIMEOUT_MS} ms`,
  ],
  "gone": [400, () => "The body broke off"],
} as const;

/** The path as it was sent, without its query: not normalised, so that every route has exactly one spelling. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return "/";
  const query = url.indexOf("?", start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}

function isToken(sent: string | null, token: Buffer): boolean {
  if (sent === null) return false;
  const bytes = Buffer.from(sent);
  return bytes.length === token.length && timingSafeEqual(bytes, token);
}

function passedOn(headers: Headers): Partial<RelayRequest> {
  const timeout = headers.get(PACK_HEADERS.timeoutMs);
  const runId = headers.get(PACK_HEADERS.runId);
  const requestId = headers.get(PACK_HEADERS.requestId);
  const protocol = headers.get(PACK_HEADERS.protocol);
  const traceparent = headers.get(PACK_HEADERS.traceparent);
  return {
    ...(timeout === null ? {} : { timeoutMs: Number(timeout) }),
    ...(runId === null ? {} : { runId }),
    ...(requestId === null ? {} : { requestId }),
    ...(protocol === null ? {} : { protocol }),
    ...(traceparent === null ? {} : { traceparent }),
  };
}

function toResponse(outcome: RelayOutcome): Response {
  switch (outcome.kind) {
    case "answer": {
      const { status, headers } = outcome;
      const bodyless = status === 204 || status === 205 || status === 304;
      const body = bodyless ? null : outcome.body as Uint8Array<ArrayBuffer>;
      return new Response(body, { status, headers });
    }
    case "unavailable":
      return json(503, { error: outcome.reason }, RETRY);
    case "failed":
      return json(502, { error: outcome.reason });
    case "cancelled":
      // The connection is gone, so nobody reads this.
      return new Response(null, { status: 499, headers: CLOSE });
  }
}

/** Answers a request whose body won't be used, leaving the connection in a state in which it can go on or ends. */
async function refuse(
  request: Request,
  status: number,
  error: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const left = request.body === null ? 0 : declaredLength(request) ?? Infinity;
  if (left > MAX_REFUSED_BODY_BYTES) {
    return json(status, { error }, { ...headers, ...CLOSE });
  }
  const read = await readBody(request, MAX_REFUSED_BODY_BYTES, BODY_TIMEOUT_MS);
  return json(status, { error }, {
    ...headers,
    ...(read.kind === "body" ? {} : CLOSE),
  });
}

function json(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });
}
