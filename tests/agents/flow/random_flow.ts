/** Random flows of every kind of node, for runs to be held against a model. */
import fc, { type GeneratorValue } from "fast-check";
import type {
  BodyEdge,
  Flow,
  FlowEdge,
  FlowNode,
  Operand,
  Predicate,
} from "../../../agents/flow/mod.ts";

/** A flow, and those that its subgraphs name. */
export interface RandomFlow {
  /** The flow. */
  readonly flow: Flow;
  /** Its subgraphs' flows. */
  readonly children: readonly Flow[];
}

/** The handler of leaves and branches. */
export const LEAF = "leaf";
/** The handler of branches that may not wait. */
export const STEADY = "steady";

/** Makes a random flow. Its predicates and mappings read what is always there before: ancestors and the run's input. */
export function randomFlow(g: GeneratorValue): RandomFlow {
  const maker = new Maker(g);
  const graph = maker.graph(0, [], "$start", "$end");
  const flow: Flow = {
    id: "random",
    version: "1.0.0",
    nodes: graph.nodes,
    edges: graph.edges as FlowEdge[],
    ...(maker.chance(2) ? { maxParallelism: 1 + maker.below(3) } : {}),
  };
  return { flow, children: maker.children };
}

interface RandomGraph {
  readonly nodes: FlowNode[];
  readonly edges: (FlowEdge & BodyEdge)[];
}

class Maker {
  readonly children: Flow[] = [];
  readonly #g: GeneratorValue;
  #ids = 0;

  constructor(g: GeneratorValue) {
    this.#g = g;
  }

  below(count: number): number {
    return this.#g(fc.nat, { max: count - 1 });
  }

  /** True once in so many times. */
  chance(times: number): boolean {
    return this.below(times) === 0;
  }

