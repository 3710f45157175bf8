/**
 * What a model wrote, cut to what may be shown again (`spec/decisions.md` 27).
 *
 * @module
 */

/** The most bytes of JSON, in UTF-8, that are echoed. */
export const MAX_ECHO_BYTES = 4_096;

/** What stands for a value that JSON can't write; not JSON itself. */
export const NOT_JSON = "[not JSON]";

const encoder = new TextEncoder();

/** How many bytes a text has in UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

/**
 * A value to echo: itself when its JSON has at most {@link MAX_ECHO_BYTES}, else the beginning of that JSON as a text
 * that ends in how long it was; a fixed text when JSON can't write it. Never throws.
 */
export function boundedEcho(value: unknown): unknown {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch {
    // A cycle, a BigInt, a getter that throws.
  }
  if (json === undefined) return NOT_JSON;
  const bytes = utf8Length(json);
  return bytes <= MAX_ECHO_BYTES
    ? value
    : cutTo(json, MAX_ECHO_BYTES, `… [cut; ${bytes} bytes in all]`);
}

/** The beginning of a text with a mark behind it, together at most `maxBytes` in UTF-8; no character is split. */
export function cutTo(text: string, maxBytes: number, mark: string): string {
  const room = Math.max(0, maxBytes - utf8Length(mark));
  const { read } = encoder.encodeInto(text, new Uint8Array(room));
  return text.slice(0, read) + mark;
}
