/**
 * Pack protocol v2: the messages between a runtime that calls tools and checks, and the service that runs them.
 *
 * Everything here is pure: no transport, no platform. The parsers take a value that JSON has already been read into
 * (`spec/handler_runtime.md` 1).
 *
 * @module
 */
import { err, isRecord, ok, type Result } from "../base/result.ts";
import {
  type CheckInvokeRequest,
  PACK_PROTOCOL_VERSION,
  type PackErrorCode,
  type PackErrorExtra,
  type PackErrorMessage,
  type PackRequest,
  type PackResponse,
  type ToolInvokeRequest,
} from "./protocol_messages.ts";

export type { Err, Ok, Result } from "../base/result.ts";
export {
  type CheckInvokeRequest,
  type CheckResultMessage,
  PACK_ERROR_CODES,
  PACK_HEADERS,
  PACK_PROTOCOL_VERSION,
  type PackCallContext,
  type PackErrorCode,
  type PackErrorExtra,
  type PackErrorMessage,
  type PackHeaders,
  type PackInfo,
  type PackIssue,
  type PackProtocolVersion,
  type PackRequest,
  type PackResponse,
  type ToolInvokeRequest,
  type ToolResultMessage,
} from "./protocol_messages.ts";

/** Makes an error message; keys of `extra` that are undefined are left out. */
export function packError<Code extends string = PackErrorCode>(
  code: Code,
  message: string,
  extra: PackErrorExtra = {},
): PackErrorMessage<Code> {
  const { toolId, checkId, cause, issues } = extra;
  return {
    v: PACK_PROTOCOL_VERSION,
    kind: "error",
    code,
    message,
    ...(toolId === undefined ? {} : { toolId }),
    ...(checkId === undefined ? {} : { checkId }),
    ...(cause === undefined ? {} : { cause }),
    ...(issues === undefined ? {} : { issues }),
  };
}

/**
 * Reads a request from a parsed JSON value; the first thing wrong decides the error (`spec/handler_runtime.md` 1.3).
 *
 * Unknown keys are kept: the value that comes back is the one that went in. Errors are `malformed-message`,
 * `unknown-protocol-version` and `unexpected-message-kind`.
 */
export function parsePackRequest(
  value: unknown,
): Result<PackRequest, PackErrorMessage> {
  const envelope = parseEnvelope(value);
  if (envelope.kind === "err") return envelope;
  const message = envelope.value;
  switch (message.kind) {
    case "invoke":
      return parseToolInvoke(message);
    case "check-invoke":
      return parseCheckInvoke(message);
    default:
      return unexpectedKind(message.kind, `"invoke" or "check-invoke"`);
  }
}

/**
 * Reads a response from a parsed JSON value.
 *
 * Takes any `result` and `check-result`, and an `error` with a string `code` (known or not) and a string `message`.
 * Errors are as those of {@link parsePackRequest}.
 */
export function parsePackResponse(
  value: unknown,
): Result<PackResponse<string>, PackErrorMessage> {
  const envelope = parseEnvelope(value);
  if (envelope.kind === "err") return envelope;
  const message = envelope.value;
  const complete = message.kind === "result" ||
    message.kind === "check-result" ||
    message.kind === "error" && typeof message.code === "string" &&
      typeof message.message === "string";
  if (!complete) {
    return unexpectedKind(
      message.kind,
      `"result", "check-result" or "error" (with a string "code" and "message")`,
    );
  }
  return ok(message as unknown as PackResponse<string>);
}

/** What both directions share: an object that carries our version. */
function parseEnvelope(
  value: unknown,
): Result<Record<string, unknown>, PackErrorMessage> {
  if (!isRecord(value)) {
    return malformed(`a message must be a JSON object, got ${shown(value)}`);
  }
  if (value.v !== PACK_PROTOCOL_VERSION) {
    return err(packError(
      "unknown-protocol-version",
      `Cannot read the message: "v" must be the number ${PACK_PROTOCOL_VERSION}, got ${
        shown(value.v)
      }`,
    ));
  }
  return ok(value);
}

function parseToolInvoke(
  message: Record<string, unknown>,
): Result<ToolInvokeRequest, PackErrorMessage> {
  const { tool, ctx } = message;
  if (!isRecord(tool) || !isNonEmptyString(tool.id)) {
    return malformed(`"tool" must be an object with a non-empty string "id"`);
  }
  if (tool.version !== undefined && typeof tool.version !== "string") {
    return malformed(
      `"tool.version" must be a string when it is present, got ${
        shown(tool.version)
      }`,
    );
  }
  if (
    !isRecord(ctx) || typeof ctx.tenantId !== "string" ||
    typeof ctx.runId !== "string"
  ) {
    return malformed(
      `"ctx" must be an object with the strings "tenantId" and "runId"`,
    );
  }
  return ok(message as unknown as ToolInvokeRequest);
}

function parseCheckInvoke(
  message: Record<string, unknown>,
): Result<CheckInvokeRequest, PackErrorMessage> {
  const { check, config } = message;
  if (!isRecord(check) || !isNonEmptyString(check.id)) {
    return malformed(`"check" must be an object with a non-empty string "id"`);
  }
  if (!isRecord(config)) {
    return malformed(`"config" must be an object, got ${shown(config)}`);
  }
  return ok(message as unknown as CheckInvokeRequest);
}

function malformed(reason: string): Result<never, PackErrorMessage> {
  return err(
    packError("malformed-message", `Cannot read the message: ${reason}`),
  );
}

function unexpectedKind(
  kind: unknown,
  wanted: string,
): Result<never, PackErrorMessage> {
  return err(packError(
    "unexpected-message-kind",
    `Cannot read the message: "kind" must be ${wanted}, got ${shown(kind)}`,
  ));
}

function isNonEmptyString(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Longest piece of a foreign value that an error message repeats, in UTF-16 code units. */
const SHOWN_LENGTH = 80;

/**
 * A foreign value as JSON, short enough for a message. An object or array is only named: it may hold secrets, or be
 * nested deeper than `JSON.stringify` can go.
 */
function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  const text = typeof value === "string"
    ? JSON.stringify(value.slice(0, SHOWN_LENGTH))
    : String(value);
  return typeof value === "string" && value.length > SHOWN_LENGTH
    ? `${text}…`
    : text;
}
