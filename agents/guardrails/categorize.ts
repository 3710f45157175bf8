/**
 * What a turn makes of its guardrails' outcomes (`spec/agents_turn.md` 11.3, 11.4).
 *
 * @module
 */

import type {
  CategorizedEvaluationError,
  GuardrailViolationError,
} from "./errors.ts";
import type { Guardrail } from "./guardrail.ts";
import type {
  EvaluationError,
  EvaluationResult,
  GuardrailOutcome,
} from "./outcome.ts";

/** Outcomes, sorted by what a turn does with them; passes and skips are left out. */
export interface CategorizedOutcomes {
  /** Violations whose action is `halt`. */
  readonly blocking: readonly EvaluationResult[];
  /** Violations whose action is `log-only` or `noop`. */
  readonly warnings: readonly EvaluationResult[];
  /** Violations with any other action: reported, and left to the host. */
  readonly other: readonly EvaluationResult[];
  /** Guardrails that couldn't be evaluated. */
  readonly errors: readonly CategorizedEvaluationError[];
  /** Those of them whose action is `halt`: they block as well. */
  readonly blockingErrors: readonly CategorizedEvaluationError[];
}

/** The guardrail of an error that names none. */
const UNKNOWN_GUARDRAIL = "<unknown>";

/**
 * Sorts outcomes by what a turn does with them.
 *
 * @param guardrails What was evaluated: errors learn their action from it, by place where there is one outcome for each,
 * else by id.
 */
export function categorizeOutcomes(
  outcomes: readonly GuardrailOutcome[],
  guardrails: readonly Guardrail[] = [],
): CategorizedOutcomes {
  const paired = guardrails.length === outcomes.length;
  const violations = outcomes.flatMap((outcome) =>
    outcome.kind === "ok" && !outcome.value.result.passed ? [outcome.value] : []
  );
  const errors = outcomes.flatMap((outcome, index) => {
    if (outcome.kind !== "err") return [];
    const { error } = outcome;
    const guardrail = paired
      ? guardrails[index]
      : guardrails.find(({ id }) => id === error.guardrailId);
    return [categorizedError(error, guardrail)];
  });
  const isWarning = ({ action }: EvaluationResult) =>
    action === "log-only" || action === "noop";
  return {
    blocking: violations.filter(({ action }) => action === "halt"),
    warnings: violations.filter(isWarning),
    other: violations.filter((violation) =>
      violation.action !== "halt" && !isWarning(violation)
    ),
    errors,
    blockingErrors: errors.filter(({ action }) => action === "halt"),
  };
}

function categorizedError(
  error: EvaluationError,
  guardrail: Guardrail | undefined,
): CategorizedEvaluationError {
  return {
    ...error,
    guardrailId: guardrail?.id ?? error.guardrailId ?? UNKNOWN_GUARDRAIL,
    ...(guardrail === undefined ? {} : {
      action: guardrail.action["on-violation"],
      severity: guardrail.severity ?? "error",
    }),
  };
}

/**
 * The error that outcomes fail a turn with, or `undefined` when nothing blocks.
 *
 * One that blocks is named with its reason; of several the number comes first.
 */
export function guardrailViolation(
  outcomes: CategorizedOutcomes,
): GuardrailViolationError | undefined {
  const { blocking, blockingErrors, errors } = outcomes;
  const reasons = [
    ...blocking.map(({ guardrailId, result }) =>
      [guardrailId, result.reason?.trim() ?? ""] as const
    ),
    ...blockingErrors.map(({ guardrailId, message }) =>
      [guardrailId, message] as const
    ),
  ];
  const [first, ...others] = reasons;
  if (first === undefined) return undefined;
  const message = others.length === 0
    ? `Guardrail ${first[0]} blocked the answer${first[1] && `: ${first[1]}`}`
    : `${reasons.length} guardrails blocked the answer: ${
      reasons.map(([id, reason]) => reason === "" ? id : `${id} (${reason})`)
        .join("; ")
    }`;
  return {
    code: "guardrail-violation",
    message,
    violations: blocking,
    evaluationErrors: errors,
  };
}
