/**
 * Running a subgraph: a whole run of another flow of the tenant, with its own journal (`spec/flow.md`, nodes).
 *
 * @module
 */

import { frozen } from "../../../base/frozen_json.ts";
import type { Result } from "../../../base/result.ts";
import type { KernelError } from "../kernel_errors.ts";
import { resolveMapping } from "../operand.ts";
import type { RunResult } from "../run_binding.ts";
import type { Flow, FlowReference, SubgraphNode } from "../types.ts";
import type { Execution, RunSubgraph, StepPosition } from "./execution.ts";
import { misfit } from "./flow_plan.ts";
import { RunHalted } from "./halted.ts";
import {
  failed,
  type Outcome,
  STOPPED_OUTCOME,
  thrownText,
} from "./outcome.ts";
import type { Runs } from "./runs.ts";

/** How deep subgraphs may lie in each other. */
export const MAX_SUBGRAPH_DEPTH = 10;

/** Finds a tenant's flow; `undefined` when there is none. */
export type FindFlow = (
  tenantId: string,
  reference: FlowReference,
) => Flow | undefined | Promise<Flow | undefined>;

/** Makes what runs subgraphs. */
export function subgraphRunner(
  findFlow: FindFlow | undefined,
  runs: () => Runs,
): RunSubgraph {
  return async (execution, node, position) => {
    const { identity } = execution.parts;
    const { flowId, version } = node.flowRef;
    if (identity.depth >= MAX_SUBGRAPH_DEPTH) {
      return failed(
        `[subgraph-depth-exceeded] Node ${node.id} lies deeper than ${MAX_SUBGRAPH_DEPTH} subgraphs`,
      );
    }
    let flow: Flow | undefined;
    try {
      flow = await findFlow?.(identity.tenantId, node.flowRef);
    } catch (thrown) {
      return failed(
        `Cannot look up flow ${flowId}@${version} of node ${node.id}: ${
          thrownText(thrown)
        }`,
      );
    }
    if (flow === undefined) {
      return failed(
        `[subgraph-flow-not-found] Node ${node.id} names flow ${flowId}@${version}, which the tenant doesn't have`,
      );
    }
    const result = await runChild(runs(), execution, node, flow, position);
    if (result.kind === "ok") return outcomeOf(node, position, result.value);
    const { error } = result;
    if (error.code === "handler-missing") return failed(error.message);
    // What keeps a part of the run from going on keeps the whole from it.
    execution.writer.halt(error);
    throw new RunHalted(error);
  };
}

async function runChild(
  runs: Runs,
  execution: Execution,
  node: SubgraphNode,
  flow: Flow,
  position: StepPosition,
): Promise<Result<RunResult, KernelError>> {
  const { identity, handlers, input } = execution.parts;
  const { frame, stepScope, attempt, scope, heldKeys } = position;
  const { tenantId, projectId, orgId, principal, authz, dryRun } = identity;
  // The same step finds the same run again, after a crash as after a park; another attempt is another run.
  const runId = `${identity.runId}/${stepScope}` +
    (attempt > 1 ? `~${attempt}` : "");
  const around = {
    parent: {
      runId: identity.runId,
      nodeId: node.id,
      scope: stepScope,
      depth: identity.depth + 1,
    },
    scope,
    heldKeys,
  };
  const started = await runs.start({
    tenantId,
    runId,
    flow,
    handlers,
    input: resolveMapping(node.inputMapping, {
      runInput: input,
      state: frame.state,
      nodeOutputs: frame.outputs,
    }),
    ...(projectId === undefined ? {} : { projectId }),
    ...(orgId === undefined ? {} : { orgId }),
    principal,
    authz,
    options: { dryRun },
  }, around);
  const exists = started.kind === "err" &&
    started.error.code === "run-already-started";
  return exists
    ? await runs.resume({ tenantId, runId, flow, handlers }, around)
    : started;
}

function outcomeOf(
  node: SubgraphNode,
  { scope }: StepPosition,
  { status, output, failureMessage, waitingOn }: RunResult,
): Outcome {
  switch (status) {
    case "completed": {
      const problem = misfit(node.outputSchema, output);
      return problem === undefined
        ? { kind: "done", output: frozen(output) }
        : settled(
          node,
          `The output of subgraph ${node.id} doesn't fit its schema: ${problem}`,
        );
    }
    case "failed":
      return settled(node, failureMessage ?? "");
    case "suspended":
      return { kind: "waiting", waits: waitingOn ?? [] };
    case "cancelled":
      return scope.reason !== undefined ? STOPPED_OUTCOME : settled(
        node,
        `The run of subgraph ${node.id} was cancelled: ${failureMessage}`,
      );
  }
}

function settled(node: SubgraphNode, message: string): Outcome {
  return node.convergence === "success-only" ? failed(message) : {
    kind: "done",
    output: frozen({ status: "failed", error: message }),
  };
}
