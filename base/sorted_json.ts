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
  // Data whose keys stand in order already needs no sorting, and the platform writes it several times as fast.
  if (isSorted(value)) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  const object = value as Readonly<Record<string, unknown>>;
  let text = "";
  // The default order is by code unit.
  for (const key of Object.keys(object).sort()) {
    const item = object[key];
    if (item === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${
      sortedJson(item)
    }`;
  }
  return `{${text}}`;
}

/** Whether data is plain and its keys are enumerated by code unit, at every level. */
function isSorted(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) {
    return !("toJSON" in value) && value.every(isSorted);
  }
  if (
    Object.getPrototypeOf(value) !== Object.prototype || "toJSON" in value
  ) return false;
  const object = value as Readonly<Record<string, unknown>>;
  let before = "";
  for (const key of Object.keys(object)) {
    if (key < before || !isSorted(object[key])) return false;
    before = key;
  }
  return true;
}
