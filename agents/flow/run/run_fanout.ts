/**
 * Running a fanout: branches beside each other, until it has converged (`spec/flow.md`, nodes). One that hasn't runs
 * again whole.
 *
 * @module
 */

import { frozen } from "../../../base/frozen_json.ts";
import type { FanoutBranch, FanoutNode } from "../types.ts";
import { callHandler } from "./call_handler.ts";
import type { Execution, StepPosition } from "./execution.ts";
import { misfit } from "./flow_plan.ts";
import {
  type Done,
  type Failed,
  failed,
  type Outcome,
  STOPPED_OUTCOME,
  type Waiting,
} from "./outcome.ts";
import { mergeOwn, setOwn } from "./own_values.ts";
import { stepContext } from "./step_context.ts";

/** Runs a fanout's branches. */
export async function runFanout(
  execution: Execution,
  node: FanoutNode,
  position: StepPosition,
): Promise<Outcome> {
  const { branches, convergence } = node;
  const settled = new Map<FanoutBranch, Outcome>();
  // Stopped by the first branch that decides the whole.
  const scope = position.scope.child();
  let winner: FanoutBranch | undefined;
  const open = [...branches];
  const work = async (): Promise<void> => {
    for (let branch; (branch = open.shift()) !== undefined;) {
      if (scope.reason !== undefined) return;
      const outcome = await runBranch(execution, node, branch, {
        ...position,
        scope,
      });
      settled.set(branch, outcome);
      const decided = convergence === "all-succeed" &&
          outcome.kind === "failed" ||
        convergence === "any-succeed" && outcome.kind === "done";
      if (!decided || winner !== undefined) continue;
      winner = branch;
      scope.stop({
        kind: "cancelled",
        reason: `branch ${branch.branchId} has decided fanout ${node.id}`,
      });
    }
  };
  const width = Math.min(node.concurrency ?? branches.length, branches.length);
  await Promise.all(Array.from({ length: width }, work));
  scope.close();
  if (position.scope.reason !== undefined) return STOPPED_OUTCOME;

  if (winner !== undefined) {
    const outcome = settled.get(winner) as Done | Failed;
    if (outcome.kind === "failed") return outcome;
    return {
      kind: "done",
      output: frozen({
        winnerBranchId: winner.branchId,
        output: outcome.output,
      }),
      ...deltaOf([outcome]),
    };
  }
  const outcomes = branches.map((branch) => ({
    branchId: branch.branchId,
    outcome: settled.get(branch) ?? STOPPED_OUTCOME,
  }));
  const waits = outcomes.flatMap(({ outcome }) =>
    outcome.kind === "waiting" ? outcome.waits : []
  );
  if (waits.length > 0) return { kind: "waiting", waits } satisfies Waiting;
  if (convergence === "any-succeed") {
    return failed(
      outcomes.map(({ branchId, outcome }) =>
        `${branchId}: ${(outcome as Failed).message}`
      ).join("; "),
    );
  }
  const output: Record<string, unknown> = {};
  for (const { branchId, outcome } of outcomes) {
    setOwn(
      output,
      branchId,
      convergence === "all-succeed"
        ? (outcome as Done).output
        : settledBranch(outcome as Done | Failed),
    );
  }
  return {
    kind: "done",
    output: frozen(output),
    ...deltaOf(outcomes.map(({ outcome }) => outcome)),
  };
}

async function runBranch(
  execution: Execution,
  node: FanoutNode,
  branch: FanoutBranch,
  position: StepPosition,
): Promise<Outcome> {
  const handler = execution.handler(branch.handler);
  if (handler === undefined) {
    return failed(`There is no handler ${branch.handler}`);
  }
  const context = stepContext(execution, {
    nodeId: node.id,
    position: {
      ...position,
      stepScope: `${branch.branchId}@${position.stepScope}`,
    },
  });
  const outcome = await callHandler(
    handler,
    position.input,
    context,
    position.scope,
  );
  if (outcome.kind !== "done") return outcome;
  const problem = misfit(branch.outputSchema, outcome.output);
  return problem === undefined ? outcome : failed(
    `The output of branch ${branch.branchId} doesn't fit its schema: ${problem}`,
  );
}

function settledBranch(outcome: Done | Failed): Record<string, unknown> {
  if (outcome.kind === "failed") {
    return { status: "failed", error: outcome.message };
  }
  return outcome.output === undefined
    ? { status: "succeeded" }
    : { status: "succeeded", output: outcome.output };
}

/** What the branches merge into the state: in their order, so that the same answers give the same state. */
function deltaOf(
  outcomes: readonly Outcome[],
): { stateDelta?: Readonly<Record<string, unknown>>; stateDeltaText?: string } {
  const deltas = outcomes.flatMap((outcome) =>
    outcome.kind === "done" && outcome.stateDelta !== undefined
      ? [outcome.stateDelta]
      : []
  );
  if (deltas.length === 0) return {};
  const stateDelta: Record<string, unknown> = {};
  for (const delta of deltas) mergeOwn(stateDelta, delta);
  return {
    stateDelta: frozen(stateDelta),
    stateDeltaText: JSON.stringify(stateDelta),
  };
}
