/**
 * What a run is made of when it is taken up, and why it can't be.
 *
 * @module
 */

import type { RunId, TenantId } from "../../agent/mod.ts";
import type { RunParent, RunStartedPayload } from "../journal_entry.ts";
import type { KernelError } from "../kernel_errors.ts";
import type { NodeHandlers } from "../node_context.ts";
import type { RunFlowInput } from "../run_binding.ts";
import { type NewRun, runStartKey } from "../run_record.ts";
import type { Flow } from "../types.ts";
import type { RunIdentity } from "./execution.ts";
import { needsOf } from "./flow_plan.ts";

/** The error when a flow names handlers that aren't there. */
export function missingHandlers(
  flow: Flow,
  handlers: NodeHandlers,
  runId: string,
): KernelError | undefined {
  const missing = [...needsOf(flow).handlers].filter((name) =>
    handlers instanceof Map
      ? !handlers.has(name)
      : !Object.hasOwn(handlers, name)
  );
  if (missing.length === 0) return undefined;
  return {
    code: "handler-missing",
    message:
      `Cannot run flow ${flow.id}@${flow.version}: there is no handler named ${
        missing.join(", ")
      }`,
    runId,
    handlers: missing,
  };
}

/** The error for a run that somebody executes. */
export function executingElsewhere(
  runId: string,
  doing: "resume" | "end" | "delete" = "resume",
): KernelError {
  return {
    code: "run-executing",
    message: `Cannot ${doing} run ${runId}: it is being executed`,
    runId,
  };
}

/** What `run.started` says of a run. */
export function startedPayload(
  input: RunFlowInput,
  parent: RunParent | undefined,
): RunStartedPayload {
  const { flow, projectId, orgId, agent, principal, authz, metadata } = input;
  return {
    flow: { id: flow.id, version: flow.version },
    input: input.input,
    ...(projectId === undefined ? {} : { projectId }),
    ...(orgId === undefined ? {} : { orgId }),
    ...(agent === undefined ? {} : { agent }),
    ...(input.options?.dryRun ? { dryRun: true } : {}),
    principal,
    authz,
    ...(parent === undefined ? {} : { parent }),
    metadata,
  };
}

/** What a journal is told of a run that it is to start. */
export function newRun(
  input: RunFlowInput,
  runId: string,
  parent: RunParent | undefined,
): NewRun {
  const { tenantId, projectId, flow, agent, idempotencyKey } = input;
  return {
    runId,
    tenantId,
    flow: { id: flow.id, version: flow.version },
    ...(projectId === undefined ? {} : { projectId }),
    ...(agent === undefined ? {} : { agent }),
    ...(parent === undefined ? {} : { parent }),
    ...(idempotencyKey === undefined ? {} : {
      startKey: runStartKey(agent?.conversationId, idempotencyKey),
    }),
    dryRun: input.options?.dryRun === true,
  };
}

/** Who a run is, from what it was started with. */
export function identityOf(
  tenantId: string,
  runId: RunId,
  started: RunStartedPayload,
): RunIdentity {
  const { projectId, orgId, agent, principal, authz, parent } = started;
  return {
    runId,
    tenantId: tenantId as TenantId,
    ...(projectId === undefined ? {} : { projectId }),
    ...(orgId === undefined ? {} : { orgId }),
    ...(agent === undefined ? {} : { agent }),
    ...(principal === undefined ? {} : { principal }),
    ...(authz === undefined ? {} : { authz }),
    dryRun: started.dryRun === true,
    depth: parent?.depth ?? 0,
  };
}
