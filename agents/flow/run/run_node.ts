/**
 * Running one node under its policy: its concurrency key, its attempts, and the time of each (`spec/flow.md`, edges).
 *
 * @module
 */

import { retryDelayMs } from "../retry_delay.ts";
import { concurrencyLeaseKey } from "../lease.ts";
import type { EdgePolicy, FlowNode } from "../types.ts";
import { callHandler } from "./call_handler.ts";
import type { Execution, StepPosition } from "./execution.ts";
import { loopPart } from "./frame.ts";
import { RunHalted } from "./halted.ts";
import type { KeptLease } from "./lease_keeper.ts";
import {
  failed,
  type Outcome,
  type OutcomeSoon,
  STOPPED_OUTCOME,
} from "./outcome.ts";
import { runFanout } from "./run_fanout.ts";
import { runForeachLoop } from "./run_foreach_loop.ts";
import { runWhileLoop } from "./run_while_loop.ts";
import { stepContext } from "./step_context.ts";

/** A node to run. */
export interface NodeRun extends Omit<StepPosition, "attempt"> {
  /** The node. */
  readonly node: FlowNode;
  /** How it runs. */
  readonly policy: EdgePolicy | undefined;
}

/** Runs a node as often as its policy lets it. */
export function runNode(execution: Execution, run: NodeRun): OutcomeSoon {
  const { policy } = run;
  return policy === undefined
    ? attempt(execution, run)
    : runUnderPolicy(execution, run, policy);
}

async function runUnderPolicy(
  execution: Execution,
  run: NodeRun,
  policy: EdgePolicy,
): Promise<Outcome> {
  const key = policy.concurrencyKey;
  if (key === undefined || run.heldKeys.has(key)) {
    return await runAttempts(execution, run, policy);
  }
  const lease = await takeKey(execution, run, key);
  if (lease === undefined) return STOPPED_OUTCOME;
  try {
    const heldKeys = new Set(run.heldKeys).add(key);
    return await runAttempts(execution, { ...run, heldKeys }, policy);
  } finally {
    await lease.release();
  }
}

/** Waits for a node's concurrency key; `undefined` when it was stopped before. */
async function takeKey(
  execution: Execution,
  { scope, stepScope }: NodeRun,
  key: string,
): Promise<KeptLease | undefined> {
  const { identity, leases, holder } = execution.parts;
  const taken = await leases.wait(
    {
      tenantId: identity.tenantId,
      key: concurrencyLeaseKey(key),
      holder: `${holder} ${stepScope}`,
      runId: identity.runId,
      lost: (error) => execution.writer.halt(error),
    },
    (listener) => scope.onStop(listener),
  );
  if (taken.kind === "ok") return taken.value;
  execution.writer.halt(taken.error);
  throw new RunHalted(taken.error);
}

async function runAttempts(
  execution: Execution,
  run: NodeRun,
  { retry, timeoutMs }: EdgePolicy,
): Promise<Outcome> {
  const step = run.frame.step(run.node.id);
  for (;;) {
    const outcome = timeoutMs === undefined
      ? await attempt(execution, run)
      : await timedAttempt(execution, run, timeoutMs);
    const attempts = step.failures + 1;
    if (outcome.kind !== "failed" || retry === undefined) return outcome;
    if (attempts >= retry.maxAttempts) return outcome;
    step.retry();
    execution.writer.stage(
      "step.failed",
      run.node.id,
      `{"message":${JSON.stringify(outcome.message)},"retrying":true${
        loopPart(run.frame)
      }}`,
    );
    await execution.writer.flush();
    if (!await run.scope.sleep(retryDelayMs(retry, attempts))) {
      return STOPPED_OUTCOME;
    }
  }
}

/** Runs a node once, for so long at most. */
async function timedAttempt(
  execution: Execution,
  run: NodeRun,
  timeoutMs: number,
): Promise<Outcome> {
  const { node } = run;
  const scope = run.scope.child();
  const reason = `node ${node.id} timed out after ${timeoutMs} ms`;
  const timer = setTimeout(
    () => scope.stop({ kind: "cancelled", reason }),
    timeoutMs,
  );
  try {
    const outcome = await attempt(execution, { ...run, scope });
    const timedOut = outcome.kind === "stopped" &&
      run.scope.reason === undefined;
    return timedOut
      ? failed(`Node ${node.id} timed out after ${timeoutMs} ms`)
      : outcome;
  } finally {
    clearTimeout(timer);
    scope.close();
  }
}

/** Runs a node once. */
function attempt(execution: Execution, run: NodeRun): OutcomeSoon {
  const { node, frame, scope } = run;
  if (scope.reason !== undefined) return STOPPED_OUTCOME;
  const { writer } = execution;
  const number = (frame.steps.get(node.id)?.failures ?? 0) + 1;
  writer.stage(
    "step.started",
    node.id,
    number === 1
      ? frame.startedText
      : `{"attempt":${number}${loopPart(frame)}}`,
  );
  // Written out rather than spread: it is made for every step.
  const position: StepPosition = {
    frame,
    stepScope: run.stepScope,
    attempt: number,
    input: run.input,
    scope,
    heldKeys: run.heldKeys,
  };
  // A run's start is stored first, whatever its nodes say.
  return writer.started && mayRunAgain(execution, node)
    ? runOnce(execution, node, position)
    : writer.flush().then(() => runOnce(execution, node, position));
}

/** Whether a node needs nothing stored before it runs: it commits itself, or all that it does is running others. */
function mayRunAgain(execution: Execution, node: FlowNode): boolean {
  switch (node.kind) {
    case "tool":
    case "agent":
      return execution.handler(node.ref)?.commits === true;
    case "loop":
      return true;
    case "fanout":
    case "subgraph":
      return false;
  }
}

function runOnce(
  execution: Execution,
  node: FlowNode,
  position: StepPosition,
): OutcomeSoon {
  if (position.scope.reason !== undefined) return STOPPED_OUTCOME;
  switch (node.kind) {
    case "tool":
    case "agent": {
      const handler = execution.handler(node.ref)!;
      const { id: nodeId, config } = node;
      const context = stepContext(
        execution,
        config === undefined
          ? { nodeId, position }
          : { nodeId, position, config },
      );
      return callHandler(handler, position.input, context, position.scope);
    }
    case "loop":
      return node.loopKind === "while"
        ? runWhileLoop(execution, node, position)
        : runForeachLoop(execution, node, position);
    case "fanout":
      return runFanout(execution, node, position);
    case "subgraph":
      return execution.parts.runSubgraph(execution, node, position);
  }
}
