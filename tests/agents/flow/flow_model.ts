/** What a flow comes to, worked out without a scheduler, a journal or time: `spec/flow.md` as plainly as it can be. */
import type {
  FanoutBranch,
  FanoutNode,
  Flow,
  FlowEdge,
  FlowNode,
  LoopNode,
  Mapping,
  Operand,
  Predicate,
  SubgraphNode,
} from "../../../agents/flow/mod.ts";

/** Something in a flow failed. */
export class ModelFailure extends Error {}

/** What a leaf or branch answers; throws a {@link ModelFailure} where it fails. */
export type ModelLeaf = (step: {
  readonly runId: string;
  readonly scope: string;
  readonly handler: string;
  readonly attempt: number;
  readonly input: unknown;
}) => unknown;

/** What a flow comes to. */
export function modelOutput(
  flow: Flow,
  input: unknown,
  { runId, leaf, children }: {
    readonly runId: string;
    readonly leaf: ModelLeaf;
    readonly children: readonly Flow[];
  },
): unknown {
  return new Model(runId, input, leaf, children).graph(flow, input, {}, "");
}

/** A path that leads nowhere. */
const MISSING = Symbol("missing");

type Outputs = Readonly<Record<string, unknown>>;
type Roots = Readonly<Record<string, unknown>>;

interface ModelGraph {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly Pick<FlowEdge, "id" | "from" | "to" | "when">[];
}

class Model {
  constructor(
    readonly runId: string,
    readonly runInput: unknown,
    readonly leaf: ModelLeaf,
    readonly children: readonly Flow[],
  ) {}

  /** Nodes stand behind those that lead to them. */
  graph(
    { nodes, edges }: ModelGraph,
    input: unknown,
    around: Outputs,
    suffix: string,
  ): unknown {
    const outputs: Record<string, unknown> = {};
    const completed = new Set<string>();
    const isStart = (id: string) => id === "$start" || id === "$loop-start";
    for (const node of nodes) {
      const roots = this.#roots({ ...around, ...outputs });
      const incoming = edges.filter(({ to }) => to === node.id);
      const taken = incoming.filter(({ from, when }) =>
        (isStart(from) || completed.has(from)) &&
        (when === undefined || holds(when, roots))
      ).map(({ from }) => from);
      if (taken.length === 0) continue;
      const upstream = [...new Set(incoming.map(({ from }) => from))]
        .filter((from) => !isStart(from));
      const [only] = upstream;
      const given = "inputMapping" in node && node.kind !== "subgraph" &&
          node.inputMapping !== undefined
        ? mapped(node.inputMapping, roots)
        : upstream.length > 1
        ? byNode(nodes, taken, outputs)
        : only !== undefined && taken.includes(only)
        ? outputs[only]
        : input;
      const edge = incoming[0] as FlowEdge;
      const attempts = incoming.length > 1
        ? 1
        : edge.policy?.retry?.maxAttempts ?? 1;
      const output = this.#tried(
        attempts,
        (attempt) => this.#node(node, given, roots, suffix, attempt),
      );
      completed.add(node.id);
      if (output !== undefined) outputs[node.id] = output;
    }
    const last = [
      ...new Set(
        edges.filter(({ to }) => to === "$end" || to === "$loop-end")
          .map(({ from }) => from),
      ),
    ];
    return last.length === 1 ? outputs[last[0]!] : byNode(nodes, last, outputs);
  }

  #tried(attempts: number, work: (attempt: number) => unknown): unknown {
    for (let attempt = 1;; attempt++) {
      try {
        return work(attempt);
      } catch (thrown) {
        if (!(thrown instanceof ModelFailure) || attempt >= attempts) {
          throw thrown;
        }
      }
    }
  }

  #node(
    node: FlowNode,
    input: unknown,
    roots: Roots,
    suffix: string,
    attempt: number,
  ): unknown {
    const scope = node.id + suffix;
    const step = { runId: this.runId, attempt, input };
    switch (node.kind) {
      case "tool":
      case "agent":
        return this.leaf({ ...step, scope, handler: node.ref });
      case "fanout":
        return fanoutOutput(
          node,
          ({ branchId, handler }) =>
            this.leaf({ ...step, scope: `${branchId}@${scope}`, handler }),
        );
      case "loop":
        return this.#loop(node, input, roots, suffix);
      case "subgraph":
        return this.#subgraph(
          node,
          mapped(node.inputMapping, roots),
          `${this.runId}/${scope}${attempt > 1 ? `~${attempt}` : ""}`,
        );
    }
  }

  #loop(
    node: LoopNode,
    input: unknown,
    roots: Roots,
    suffix: string,
  ): unknown {
    const outputs: unknown[] = [];
    const iterate = (given: unknown) => {
      const inside = `@${node.id}#${outputs.length}` +
        (suffix === "" ? "" : `/${suffix.slice(1)}`);
      const around = roots.nodeOutputs as Outputs;
      outputs.push(this.graph(node.body, given, around, inside));
    };
    const over = (stopReason: string) => ({
      finalOutput: outputs.at(-1) ?? null,
      iterations: outputs.length,
      stopReason,
      ...(node.collectAllIterations
        ? { outputs: outputs.map((output) => output ?? null) }
        : {}),
    });
    if (node.loopKind === "foreach") {
      const items = resolved(node.iterateOver, roots);
      if (!Array.isArray(items)) throw new ModelFailure("no array");
      items.slice(0, node.maxIterations).forEach(iterate);
      return over(
        items.length > node.maxIterations
          ? "max-iterations"
          : "array-exhausted",
      );
    }
    const exits = (iterationIndex: number) =>
      holds(node.exitCondition, {
        ...roots,
        iterationIndex,
        iterationOutput: outputs.at(-1),
      });
    const isAskedBefore = node.evaluationTiming === "before";
    for (let index = 0; index < node.maxIterations; index++) {
      if (isAskedBefore && exits(index)) return over("exit-condition");
      iterate(index === 0 ? input : outputs[index - 1]);
      if (!isAskedBefore && exits(index)) return over("exit-condition");
    }
    return over("max-iterations");
  }

  #subgraph(node: SubgraphNode, input: unknown, runId: string): unknown {
    const flow = this.children.find(({ id }) => id === node.flowRef.flowId)!;
    const child = new Model(runId, input, this.leaf, this.children);
    try {
      return child.graph(flow, input, {}, "");
    } catch (thrown) {
      if (!(thrown instanceof ModelFailure)) throw thrown;
      if (node.convergence === "success-only") throw thrown;
      return { status: "failed", error: thrown.message };
    }
  }

  #roots(nodeOutputs: Outputs): Roots {
    return { runInput: this.runInput, state: {}, nodeOutputs };
  }
}