  graph(
    depth: number,
    around: readonly string[],
    start: string,
    end: string,
  ): RandomGraph {
    const nodes: FlowNode[] = [];
    const edges: (FlowEdge & BodyEdge)[] = [];
    const before = (id: string): string[] =>
      id === start ? [] : [
        id,
        ...edges.filter(({ to }) => to === id).flatMap(({ from }) =>
          before(from)
        ),
      ];
    for (let count = 1 + this.below(depth === 0 ? 6 : 3); count > 0; count--) {
      const from = nodes.map(({ id }) => id).filter(() => this.chance(2));
      if (from.length === 0 || this.chance(6)) from.push(start);
      const known = [...around, ...new Set(from.flatMap(before))];
      const node = this.#node(depth, known);
      for (const id of from) {
        const seen = [...around, ...before(id)];
        edges.push({
          id: this.#id("e"),
          from: id,
          to: node.id,
          ...(this.chance(3) ? { when: this.#predicate(seen, 0) } : {}),
          ...(depth === 0 && this.chance(2) ? { policy: this.#policy() } : {}),
        });
      }
      nodes.push(node);
    }
    for (const { id } of nodes) {
      const leads = edges.some(({ from }) => from === id);
      if (leads && !this.chance(5)) continue;
      edges.push({ id: this.#id("e"), from: id, to: end });
    }
    return { nodes, edges };
  }

  #id(prefix: string): string {
    return `${prefix}${++this.#ids}`;
  }

  #node(depth: number, known: readonly string[]): FlowNode {
    const id = this.#id("n");
    switch (depth > 1 ? 0 : this.below(8)) {
      case 4:
        return {
          id,
          kind: "loop",
          loopKind: "while",
          evaluationTiming: this.chance(3) ? "before" : "after",
          maxIterations: 1 + this.below(4),
          outputSchema: {},
          collectAllIterations: this.chance(2),
          exitCondition: this.#exit(known),
          body: this.graph(depth + 1, known, "$loop-start", "$loop-end"),
        };
      case 5:
        return {
          id,
          kind: "loop",
          loopKind: "foreach",
          maxIterations: 3,
          outputSchema: {},
          collectAllIterations: this.chance(2),
          concurrency: 1 + this.below(3),
          iterateOver: this.chance(2)
            ? { literal: Array.from({ length: this.below(5) }, (_, at) => at) }
            : { path: "runInput.items" },
          body: this.graph(depth + 1, known, "$loop-start", "$loop-end"),
        };
      case 6: {
        const count = 1 + this.below(3);
        const [convergence, handler] = this.chance(3)
          ? ["any-succeed", STEADY] as const
          : [this.chance(2) ? "all-succeed" : "settle-all", LEAF] as const;
        return {
          id,
          kind: "fanout",
          convergence,
          // One after the other the first that succeeds is always the same.
          concurrency: convergence === "any-succeed" ? 1 : count,
          branches: Array.from({ length: count }, (_, at) => ({
            branchId: `b${at}`,
            handler,
            outputSchema: {},
          })),
        };
      }
      case 7:
        return depth > 0 ? { id, kind: "tool", ref: LEAF } : {
          id,
          kind: "subgraph",
          flowRef: this.#child(),
          inputMapping: { n: this.#operand(known) },
          outputSchema: {},
          convergence: this.chance(2) ? "success-only" : "settle-all",
        };
      default:
        return {
          id,
          kind: this.chance(2) ? "agent" : "tool",
          ref: LEAF,
          ...(this.chance(3)
            ? {
              inputMapping: {
                a: this.#operand(known),
                n: { path: "runInput.n" },
              },
            }
            : {}),
        };
    }
  }

  #child(): { readonly flowId: string; readonly version: string } {
    const id = `child-${this.children.length}`;
    const { nodes, edges } = this.graph(1, [], "$start", "$end");
    this.children.push({ id, version: "1.0.0", nodes, edges });
    return { flowId: id, version: "1.0.0" };
  }

  #policy(): NonNullable<FlowEdge["policy"]> {
    return {
      ...(this.chance(2) ? { retry: { maxAttempts: 1 + this.below(3) } } : {}),
      ...(this.chance(3) ? { priority: this.below(5) } : {}),
      ...(this.chance(4) ? { concurrencyKey: `key-${this.below(2)}` } : {}),
    };
  }

  #operand(known: readonly string[]): Operand {
    const at = this.below(3 + known.length);
    if (at === 0) return { literal: this.below(4) };
    if (at < 3) return { path: at === 1 ? "runInput.n" : "runInput.items" };
    const field = ["", ".v", ".v", ".iterations", ".none"][this.below(5)];
    return { path: `nodeOutputs.${known[at - 3]}${field}` };
  }

  #exit(known: readonly string[]): Predicate {
    switch (this.below(3)) {
      case 0:
        return {
          op: "gte",
          left: { path: "iterationIndex" },
          right: { literal: this.below(4) },
        };
      case 1:
        return { op: "truthy", value: { path: "iterationOutput.v" } };
      default:
        return this.#predicate(known, 0);
    }
  }

  #predicate(known: readonly string[], depth: number): Predicate {
    const operand = () => this.#operand(known);
    const kind = this.below(depth < 2 ? 6 : 3);
    if (kind < 2) {
      const ops = ["eq", "ne", "lt", "lte", "gt", "gte"] as const;
      return { op: ops[this.below(6)]!, left: operand(), right: operand() };
    }
    if (kind === 2) {
      return this.chance(3)
        ? {
          op: this.chance(2) ? "in" : "notIn",
          value: operand(),
          set: this.chance(2) ? { literal: [0, 1, "a"] } : operand(),
        }
        : {
          op: (["exists", "notExists", "truthy", "falsy"] as const)[
            this.below(4)
          ]!,
          value: operand(),
        };
    }
    const inner = () => this.#predicate(known, depth + 1);
    return kind === 3
      ? { op: "not", child: inner() }
      : { op: kind === 4 ? "and" : "or", children: [inner(), inner()] };
  }
}
