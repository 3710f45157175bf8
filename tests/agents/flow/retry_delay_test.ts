import fc from "fast-check";
import { retryDelayMs, type RetryPolicy } from "../../../agents/flow/mod.ts";
import { assert, assertEquals } from "../../assert.ts";

const delays = (policy: Omit<RetryPolicy, "maxAttempts">) =>
  [1, 2, 3, 4, 5].map((retry) =>
    retryDelayMs({ maxAttempts: 6, ...policy }, retry)
  );

Deno.test("each backoff grows as it is named and stops at the longest delay", () => {
  assertEquals(delays({}), [0, 0, 0, 0, 0]);
  assertEquals(delays({ delayMs: 100 }), [100, 100, 100, 100, 100]);
  assertEquals(delays({ delayMs: 100, maxDelayMs: 60 }), [60, 60, 60, 60, 60]);
  assertEquals(
    delays({ delayMs: 100, backoff: "linear" }),
    [100, 200, 300, 400, 500],
  );
  assertEquals(
    delays({ delayMs: 25_000, backoff: "linear" }),
    [25_000, 50_000, 60_000, 60_000, 60_000],
  );
  assertEquals(
    delays({ delayMs: 25_000, backoff: "linear", maxDelayMs: 90_000 }),
    [25_000, 50_000, 75_000, 90_000, 90_000],
  );
  assertEquals(
    delays({ delayMs: 100, backoff: "exponential", maxDelayMs: 1_000 }),
    [100, 200, 400, 800, 1_000],
  );
});

Deno.test("a delay is never negative, never over the longest, and never shrinks from one retry to the next", () => {
  const policy = fc.record({
    maxAttempts: fc.integer({ min: 1, max: 10 }),
    delayMs: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    backoff: fc.constantFrom("fixed", "linear", "exponential"),
    maxDelayMs: fc.nat(),
  });
  fc.assert(fc.property(policy, fc.integer({ min: 1, max: 5_000 }), (
    policy,
    retry,
  ) => {
    const delay = retryDelayMs(policy, retry);
    assert(delay >= 0 && delay <= policy.maxDelayMs);
    assert(retryDelayMs(policy, retry + 1) >= delay);
  }));
});