/** The outputs of these nodes, in the graph's order. */
function byNode(
  nodes: readonly FlowNode[],
  ids: readonly string[],
  outputs: Outputs,
): unknown {
  return Object.fromEntries(
    nodes.map(({ id }) => [id, outputs[id]] as const)
      .filter(([id, output]) => ids.includes(id) && output !== undefined),
  );
}

function fanoutOutput(
  { branches, convergence }: FanoutNode,
  run: (branch: FanoutBranch) => unknown,
): unknown {
  const settled = branches.map((branch) => {
    const { branchId } = branch;
    try {
      return { branchId, output: run(branch), failure: undefined };
    } catch (thrown) {
      if (!(thrown instanceof ModelFailure)) throw thrown;
      return { branchId, output: undefined, failure: thrown };
    }
  });
  const failed = settled.find(({ failure }) => failure !== undefined)?.failure;
  switch (convergence) {
    case "any-succeed": {
      const winner = settled.find(({ failure }) => failure === undefined);
      if (winner === undefined) throw failed!;
      return { winnerBranchId: winner.branchId, output: winner.output };
    }
    case "all-succeed":
      if (failed !== undefined) throw failed;
      return Object.fromEntries(
        settled.map(({ branchId, output }) => [branchId, output]),
      );
    case "settle-all":
      return Object.fromEntries(
        settled.map(({ branchId, output, failure }) => [
          branchId,
          failure === undefined
            ? { status: "succeeded", output }
            : { status: "failed", error: failure.message },
        ]),
      );
  }
}

function resolved(operand: Operand, roots: Roots): unknown {
  if ("literal" in operand) return operand.literal;
  let value: unknown = roots;
  for (const key of operand.path.split(".")) {
    if (typeof value !== "object" || value === null) return MISSING;
    value = Object.hasOwn(value, key)
      ? (value as Record<string, unknown>)[key]
      : undefined;
    if (value === undefined) return MISSING;
  }
  return value;
}

function mapped(mapping: Mapping, roots: Roots): unknown {
  return Object.fromEntries(
    Object.entries(mapping).map(([key, operand]) =>
      [key, resolved(operand, roots)] as const
    ).filter(([, value]) => value !== MISSING),
  );
}

function holds(predicate: Predicate, roots: Roots): boolean {
  switch (predicate.op) {
    case "and":
      return predicate.children.every((child) => holds(child, roots));
    case "or":
      return predicate.children.some((child) => holds(child, roots));
    case "not":
      return !holds(predicate.child, roots);
    case "in":
    case "notIn": {
      const value = resolved(predicate.value, roots);
      const set = resolved(predicate.set, roots);
      if (value === MISSING || !Array.isArray(set)) return false;
      return set.some((item) => same(item, value)) === (predicate.op === "in");
    }
    case "exists":
      return resolved(predicate.value, roots) !== MISSING;
    case "notExists":
      return resolved(predicate.value, roots) === MISSING;
    case "truthy":
    case "falsy": {
      const value = resolved(predicate.value, roots);
      return (value !== MISSING && Boolean(value)) ===
        (predicate.op === "truthy");
    }
    default:
      return compared(
        predicate.op,
        resolved(predicate.left, roots),
        resolved(predicate.right, roots),
      );
  }
}

function compared(op: string, left: unknown, right: unknown): boolean {
  if (left === MISSING || right === MISSING) {
    return op === "ne" && left !== right;
  }
  if (op === "eq" || op === "ne") return same(left, right) === (op === "eq");
  const ordered = typeof left === "number" && typeof right === "number" ||
    typeof left === "string" && typeof right === "string";
  if (!ordered) return false;
  switch (op) {
    case "lt":
      return left < right;
    case "lte":
      return left <= right;
    case "gt":
      return left > right;
    default:
      return left >= right;
  }
}

/** Equal whatever the order of keys. */
function same(left: unknown, right: unknown): boolean {
  return sorted(left) === sorted(right);
}

function sorted(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, item) =>
      typeof item !== "object" || item === null || Array.isArray(item)
        ? item
        : Object.fromEntries(Object.entries(item).sort()),
  );
}
