/**
 * Scheduling step by step: the rules of `schedule.ts` with a cost that depends on a node's own edges, not on the graph.
 *
 * @module
 */

import { compareCodeUnits } from "../../base/canonical_json.ts";
import { LOOP_START, START } from "./limits.ts";
import { type IndexedGraph, nodePolicy } from "./schedule.ts";
import type { FlowEdge } from "./types.ts";

/** Where the nodes of one running graph stand. */
export class GraphScheduler {
  readonly #graph: IndexedGraph;
  readonly #holds: (edge: FlowEdge) => boolean;
  /** Edges into a node that aren't decided. */
  readonly #pending = new Map<string, number>();
  /** Where the taken edges into a node come from. */
  readonly #takenFrom = new Map<string, string[]>();
  /** Nodes that may start, best first. */
  readonly #ready: string[] = [];
  #unsettled = 0;

  /**
   * Decides the edges out of the start.
   *
   * @param holds Whether an edge with a `when` is taken; asked once for each, when its source has completed.
   */
  constructor(graph: IndexedGraph, holds: (edge: FlowEdge) => boolean) {
    this.#graph = graph;
    this.#holds = holds;
    this.#unsettled = graph.incoming.size;
    for (const [id, edges] of graph.incoming) {
      this.#pending.set(id, edges.length);
    }
    for (const [id, edges] of graph.incoming) {
      if (edges.length > 0) continue;
      this.#unsettled -= 1;
      this.#leave(id, false);
    }
    this.#leave(START, true);
    this.#leave(LOOP_START, true);
  }

  /** Whether every node is completed or dead. */
  get done(): boolean {
    return this.#unsettled === 0;
  }

  /** The nodes that may start, in the order in which they are to: by priority, then by id. */
  get ready(): readonly string[] {
    return this.#ready;
  }

  /** Takes the next node to start. */
  next(): string | undefined {
    return this.#ready.shift();
  }

  /** A node has completed, or had before a resume: decides the edges out of it. */
  complete(nodeId: string): void {
    const at = this.#ready.indexOf(nodeId);
    if (at >= 0) this.#ready.splice(at, 1);
    this.#unsettled -= 1;
    this.#leave(nodeId, true);
  }

  /** The nodes (or the start) from which taken edges lead to a node. */
  takenFrom(nodeId: string): readonly string[] {
    return this.#takenFrom.get(nodeId) ?? [];
  }

  /** Decides the edges out of a node, and out of every node that is dead for it. */
  #leave(from: string, completed: boolean): void {
    const dead = this.#decideOut(from, completed);
    // Grows while it is walked.
    for (const nodeId of dead) {
      this.#unsettled -= 1;
      dead.push(...this.#decideOut(nodeId, false));
    }
  }

  /** Decides the edges out of a node; answers the nodes that are dead by that. */
  #decideOut(from: string, completed: boolean): string[] {
    const dead: string[] = [];
    for (const edge of this.#graph.outgoing.get(from) ?? []) {
      const taken = completed &&
        (edge.when === undefined || this.#holds(edge));
      if (taken) {
        const sources = this.#takenFrom.get(edge.to);
        if (sources === undefined) this.#takenFrom.set(edge.to, [from]);
        else sources.push(from);
      }
      const pending = this.#pending.get(edge.to);
      // The end is no node.
      if (pending === undefined) continue;
      this.#pending.set(edge.to, pending - 1);
      if (pending > 1) continue;
      if (this.#takenFrom.has(edge.to)) this.#insert(edge.to);
      else dead.push(edge.to);
    }
    return dead;
  }

  #insert(nodeId: string): void {
    const priority = this.#priority(nodeId);
    const at = this.#ready.findIndex((other) => {
      const difference = priority - this.#priority(other);
      return difference > 0 ||
        (difference === 0 && compareCodeUnits(nodeId, other) < 0);
    });
    if (at < 0) this.#ready.push(nodeId);
    else this.#ready.splice(at, 0, nodeId);
  }

  #priority(nodeId: string): number {
    return nodePolicy(this.#graph, nodeId)?.priority ?? 0;
  }
}
