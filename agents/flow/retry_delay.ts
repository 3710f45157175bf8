/**
 * How long to wait before a failed node is tried again (`spec/flow.md`, edges).
 *
 * @module
 */

import { DEFAULT_LINEAR_MAX_DELAY_MS } from "./limits.ts";
import type { RetryPolicy } from "./types.ts";

/**
 * The delay before a retry, in milliseconds.
 *
 * From a delay d, retry n waits d (`fixed`), d·n (`linear`) or d·2^(n−1) (`exponential`), and never longer than
 * `maxDelayMs`, which for `linear` is 60 000 when it isn't set.
 *
 * @param retry Which retry it is: 1 for the first, the second attempt.
 */
export function retryDelayMs(policy: RetryPolicy, retry: number): number {
  const { delayMs = 0, backoff = "fixed" } = policy;
  // Zero stays zero, even times a power too large for a number.
  if (delayMs === 0) return 0;
  switch (backoff) {
    case "fixed":
      return Math.min(delayMs, policy.maxDelayMs ?? Infinity);
    case "linear":
      return Math.min(
        delayMs * retry,
        policy.maxDelayMs ?? DEFAULT_LINEAR_MAX_DELAY_MS,
      );
    case "exponential":
      return Math.min(
        delayMs * 2 ** (retry - 1),
        policy.maxDelayMs ?? Infinity,
      );
  }
}
