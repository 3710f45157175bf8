/**
 * Evaluating guardrails on a turn's trace (`spec/agents_turn.md` 11.2).
 *
 * @module
 */

import { isoTime } from "../../base/iso_time.ts";
import { randomUUID } from "node:crypto";
import { compileSchema } from "../../base/json_schema.ts";
import { mendedJson } from "../../base/mended_text.ts";
import { oneLine } from "../../base/one_line.ts";
import { err, isRecord, ok, type Result } from "../../base/result.ts";
import { AbortedWaitError, untilAborted } from "../../base/until_aborted.ts";
import { quoted, reasonOf } from "../agent/mod.ts";
import type { CheckResult, RegisteredCheck } from "./check.ts";
import type { EvaluationContext, GateBindings, GateInput } from "./gate.ts";
import type { Guardrail } from "./guardrail.ts";
import { judge, type JudgeError } from "./judge.ts";
import type { EvaluationResult, GuardrailOutcome } from "./outcome.ts";
import { holdsFor } from "./scope.ts";
import type { RunTrace } from "./trace.ts";

/**
 * Evaluates guardrails, all at once; outcomes stand in the guardrails' order. Never rejects.
 *
 * A guardrail that doesn't hold here is skipped. One that can't be evaluated is an error, whatever the reason: a check that
 * isn't registered, that throws, that answers no verdict, a judge that can't be had. Under `halt` an error blocks as a
 * violation does (`categorizeOutcomes`).
 */
export async function evaluateGate(
  input: GateInput,
  bindings: GateBindings,
): Promise<GuardrailOutcome[]> {
  const { guardrails, trace, ...rest } = input;
  const context = { ...bindings, ...rest, newCallId: randomUUID };
  return await Promise.all(
    guardrails.map((guardrail) => evaluate(guardrail, trace, context)),
  );
}

async function evaluate(
  guardrail: Guardrail,
  trace: RunTrace,
  context: EvaluationContext,
): Promise<GuardrailOutcome> {
  if (!holdsFor(guardrail, trace)) return { kind: "skip" };
  const verdict = await verdictOf(guardrail, trace, context);
  const evaluated = verdict.kind === "err"
    ? verdict
    : await recorded(evaluation(guardrail, verdict.value), trace, context);
  if (evaluated.kind === "ok") return evaluated;
  const { code, message, cause } = evaluated.error;
  return {
    kind: "err",
    error: {
      code,
      message: `Cannot evaluate guardrail ${quoted(guardrail.id)}: ${message}`,
      guardrailId: guardrail.id,
      checkId: guardrail.check,
      ...(cause === undefined ? {} : { cause }),
    },
  };
}

/** The verdict by the guardrail's kind. */
async function verdictOf(
  guardrail: Guardrail,
  trace: RunTrace,
  context: EvaluationContext,
): Promise<Result<CheckResult, JudgeError>> {
  const { kind } = guardrail;
  if (context.checks === undefined) {
    return err({
      code: "unknown-check",
      message: `there is no check registry to find ${
        quoted(guardrail.check)
      } in`,
    });
  }
  const check = context.checks.get(guardrail.check);
  if (kind === "llm-judge" && check === undefined) {
    return await judge(guardrail, trace, context);
  }
  if (kind === "external") {
    return err({
      code: "external-check-unsupported",
      message: "its kind is external, and no external checks can be asked here",
    });
  }
  if (kind !== "zero-llm" && kind !== "llm-judge") {
    return err({
      code: "invalid-guardrail",
      message: `its kind is ${quoted(kind)}: use zero-llm or llm-judge`,
    });
  }
  if (check === undefined) {
    return err({
      code: "unknown-check",
      message: `no check ${quoted(guardrail.check)} is registered`,
    });
  }
  if (check.kind !== kind) {
    return err({
      code: "invalid-guardrail",
      message: `its kind is ${kind}, and its check's is ${check.kind}`,
    });
  }
  return await checked(check, guardrail.config ?? {}, trace, context);
}

