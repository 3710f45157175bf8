/**
 * From a request's bytes to a JSON value: encoding and nesting are checked before anything is parsed.
 *
 * @module
 */

import { err, ok, type Result } from "../base/result.ts";

/** The deepest nesting that a message may have (`spec/decisions.md` 12). */
export const MAX_MESSAGE_DEPTH = 1_000;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strictDecoder = new TextDecoder("utf-8", {
  fatal: true,
  ignoreBOM: true,
});
/** What a decoder that isn't strict puts in the place of bytes that are no UTF-8. */
const REPLACEMENT = "\ufffd";

const QUOTE = 0x22, BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b, CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b, CLOSE_ARRAY = 0x5d;

/**
 * Reads a message from its bytes; the error is one sentence for a `malformed-message`.
 *
 * Invalid UTF-8, a byte order mark, an empty body, broken JSON and nesting deeper than {@link MAX_MESSAGE_DEPTH} are
 * refused. Duplicate keys take the last. Depth is looked at first: parsing 10 MiB of brackets takes seconds.
 */
export function readMessage(bytes: Uint8Array): Result<unknown, string> {
  if (bytes.length === 0) return err("the body is empty");
  if (isTooDeep(bytes)) {
    return err(`the body is nested deeper than ${MAX_MESSAGE_DEPTH} levels`);
  }
  let text: string;
  try {
    text = decodeStrictly(bytes);
  } catch {
    return err("the body is not valid UTF-8");
  }
  if (text.charCodeAt(0) === 0xfeff) {
    return err("the body begins with a byte order mark");
  }
  try {
    return ok(JSON.parse(text));
  } catch (error) {
    return err(`the body is not JSON (${(error as Error).message})`);
  }
}

/** Deno decodes strictly several times as slowly, so only a text with the replacement in it, sent or put there, is. */
function decodeStrictly(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  return text.includes(REPLACEMENT) ? strictDecoder.decode(bytes) : text;
}

function isTooDeep(bytes: Uint8Array): boolean {
  // Each level takes a byte at least.
  if (bytes.length <= MAX_MESSAGE_DEPTH) return false;
  let depth = 0;
  const length = bytes.length;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = endOfString(bytes, at + 1);
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++depth > MAX_MESSAGE_DEPTH) return true;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth--;
    }
  }
  return false;
}

/** The place of the quote that ends the string which began before `from`. */
function endOfString(bytes: Uint8Array, from: number): number {
  let at = bytes.indexOf(QUOTE, from);
  while (at !== -1) {
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
    at = bytes.indexOf(QUOTE, at + 1);
  }
  return bytes.length;
}
