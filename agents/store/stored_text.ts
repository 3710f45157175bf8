/**
 * Text as SQL databases hold it. SQLite's texts end at U+0000, Postgres has none with it, and neither has lone surrogates;
 * ids of hosts may have all of that, and must come back as they were (`spec/durability.md`, bytes).
 *
 * @module
 */

/** Begins a text that stands as JSON. */
const ESCAPED = "\u0001";

/** A text for a column. Nearly every text stands as it is; JSON never needs more. */
export function storedText(text: string): string {
  return text.startsWith(ESCAPED) || text.includes("\0") ||
      !text.isWellFormed()
    ? ESCAPED + JSON.stringify(text)
    : text;
}

/** A text from a column. */
export function loadedText(stored: string): string {
  return stored.startsWith(ESCAPED) ? JSON.parse(stored.slice(1)) : stored;
}
