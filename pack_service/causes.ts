/**
 * What was thrown, made fit for a message and for JSON (`spec/handler_runtime.md` 2.6). Nothing here ever throws.
 *
 * @module
 */

/** Stands for a value that has no text: one whose `toString` is missing or throws. */
const UNPRINTABLE = "a value that can't be printed";

/**
 * Says in one line what was thrown: `Name: message` for an error, the string form of anything else. Code that runs
 * while it is being printed (a getter, a `toString`) may throw; the answer is then a fixed text.
 */
export function describeThrown(thrown: unknown): string {
  try {
    if (thrown instanceof Error) {
      const name = text(thrown.name);
      const message = text(thrown.message);
      return message === "" ? name : `${name}: ${message}`;
    }
  } catch {
    return UNPRINTABLE;
  }
  return text(thrown);
}

/**
 * What was thrown as plain JSON data: `{ name, message, stack }` for an error, `null` for `undefined`, what JSON can write
 * as it is (a copy, so it can't change later), anything else as its string form.
 */
export function causeOf(thrown: unknown): unknown {
  try {
    if (thrown instanceof Error) {
      const stack: unknown = thrown.stack;
      return {
        name: text(thrown.name),
        message: text(thrown.message),
        ...(typeof stack === "string" ? { stack } : {}),
      };
    }
    if (thrown === undefined || thrown === null) return null;
    if (typeof thrown !== "object") {
      const plain = typeof thrown === "string" || typeof thrown === "number" ||
        typeof thrown === "boolean";
      return plain ? thrown : text(thrown);
    }
    const json = JSON.stringify(thrown) as string | undefined;
    return json === undefined ? text(thrown) : JSON.parse(json);
  } catch {
    return text(thrown);
  }
}

function text(value: unknown): string {
  try {
    return String(value);
  } catch {
    return UNPRINTABLE;
  }
}
