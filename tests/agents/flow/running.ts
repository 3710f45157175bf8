/** Running flows in tests: a store in memory, handlers by node, and what they were given. */
import {
  createRunBinding,
  type CreateRunBindingInput,
  type Flow,
  loadFlow,
  type NodeContext,
  type NodeHandler,
  type RunBinding,
  type RunFlowInput,
  type RunResult,
} from "../../../agents/flow/mod.ts";
import {
  createMemoryStore,
  type MemoryAgentStore,
} from "../../../agents/store/mod.ts";
import { okValue } from "../../assert.ts";

/** The tenant of every test. */
export const TENANT = "t-1";

/** A handler by node: a function, or what it answers. */
export type Handlers = Readonly<Record<string, NodeHandler | object | string>>;

/** A flow with what is needed to run it. */
export class Running {
  /** Where it is kept. */
  readonly store: MemoryAgentStore;
  /** What runs it. */
  readonly binding: RunBinding;
  /** The flow, loaded. */
  readonly flow: Flow;
  /** The handlers by their names. */
  readonly handlers: Map<string, NodeHandler> = new Map();
  /** What ran, in order: the nodes' step scopes. */
  readonly ran: string[] = [];
  /** What each step was given last, by scope. */
  readonly inputs: Map<string, unknown> = new Map();

  constructor(
    flow: Flow,
    handlers: Handlers = {},
    {
      store = createMemoryStore(),
      binding,
      ...input
    }:
      & Partial<CreateRunBindingInput>
      & { store?: MemoryAgentStore; binding?: RunBinding } = {},
  ) {
    this.flow = loaded(flow);
    this.store = store;
    this.binding = binding ??
      createRunBinding({ journal: store.journal, ...input });
    for (const name of namesOf(this.flow)) {
      const own = handlers[name] ?? handlers[name.replace(/^handlers\./, "")];
      this.handlers.set(name, (input: unknown, context: NodeContext) => {
        this.ran.push(context.stepScope);
        this.inputs.set(context.stepScope, input);
        if (typeof own === "function") {
          return (own as NodeHandler)(input, context);
        }
        return own ?? { from: context.nodeId };
      });
    }
  }

  /** Starts a run; the test's own answer. */
  async start(more: Partial<RunFlowInput> = {}): Promise<RunResult> {
    return okValue(await this.attempt(more));
  }

  /** Starts a run. */
  attempt(
    more: Partial<RunFlowInput> = {},
  ): ReturnType<RunBinding["runGraph"]> {
    return this.binding.runGraph({
      tenantId: TENANT,
      flow: this.flow,
      handlers: this.handlers,
      runId: "run-1",
      ...more,
    });
  }

  /** Resumes a run. */
  resume(runId: string = "run-1"): ReturnType<RunBinding["resumeRun"]> {
    return this.binding.resumeRun({
      tenantId: TENANT,
      runId,
      flow: this.flow,
      handlers: this.handlers,
    });
  }

  /** The kinds of a run's entries, with the node behind a colon. */
  async journal(runId: string = "run-1"): Promise<string[]> {
    const entries = okValue(await this.binding.readJournal(TENANT, runId));
    return entries.map(({ kind, nodeId }) =>
      nodeId === undefined ? kind : `${kind}:${nodeId}`
    );
  }
}

/** A loaded flow. */
export function loaded(flow: Flow): Flow {
  return okValue(loadFlow(flow));
}

/** The names of the handlers that a flow calls. */
function namesOf(graph: Pick<Flow, "nodes">): Set<string> {
  const names = new Set<string>();
  for (const node of graph.nodes) {
    if (node.kind === "tool" || node.kind === "agent") names.add(node.ref);
    if (node.kind === "loop") namesOf(node.body).forEach((n) => names.add(n));
    if (node.kind === "fanout") {
      for (const { handler } of node.branches) names.add(handler);
    }
  }
  return names;
}

/** A promise to be settled from outside. */
export function deferred<Value = void>(): {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
  reject(reason: unknown): void;
} {
  let resolve!: (value: Value) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<Value>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Throws a message, as a handler does. */
export function throwing(message: string): NodeHandler {
  return () => {
    throw new Error(message);
  };
}

/** Waits for a token and answers its value. */
export function waiting(tokenId: string): NodeHandler {
  return async (_input, context) => ({
    output: await context.waitForToken(tokenId),
  });
}
