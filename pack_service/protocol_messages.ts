/**
 * What pack protocol v2 is made of: its version, headers, error codes and the shapes of its messages
 * (`spec/handler_runtime.md` 1.1, 1.2).
 *
 * @module
 */

/** The protocol's version, as a type. */
export type PackProtocolVersion = 2;

/** The protocol's version: the number that every message carries as `v`. */
export const PACK_PROTOCOL_VERSION: PackProtocolVersion = 2;

/** The shape of {@link PACK_HEADERS}: what each header is for, by its key. */
export interface PackHeaders {
  /** Request: the caller's protocol version. Passed on, never checked. */
  readonly protocol: "kindgi-protocol";
  /** Request: the shared secret. `Authorization` is never read, since a platform may own it. */
  readonly token: "kindgi-pack-token";
  /** Request: the deadline in milliseconds from now; anything but a positive integer means the default. */
  readonly timeoutMs: "kindgi-timeout-ms";
  /** Request: correlation only; the body's `ctx.runId` counts. */
  readonly runId: "kindgi-run-id";
  /** Request: correlation only; the body's `ctx.requestId` counts. */
  readonly requestId: "kindgi-request-id";
  /** Answer to an invoke: the `artifactVersion` of the index being served. */
  readonly artifactVersion: "kindgi-artifact-version";
  /** Answer to an invoke: whole milliseconds since the call was admitted, reading its body included. */
  readonly durationMs: "kindgi-duration-ms";
  /** Request: the W3C trace context of the caller, optional. */
  readonly traceparent: "traceparent";
}

/** The protocol's HTTP header names, lower case. */
export const PACK_HEADERS: PackHeaders = Object.freeze({
  protocol: "kindgi-protocol",
  token: "kindgi-pack-token",
  timeoutMs: "kindgi-timeout-ms",
  runId: "kindgi-run-id",
  requestId: "kindgi-request-id",
  artifactVersion: "kindgi-artifact-version",
  durationMs: "kindgi-duration-ms",
  traceparent: "traceparent",
});

/**
 * One of the protocol's fourteen error codes: a closed set (`spec/handler_runtime.md` 1.2).
 *
 * The first six say how running pack code went, the next six that a message could not be acted on, the last two that a
 * call was cut short.
 */
export type PackErrorCode =
  | "input-validation-failed"
  | "output-validation-failed"
  | "handler-import-failed"
  | "handler-shape-invalid"
  | "handler-throw"
  | "check-shape-invalid"
  | "malformed-message"
  | "unknown-protocol-version"
  | "unexpected-message-kind"
  | "tool-not-in-pack"
  | "check-not-in-pack"
  | "tool-version-mismatch"
  | "deadline-exceeded"
  | "cancelled";

/** Every {@link PackErrorCode}, in the order of the specification. */
export const PACK_ERROR_CODES: readonly PackErrorCode[] = Object.freeze<
  PackErrorCode[]
>([
  "input-validation-failed",
  "output-validation-failed",
  "handler-import-failed",
  "handler-shape-invalid",
  "handler-throw",
  "check-shape-invalid",
  "malformed-message",
  "unknown-protocol-version",
  "unexpected-message-kind",
  "tool-not-in-pack",
  "check-not-in-pack",
  "tool-version-mismatch",
  "deadline-exceeded",
  "cancelled",
]);

/**
 * One thing that is wrong with an input, an output or a config.
 *
 * The shape is Ajv's. A finding of a Zod refinement has only `instancePath` and `message`.
 */
