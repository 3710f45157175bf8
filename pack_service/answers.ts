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
  headers: Readonly<Record<string, string>> = {},
): Response {
  const bytes = encoder.encode(JSON.stringify(body));
  return new Response(bytes, {
    status,
    headers: {
      "content-type": JSON_TYPE,
      // The platform adds the length by itself, but not to the answer of a HEAD.
      "content-length": String(bytes.length),
      ...headers,
    },
  });
}

/** A 503: the call did not run and may be sent again. */
export function unavailableAnswer(body: object): Response {
  return jsonAnswer(STATUS_CODE.ServiceUnavailable, body, {
    "retry-after": "1",
  });
}

/** A 200 with a message of the protocol. */
export function messageAnswer(
  message: Uint8Array,
  artifactVersion: string,
  durationMs: number,
): Response {
  const answer = new Response(message as Uint8Array<ArrayBuffer>, {
    headers: { "content-type": JSON_TYPE },
  });
  // Appended, not given above: there, more than a content type makes Deno register each answer for finalization, which
  // costs as much as the rest of a call.
  answer.headers.append(PACK_HEADERS.durationMs, String(durationMs));
  answer.headers.append(PACK_HEADERS.artifactVersion, artifactVersion);
  return answer;
}
