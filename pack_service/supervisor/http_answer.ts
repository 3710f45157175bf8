/**
 * Reading one HTTP/1.1 answer from a connection's bytes, exactly as RFC 9112 frames it.
 *
 * The relay speaks HTTP to its child itself, because the platform's clients cost more than the call they carry and
 * don't say whether a request can have run when they fail (`spec/handler_runtime.md` 12).
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** Longest status line plus headers, and longest line of a chunked body's own. */
const MAX_HEAD_BYTES = 65_536;

/** Largest body that is taken from a child. */
const MAX_BODY_BYTES = 268_435_456;

/** A complete answer. */
export interface HttpAnswer {
  /** Status code, 200–599; interim (1xx) answers are skipped. */
  readonly status: number;
  /** Headers by lower-case name; repeated ones are joined with `, `. */
  readonly headers: ReadonlyMap<string, string>;
  /** The whole body. */
  readonly body: Uint8Array;
  /** Whether another request may follow on the same connection. */
  readonly reusable: boolean;
}

/** The bytes are not an HTTP/1.1 answer. */
export class HttpAnswerError extends Error {
  /** The class's name. */
  override readonly name = "HttpAnswerError";
}

/** What the reader expects next. */
type Expecting = "head" | "sized" | "chunk-size" | "chunk" | "trailer" | "end";

/** Takes the bytes of a connection as they come and gives the answer once it is complete. */
export class HttpAnswerReader {
  #expecting: Expecting = "head";
  #unread: Buffer = EMPTY;
  #status = 0;
  #headers = new Map<string, string>();
  #keepAlive = false;
  #body: Uint8Array[] = [];
  #bodyBytes = 0;
  /** Bytes of the body, or of the chunk, that are still to come. */
  #missing = 0;

