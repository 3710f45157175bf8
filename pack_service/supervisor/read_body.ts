/**
 * Reading a request's body within a size and a time.
 *
 * @module
 */

/** What came of reading a body. */
export type BodyRead =
  | { readonly kind: "body"; readonly bytes: Uint8Array }
  /** Larger than allowed; the rest was not read. */
  | { readonly kind: "too-large" }
  /** Not complete in time. */
  | { readonly kind: "too-slow" }
  /** The caller went away in the middle of it. */
  | { readonly kind: "gone" };

/** Reads a body of at most `maxBytes` that arrives within `maxMs`. Never rejects. */
export async function readBody(
  request: Request,
  maxBytes: number,
  maxMs: number,
): Promise<BodyRead> {
  if (request.body === null) return { kind: "body", bytes: EMPTY };
  const declared = declaredLength(request);
  if (declared !== undefined && declared > maxBytes) {
    return { kind: "too-large" };
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooSlow = new Promise<BodyRead>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "too-slow" }), maxMs);
  });
  // With its length declared, the platform reads the body in one piece and holds it to that length.
  const reading = declared === undefined
    ? readParts(request.body, maxBytes)
    : readWhole(request);
  const result = await Promise.race([reading, tooSlow]);
  clearTimeout(timer);
  return result;
}

/** The length that a request's headers declare, if they do. */
export function declaredLength(request: Request): number | undefined {
  const length = request.headers.get("content-length");
  return length === null || !/^[0-9]+$/.test(length)
    ? undefined
    : Number(length);
}

const EMPTY = new Uint8Array(0);

async function readWhole(request: Request): Promise<BodyRead> {
  try {
    return { kind: "body", bytes: new Uint8Array(await request.arrayBuffer()) };
  } catch {
    return { kind: "gone" };
  }
}

async function readParts(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<BodyRead> {
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > maxBytes) {
        reader.cancel().catch(() => {});
        return { kind: "too-large" };
      }
      parts.push(value);
    }
  } catch {
    return { kind: "gone" };
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { kind: "body", bytes };
}
