/**
 * The errors of guardrails.
 *
 * @module
 */

import type { EvaluationError, EvaluationResult } from "./outcome.ts";

/** An agent names guardrails that aren't bound. */
export interface UnresolvedGuardrailError {
  /** The turn doesn't start. */
  readonly code: "unresolved-guardrail";
  /** Names them. */
  readonly message: string;
  /** Every id that isn't bound, in the agent's order. */
  readonly guardrailIds: readonly string[];
}

/** A guardrail whose action is `halt` was violated, or couldn't be evaluated. */
export interface GuardrailViolationError {
  /** The answer is not stored. */
  readonly code: "guardrail-violation";
  /** Names the guardrails and why. */
  readonly message: string;
  /** The violations that block. */
  readonly violations: readonly EvaluationResult[];
  /** Every guardrail that couldn't be evaluated, those that don't block too. */
  readonly evaluationErrors: readonly CategorizedEvaluationError[];
}

/** A guardrail that couldn't be evaluated, with what it would have done. */
export interface CategorizedEvaluationError extends EvaluationError {
  /** Its action; absent when the guardrail isn't known. */
  readonly action?: string;
  /** Its severity; absent when the guardrail isn't known. */
  readonly severity?: string;
}
