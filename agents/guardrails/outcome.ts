/**
 * What evaluating guardrails comes to (`spec/agents_turn.md` 11.2).
 *
 * @module
 */

import type { CheckResult } from "./check.ts";
import type { GuardrailSeverity } from "./guardrail.ts";

/** A guardrail's check judged. */
export interface EvaluationResult {
  /** The guardrail. */
  readonly guardrailId: string;
  /** The verdict. */
  readonly result: CheckResult;
  /** `noop` when it passed, else what the guardrail says of a violation. */
  readonly action: string;
  /** How serious a violation is. */
  readonly severity: GuardrailSeverity;
  /** When it was judged, as ISO 8601. */
  readonly at: string;
}

/** Why a guardrail couldn't be evaluated. */
export type EvaluationErrorCode =
  /** No check of the id is registered, or there is no registry at all. */
  | "unknown-check"
  /** The guardrail's kind is unknown, isn't its check's, or its config doesn't hold. */
  | "invalid-guardrail"
  /** A check that judges elsewhere can't be asked from here. */
  | "external-check-unsupported"
  /** The check threw or rejected (`spec/decisions.md` 25). */
  | "check-threw"
  /** What the check answered is no verdict. */
  | "check-result-invalid"
  /** The turn was aborted or its time was up before the check had judged. */
  | "check-aborted"
  /** There is no provider to judge with. */
  | "judge-missing"
  /** No model that the tenant allows can judge. */
  | "judge-routing-failed"
  /** The judge's model failed. */
  | "judge-failed"
  /** The judge's call couldn't be accounted for: a turn then fails with `persistence-error`. */
  | "judge-usage-unrecorded"
  /** The violation couldn't be recorded for compliance. */
  | "compliance-unrecorded";

/** A guardrail that couldn't be evaluated. */
export interface EvaluationError {
  /** Why, for programs. */
  readonly code: EvaluationErrorCode;
  /** Why, for people. */
  readonly message: string;
  /** The guardrail. */
  readonly guardrailId: string;
  /** Its check. */
  readonly checkId?: string;
  /** What was thrown or answered beneath. */
  readonly cause?: unknown;
}

/** What came of one guardrail. */
export type GuardrailOutcome =
  | {
    /** Its check judged. */
    readonly kind: "ok";
    /** The verdict, and what follows. */
    readonly value: EvaluationResult;
  }
  | {
    /** It doesn't hold here. */
    readonly kind: "skip";
  }
  | {
    /** It couldn't be evaluated. */
    readonly kind: "err";
    /** Why. */
    readonly error: EvaluationError;
  };
