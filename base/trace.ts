/**
 * W3C trace context: reading a caller's `traceparent` and naming our own spans.
 *
 * @module
 */

/** The caller's place in its trace. */
export interface TraceContext {
  /** The trace: 32 lower-case hex digits. */
  readonly traceId: string;
  /** The caller's span: 16 lower-case hex digits. */
  readonly parentId: string;
  /** The caller's flags: 2 lower-case hex digits; `01` means sampled. */
  readonly flags: string;
}

const TRACEPARENT =
  /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** A `traceparent` of version 00 has exactly this many characters. */
const VERSION_00_LENGTH = 55;

/**
 * Reads a `traceparent` header; `undefined` when it is absent or breaks a rule of `spec/handler_runtime.md` 5.
 *
 * Valid means lower-case hex in four fields, a version other than `ff`, no id of zeros only. Version `00` allows nothing
 * behind the flags; a later version may have more fields, which are ignored, as the W3C recommendation asks.
 */
export function parseTraceparent(
  header: string | null | undefined,
): TraceContext | undefined {
  if (!header) return undefined;
  const match = TRACEPARENT.exec(header);
  if (!match) return undefined;
  const [, version, traceId, parentId, flags] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
  ];
  if (version === "ff") return undefined;
  if (version === "00" && header.length !== VERSION_00_LENGTH) return undefined;
  if (isZero(traceId) || isZero(parentId)) return undefined;
  return { traceId, parentId, flags };
}

/** A fresh random span id: 16 lower-case hex digits, never all zero. */
export function newSpanId(): string {
  const words = crypto.getRandomValues(new Uint32Array(2));
  const id = hexWord(words[0]!) + hexWord(words[1]!);
  return isZero(id) ? newSpanId() : id;
}

function hexWord(word: number): string {
  return word.toString(16).padStart(8, "0");
}

function isZero(id: string): boolean {
  return /^0+$/.test(id);
}
