/**
 * Running a graph: the flow's own, or a loop's body in one iteration (`spec/flow.md`, scheduling).
 *
 * @module
 */

import { frozen } from "../../../base/frozen_json.ts";
import { GraphScheduler } from "../graph_scheduler.ts";
import { DEFAULT_MAX_PARALLELISM } from "../limits.ts";
import { evaluatePredicate } from "../predicate.ts";
import type { PendingWait } from "../run_record.ts";
import { type Graph, nodePolicy } from "../schedule.ts";
import type { FlowEdge, FlowNode } from "../types.ts";
import type { CancelScope } from "./cancel_scope.ts";
import type { Execution, GraphRun } from "./execution.ts";
import { type GraphPlan, planOf } from "./flow_plan.ts";
import { loopPart } from "./frame.ts";
import { RunHalted } from "./halted.ts";
import {
  type Done,
  type Failed,
  type Outcome,
  type OutcomeSoon,
  STOPPED_OUTCOME,
} from "./outcome.ts";
import { setOwn } from "./own_values.ts";
import { completeNode, failNode, mappedInput } from "./graph_steps.ts";
import { runChain } from "./run_chain.ts";
import { runNode } from "./run_node.ts";

/** Takes a graph as far as it goes. */
export function runGraph(
  execution: Execution,
  graph: Graph,
  run: GraphRun,
): OutcomeSoon {
  const plan = planOf(graph);
  return plan.chain !== undefined
    ? runChain(execution, plan, plan.chain, run)
    : new GraphRunner(execution, plan, run).run();
}

class GraphRunner {
  readonly #execution: Execution;
  readonly #plan: GraphPlan;
  readonly #run: GraphRun;
  readonly #scheduler: GraphScheduler;
  /** Stopped by the first node that fails; the graph's own scope where no two nodes run at once. */
  readonly #scope: CancelScope;
  readonly #waits: PendingWait[] = [];
  #failure: Failed | undefined;
  /** The output of the only node before the end as JSON text, once it was written. */
  #lastText: string | undefined;
  #running = 0;

