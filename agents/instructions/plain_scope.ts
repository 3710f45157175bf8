/**
 * Values that a template may see: plain data, as JSON has it.
 *
 * A template can call what it can reach: LiquidJS calls functions, getters run host code, and printing a value asks its
 * `toString`. So everything is copied into plain data before the engine sees it, and what isn't plain is refused
 * (`spec/decisions.md` 17). The copy also makes a render here and one in a worker see exactly the same.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";

/** Deeper nesting than any data has a use for; it also ends a value that refers to itself. */
const DEPTH_LIMIT = 1_000;
/** More values than any prompt has a use for; it ends one that multiplies through shared parts. */
const COUNT_LIMIT = 2_000_000;

/** Copies a scope, or says which value in it isn't plain data and why. */
export function plainScope(
  scope: object,
): Result<Record<string, unknown>, string> {
  try {
    const copy = new PlainCopy().value(scope) as Record<string, unknown>;
    return ok(copy);
  } catch (error) {
    if (error instanceof NotPlain) return err(error.message);
    return err(`a value can't be read: ${messageOf(error)}`);
  }
}

class NotPlain extends Error {}

class PlainCopy {
  readonly #path: string[] = [];
  #count = 0;

  value(value: unknown): unknown {
    switch (typeof value) {
      case "string":
      case "boolean":
      case "undefined":
        return value;
      case "number":
        if (!Number.isFinite(value)) throw this.#refused(`is ${value}`);
        return value === 0 ? 0 : value; // -0 isn't a JSON value
      case "object":
        return value === null ? null : this.#object(value);
      default:
        throw this.#refused(`is a ${typeof value}`);
    }
  }

  #object(value: object): unknown {
    if (this.#path.length > DEPTH_LIMIT) {
      throw this.#refused(
        `is nested deeper than ${DEPTH_LIMIT} levels or refers to itself`,
      );
    }
    if (Array.isArray(value)) return this.#array(value);
    if (!hasPlainPrototype(value)) {
      throw this.#refused("is an instance of a class");
    }
    if (Object.hasOwn(value, "toString")) {
      throw this.#refused("has a toString of its own");
    }
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const item = this.#property(value, key);
      if (item === undefined) continue; // as JSON has it
      if (key === "__proto__") {
        Object.defineProperty(copy, key, {
          value: item,
          enumerable: true,
          configurable: true,
          writable: true,
        });
      } else copy[key] = item;
    }
    return copy;
  }

  #array(value: unknown[]): unknown[] {
    for (const name of ["toString", "join"]) {
      if (Object.hasOwn(value, name)) {
        throw this.#refused(`has a ${name} of its own`);
      }
    }
    const copy: unknown[] = [];
    for (let index = 0; index < value.length; index++) {
      copy.push(this.#property(value, String(index)) ?? null);
    }
    return copy;
  }

  #property(owner: object, key: string): unknown {
    if (++this.#count > COUNT_LIMIT) {
      throw new NotPlain(`it holds more than ${COUNT_LIMIT} values`);
    }
    const property = Object.getOwnPropertyDescriptor(owner, key);
    if (property === undefined) return undefined;
    this.#path.push(key);
    if (property.get ?? property.set) throw this.#refused("is a getter");
    const copy = this.value(property.value);
    this.#path.pop();
    return copy;
  }

  #refused(why: string): NotPlain {
    const shown = this.#path.slice(0, 8).join(".");
    const more = this.#path.length > 8 ? "…" : "";
    return new NotPlain(`${shown || "the scope"}${more} ${why}`);
  }
}

/** Whether an object is one that JSON would make, also in another realm (`node:vm`, a test runner). */
function hasPlainPrototype(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype ||
    (Object.getPrototypeOf(prototype) === null &&
      Object.hasOwn(prototype, "hasOwnProperty") &&
      Object.hasOwn(prototype, "isPrototypeOf"));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "it threw something odd";
}
