/**
 * Errors as values: every function that can fail for a reason its caller should handle answers a {@link Result}.
 *
 * @module
 */

/** A success: `{ kind: 'ok', value }`. */
export interface Ok<T> {
  /** Marks a success. */
  readonly kind: "ok";
  /** What was asked for. */
  readonly value: T;
}

/** A failure: `{ kind: 'err', error }`; the error has a `code` wherever it leaves a room. */
export interface Err<E> {
  /** Marks a failure. */
  readonly kind: "err";
  /** Why there is no value. */
  readonly error: E;
}

/** The outcome of something that may fail: {@link Ok} or {@link Err}, told apart by `kind`. */
export type Result<T, E> = Ok<T> | Err<E>;

/** Wraps a value as a success. */
export function ok<T>(value: T): Ok<T> {
  return { kind: "ok", value };
}

/** Wraps an error as a failure. */
export function err<E>(error: E): Err<E> {
  return { kind: "err", error };
}

/** Whether a value is a JSON object: not null, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
