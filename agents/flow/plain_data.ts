/**
 * Taking a flow as plain data: a copy that holds nothing but JSON, so that whatever reads it afterwards can't be
 * surprised by a getter, a proxy or a cycle, and later changes to the original don't reach the loaded flow.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import { isZodSchema } from "../../base/zod_schema.ts";
import type { FlowSchemaIssue } from "./errors.ts";
import { MAX_FLOW_DEPTH, MAX_FLOW_VALUES } from "./limits.ts";

/**
 * Copies a value as plain JSON. Keys whose value is `undefined` are left out, as JSON leaves them out; anything else
 * that JSON can't hold is an issue at its place.
 */
export function plainData(
  value: unknown,
): Result<unknown, readonly FlowSchemaIssue[]> {
  const copier = new Copier();
  try {
    const copy = copier.copy(value, "", 0);
    return copier.issues.length === 0 ? ok(copy) : err(copier.issues);
  } catch (thrown) {
    if (!(thrown instanceof TooLarge)) {
      copier.refuse(copier.at, `can't be read: ${describeThrown(thrown)}`);
    }
    return err(copier.issues);
  }
}

/** Ends the copying of a flow that has too many values. */
class TooLarge extends Error {}

class Copier {
  readonly issues: FlowSchemaIssue[] = [];
  /** The place being read. */
  at = "";
  #values = 0;
  readonly #open = new Set<object>();

  refuse(path: string, message: string): undefined {
    this.issues.push({ path, message });
  }

  copy(value: unknown, path: string, depth: number): unknown {
    this.at = path;
    if (++this.#values > MAX_FLOW_VALUES) {
      this.refuse("", `must not hold more than ${MAX_FLOW_VALUES} values`);
      throw new TooLarge();
    }
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value)
          ? value
          : this.refuse(path, `must not be ${value}: JSON can't hold it`);
      case "object":
        if (value === null) return null;
        return this.#copyObject(value, path, depth);
      default:
        return this.refuse(
          path,
          `must not be ${value === undefined ? "" : "a "}${typeof value}: ` +
            "JSON can't hold it",
        );
    }
  }

  #copyObject(value: object, path: string, depth: number): unknown {
    if (this.#open.has(value)) {
      return this.refuse(path, "must not contain itself");
    }
    if (depth === MAX_FLOW_DEPTH) {
      return this.refuse(
        path,
        `must not be over ${MAX_FLOW_DEPTH} levels deep`,
      );
    }
    const isArray = Array.isArray(value);
    if (!isArray && !isPlainObject(value)) {
      return this.refuse(
        path,
        isZodSchema(value)
          ? "must be a JSON Schema, not a Zod schema: convert it with z.toJSONSchema"
          : "must be plain JSON, not an instance of a class",
      );
    }
    this.#open.add(value);
    const copy = isArray
      ? this.#copyItems(value, path, depth)
      : this.#copyEntries(value, path, depth);
    this.#open.delete(value);
    return copy;
  }

  #copyItems(
    items: readonly unknown[],
    path: string,
    depth: number,
  ): unknown[] {
    // Not `map`, which a subclass may override and which skips holes.
    const copy: unknown[] = [];
    for (let index = 0; index < items.length; index++) {
      copy.push(this.copy(items[index], `${path}/${index}`, depth + 1));
    }
    return copy;
  }

  #copyEntries(
    source: object,
    path: string,
    depth: number,
  ): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(source)) {
      this.at = `${path}/${escapePointer(key)}`;
      const item = (source as Record<string, unknown>)[key];
      if (item === undefined) continue;
      // Defined rather than assigned, so that a key named `__proto__` stays data.
      Object.defineProperty(copy, key, {
        value: this.copy(item, this.at, depth + 1),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    return copy;
  }
}

/** Whether an object has no prototype of its own making; true for those of another realm as well. */
function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A key as a part of a JSON pointer (RFC 6901). */
export function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** What was thrown, as far as it lets itself be told. */
function describeThrown(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return "reading it threw";
  }
}
