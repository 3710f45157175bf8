/** The assertions of `@std/assert` with their types: the npm build of std ships without declarations. */
import * as std from "@std/assert";

/** Fails unless the value is truthy. */
export function assert(value: unknown, message?: string): asserts value {
  std.assert(value, message);
}

/** Fails unless the two are deeply equal. */
export function assertEquals<T>(
  actual: T,
  expected: T,
  message?: string,
): void {
  std.assertEquals(actual, expected, message);
}

/** Fails if the two are deeply equal. */
export function assertNotEquals<T>(
  actual: T,
  expected: T,
  message?: string,
): void {
  std.assertNotEquals(actual, expected, message);
}

/** Fails unless the text holds the part. */
export function assertStringIncludes(
  actual: string,
  expected: string,
  message?: string,
): void {
  std.assertStringIncludes(actual, expected, message);
}

/** Fails unless the text matches. */
export function assertMatch(
  actual: string,
  expected: RegExp,
  message?: string,
): void {
  std.assertMatch(actual, expected, message);
}

/** Fails unless every key of `expected` is in `actual` with an equal value, at every level. */
export function assertObjectMatch(actual: unknown, expected: object): void {
  std.assertObjectMatch(actual as Record<PropertyKey, unknown>, expected);
}

/** Fails unless the call throws; answers what was thrown. */
export function assertThrows(
  call: () => unknown,
  errorClass?: new (...args: never[]) => Error,
  includes?: string,
): Error {
  return errorClass
    ? std.assertThrows(call, errorClass, includes)
    : std.assertThrows(call);
}

/** Fails unless the promise rejects; answers the reason. */
export function assertRejects(
  call: () => Promise<unknown>,
  errorClass?: new (...args: never[]) => Error,
  includes?: string,
): Promise<Error> {
  return errorClass
    ? std.assertRejects(call, errorClass, includes)
    : std.assertRejects(call);
}

/** The value of an `ok` result; fails with the error of an `err` one. */
export function okValue<T>(
  result: { kind: "ok"; value: T } | { kind: "err"; error: unknown },
): T {
  if (result.kind === "err") {
    throw new Error(`expected ok, got ${Deno.inspect(result.error)}`);
  }
  return result.value;
}

/** The error of an `err` result; fails with the value of an `ok` one. */
export function errValue<E>(
  result: { kind: "ok"; value: unknown } | { kind: "err"; error: E },
): E {
  if (result.kind === "ok") {
    throw new Error(`expected err, got ${Deno.inspect(result.value)}`);
  }
  return result.error;
}
