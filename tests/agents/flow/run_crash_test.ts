import fc from "fast-check";
import {
  createRunBinding,
  type Flow,
  type NodeHandler,
  type RunResult,
} from "../../../agents/flow/mod.ts";
import {
  createMemoryStore,
  type MemoryAgentStore,
} from "../../../agents/store/mod.ts";
import { assert, assertEquals, okValue } from "../../assert.ts";
import { type Cut, CutJournal } from "./cut_journal.ts";
import {
  bodyOf,
  chain,
  edge,
  fanout,
  foreachLoop,
  subgraph,
  tool,
  whileLoop,
} from "./flows.ts";
import { loaded, TENANT } from "./running.ts";
import { randomDag } from "./random_dag.ts";

/** Everything that a flow may have, in one. */
const CHILD = loaded(
  chain([tool("child"), tool("child-ask")], { id: "acme.child" }),
);
const FLOW = loaded(chain([], {
  nodes: [
    tool("first"),
    whileLoop("loop", {
      outputSchema: {},
      body: {
        nodes: [tool("think"), tool("act")],
        edges: [
          edge("$loop-start", "think"),
          edge("think", "act"),
          edge("act", "$loop-end"),
        ],
      },
    }),
    foreachLoop("each", {
      concurrency: 2,
      iterateOver: { path: "nodeOutputs.first.items" },
      outputSchema: {},
      collectAllIterations: true,
      body: bodyOf("each-step"),
    }),
    tool("dead"),
    fanout("fan"),
    subgraph("sub", {
      flowRef: { flowId: "acme.child", version: "1.0.0" },
      outputSchema: {},
      inputMapping: { n: { path: "state.n" } },
    }),
    tool("last"),
  ],
  edges: [
    edge("$start", "first"),
    edge("first", "loop"),
    edge("first", "each"),
    edge("first", "dead", {
      when: { op: "gt", left: { path: "state.n" }, right: { literal: 1 } },
    }),
    edge("loop", "fan"),
    edge("each", "fan"),
    edge("fan", "sub", { policy: { retry: { maxAttempts: 2 } } }),
    edge("dead", "last"),
    edge("sub", "last"),
    edge("last", "$end"),
  ],
}));

/** Handlers whose answers depend on what they are given alone. */
function handlers(ran: string[]): Map<string, NodeHandler> {
  const named: Record<string, NodeHandler> = {
    "handlers.first": async (_input, context) => {
      const n = await context.record("n", () => 1);
      return { output: { items: ["a", "b", "c"] }, stateDelta: { n } };
    },
    "handlers.think": (input) => input ?? {},
    "handlers.act": async (_input, context) => {
      const { iteration } = context.loopContext!;
      if (iteration === 1) await context.waitForToken("act");
      return { iteration, done: iteration === 1 };
    },
    "handlers.each-step": async (item, context) => {
      if (item === "b") await context.waitForToken("each");
      return `${item}!`;
    },
    "handlers.dead": () => "never",
    left: (input) => ({ left: input }),
    right: async (_input, context) => await context.waitForToken("right"),
    "handlers.child": (input) => ({ child: input }),
    "handlers.child-ask": async (input, context) => [
      input,
      await context.waitForToken("child"),
    ],
    "handlers.last": (input, context) => ({ input, state: context.state }),
  };
  return new Map(
    Object.entries(named).map(([name, handler]) => [
      name,
      (input, context) => {
        ran.push(`${context.runId} ${context.stepScope}`);
        return handler(input, context);
      },
    ]),
  );
}

/** A process: a binding over a store, until it dies. */
class Process {
  readonly ran: string[] = [];
  readonly cut: CutJournal;
  readonly #binding;
  readonly #flow: Flow;
  readonly #handlers: Map<string, NodeHandler>;

  constructor(
    readonly store: MemoryAgentStore,
    flow: Flow,
    make: (ran: string[]) => Map<string, NodeHandler>,
    cut?: Cut,
  ) {
    this.cut = new CutJournal(store.journal, cut);
    this.#flow = flow;
    this.#handlers = make(this.ran);
    this.#binding = createRunBinding({
      journal: this.cut.journal,
      flows: () => CHILD,
    });
  }

  /** Takes the run as far as it goes, answering every wait; `undefined` when the store is gone. */
  async work(start: boolean): Promise<RunResult | undefined> {
    const run = {
      tenantId: TENANT,
      runId: "run-1",
      flow: this.#flow,
      handlers: this.#handlers,
    };
    let result = start
      ? await this.#binding.runGraph({ ...run, input: { i: 1 } })
      : await this.#binding.resumeRun(run);
    for (;;) {
      if (result.kind === "err") {
        assertEquals(result.error.code, "journal-error");
        return undefined;
      }
      if (result.value.status !== "suspended") return result.value;
      const { runId, tokenId } = result.value.waitingOn![0]!;
      const completed = await this.#binding.completeToken(
        TENANT,
        runId,
        tokenId,
        { answered: tokenId },
      );
      if (completed.kind === "err") {
        assertEquals(completed.error.code, "journal-error");
        return undefined;
      }
      result = await this.#binding.resumeRun(run);
    }
  }
}

