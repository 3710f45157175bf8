/**
 * The envelope in which documents stand in JSON columns: `{ v, doc }`, so that a later shape can be told from this one.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";

/** The version of what is written now. */
export const CURRENT_AGENTS_PAYLOAD_VERSION = 1;

/** A document with the version of its shape. */
export interface Envelope<Doc> {
  /** The version of the shape. */
  readonly v: number;
  /** The document. */
  readonly doc: Doc;
}

/** What stands in the column is no envelope. */
export interface MalformedEnvelopeError {
  /** Not `{ v, doc }` with a number `v`. */
  readonly code: "malformed-envelope";
  /** Says what it is instead. */
  readonly message: string;
}

/** The document was written in a shape that isn't known here. */
export interface UnsupportedPayloadVersionError {
  /** A later release wrote it, or it was damaged. */
  readonly code: "unsupported-payload-version";
  /** Names both versions. */
  readonly message: string;
  /** The version in the envelope. */
  readonly version: number;
  /** The version that is known here. */
  readonly currentVersion: number;
}

/** Why an envelope can't be opened. */
export type EnvelopeError =
  | MalformedEnvelopeError
  | UnsupportedPayloadVersionError;

/** Puts a document into an envelope of the current version. */
export function wrap<Doc>(doc: Doc): Envelope<Doc> {
  return { v: CURRENT_AGENTS_PAYLOAD_VERSION, doc };
}

/**
 * Takes a document out of its envelope (`spec/agents_define.md` 16).
 *
 * `null` and `undefined` are columns without a document and come back as they are. Extra keys are ignored; a bare
 * document is not accepted. Its type is the caller's claim, not checked here.
 */
export function unwrap<Doc = unknown>(
  raw: unknown,
): Result<Doc | null | undefined, EnvelopeError> {
  if (raw === null || raw === undefined) return ok(raw);
  if (typeof raw !== "object") return malformed(typeof raw);
  if (Array.isArray(raw)) return malformed("an array");
  if (!("v" in raw) || typeof raw.v !== "number") {
    return malformed("an object without a number v");
  }
  if (!("doc" in raw)) return malformed("an object without doc");
  const { v, doc } = raw;
  if (v === CURRENT_AGENTS_PAYLOAD_VERSION) return ok(doc as Doc);
  return err({
    code: "unsupported-payload-version",
    message:
      `Cannot read a document of payload version ${v}: this release knows version ${CURRENT_AGENTS_PAYLOAD_VERSION}`,
    version: v,
    currentVersion: CURRENT_AGENTS_PAYLOAD_VERSION,
  });
}

/** Thrown by {@link unwrapOrThrow}; `error` says why. */
export class EnvelopeOpenError extends Error {
  /** The error that `unwrap` answers. */
  readonly error: EnvelopeError;

  /** Takes its message from the error. */
  constructor(error: EnvelopeError) {
    super(error.message);
    this.name = "EnvelopeOpenError";
    this.error = error;
  }
}

/**
 * Takes a document out of its envelope, for callers to whom a bad one is a fault and not an outcome.
 *
 * @throws {EnvelopeOpenError} If `unwrap` answers an error.
 */
export function unwrapOrThrow<Doc = unknown>(
  raw: unknown,
): Doc | null | undefined {
  const opened = unwrap<Doc>(raw);
  if (opened.kind === "err") throw new EnvelopeOpenError(opened.error);
  return opened.value;
}

function malformed(found: string): Result<never, MalformedEnvelopeError> {
  return err({
    code: "malformed-envelope",
    message:
      `Cannot open an envelope: expected { v, doc } with a number v, found ${found}`,
  });
}
