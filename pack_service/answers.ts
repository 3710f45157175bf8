/**
 * The HTTP answers of the service: every body is JSON.
 *
 * @module
 */

import { STATUS_CODE } from "@std/http/status";
import { PACK_HEADERS } from "./protocol.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const encoder = new TextEncoder();

/** A JSON answer; `headers` come on top of the content's type and length. */
export function jsonAnswer(
  status: number,
  body: unknown,
  headers: readonly [string, string][] = [],
): Response {
  const bytes = encoder.encode(JSON.stringify(body));
  // The platform adds the length by itself, but not to the answer of a HEAD.
  return bytesAnswer(status, bytes, [
    ["content-length", String(bytes.length)],
    ...headers,
  ]);
}

function bytesAnswer(
  status: number,
  bytes: Uint8Array,
  headers: readonly [string, string][],
): Response {
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    status,
    headers: [
      ["content-type", JSON_TYPE],
      ...headers,
    ],
  });
}

/** A 503: the call did not run and may be sent again. */
export function unavailableAnswer(body: object): Response {
  return jsonAnswer(STATUS_CODE.ServiceUnavailable, body, [
    ["retry-after", "1"],
  ]);
}

/** A 200 with a message of the protocol. */
export function messageAnswer(
  message: Uint8Array,
  artifactVersion: string,
  durationMs: number,
): Response {
  return bytesAnswer(STATUS_CODE.OK, message, [
    [PACK_HEADERS.durationMs, String(durationMs)],
    [PACK_HEADERS.artifactVersion, artifactVersion],
  ]);
}
