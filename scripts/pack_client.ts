/**
 * Calling a pack service over HTTP, as a runtime does.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { isRecord } from "../base/result.ts";
import {
  PACK_HEADERS,
  PACK_PROTOCOL_VERSION,
  type PackInfo,
  type PackRequest,
  type PackResponse,
  parsePackResponse,
} from "../pack_service/protocol.ts";
import { terminalLine } from "./support/terminal_text.ts";

/** Where a service is. */
export interface PackAddress {
  /** Its URL, without a path. */
  readonly url: string;
  /** The secret it was started with. */
  readonly token: string;
}

/** How a call went. */
export interface PackAnswer {
  /** The service's message. */
  readonly message: PackResponse<string>;
  /** How long the service took, in ms. */
  readonly durationMs: number;
}

/** The service gave no message: it couldn't be reached, or refused the request. */
export class PackUnavailable extends Error {
  /** The class's name, as for every error. */
  override readonly name = "PackUnavailable";
}

/** A call of a tool, as a runtime makes it. */
export function toolRequest(
  id: string,
  input: unknown,
  idempotencyKey: string = randomUUID(),
): PackRequest {
  return {
    v: PACK_PROTOCOL_VERSION,
    kind: "invoke",
    tool: { id },
    input,
    ctx: { tenantId: "local", runId: `run-${randomUUID()}`, idempotencyKey },
  };
}

/** A call of a guardrail's check. */
export function checkRequest(
  id: string,
  config: Record<string, unknown>,
  trace: Record<string, unknown>,
): PackRequest {
  return {
    v: PACK_PROTOCOL_VERSION,
    kind: "check-invoke",
    check: { id },
    config,
    trace,
  };
}

/**
 * Sends a request; `timeoutMs` is the deadline that the service holds.
 *
 * @throws {PackUnavailable} If no message came back.
 */
export async function sendRequest(
  { url, token }: PackAddress,
  request: PackRequest,
  timeoutMs?: number,
): Promise<PackAnswer> {
  const response = await reach(url, "/v1/invoke", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      [PACK_HEADERS.protocol]: String(PACK_PROTOCOL_VERSION),
      [PACK_HEADERS.token]: token,
      ...(timeoutMs === undefined
        ? {}
        : { [PACK_HEADERS.timeoutMs]: String(timeoutMs) }),
    },
    body: JSON.stringify(request),
  });
  const message = parsePackResponse(await jsonOf(response));
  if (message.kind === "err") {
    throw new PackUnavailable(
      `${url} doesn't answer as a pack service does: ${message.error.message}`,
    );
  }
  return {
    message: message.value,
    durationMs: Number(response.headers.get(PACK_HEADERS.durationMs)),
  };
}

/**
 * Asks a service what it serves.
 *
 * @throws {PackUnavailable} If it doesn't say.
 */
export async function fetchInfo(
  { url, token }: PackAddress,
): Promise<PackInfo> {
  const headers = { [PACK_HEADERS.token]: token };
  const info = await jsonOf(await reach(url, "/v1/info", { headers }));
  if (isRecord(info) && typeof info.packId === "string") {
    return info as unknown as PackInfo;
  }
  throw new PackUnavailable(
    `${url} doesn't answer as a pack service does: it doesn't say which pack it serves`,
  );
}

async function reach(
  url: string,
  path: string,
  init: RequestInit,
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(new URL(path, url), init);
  } catch (error) {
    throw new PackUnavailable(
      `Cannot reach a pack service at ${url}: ${(error as Error).message}`,
    );
  }
  if (response.ok) return response;
  const body = await response.text();
  throw new PackUnavailable(
    `${url} refused the request with status ${response.status}: ${
      terminalLine(body, 500)
    }${response.status === 401 ? "; give the service's token" : ""}`,
  );
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new PackUnavailable(
      `${response.url} doesn't answer as a pack service does: no JSON came`,
    );
  }
}
