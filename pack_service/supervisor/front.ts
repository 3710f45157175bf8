/**
 * The front: the HTTP face of a supervisor, the same address and token for its whole life.
 *
 * @module
 */

import { STATUS_CODE } from "@std/http/status";
import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { jsonAnswer, unavailableAnswer } from "../answers.ts";
import { PACK_HEADERS } from "../protocol.ts";
import { discardBody, readBody } from "../read_body.ts";
import { pathOf } from "../request_facts.ts";
import type { Timeouts } from "../timeouts.ts";
import type { PackServiceRelay, RelayOutcome } from "./relay.ts";

/** Longest time in which a request's body must arrive, in milliseconds (`spec/decisions.md` 12). */
const BODY_TIMEOUT_MS = 30_000;

/** What {@link createFront} needs. */
export interface FrontOptions {
  /** The token that callers must send. */
  readonly token: string;
  /** Where calls go. */
  readonly relay: PackServiceRelay;
  /** Largest request body, in bytes. */
  readonly maxBodyBytes: number;
  /** Keeps the waits. */
  readonly timeouts: Timeouts;
}

/** The routes and their methods. */
const ROUTES: ReadonlyMap<string, "GET" | "POST"> = new Map([
  ["/v1/invoke", "POST"],
  ["/v1/info", "GET"],
  ["/healthz", "GET"],
  ["/readyz", "GET"],
]);

/** Creates the handler of the front's listener; the order of its checks is that of `spec/handler_runtime.md` 6, Front. */
export function createFront(
  options: FrontOptions,
): (request: Request) => Promise<Response> {
  const { relay, maxBodyBytes, timeouts } = options;
  const token = Buffer.from(options.token);

  const refuse = async (
    request: Request,
    status: number,
    error: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> => {
    await discardBody(request, timeouts);
    return jsonAnswer(status, { error }, headers);
  };

  const forward = async (
    request: Request,
    route: "invoke" | "info",
    body?: Uint8Array,
  ): Promise<Response> => {
    const header = (name: string): string | undefined =>
      request.headers.get(name) ?? undefined;
    const timeoutMs = header(PACK_HEADERS.timeoutMs);
    const outcome = await relay.forward({
      route,
      ...(body === undefined ? {} : { body }),
      signal: () => request.signal,
      timeoutMs: timeoutMs === undefined ? undefined : Number(timeoutMs),
      runId: header(PACK_HEADERS.runId),
      requestId: header(PACK_HEADERS.requestId),
      protocol: header(PACK_HEADERS.protocol),
      traceparent: header(PACK_HEADERS.traceparent),
    });
    return toResponse(outcome);
  };

  const invoke = async (request: Request): Promise<Response> => {
    const body = await readBody(request, {
      maxBytes: maxBodyBytes,
      timeoutMs: BODY_TIMEOUT_MS,
      timeouts,
      now: performance.now(),
    });
    switch (body.kind) {
      case "read":
        return await forward(request, "invoke", body.bytes);
      case "too-large":
        return jsonAnswer(STATUS_CODE.ContentTooLarge, {
          error: `The body is longer than ${maxBodyBytes} bytes`,
        });
      case "timeout":
        return jsonAnswer(STATUS_CODE.RequestTimeout, {
          error: `The body did not arrive within ${BODY_TIMEOUT_MS} ms`,
        }, CLOSE);
      case "broken":
        return jsonAnswer(STATUS_CODE.RequestTimeout, {
          error: "The body broke off",
        }, CLOSE);
    }
  };

  const route = async (request: Request): Promise<Response> => {
    const path = pathOf(request.url);
    const method = ROUTES.get(path);
    if (method === undefined) {
      const problem = `There is nothing at ${path}`;
      return await refuse(request, STATUS_CODE.NotFound, problem);
    }
    const asked = request.method === "HEAD" ? "GET" : request.method;
    if (asked !== method) {
      const problem = `Use ${method} here, not ${request.method}`;
      return await refuse(request, STATUS_CODE.MethodNotAllowed, problem, {
        allow: method,
      });
    }
    if (path === "/healthz") return jsonAnswer(200, { status: "ok" });
    if (path === "/readyz") {
      return relay.serving()
        ? jsonAnswer(200, { status: "ready" })
        : unavailableAnswer({ error: "no pack service" });
    }
    if (!isToken(request.headers.get(PACK_HEADERS.token), token)) {
      const problem =
        `Send the front's token in the ${PACK_HEADERS.token} header`;
      return await refuse(request, STATUS_CODE.Unauthorized, problem);
    }
    return path === "/v1/info"
      ? await forward(request, "info")
      : await invoke(request);
  };

  return async (request) => {
    try {
      return await route(request);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      return jsonAnswer(STATUS_CODE.InternalServerError, { error });
    }
  };
}

const CLOSE = { connection: "close" };

function isToken(sent: string | null, token: Buffer): boolean {
  if (sent === null) return false;
  const bytes = Buffer.from(sent);
  return bytes.length === token.length && timingSafeEqual(bytes, token);
}

function toResponse(outcome: RelayOutcome): Response {
  switch (outcome.kind) {
    case "answer": {
      const { status, headers, body } = outcome;
      // Statuses that a Response takes no body with.
      const bare = status === 204 || status === 205 || status === 304;
      return new Response(bare ? null : body as Uint8Array<ArrayBuffer>, {
        status,
        headers,
      });
    }
    case "unavailable":
      return unavailableAnswer({ error: outcome.reason });
    case "failed":
      return jsonAnswer(STATUS_CODE.BadGateway, { error: outcome.reason });
    case "cancelled":
      // The caller has closed the connection, so nobody reads this.
      return new Response(null, { status: 499 });
  }
}
