/**
 * Text that every store and provider can hold (`spec/durability.md`, Bytes).
 *
 * @module
 */

const REPLACEMENT = "\uFFFD";

/** A text with U+0000 and lone surrogates replaced by U+FFFD; the same string when there are none. */
export function mendedText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes("\0")
    ? wellFormed.replaceAll("\0", REPLACEMENT)
    : wellFormed;
}

/** Whether a JSON text may hold something to mend: `JSON.stringify` writes both as escapes, in lower case. */
const MAY_NEED_MENDING = /\\u(?:0000|d[89a-f])/;

/**
 * A value as JSON holds it, with every text in it mended, keys too.
 *
 * What JSON leaves out (`undefined`, functions) is left out, `toJSON` is applied; `undefined` itself is `null`.
 *
 * @throws {TypeError} If JSON can't write it: a BigInt, a cycle.
 */
export function mendedJson(
  value: unknown,
): { readonly value: unknown; readonly text: string } {
  const text = JSON.stringify(value) ?? "null";
  if (!MAY_NEED_MENDING.test(text)) return { value: JSON.parse(text), text };
  const mended: unknown = JSON.parse(text, (_key, item: unknown) => {
    if (typeof item === "string") return mendedText(item);
    return mendedKeys(item);
  });
  return { value: mended, text: JSON.stringify(mended) };
}

function mendedKeys(item: unknown): unknown {
  if (typeof item !== "object" || item === null || Array.isArray(item)) {
    return item;
  }
  const keys = Object.keys(item);
  if (keys.every((key) => mendedText(key) === key)) return item;
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [mendedText(key), value]),
  );
}
