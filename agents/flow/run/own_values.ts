/**
 * Values that a run owns: plain JSON that nobody changes any more.
 *
 * @module
 */

import { frozenJson } from "../../../base/frozen_json.ts";

/** A value as a journal keeps it. */
export interface OwnValue {
  /** Its JSON text; `undefined` for `undefined`. */
  readonly text: string | undefined;
  /** What that text reads as, frozen at every level. */
  readonly value: unknown;
}

/**
 * Takes a value as its own: what its JSON text reads as, so that a run goes on with exactly what a resume would read.
 *
 * @throws {TypeError | RangeError} If JSON can't hold it: a BigInt, a cycle, too deep.
 */
export function ownValue(value: unknown): OwnValue {
  const own = frozenJson(value);
  // Of the copy: what a getter answers next doesn't count.
  return { text: JSON.stringify(own) as string | undefined, value: own };
}

/** Sets a key whatever its name: `__proto__` is a key like any other. */
export function setOwn(
  object: Record<string, unknown>,
  key: string,
  value: unknown,
): void {
  if (key !== "__proto__") object[key] = value;
  else {
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
}

/** Sets every own key of one object in another. */
export function mergeOwn(
  object: Record<string, unknown>,
  delta: Readonly<Record<string, unknown>>,
): void {
  for (const key of Object.keys(delta)) setOwn(object, key, delta[key]);
}
