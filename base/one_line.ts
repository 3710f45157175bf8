/**
 * Foreign text, made fit for a message.
 *
 * @module
 */

/** A text with each run of whitespace as one space, cut to `maxLength` UTF-16 code units, the last then a `…`. */
export function oneLine(text: string, maxLength: number): string {
  // Cut first: the pattern needn't walk megabytes that nobody will see.
  const line = text.slice(0, 4 * maxLength).replaceAll(/\s+/g, " ").trim();
  if (line.length <= maxLength && text.length <= 4 * maxLength) return line;
  return `${line.slice(0, maxLength - 1)}…`.toWellFormed();
}
