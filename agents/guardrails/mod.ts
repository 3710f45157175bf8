/**
 * Guardrails: what judges an agent's final answer before it is stored.
 *
 * @module
 */

// Guardrails
export { createGuardrailRegistry } from "./guardrail.ts";
export type {
  Guardrail,
  GuardrailAction,
  GuardrailRegistry,
  GuardrailScope,
  GuardrailSeverity,
} from "./guardrail.ts";

export { resolveGuardrails } from "./resolve.ts";
export { packGuardrails } from "./pack_guardrails.ts";
export type { PackGuardrailEntry } from "./pack_guardrails.ts";

// Judging an answer
export { buildRunTrace } from "./run_trace.ts";
export type { RunTraceInput, TraceMessage } from "./run_trace.ts";
export { evaluateGate } from "./evaluate.ts";
export type { GateBindings, GateInput, GuardrailsBindings } from "./gate.ts";
export type { ComplianceRecord, ComplianceSink } from "./compliance.ts";
export { categorizeOutcomes, guardrailViolation } from "./categorize.ts";
export type { CategorizedOutcomes } from "./categorize.ts";
export type {
  EvaluationError,
  EvaluationErrorCode,
  EvaluationResult,
  GuardrailOutcome,
} from "./outcome.ts";
export type {
  CategorizedEvaluationError,
  GuardrailViolationError,
  UnresolvedGuardrailError,
} from "./errors.ts";

// Checks
export type {
  CheckBindings,
  CheckKind,
  CheckResult,
  RegisteredCheck,
} from "./check.ts";
export { createCheckRegistry } from "./check_registry.ts";
export type { CheckRegistry, DuplicateCheckError } from "./check_registry.ts";
export { BUILT_IN_CHECK_IDS } from "../../base/built_in_checks.ts";
export type {
  RunTrace,
  TraceModelCall,
  TraceToolCall,
  TraceToolResult,
} from "./trace.ts";
