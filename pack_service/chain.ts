/**
 * Steps that are only as asynchronous as what they wait for: a synchronous handler's call costs no promise.
 *
 * @module
 */

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Calls `step`, then hands what it gives (awaited when it is a promise) to `next`, or what it throws to `failed`. What
 * `next` and `failed` throw is not caught.
 */
export function attempt<R>(
  step: () => unknown,
  next: (value: unknown) => MaybePromise<R>,
  failed: (thrown: unknown) => R,
): MaybePromise<R> {
  let value: unknown;
  try {
    value = step();
    if (isPromiseLike(value)) return Promise.resolve(value).then(next, failed);
  } catch (thrown) {
    return failed(thrown);
  }
  return next(value);
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return ((typeof value === "object" && value !== null) ||
    typeof value === "function") &&
    typeof (value as { then?: unknown }).then === "function";
}
