/**
 * Cutting a byte stream into lines.
 *
 * Not `node:readline`: that also cuts at U+2028 and at a lone carriage return, both of which may stand inside a JSON
 * record.
 *
 * @module
 */

import type { Readable } from "node:stream";

/** Longest line held back, in characters: a stream without line ends is handed on in pieces of this size. */
const MAX_LINE_LENGTH = 1_048_576;

/** Calls `onLine` with each line of a UTF-8 stream, without its line end; the last one needs none. */
export function readLines(
  stream: Readable,
  onLine: (line: string) => void,
): void {
  const decoder = new TextDecoder();
  let open = "";
  const take = (text: string): void => {
    const lines = (open + text).split("\n");
    open = lines.pop() ?? "";
    for (const line of lines) {
      onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
    }
    if (open.length > MAX_LINE_LENGTH) {
      onLine(open);
      open = "";
    }
  };
  stream.on(
    "data",
    (chunk: Uint8Array) => take(decoder.decode(chunk, { stream: true })),
  );
  stream.once("end", () => {
    take(decoder.decode());
    if (open !== "") onLine(open);
    open = "";
  });
}