/** Steps that a store's journals have as completed, and that each has completed once. */
async function completedSteps(store: MemoryAgentStore): Promise<Set<string>> {
  const done = new Set<string>();
  const runs = okValue(await store.journal.list({ tenantId: TENANT }));
  for (const { runId } of runs) {
    const entries = okValue(await store.journal.read(TENANT, runId));
    for (const { kind, nodeId, payload } of entries) {
      if (kind !== "step.completed") continue;
      const { path = [] } = ((payload ?? {}) as {
        loopContext?: { path: { loopNodeId: string; iteration: number }[] };
      }).loopContext ?? {};
      const loops = path.map((p) => `${p.loopNodeId}#${p.iteration}`).join("/");
      const scope = `${runId} ${nodeId}${loops && `@${loops}`}`;
      assert(!done.has(scope), `${scope} completed twice`);
      done.add(scope);
    }
  }
  return done;
}

/** Reloads what a dead process left, once its leases have run out. */
function reloaded(store: MemoryAgentStore): MemoryAgentStore {
  return createMemoryStore({
    saved: store.save(),
    clock: () => Date.now() + 60_000,
  });
}

/** Whether the store has the run: one that was cut before it was started is started again. */
async function isStarted(store: MemoryAgentStore): Promise<boolean> {
  return okValue(await store.journal.get(TENANT, "run-1")) !== null;
}

/** Cuts a run at one write and takes it to its end in a second process; answers its result. */
async function cutAndResume(
  flow: Flow,
  make: (ran: string[]) => Map<string, NodeHandler>,
  cut: Cut,
): Promise<RunResult> {
  const dead = new Process(createMemoryStore(), flow, make, cut);
  await dead.work(true);
  const store = reloaded(dead.store);
  const before = await completedSteps(store);
  const next = new Process(store, flow, make);
  const result = await next.work(!await isStarted(store));
  for (const scope of next.ran) {
    assert(!before.has(scope), `${scope} had completed and ran again`);
  }
  await completedSteps(store);
  return result!;
}

Deno.test("a run cut at any write of its journal and resumed elsewhere ends as an uncut one", async () => {
  const uncut = new Process(createMemoryStore(), FLOW, handlers);
  const { endedHere: _, ...expected } = (await uncut.work(true))!;
  assertEquals(expected.status, "completed");
  const { writes } = uncut.cut;
  assert(writes > 20, `only ${writes} writes`);
  for (let at = 1; at <= writes; at++) {
    for (const stored of [false, true]) {
      const { endedHere: _, ...result } = await cutAndResume(FLOW, handlers, {
        at,
        stored,
      });
      assertEquals(result, expected, `cut at ${at}, stored: ${stored}`);
    }
  }
});

/** The same handlers, which commit by themselves: what was journaled before them is stored with what comes later. */
function committing(ran: string[]): Map<string, NodeHandler> {
  return new Map(
    [...handlers(ran)].map(([name, handler]) => [
      name,
      Object.assign<NodeHandler, { commits: true }>(
        async (input, context) => {
          if (name === "handlers.act") await context.commit!();
          return await handler(input, context);
        },
        { commits: true },
      ),
    ]),
  );
}

Deno.test("a run whose handlers commit by themselves, cut at any write, ends as one whose every step is stored", async () => {
  const stored = new Process(createMemoryStore(), FLOW, handlers);
  const { endedHere: _, ...expected } = (await stored.work(true))!;
  const uncut = new Process(createMemoryStore(), FLOW, committing);
  await uncut.work(true);
  const { writes } = uncut.cut;
  assert(writes < stored.cut.writes, `${writes} writes`);
  for (let at = 1; at <= writes; at++) {
    for (const stored of [false, true]) {
      const cut = { at, stored };
      const { endedHere: _, ...result } = await cutAndResume(
        FLOW,
        committing,
        cut,
      );
      assertEquals(result, expected, `cut at ${at}, stored: ${stored}`);
    }
  }
});