  /**
   * Takes the next bytes; the answer when they complete it.
   *
   * @throws {HttpAnswerError} If they aren't part of an HTTP/1.1 answer.
   */
  feed(bytes: Uint8Array): HttpAnswer | undefined {
    const chunk = Buffer.from(
      bytes.buffer,
      bytes.byteOffset,
      bytes.byteLength,
    );
    this.#unread = this.#unread.length === 0
      ? chunk
      : Buffer.concat([this.#unread, chunk]);
    for (;;) {
      switch (this.#expecting) {
        case "head": {
          const head = this.#takeHead();
          if (head === undefined) return undefined;
          if (this.#beginBody(head)) return this.#complete();
          break;
        }
        case "sized":
          this.#takeBody();
          if (this.#missing > 0) return undefined;
          return this.#complete();
        case "chunk-size": {
          const line = this.#takeLine();
          if (line === undefined) return undefined;
          this.#missing = chunkSize(line);
          this.#expecting = this.#missing === 0 ? "trailer" : "chunk";
          break;
        }
        case "chunk": {
          this.#takeBody();
          if (this.#missing > 0 || this.#unread.length < 2) return undefined;
          if (this.#takeLine() !== "") {
            throw new HttpAnswerError("a chunk is longer than its size says");
          }
          this.#expecting = "chunk-size";
          break;
        }
        case "trailer": {
          const line = this.#takeLine();
          if (line === undefined) return undefined;
          if (line === "") return this.#complete();
          break;
        }
        case "end":
          this.#missing = Infinity;
          this.#takeBody();
          return undefined;
      }
    }
  }

  /** The connection has ended: the answer if its end is what closes the body, else `undefined`. */
  end(): HttpAnswer | undefined {
    return this.#expecting === "end" ? this.#complete() : undefined;
  }

  #takeHead(): string[] | undefined {
    const end = this.#unread.indexOf("\r\n\r\n");
    if (
      end > MAX_HEAD_BYTES || this.#unread.length > MAX_HEAD_BYTES && end < 0
    ) {
      throw new HttpAnswerError(`headers over ${MAX_HEAD_BYTES} bytes`);
    }
    if (end < 0) return undefined;
    const text = this.#unread.toString("latin1", 0, end);
    this.#unread = this.#unread.subarray(end + 4);
    return text.split("\r\n");
  }

  /** Reads the head; whether the answer is complete without a body. */
  #beginBody([statusLine = "", ...lines]: string[]): boolean {
    const match = /^HTTP\/1\.([01]) ([1-5][0-9]{2})(?: |$)/.exec(statusLine);
    if (match === null) throw new HttpAnswerError("no HTTP/1.1 status line");
    this.#status = Number(match[2]);
    this.#headers = parseHeaders(lines);
    if (this.#status === 101) {
      throw new HttpAnswerError("a change of protocol that nobody asked for");
    }
    if (this.#status < 200) return false;

    const connection = this.#headers.get("connection")?.toLowerCase() ?? "";
    this.#keepAlive = match[1] === "1"
      ? !connection.includes("close")
      : connection.includes("keep-alive");
    if (this.#status === 204 || this.#status === 304) return true;
    const coding = this.#headers.get("transfer-encoding");
    const length = this.#headers.get("content-length");
    if (coding !== undefined) {
      if (coding.toLowerCase() !== "chunked" || length !== undefined) {
        throw new HttpAnswerError("a body whose length can't be told");
      }
      this.#expecting = "chunk-size";
    } else if (length !== undefined) {
      this.#missing = contentLength(length);
      if (this.#missing === 0) return true;
      this.#expecting = "sized";
    } else {
      this.#keepAlive = false;
      this.#expecting = "end";
    }
    return false;
  }

  #takeBody(): void {
    const part = this.#unread.subarray(0, this.#missing);
    if (part.length === 0) return;
    this.#unread = this.#unread.subarray(part.length);
    this.#missing -= part.length;
    this.#bodyBytes += part.length;
    if (this.#bodyBytes > MAX_BODY_BYTES) throw bodyTooLarge();
    this.#body.push(part);
  }

  #takeLine(): string | undefined {
    const end = this.#unread.indexOf("\r\n");
    if (end < 0) {
      if (this.#unread.length > MAX_HEAD_BYTES) {
        throw new HttpAnswerError("a line of a chunked body without an end");
      }
      return undefined;
    }
    const line = this.#unread.toString("latin1", 0, end);
    this.#unread = this.#unread.subarray(end + 2);
    return line;
  }

  #complete(): HttpAnswer {
    return {
      status: this.#status,
      headers: this.#headers,
      body: this.#body.length === 1
        ? this.#body[0]!
        : Buffer.concat(this.#body, this.#bodyBytes),
      // Bytes past the answer's end belong to nothing that was asked.
      reusable: this.#keepAlive && this.#unread.length === 0,
    };
  }
}

const EMPTY = Buffer.alloc(0);

/** A header's name, lower-cased. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** A header's value. Deno 2.9 ends the process over a control character in one that it is to write (`panicked`). */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function parseHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (colon < 0 || !TOKEN.test(name) || !VALUE.test(value)) {
      throw new HttpAnswerError("a header that isn't one");
    }
    const earlier = headers.get(name);
    if (earlier === undefined) headers.set(name, value);
    else if (name !== "content-length") {
      headers.set(name, `${earlier}, ${value}`);
    } else if (earlier !== value) {
      throw new HttpAnswerError("two different content lengths");
    }
  }
  return headers;
}

function contentLength(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) {
    throw new HttpAnswerError("a content length that isn't a number");
  }
  const length = Number(text);
  if (length > MAX_BODY_BYTES) throw bodyTooLarge();
  return length;
}

function chunkSize(line: string): number {
  const match = /^([0-9A-Fa-f]{1,12})[ \t]*(?:;.*)?$/.exec(line);
  if (match === null) {
    throw new HttpAnswerError("a chunk size that isn't a number");
  }
  return Number.parseInt(match[1]!, 16);
}

function bodyTooLarge(): HttpAnswerError {
  return new HttpAnswerError(`a body over ${MAX_BODY_BYTES} bytes`);
}
