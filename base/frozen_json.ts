/**
 * A value as JSON holds it, frozen.
 *
 * @module
 */

import { mendedJson, mendedText } from "./mended_text.ts";

/** Deeper than this the JSON functions take over: they know a cycle from depth. */
const DEEPEST = 100;

/** Stands for what only `JSON.stringify` can tell the meaning of. */
const UNUSUAL: unique symbol = Symbol("unusual");

/**
 * A copy of a value that is what its JSON text reads as, frozen at every level; `undefined` where JSON has no text for it.
 *
 * Plain data is copied part by part, in less than half the time that writing, parsing and freezing takes; anything else,
 * such as an object with a `toJSON`, goes through its text.
 *
 * @throws {TypeError | RangeError} If JSON can't hold it: a BigInt, a cycle, too deep.
 */
export function frozenJson(value: unknown): unknown {
  return copied(value, asItIs);
}

/**
 * The same with every text in it mended, keys too (`spec/durability.md`, Bytes).
 *
 * @throws {TypeError | RangeError} If JSON can't hold it.
 */
export function mendedFrozenJson(value: unknown): unknown {
  return copied(value, mendedText);
}

type TextOf = (text: string) => string;

function asItIs(text: string): string {
  return text;
}

function copied(value: unknown, textOf: TextOf): unknown {
  const copy = plainCopy(value, 0, textOf);
  if (copy !== UNUSUAL) return copy;
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return undefined;
  const read: unknown = textOf === asItIs
    ? JSON.parse(text)
    : mendedJson(value).value;
  return frozen(read);
}

function plainCopy(value: unknown, depth: number, textOf: TextOf): unknown {
  switch (typeof value) {
    case "string":
      return textOf(value);
    case "boolean":
      return value;
    case "number":
      // JSON has neither NaN nor infinity, and no zero below zero.
      return Number.isFinite(value) ? value + 0 : null;
    case "object":
      if (value === null) return null;
      if (depth === DEEPEST) return UNUSUAL;
      return Array.isArray(value)
        ? arrayCopy(value, depth + 1, textOf)
        : objectCopy(value as Record<string, unknown>, depth + 1, textOf);
    default:
      return UNUSUAL;
  }
}

function arrayCopy(
  array: readonly unknown[],
  depth: number,
  textOf: TextOf,
): unknown {
  if (
    Object.getPrototypeOf(array) !== Array.prototype || "toJSON" in array
  ) return UNUSUAL;
  const copy: unknown[] = [];
  for (let index = 0; index < array.length; index++) {
    const item = plainCopy(array[index], depth, textOf);
    if (item === UNUSUAL) return UNUSUAL;
    copy.push(item);
  }
  return Object.freeze(copy);
}

function objectCopy(
  object: Readonly<Record<string, unknown>>,
  depth: number,
  textOf: TextOf,
): unknown {
  if (
    Object.getPrototypeOf(object) !== Object.prototype || "toJSON" in object
  ) return UNUSUAL;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    // Assigning it would set the copy's prototype.
    if (key === "__proto__") return UNUSUAL;
    const own = object[key];
    if (own === undefined) continue;
    const item = plainCopy(own, depth, textOf);
    if (item === UNUSUAL) return UNUSUAL;
    copy[textOf(key)] = item;
  }
  return Object.freeze(copy);
}

/** Freezes plain data at every level, and answers it; what is frozen already is taken to be so throughout. */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Object.isFrozen(value)) return value;
  if (Array.isArray(value)) { for (const item of value) frozen(item); }
  else for (const key of Object.keys(value)) frozen((value as never)[key]);
  return Object.freeze(value);
}
