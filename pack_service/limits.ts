/**
 * The bounds that hold where nobody set others.
 *
 * @module
 */

/** Default bounds of a service; see the README's table for how they interact. */
export const DEFAULT_LIMITS: {
  /** Most calls under way at once. */
  readonly maxConcurrency: number;
  /** Longest request body in bytes. */
  readonly maxBodyBytes: number;
  /** Longest time in ms that a body may take to arrive. */
  readonly bodyTimeoutMs: number;
  /** Longest answer in bytes. */
  readonly maxOutputBytes: number;
  /** Deadline in ms of a call that names none. */
  readonly defaultTimeoutMs: number;
  /** How long draining waits for calls under way, in ms. */
  readonly drainMs: number;
} = Object.freeze({
  maxConcurrency: 32,
  maxBodyBytes: 10 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  maxOutputBytes: 64 * 1024 * 1024,
  defaultTimeoutMs: 120_000,
  drainMs: 8_000,
});
