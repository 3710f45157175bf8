/**
 * The ids of the runtime's own checks.
 *
 * @module
 */

/**
 * Checks that every runtime has: a guardrail may name one, and a pack ships none under such an id
 * (`spec/handler_runtime.md` 7.5).
 */
export const BUILT_IN_CHECK_IDS: readonly string[] = Object.freeze([
  "must-cite",
  "never-call-tool",
  "max-tool-calls",
  "output-matches",
  "tool-order",
  "required-substring",
  "forbidden-substring",
]);
