/**
 * JSON to be hashed or signed: without whitespace, keys sorted, so that equal values give equal bytes.
 *
 * @module
 */

/**
 * Writes plain JSON data without whitespace, keys sorted by code unit at every level.
 *
 * Every own key counts, `__proto__` and integer-like ones included: what is signed must not depend on how JavaScript
 * orders or hides keys. Values are written as `JSON.stringify` writes them; a key whose value is `undefined` is left out.
 *
 * @throws {TypeError} If JSON can't write the value: a BigInt.
 * @throws {RangeError} If it is nested too deep for the call stack, or holds a cycle.
 */
export function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (typeof value !== "object" || value === null) {
    return JSON.stringify(value) ?? "null";
  }
  let text = "";
  for (const key of sortedKeys(value)) {
    const item = (value as Record<string, unknown>)[key];
    if (item === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${
      sortedJson(item)
    }`;
  }
  return `{${text}}`;
}

/** An object's keys by code unit, which is the default order; most objects have them so already. */
function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  for (let at = 1; at < keys.length; at++) {
    if (keys[at - 1]! > keys[at]!) return keys.sort();
  }
  return keys;
}
