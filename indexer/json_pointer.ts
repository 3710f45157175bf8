/**
 * Places in JSON values.
 *
 * @module
 */
import { isRecord } from "../base/result.ts";

/** A key as a segment of a JSON pointer. */
export function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The JSON pointers of the deepest values that differ, in the order of the first value's keys. */
export function differentPlaces(a: unknown, b: unknown, at = ""): string[] {
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    return a.flatMap((item, index) =>
      differentPlaces(item, b[index], `${at}/${index}`)
    );
  }
  if (isRecord(a) && isRecord(b)) {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
      differentPlaces(a[key], b[key], `${at}/${escapePointer(key)}`)
    );
  }
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [at];
}

/** The value at a JSON pointer, or `undefined` when there is none. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const segment of pointer.split("/").slice(1)) {
    const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null) return undefined;
    if (!Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