  constructor(execution: Execution, plan: GraphPlan, run: GraphRun) {
    this.#execution = execution;
    this.#plan = plan;
    this.#run = run;
    this.#scope = run.scope.child();
    this.#scheduler = new GraphScheduler(
      plan.graph,
      (edge) => this.#decide(edge),
    );
    // What had completed before: in the graph's order, so that a node comes after those that lead to it.
    if (run.frame.steps.size > 0) {
      for (const id of plan.graph.order) {
        if (run.frame.steps.get(id)?.completed) this.#scheduler.complete(id);
      }
    }
  }

  run(): Promise<Outcome> {
    return new Promise<Outcome>((resolve, reject) =>
      this.#advance(resolve, reject)
    );
  }

  /** Starts what may start; when nothing runs any more, tells how it stands. */
  #advance(
    resolve: (outcome: Outcome) => void,
    reject: (thrown: unknown) => void,
  ): void {
    try {
      const most = this.#run.maxParallelism ?? DEFAULT_MAX_PARALLELISM;
      while (this.#running < most && this.#scope.reason === undefined) {
        const nodeId = this.#scheduler.next();
        if (nodeId === undefined) break;
        const outcome = this.#start(nodeId);
        if (!(outcome instanceof Promise)) {
          this.#settle(nodeId, outcome);
          continue;
        }
        this.#running += 1;
        outcome.then((late) => {
          this.#running -= 1;
          this.#settle(nodeId, late);
          this.#advance(resolve, reject);
        }).catch((thrown) => this.#fall(thrown, reject));
      }
      if (this.#running > 0) return;
      this.#scope.close();
      resolve(this.#standing());
    } catch (thrown) {
      this.#fall(thrown, reject);
    }
  }

  #fall(thrown: unknown, reject: (thrown: unknown) => void): void {
    this.#scope.close();
    reject(thrown);
  }

  #start(nodeId: string): OutcomeSoon {
    const { frame, heldKeys } = this.#run;
    const node = this.#plan.nodes.get(nodeId)!;
    return runNode(this.#execution, {
      node,
      policy: nodePolicy(this.#plan.graph, nodeId),
      frame,
      stepScope: nodeId + frame.scopeSuffix,
      input: this.#inputOf(node),
      scope: this.#scope,
      heldKeys,
    });
  }

  #settle(nodeId: string, outcome: Outcome): void {
    switch (outcome.kind) {
      case "done":
        // Too late for a graph that has failed meanwhile.
        if (this.#scope.reason === undefined) this.#complete(nodeId, outcome);
        return;
      case "failed":
        if (this.#scope.reason === undefined) this.#fail(nodeId, outcome);
        return;
      case "waiting":
        this.#waits.push(...outcome.waits);
        return;
      case "stopped":
        return;
    }
  }

  #complete(nodeId: string, done: Done): void {
    const text = completeNode(this.#execution, this.#run.frame, nodeId, done);
    if (nodeId === this.#plan.last[0]) this.#lastText = text;
    this.#scheduler.complete(nodeId);
  }

  #fail(nodeId: string, failure: Failed): void {
    this.#failure = failure;
    failNode(
      this.#execution,
      this.#run.frame,
      nodeId,
      failure,
      this.#scope,
    );
  }

  #standing(): Outcome {
    if (this.#run.scope.reason !== undefined) return STOPPED_OUTCOME;
    if (this.#failure !== undefined) return this.#failure;
    if (this.#waits.length > 0) return { kind: "waiting", waits: this.#waits };
    if (!this.#scheduler.done) {
      const { runId } = this.#execution.parts.identity;
      const error = {
        code: "stuck",
        message:
          `Cannot take run ${runId} further: nodes are left that can never run`,
        runId,
      } as const;
      this.#execution.writer.halt(error);
      throw new RunHalted(error);
    }
    return {
      kind: "done",
      output: this.#output(),
      text: this.#plan.last.length === 1 ? this.#lastText : undefined,
    };
  }

  /** That of the node before the end; several by node id. */
  #output(): unknown {
    const { last } = this.#plan;
    const { steps, outputs } = this.#run.frame;
    if (last.length === 1) {
      const [nodeId] = last as [string];
      return steps.get(nodeId)?.completed ? outputs[nodeId] : undefined;
    }
    return this.#byNode(last.filter((id) => steps.get(id)?.completed));
  }

  /** The mapping, else the one upstream output, several by node id, else what the graph was given. */
  #inputOf(node: FlowNode): unknown {
    const { frame, input } = this.#run;
    if ("inputMapping" in node && node.inputMapping !== undefined) {
      return mappedInput(this.#execution, frame, node, undefined);
    }
    const upstream = this.#plan.upstream.get(node.id)!;
    if (upstream.length === 0) return input;
    const taken = this.#scheduler.takenFrom(node.id);
    if (upstream.length > 1) {
      return this.#byNode(upstream.filter((id) => taken.includes(id)));
    }
    return taken.includes(upstream[0]!) ? frame.output(upstream[0]!) : input;
  }

  #byNode(nodeIds: readonly string[]): unknown {
    const { outputs } = this.#run.frame;
    const object: Record<string, unknown> = {};
    for (const id of nodeIds) {
      if (outputs[id] !== undefined) setOwn(object, id, outputs[id]);
    }
    return frozen(object);
  }

  /** Whether an edge with a `when` is taken: as it was decided, else decided and journaled now. */
  #decide(edge: FlowEdge): boolean {
    const { frame } = this.#run;
    const known = frame.decided.get(edge.id);
    if (known !== undefined) return known;
    const taken = evaluatePredicate(edge.when!, {
      runInput: this.#execution.parts.input,
      state: frame.state,
      nodeOutputs: frame.outputs,
    });
    frame.decided.set(edge.id, taken);
    this.#execution.writer.stage(
      "edge.evaluated",
      undefined,
      `{"edgeId":${JSON.stringify(edge.id)},"taken":${taken}${
        loopPart(frame)
      }}`,
    );
    return taken;
  }
}
