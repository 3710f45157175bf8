/**
 * Whether a guardrail holds for a turn.
 *
 * @module
 */

import type { Guardrail } from "./guardrail.ts";
import type { RunTrace } from "./trace.ts";

/**
 * Whether a guardrail holds for what a trace tells: the kind of run, the agent, the flow and the tenant. A list that is
 * there holds only for what is in it; a trace without a flow is in no list of flows.
 */
export function holdsFor({ scope }: Guardrail, trace: RunTrace): boolean {
  const { when = "always", agents, flows, tenants } = scope ?? {};
  return (when === "always" || when === `${trace.mode}-only`) &&
    listed(agents, trace.agentId) &&
    listed(flows, trace.flowId) &&
    listed(tenants, trace.tenantId);
}

function listed(
  ids: readonly string[] | undefined,
  id: unknown,
): boolean {
  return ids === undefined || typeof id === "string" && ids.includes(id);
}
