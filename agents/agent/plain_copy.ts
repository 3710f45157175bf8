/**
 * A deep copy as plain JSON data that survives whatever it is given: proxies, throwing getters, cycles, endless objects.
 *
 * @module
 */

import { pointerSegment } from "./issues.ts";

/** Deeper values are refused. */
const MAX_DEPTH = 1_000;
/** Larger values are refused. */
const MAX_VALUES = 100_000;

/** The copy, and every place that JSON can't hold. */
export interface PlainCopy {
  /** The copy; a value that can't be held is `undefined` in it, and so is the whole when it can't be copied. */
  readonly value: unknown;
  /** Place to reason; places are as in a JSON Pointer. */
  readonly problems: ReadonlyMap<string, string>;
}

/** How to copy. */
export interface PlainCopyOptions {
  /** The place of the value itself; its own places start with it. */
  readonly at?: string;
  /** Places to leave out, value unread. */
  readonly skip?: ReadonlySet<string>;
  /** Places whose children's keys stand raw in paths, not escaped. */
  readonly rawKeysAt?: ReadonlySet<string>;
}

/** Thrown inside when the value is too large or too deep to go on. */
class CannotGoOn extends Error {}

/**
 * Copies a value as JSON would hold it: plain objects, arrays, strings, finite numbers, booleans and null.
 *
 * A property that is `undefined` is left out. What JSON can't hold (a function, symbol, BigInt, `NaN`, a hole in an
 * array, an instance of a class such as `Date`, a cycle) and what can't be read (a getter or proxy that throws) is a
 * problem at its place. Never throws.
 */
export function plainCopy(
  value: unknown,
  options: PlainCopyOptions = {},
): PlainCopy {
  const at = options.at ?? "";
  const copier = new Copier(options);
  try {
    return { value: copier.copy(value, at, 0), problems: copier.problems };
  } catch (thrown) {
    const reason = thrown instanceof CannotGoOn
      ? thrown.message
      : `can't be read: ${reasonOf(thrown)}`;
    return { value: undefined, problems: new Map([[at, reason]]) };
  }
}

/** Reads one property without ever throwing; the reason when it can't be read. */
export function readProperty(
  object: object,
  key: string,
): { readonly value: unknown } | { readonly reason: string } {
  try {
    return { value: (object as Record<string, unknown>)[key] };
  } catch (thrown) {
    return { reason: `can't be read: ${reasonOf(thrown)}` };
  }
}

/** What a thrown value, or an error that is a value, says; whatever it is. */
export function reasonOf(thrown: unknown): string {
  try {
    const message = (thrown as { readonly message?: unknown } | null)?.message;
    return thrown instanceof Error || typeof message === "string"
      ? String(message)
      : String(thrown);
  } catch {
    return "for an unknown reason";
  }
}

class Copier {
  readonly problems = new Map<string, string>();
  readonly #options: PlainCopyOptions;
  readonly #open = new Set<object>();
  #count = 0;

  constructor(options: PlainCopyOptions) {
    this.#options = options;
  }

  copy(value: unknown, path: string, depth: number): unknown {
    if (++this.#count > MAX_VALUES) {
      throw new CannotGoOn(`holds more than ${MAX_VALUES} values`);
    }
    if (depth > MAX_DEPTH) {
      throw new CannotGoOn(`is nested deeper than ${MAX_DEPTH} levels`);
    }
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        if (Number.isFinite(value)) return value === 0 ? 0 : value;
        return this.#refuse(path, `is ${value}, which JSON can't hold`);
      case "object":
        return value === null ? null : this.#copyObject(value, path, depth);
      default:
        return this.#refuse(
          path,
          `is of type ${typeof value}, which JSON can't hold`,
        );
    }
  }

  #copyObject(value: object, path: string, depth: number): unknown {
    if (this.#open.has(value)) {
      return this.#refuse(
        path,
        "refers back to itself: JSON can't hold cycles",
      );
    }
    this.#open.add(value);
    try {
      if (Array.isArray(value)) return this.#copyArray(value, path, depth);
      if (!isPlainObject(value)) {
        return this.#refuse(
          path,
          "is an instance of a class: give plain JSON data",
        );
      }
      return this.#copyRecord(value, path, depth);
    } catch (thrown) {
      if (thrown instanceof CannotGoOn) throw thrown;
      return this.#refuse(path, `can't be read: ${reasonOf(thrown)}`);
    } finally {
      this.#open.delete(value);
    }
  }

  #copyArray(value: readonly unknown[], path: string, depth: number): unknown {
    const copy: unknown[] = [];
    for (let index = 0; index < value.length; index++) {
      const place = `${path}/${index}`;
      const item = readProperty(value, String(index));
      copy.push(
        "reason" in item
          ? this.#refuse(place, item.reason)
          : this.copy(item.value, place, depth + 1),
      );
    }
    return copy;
  }

  #copyRecord(value: object, path: string, depth: number): unknown {
    const copy: Record<string, unknown> = {};
    const raw = this.#options.rawKeysAt?.has(path) === true;
    for (const key of Object.keys(value)) {
      const place = `${path}/${raw ? key : pointerSegment(key)}`;
      if (this.#options.skip?.has(place)) continue;
      const item = readProperty(value, key);
      if ("value" in item && item.value === undefined) continue;
      const held = "reason" in item
        ? this.#refuse(place, item.reason)
        : this.copy(item.value, place, depth + 1);
      if (held === undefined) continue;
      // Not an assignment: a key named `__proto__` is data like any other.
      Object.defineProperty(copy, key, {
        value: held,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    return copy;
  }

  #refuse(path: string, reason: string): undefined {
    this.problems.set(path, reason);
    return undefined;
  }
}

/**
 * Whether a value is an object that nothing but `Object.prototype` (of any realm) stands behind: no list, and no instance
 * of a class.
 */
export function isPlainObject(
  value: unknown,
): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
