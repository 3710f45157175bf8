/**
 * Frames between the front and an executor: length-prefixed, binary, both ways over one local socket.
 *
 * A frame is `length u32 LE | type u8 | id u32 LE | payload`; `length` counts what follows it. The id is the call's,
 * or 0 where a frame belongs to none. Payloads are bytes for calls and answers and JSON for the rest
 * (`spec/executors.md`, Channel).
 *
 * @module
 */

/** What a frame says. The first group goes to an executor, the second comes from it. */
export const FrameType = {
  /** What to import and how to run: JSON {@link ExecutorBoot}. First frame, once. */
  boot: 1,
  /** A call: the request's bytes. */
  call: 2,
  /** The call's answer isn't wanted any more: JSON reason. */
  abort: 3,
  /** Asks for a pong; the executor's event loop answers. */
  ping: 4,
  /** Leave. */
  stop: 5,

  /** Imported everything, or could not: JSON {@link ExecutorBooted}. */
  booted: 16,
  /** A call is about to run pack code: JSON {@link BegunCall}. */
  begun: 17,
  /** The call belongs to an executor of its own: JSON entry key. */
  isolated: 18,
  /** A call's outcome and message. */
  answer: 19,
  /** Answers a ping. */
  pong: 20,
  /** A log record of pack code: JSON {@link ExecutorRecord}. */
  record: 21,
} as const;

/** One of {@link FrameType}'s numbers. */
export type FrameType = typeof FrameType[keyof typeof FrameType];

/** Bytes before a frame's payload. */
const HEADER_BYTES = 9;
/** Room for what is read at once. A larger frame gets a buffer of its own, for as long as it takes. */
const BUFFER_BYTES = 64 * 1024;

/** One frame as read. */
export interface Frame {
  /** Which kind, as a number that may be unknown. */
  readonly type: number;
  /** The call's id, or 0. */
  readonly id: number;
  /** A copy of its own. */
  readonly payload: Uint8Array;
}

/** A peer sent what is not a frame. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const EMPTY = new Uint8Array(0);

/** A payload that is JSON. */
export function jsonPayload(value: unknown): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}

/**
 * Reads a JSON payload.
 *
 * @throws {FrameError} If it isn't JSON.
 */
export function readJsonPayload(payload: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(payload));
  } catch {
    throw new FrameError("Cannot read a frame: its payload is not JSON");
  }
}

/** Turns a stream of bytes into frames. */
export class FrameReader {
  #buffer = new Uint8Array(BUFFER_BYTES);
  #start = 0;
  #end = 0;
  readonly #maxBytes: number;

  /** `maxBytes` bounds one payload; a longer one is a {@link FrameError}. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Where the next bytes go; read into it, then call {@link FrameReader.received}. */
  space(): Uint8Array {
    return this.#buffer.subarray(this.#end);
  }

