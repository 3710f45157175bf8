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

// Checks
export type {
  CheckBindings,
  CheckKind,
  CheckResult,
  RegisteredCheck,
} from "./check.ts";
export { createCheckRegistry } from "./check_registry.ts";
export type { CheckRegistry, DuplicateCheckError } from "./check_registry.ts";
export { BUILT_IN_CHECK_IDS } from "./built_in_checks.ts";
export type {
  RunTrace,
  TraceModelCall,
  TraceToolCall,
  TraceToolResult,
} from "./trace.ts";