export interface PackIssue {
  /** JSON pointer to the place, `""` at the root. */
  readonly instancePath: string;
  /** What is wrong, for people. */
  readonly message: string;
  /** The schema keyword that failed. */
  readonly keyword?: string;
  /** Where that keyword stands in the schema. */
  readonly schemaPath?: string;
  /** The keyword's details, e.g. `missingProperty` for `required`. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * What a caller sends along with a tool call: who calls, within which run, and the settings that apply.
 *
 * Only `tenantId` and `runId` are checked. Every other field, known or not, reaches the handler as sent: that is how an
 * old service keeps answering a newer runtime.
 */
export interface PackCallContext {
  /** The tenant; may be the empty string. */
  readonly tenantId: string;
  /** The run that the call belongs to; may be the empty string. */
  readonly runId: string;
  /** The request within the run. */
  readonly requestId?: string;
  /** The tenant's project. */
  readonly projectId?: string;
  /** The tenant's organisation. */
  readonly orgId?: string;
  /** Values of the agent's settings: block id → values. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Values of the variables that the tool declares: name → value. */
  readonly env?: Readonly<Record<string, string>>;
  /** A UUID that stays the same when the call is repeated. */
  readonly idempotencyKey?: string;
  /** The secrets that the tool declares: name → value. */
  readonly secrets?: Readonly<Record<string, unknown>>;
  /** Reserved. */
  readonly config?: unknown;
  /** Whatever a newer runtime sends. */
  readonly [field: string]: unknown;
}

/** Request: run a tool. */
export interface ToolInvokeRequest {
  /** The protocol's version. */
  readonly v: PackProtocolVersion;
  /** Marks a tool call. */
  readonly kind: "invoke";
  /** The tool by id; with `version`, exactly that version. */
  readonly tool: { readonly id: string; readonly version?: string };
  /** The tool's input; the tool's own schema decides what is valid. */
  readonly input?: unknown;
  /** Who calls, and within what. */
  readonly ctx: PackCallContext;
}

/** Request: run a guardrail check. */
export interface CheckInvokeRequest {
  /** The protocol's version. */
  readonly v: PackProtocolVersion;
  /** Marks a check call. */
  readonly kind: "check-invoke";
  /** The check by its id. */
  readonly check: { readonly id: string };
  /** The guardrail's config, validated as sent. */
  readonly config: Readonly<Record<string, unknown>>;
  /** What the check judges; not looked at here. */
  readonly trace?: unknown;
}

/** Any request, told apart by `kind`. */
export type PackRequest = ToolInvokeRequest | CheckInvokeRequest;

/** Response: what the tool returned. */
export interface ToolResultMessage {
  /** The protocol's version. */
  readonly v: PackProtocolVersion;
  /** Marks a tool's result. */
  readonly kind: "result";
  /** The handler's return value; `null` where it returned nothing. */
  readonly output?: unknown;
}

/** Response: what the check returned. */
export interface CheckResultMessage {
  /** The protocol's version. */
  readonly v: PackProtocolVersion;
  /** Marks a check's result. */
  readonly kind: "check-result";
  /** The return value of the check's `evaluate`. */
  readonly result?: unknown;
}

/** What an error may say beside its code and message. */
export interface PackErrorExtra {
  /** The tool concerned. */
  readonly toolId?: string;
  /** The check concerned. */
  readonly checkId?: string;
  /** What was thrown: `{ name, message, stack }` of an error, else the value as JSON can write it. */
  readonly cause?: unknown;
  /** Everything that is wrong with the input, the output or the config. */
  readonly issues?: readonly PackIssue[];
}

/**
 * Response: why there is no result.
 *
 * We only ever write one of the {@link PackErrorCode}s; a message read from a newer service may hold another string,
 * which `Code` then says.
 */
export interface PackErrorMessage<Code extends string = PackErrorCode>
  extends PackErrorExtra {
  /** The protocol's version. */
  readonly v: PackProtocolVersion;
  /** Marks an error. */
  readonly kind: "error";
  /** What went wrong, for programs. */
  readonly code: Code;
  /** What went wrong, for people. */
  readonly message: string;
}

/** Any response, told apart by `kind`. */
export type PackResponse<Code extends string = PackErrorCode> =
  | ToolResultMessage
  | CheckResultMessage
  | PackErrorMessage<Code>;

/** The answer to `GET /v1/info`: what a service serves. */
export interface PackInfo {
  /** The protocol's version. */
  readonly protocol: PackProtocolVersion;
  /** The pack's id. */
  readonly packId: string;
  /** The pack's own version. */
  readonly packVersion: string;
  /** The version of this build of it. */
  readonly artifactVersion: string;
  /** Every tool and version, in the index's order. */
  readonly tools: readonly { readonly id: string; readonly version?: string }[];
  /** The ids of the checks. */
  readonly checks: readonly string[];
  /** Required environment variables that are unset or empty; names only, empty when nothing is missing. */
  readonly missingEnv: readonly string[];
}
