/**
 * Running a graph that is a chain: one node after the other, with nothing to schedule. Most graphs are, and every turn's.
 *
 * @module
 */

import type { FlowNode } from "../types.ts";
import { nodePolicy } from "../schedule.ts";
import type { CancelScope } from "./cancel_scope.ts";
import type { Execution, GraphRun } from "./execution.ts";
import type { GraphPlan } from "./flow_plan.ts";
import { completeNode, failNode, mappedInput } from "./graph_steps.ts";
import { type Outcome, type OutcomeSoon, STOPPED_OUTCOME } from "./outcome.ts";
import { runNode } from "./run_node.ts";

/** Takes a chain as far as it goes. */
export function runChain(
  execution: Execution,
  plan: GraphPlan,
  chain: readonly FlowNode[],
  run: GraphRun,
): OutcomeSoon {
  return new ChainRunner(execution, plan, chain, run).run();
}

class ChainRunner {
  readonly #execution: Execution;
  readonly #plan: GraphPlan;
  readonly #chain: readonly FlowNode[];
  readonly #run: GraphRun;
  /** Stopped when a node fails: what it left behind comes too late. */
  readonly #scope: CancelScope;
  #at = 0;
  /** The last completed node's output as JSON text, where it was written here. */
  #text: string | undefined;

  constructor(
    execution: Execution,
    plan: GraphPlan,
    chain: readonly FlowNode[],
    run: GraphRun,
  ) {
    this.#execution = execution;
    this.#plan = plan;
    this.#chain = chain;
    this.#run = run;
    this.#scope = run.scope.child();
  }

  run(): OutcomeSoon {
    for (;;) {
      const soon = this.#next();
      if (soon instanceof Promise) return this.#runOn(soon);
      const end = this.#take(soon);
      if (end === undefined) continue;
      this.#scope.close();
      return end;
    }
  }

  async #runOn(first: Promise<Outcome>): Promise<Outcome> {
    try {
      for (let soon: OutcomeSoon = first;; soon = this.#next()) {
        const end = this.#take(soon instanceof Promise ? await soon : soon);
        if (end !== undefined) return end;
      }
    } finally {
      this.#scope.close();
    }
  }

  /** Runs the next node that hasn't completed; the chain's own outcome when there is none. */
  #next(): OutcomeSoon {
    const { frame, input, heldKeys } = this.#run;
    const chain = this.#chain;
    while (
      this.#at < chain.length && frame.steps.get(chain[this.#at]!.id)?.completed
    ) this.#at += 1;
    const node = chain[this.#at];
    const before = chain[this.#at - 1];
    const given = before === undefined ? input : frame.output(before.id);
    if (node === undefined) {
      return { kind: "done", output: given, text: this.#text };
    }
    return runNode(this.#execution, {
      node,
      policy: nodePolicy(this.#plan.graph, node.id),
      frame,
      stepScope: node.id + frame.scopeSuffix,
      input: mappedInput(this.#execution, frame, node, given),
      scope: this.#scope,
      heldKeys,
    });
  }

  /** Takes what a node came to; what the chain comes to by it, if it ends. */
  #take(outcome: Outcome): Outcome | undefined {
    if (this.#run.scope.reason !== undefined) return STOPPED_OUTCOME;
    const node = this.#chain[this.#at];
    const { frame } = this.#run;
    if (node === undefined) return outcome;
    if (outcome.kind === "failed") {
      failNode(this.#execution, frame, node.id, outcome, this.#scope);
    }
    if (outcome.kind !== "done") return outcome;
    this.#text = completeNode(this.#execution, frame, node.id, outcome);
    this.#at += 1;
    return undefined;
  }
}
