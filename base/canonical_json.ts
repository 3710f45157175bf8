/**
 * Canonical JSON: the same value gives the same bytes, whatever order its keys were written in.
 *
 * @module
 */

/** Compares two strings by UTF-16 code unit, independent of locale. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Writes a value as canonical JSON: keys sorted by code unit at every level, two-space indent, one trailing newline.
 *
 * Follows the reference's writer (`spec/handler_runtime.md` 7.7): integer-like keys come first in numeric order,
 * since objects are rebuilt; a key named `__proto__`, `undefined` and functions are left out; arrays keep their order.
 * Nesting depth is bounded by memory alone, not by the call stack.
 *
 * @throws {TypeError} If the value holds a BigInt or a cycle, which JSON can't write.
 */
export function canonicalJson(value: unknown): string {
  return `${write(value)}\n`;
}

/** One open array or object while writing. */
interface Frame {
  readonly source: object;
  readonly keys: readonly string[] | undefined;
  readonly items: readonly unknown[];
  readonly close: "]" | "}";
  next: number;
  written: number;
}

/** So many pieces are put together at a time: one list of all pieces of a large index costs more than the text. */
const CHUNK = 4_096;

function write(root: unknown): string {
  let text = "";
  const out: string[] = [];
  const stack: Frame[] = [];
  const open = new Set<object>();

  const begin = (value: unknown): void => {
    const plain = toPlain(value);
    if (typeof plain !== "object" || plain === null) {
      out.push(JSON.stringify(plain) ?? "null");
      return;
    }
    if (open.has(plain)) {
      throw new TypeError("Cannot write a cyclic value as JSON");
    }
    if (Array.isArray(plain)) {
      if (plain.length === 0) return void out.push("[]");
      stack.push({
        source: plain,
        keys: undefined,
        items: plain,
        close: "]",
        next: 0,
        written: 0,
      });
      out.push("[");
    } else {
      const keys = sortedKeys(plain as Record<string, unknown>);
      if (keys.length === 0) return void out.push("{}");
      const items = keys.map((key) => (plain as Record<string, unknown>)[key]);
      stack.push({
        source: plain,
        keys,
        items,
        close: "}",
        next: 0,
        written: 0,
      });
      out.push("{");
    }
    open.add(plain);
  };

  begin(root);
  while (stack.length > 0) {
    const frame = stack[stack.length - 1]!;
    if (out.length >= CHUNK) {
      text += out.join("");
      out.length = 0;
    }
    if (frame.next === frame.items.length) {
      stack.pop();
      open.delete(frame.source);
      out.push("\n", "  ".repeat(stack.length), frame.close);
      continue;
    }
    const index = frame.next++;
    if (frame.written++ > 0) out.push(",");
    out.push("\n", "  ".repeat(stack.length));
    if (frame.keys) out.push(JSON.stringify(frame.keys[index]!), ": ");
    begin(frame.items[index]);
  }
  return text + out.join("");
}

/** What JSON would write for a value: `toJSON` applied, unwritable values as `undefined`. */
function toPlain(value: unknown): unknown {
  if (typeof value === "bigint") {
    throw new TypeError("Cannot write a BigInt as JSON");
  }
  if (typeof value === "function" || typeof value === "symbol") {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return toPlain(toJSON.call(value));
  if (
    value instanceof Number || value instanceof String ||
    value instanceof Boolean
  ) {
    return value.valueOf();
  }
  return value;
}

/** The keys to write, in the order a rebuilt object would list them. */
function sortedKeys(value: Record<string, unknown>): string[] {
  // Without a comparator strings are sorted by code unit.
  const keys = Object.keys(value).filter((key) => {
    if (key === "__proto__") return false;
    const item = value[key];
    return item !== undefined && typeof item !== "function" &&
      typeof item !== "symbol";
  }).sort();
  if (!keys.some(isIntegerKey)) return keys;
  const integers = keys.filter(isIntegerKey).sort((a, b) =>
    Number(a) - Number(b)
  );
  return [...integers, ...keys.filter((key) => !isIntegerKey(key))];
}

/** Whether JavaScript orders this key numerically: a canonical integer below 2^32 - 1. */
function isIntegerKey(key: string): boolean {
  const first = key.charCodeAt(0);
  if (!(first >= 0x30 && first <= 0x39)) return false; // most keys, told apart fast
  if (!/^(0|[1-9][0-9]{0,9})$/.test(key)) return false;
  return Number(key) < 4_294_967_295;
}