async function checked(
  check: RegisteredCheck,
  config: Readonly<Record<string, unknown>>,
  trace: RunTrace,
  context: EvaluationContext,
): Promise<Result<CheckResult, JudgeError>> {
  const { abortSignal, deadlineAt, traceparent } = context;
  const { providerRegistry, tenantPolicy, usage, compliance } = context;
  try {
    const problem = configProblem(check, config);
    if (problem !== undefined) {
      return err({
        code: "invalid-guardrail",
        message: `the config of check ${quoted(check.id)}: ${problem}`,
      });
    }
    const result: unknown = await untilAborted(
      abortSignal,
      () =>
        check.evaluate(config, trace, {
          ...(abortSignal === undefined ? {} : { abortSignal }),
          ...(deadlineAt === undefined ? {} : { deadlineAt }),
          ...(traceparent === undefined ? {} : { traceparent }),
          ...(providerRegistry === undefined ? {} : { providerRegistry }),
          ...(tenantPolicy === undefined ? {} : { tenantPolicy }),
          ...(usage === undefined ? {} : { usage }),
          ...(compliance === undefined ? {} : { compliance }),
        }),
    );
    const verdict = readVerdict(result);
    if (verdict !== undefined) return ok(verdict);
    return err({
      code: "check-result-invalid",
      message: `check ${quoted(check.id)} answered no { passed: boolean }`,
    });
  } catch (cause) {
    if (cause instanceof AbortedWaitError || abortSignal?.aborted) {
      return err({
        code: "check-aborted",
        message: `check ${quoted(check.id)} was given up`,
      });
    }
    return err({
      code: "check-threw",
      message: `check ${quoted(check.id)} threw: ${
        oneLine(reasonOf(cause), 500)
      }`,
      cause,
    });
  }
}

/** What is wrong with a config, by the check's own account of it. */
function configProblem(
  check: RegisteredCheck,
  config: Readonly<Record<string, unknown>>,
): string | undefined {
  if (check.configJsonSchema !== undefined) {
    const schema = compileSchema(check.configJsonSchema, "output");
    if (schema.kind === "err") return `its schema: ${schema.error.message}`;
    const [first] = schema.value(config);
    if (first !== undefined) {
      return `${first.instancePath} ${first.message}`.trim();
    }
  }
  return check.validateConfig?.(config);
}

/** A verdict's known fields, each of its own type, as JSON holds them; `undefined` when it is none. */
function readVerdict(given: unknown): CheckResult | undefined {
  if (!isRecord(given) || typeof given.passed !== "boolean") return undefined;
  const { passed, reason, judgeResponse, attributes } = given;
  return mendedJson({
    passed,
    ...(typeof reason === "string" ? { reason } : {}),
    ...(typeof judgeResponse === "string" ? { judgeResponse } : {}),
    ...(isRecord(attributes) ? { attributes } : {}),
  }).value as CheckResult;
}

function evaluation(
  { id, action, severity = "error" }: Guardrail,
  result: CheckResult,
): EvaluationResult {
  return {
    guardrailId: id,
    result,
    action: result.passed ? "noop" : action["on-violation"],
    severity,
    at: isoTime(Date.now()),
  };
}

/** Tells the compliance sink of a violation; one that can't be told is an error. */
async function recorded(
  evaluation: EvaluationResult,
  trace: RunTrace,
  { compliance }: EvaluationContext,
): Promise<Result<EvaluationResult, JudgeError>> {
  if (evaluation.result.passed || compliance === undefined) {
    return ok(evaluation);
  }
  try {
    const { projectId, agentId, conversationId } = trace;
    await compliance.record({
      ...evaluation,
      tenantId: trace.tenantId,
      runId: trace.runId,
      ...(projectId === undefined ? {} : { projectId }),
      ...(agentId === undefined ? {} : { agentId }),
      ...(conversationId === undefined ? {} : { conversationId }),
    });
    return ok(evaluation);
  } catch (cause) {
    return err({
      code: "compliance-unrecorded",
      message: `the violation couldn't be recorded: ${reasonOf(cause)}`,
      cause,
    });
  }
}