Deno.test("a step that commits goes no further once its run's lease is lost", async () => {
  let now = Date.now();
  const store = createMemoryStore({ clock: () => now });
  const effects: string[] = [];
  const handler: NodeHandler = Object.assign(
    async (_input: unknown, context: Parameters<NodeHandler>[1]) => {
      now += 60_000;
      await store.journal.acquire(TENANT, `run:${context.runId}`, "other", 1);
      await context.commit!();
      effects.push("after");
    },
    { commits: true } as const,
  );
  const result = await createRunBinding({ journal: store.journal }).runGraph({
    tenantId: TENANT,
    runId: "run-1",
    flow: loaded(chain([tool("first"), tool("effect")])),
    handlers: new Map<string, NodeHandler>([
      ["handlers.first", () => ({})],
      ["handlers.effect", handler],
    ]),
  });
  assert(result.kind === "err");
  assertEquals(result.error.code, "run-lease-lost");
  assertEquals(effects, []);
});

Deno.test("a step whose leases weren't renewed in time asks the store before each effect, even with nothing to store", async () => {
  let now = Date.now();
  const store = createMemoryStore({ clock: () => now });
  const journal = new Proxy(store.journal, {
    get: (target, name) =>
      name === "renew"
        ? () => Promise.reject(new Error("no way there"))
        : Reflect.get(target, name).bind(target),
  });
  const leaseMs = 5;
  const effects: string[] = [];
  const past = async () => {
    const until = Date.now() + leaseMs;
    while (Date.now() < until) await new Promise((on) => setTimeout(on, 1));
  };
  const handler: NodeHandler = Object.assign(
    async (_input: unknown, context: Parameters<NodeHandler>[1]) => {
      await past();
      await context.commit!();
      effects.push("nobody else wanted it");
      now += 60_000;
      await store.journal.acquire(TENANT, `run:${context.runId}`, "other", 1);
      await context.commit!();
      effects.push("somebody has it");
    },
    { commits: true } as const,
  );
  const result = await createRunBinding({ journal, leaseMs }).runGraph({
    tenantId: TENANT,
    runId: "run-1",
    flow: loaded(chain([tool("effect")])),
    handlers: new Map([["handlers.effect", handler]]),
  });
  assert(result.kind === "err");
  assertEquals(result.error.code, "run-lease-lost");
  assertEquals(effects, ["nobody else wanted it"]);
});

Deno.test("a run cut again and again, after a few writes of each process, still ends the same", async () => {
  const uncut = new Process(createMemoryStore(), FLOW, handlers);
  const expected = (await uncut.work(true))!.output;
  let store = createMemoryStore();
  let result: RunResult | undefined;
  for (let processes = 0; result === undefined; processes++) {
    assert(processes < 100, "the run makes no headway");
    const start = !await isStarted(store);
    const process = new Process(store, FLOW, handlers, {
      at: 2 + processes % 6,
      stored: processes % 2 === 0,
    });
    result = await process.work(start);
    await completedSteps(store);
    store = reloaded(process.store);
    // The clock runs on from store to store.
    const shift = (processes + 2) * 60_000;
    store = createMemoryStore({
      saved: store.save(),
      clock: () => Date.now() + shift,
    });
  }
  assertEquals(result.output, expected);
});

Deno.test("random graphs, cut at random writes, end as uncut ones", async () => {
  await fc.assert(
    fc.asyncProperty(
      randomDag,
      fc.infiniteStream(fc.boolean()),
      fc.nat(1_000),
      fc.boolean(),
      async (random, truths, where, stored) => {
        const state = Object.fromEntries(
          random.edges.map(({ id }) => [id, truths.next().value]),
        );
        const flow = loaded(random);
        const make = (ran: string[]) =>
          new Map<string, NodeHandler>(
            flow.nodes.map(({ id }) => [
              `handlers.${id}`,
              (input, context) => {
                ran.push(`${context.runId} ${context.stepScope}`);
                // The state says the same whoever writes it first.
                return { output: { id, input }, stateDelta: state };
              },
            ]),
          );
        const uncut = new Process(createMemoryStore(), flow, make);
        const { endedHere: _, ...expected } = (await uncut.work(true))!;
        const at = 1 + where % uncut.cut.writes;
        const { endedHere: __, ...result } = await cutAndResume(flow, make, {
          at,
          stored,
        });
        assertEquals(result, expected);
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("two resumes at once of a cut run never both run a step", async () => {
  const uncut = new Process(createMemoryStore(), FLOW, handlers);
  await uncut.work(true);
  for (let at = 2; at <= uncut.cut.writes; at += 3) {
    const dead = new Process(createMemoryStore(), FLOW, handlers, {
      at,
      stored: true,
    });
    await dead.work(true);
    const store = reloaded(dead.store);
    const ran: string[] = [];
    const resumes = [1, 2].map(() =>
      createRunBinding({ journal: store.journal, flows: () => CHILD })
        .resumeRun({
          tenantId: TENANT,
          runId: "run-1",
          flow: FLOW,
          handlers: handlers(ran),
        })
    );
    const results = await Promise.all(resumes);
    assert(results.some(({ kind }) => kind === "ok"));
    assertEquals(ran.length, new Set(ran).size, `cut at ${at}: ${ran}`);
  }
});
