/**
 * Messages as bytes: the length of each in four bytes, little-endian, then its text as UTF-8.
 *
 * @module
 */

const HEADER = 4;
const USUAL_ROOM = 1 << 16;
const KEPT_ROOM = 1 << 20;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** One message as bytes. Its text must be well formed, as `JSON.stringify` makes it. */
export function encodeFrame(message: string): Uint8Array<ArrayBuffer> {
  // Three bytes are the most that UTF-8 makes of a UTF-16 unit.
  if (message.length > 1 << 16) return encodeLongFrame(message);
  const frame = new Uint8Array(HEADER + 3 * message.length);
  const { written } = encoder.encodeInto(message, frame.subarray(HEADER));
  new DataView(frame.buffer).setUint32(0, written, true);
  return frame.subarray(0, HEADER + written);
}

function encodeLongFrame(message: string): Uint8Array<ArrayBuffer> {
  const body = encoder.encode(message);
  const frame = new Uint8Array(HEADER + body.length);
  new DataView(frame.buffer).setUint32(0, body.length, true);
  frame.set(body, HEADER);
  return frame;
}

/** Puts messages together from bytes as they arrive. */
export class FrameReader {
  readonly #longest: number;
  #bytes = new Uint8Array(USUAL_ROOM);
  #length = 0;

  /** Refuses messages of more than `longest` bytes. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /**
   * Takes bytes and answers the messages that they complete.
   *
   * @throws {RangeError} If a message is longer than allowed.
   */
  push(chunk: Uint8Array): string[] {
    this.#append(chunk);
    const messages: string[] = [];
    let start = 0;
    while (this.#length - start >= HEADER) {
      const size = new DataView(this.#bytes.buffer).getUint32(start, true);
      if (size > this.#longest) {
        throw new RangeError(
          `a message of ${size} bytes is longer than the ${this.#longest} allowed`,
        );
      }
      const end = start + HEADER + size;
      if (end > this.#length) break;
      messages.push(decoder.decode(this.#bytes.subarray(start + HEADER, end)));
      start = end;
    }
    this.#bytes.copyWithin(0, start, this.#length);
    this.#length -= start;
    if (this.#length === 0 && this.#bytes.length > KEPT_ROOM) {
      this.#bytes = new Uint8Array(USUAL_ROOM); // gives back what a long message needed
    }
    return messages;
  }

  #append(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = needed;
  }
}