  /**
   * Takes `count` bytes that were read into {@link FrameReader.space} and answers the frames that are now whole.
   *
   * @throws {FrameError} If a length is impossible.
   */
  received(count: number): Frame[] {
    this.#end += count;
    const frames: Frame[] = [];
    for (;;) {
      const available = this.#end - this.#start;
      if (available < 4) break;
      const length = readU32(this.#buffer, this.#start);
      if (length < HEADER_BYTES - 4 || length > this.#maxBytes + HEADER_BYTES) {
        throw new FrameError(
          `Cannot read a frame of ${length} bytes: between ${
            HEADER_BYTES - 4
          } and ${this.#maxBytes + HEADER_BYTES} are allowed`,
        );
      }
      if (available < 4 + length) {
        this.#reserve(4 + length);
        return frames;
      }
      const at = this.#start;
      this.#start += 4 + length;
      frames.push({
        type: this.#buffer[at + 4]!,
        id: readU32(this.#buffer, at + 5),
        payload: length === HEADER_BYTES - 4
          ? EMPTY
          : this.#buffer.slice(at + HEADER_BYTES, this.#start),
      });
    }
    if (this.#start === this.#end) {
      this.#start = 0;
      this.#end = 0;
      if (this.#buffer.length > 2 * BUFFER_BYTES) {
        this.#buffer = new Uint8Array(BUFFER_BYTES);
      }
    }
    this.#reserve(HEADER_BYTES);
    return frames;
  }

  /** Makes room for a frame of `bytes` that begins at the first unread byte. */
  #reserve(bytes: number): void {
    if (this.#start + bytes <= this.#buffer.length - 1) return;
    const unread = this.#buffer.subarray(this.#start, this.#end);
    if (bytes < this.#buffer.length) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
    } else {
      const larger = new Uint8Array(bytes + BUFFER_BYTES);
      larger.set(unread);
      this.#buffer = larger;
    }
    this.#end -= this.#start;
    this.#start = 0;
  }
}

/** Something that takes bytes; `write` tries at once, before the call returns. */
export interface ByteSink {
  /** Writes some of `bytes` and answers how many. */
  write(bytes: Uint8Array): Promise<number>;
}

/**
 * Loads what {@link FrameWriter.send} waits with. It is Node's, and on Deno loading it takes 10 ms and more: better while
 * there is something else to wait for than before the first frame.
 */
export function loadFrameWriting(): void {
  setImmediate(() => {});
}

/** Writes frames, several in one write where they come together. */
export class FrameWriter {
  readonly #sink: ByteSink;
  readonly #failed: (error: unknown) => void;
  #pending: Uint8Array[] = [];
  #scheduled = false;
  #writing: Promise<void> | undefined;
  #broken = false;

  /** `failed` is told once when the sink can't be written any more. */
  constructor(sink: ByteSink, failed: (error: unknown) => void) {
    this.#sink = sink;
    this.#failed = failed;
  }

  /** Queues a frame; it is written with others of the same turn of the event loop. */
  send(type: FrameType, id: number, payload: Uint8Array = EMPTY): void {
    if (this.#broken) return;
    this.#queue(type, id, payload);
    if (this.#scheduled || this.#writing) return;
    this.#scheduled = true;
    // Once this turn's events are handled: the frames of several calls then go out, and wake the peer, together.
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  /**
   * Writes a frame, after what is queued, before it returns, so that the peer has it even if this thread is about to spin.
   * Answers a promise instead when an earlier write is still under way: wait for it first.
   */
  sendNow(
    type: FrameType,
    id: number,
    payload: Uint8Array = EMPTY,
  ): Promise<void> | undefined {
    if (this.#broken) return undefined;
    this.#queue(type, id, payload);
    return this.#flushNow();
  }

  /** Settles when everything that was queued is written. */
  async drained(): Promise<void> {
    while (this.#writing || this.#pending.length > 0) {
      if (!this.#writing) this.#flush();
      await this.#writing;
    }
  }

  #queue(type: FrameType, id: number, payload: Uint8Array): void {
    this.#pending.push(frameHeader(type, id, payload.length));
    if (payload.length > 0) this.#pending.push(payload);
  }

  #flushNow(): Promise<void> | undefined {
    if (this.#writing) return this.#writing.then(() => this.#flushNow());
    this.#flush();
    return undefined;
  }

  #flush(): void {
    if (this.#writing || this.#pending.length === 0) return;
    const bytes = joinBytes(this.#pending);
    this.#pending = [];
    this.#writing = this.#writeAll(bytes);
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    try {
      let written = 0;
      while (written < bytes.length) {
        written += await this.#sink.write(
          written === 0 ? bytes : bytes.subarray(written),
        );
      }
    } catch (error) {
      this.#broken = true;
      this.#pending = [];
      this.#failed(error);
    } finally {
      this.#writing = undefined;
      this.#flush();
    }
  }
}

function frameHeader(
  type: number,
  id: number,
  payloadBytes: number,
): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  writeU32(header, 0, HEADER_BYTES - 4 + payloadBytes);
  header[4] = type;
  writeU32(header, 5, id);
  return header;
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function readU32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 |
    bytes[at + 3]! << 24) >>> 0;
}

function writeU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value & 0xff;
  bytes[at + 1] = (value >>> 8) & 0xff;
  bytes[at + 2] = (value >>> 16) & 0xff;
  bytes[at + 3] = (value >>> 24) & 0xff;
}
