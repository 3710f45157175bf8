/**
 * What guardrails are evaluated on, and with.
 *
 * @module
 */

import type {
  ModelUsageSink,
  ProviderRegistry,
  TenantPolicy,
} from "../routing/mod.ts";
import type { CheckRegistry } from "./check_registry.ts";
import type { ComplianceSink } from "./compliance.ts";
import type { Guardrail, GuardrailRegistry } from "./guardrail.ts";
import type { RunTrace } from "./trace.ts";

/** What a host binds for guardrails. */
export interface GuardrailsBindings {
  /** Where an agent's guardrails are found. */
  readonly guardrails?: GuardrailRegistry;
  /** Where their checks are found; without it every guardrail is an error. */
  readonly checks?: CheckRegistry;
  /** Hears of every violation. */
  readonly compliance?: ComplianceSink;
}

/** What {@link evaluateGate} works with. */
export interface GateBindings extends GuardrailsBindings {
  /** Where judges are found. */
  readonly providerRegistry?: ProviderRegistry;
  /** Where judges' calls are accounted for. */
  readonly usage?: ModelUsageSink;
}

/** What {@link evaluateGate} judges. */
export interface GateInput {
  /** The turn's guardrails, in the agent's order. */
  readonly guardrails: readonly Guardrail[];
  /** The turn. */
  readonly trace: RunTrace;
  /** The turn's tenant policy: judges are routed under it. */
  readonly tenantPolicy?: TenantPolicy | undefined;
  /** Ends the evaluation: whatever hasn't judged by then is an error. */
  readonly abortSignal?: AbortSignal | undefined;
  /** When it has to be done, in milliseconds since 1970. */
  readonly deadlineAt?: number | undefined;
  /** The caller's trace, as W3C Trace Context writes it. */
  readonly traceparent?: string | undefined;
}

/** What one guardrail is evaluated with. */
export interface EvaluationContext extends
  Pick<
    GateInput,
    "tenantPolicy" | "abortSignal" | "deadlineAt" | "traceparent"
  >,
  GateBindings {
  /** Names a judge's call. */
  readonly newCallId: () => string;
}
