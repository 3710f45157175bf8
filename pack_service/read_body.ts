/**
 * Reading a request's body with a bound on its size and on the time that it may take.
 *
 * @module
 */

import type { RollingMap } from "../base/rolling_map.ts";
import type { Timeouts } from "./timeouts.ts";

/** What became of a body. */
export type BodyRead =
  | { readonly kind: "read"; readonly bytes: Uint8Array }
  /** It is longer than allowed; what came was read and thrown away. */
  | { readonly kind: "too-large" }
  /** It didn't arrive in time. */
  | { readonly kind: "timeout" }
  /** The caller went away while sending. */
  | { readonly kind: "broken" };

/** Bounds of {@link readBody}. */
export interface BodyLimits {
  /** Longest body in bytes. */
  readonly maxBytes: number;
  /** Longest time in ms from the request's head to the body's end. */
  readonly timeoutMs: number;
  /** Where the waits are kept. */
  readonly timeouts: Timeouts;
  /** The time, on the clock of `performance.now()`. */
  readonly now: number;
  /** The bodies that are being read, each with what ends its time. */
  readonly reading?: RollingMap<number, () => void>;
}

/** How much of an over-long body is read to its end, so that the caller gets to see the answer. */
const DISCARD_BYTES = 64 * 1024 * 1024;

/** Reads a body to its end. */
export function readBody(
  request: Request,
  limits: BodyLimits,
): Promise<BodyRead> {
  const length = contentLength(request);
  if (length !== undefined && length <= limits.maxBytes) {
    return readWhole(request, limits);
  }
  return readStream(request, limits);
}

/**
 * Throws away the body of a request that is refused, so that the connection stays usable. A long body is not waited
 * for: it ends the connection.
 */
export async function discardBody(
  request: Request,
  timeouts: Timeouts,
): Promise<void> {
  if (request.body === null) return;
  const length = contentLength(request);
  if (length !== undefined && length <= 64 * 1024) {
    await readWhole(request, {
      maxBytes: length,
      timeoutMs: 1_000,
      timeouts,
      now: performance.now(),
    });
  } else {
    await request.body.cancel().catch(() => {});
  }
}

function contentLength(request: Request): number | undefined {
  const header = request.headers.get("content-length");
  return header !== null && /^\d{1,15}$/.test(header)
    ? Number(header)
    : undefined;
}

/** A body whose length is known and allowed: the platform reads it in one go. */
function readWhole(request: Request, limits: BodyLimits): Promise<BodyRead> {
  return new Promise((resolve) => {
    const stopWaiting = wait(limits, () => resolve({ kind: "timeout" }));
    request.arrayBuffer().then(
      (buffer) => {
        stopWaiting();
        resolve({ kind: "read", bytes: new Uint8Array(buffer) });
      },
      () => {
        stopWaiting();
        resolve({ kind: "broken" });
      },
    );
  });
}

let nextWait = 1;

/** Calls `timeUp` when the body's time has ended, unless the function that it answers is called before. */
function wait(
  { timeouts, timeoutMs, now, reading }: BodyLimits,
  timeUp: () => void,
): () => void {
  const number = nextWait++;
  const stop = () => {
    timeout.cancel();
    reading?.delete(number);
  };
  const end = () => {
    stop();
    timeUp();
  };
  const timeout = timeouts.start(timeoutMs, end, now);
  reading?.set(number, end);
  return stop;
}

async function readStream(
  request: Request,
  limits: BodyLimits,
): Promise<BodyRead> {
  const { maxBytes } = limits;
  if (request.body === null) {
    return { kind: "read", bytes: new Uint8Array(0) };
  }
  const reader = request.body.getReader();
  let timedOut = false;
  const stopWaiting = wait(limits, () => {
    timedOut = true;
    reader.cancel().catch(() => {});
  });
  let chunks: Uint8Array[] = [];
  let received = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (timedOut) return { kind: "timeout" };
      if (done) break;
      received += value.length;
      if (received <= maxBytes) {
        chunks.push(value);
      } else {
        chunks = [];
        if (received > maxBytes + DISCARD_BYTES) {
          await reader.cancel();
          break;
        }
      }
    }
  } catch {
    return { kind: timedOut ? "timeout" : "broken" };
  } finally {
    stopWaiting();
  }
  if (received > maxBytes) return { kind: "too-large" };
  return { kind: "read", bytes: joined(chunks, received) };
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
