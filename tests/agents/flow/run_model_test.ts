/** Random flows, cut and resumed at random, come to what a plain model of flows says. */
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
import { ModelFailure, modelOutput } from "./flow_model.ts";
import { LEAF, randomFlow, STEADY } from "./random_flow.ts";
import { loaded, TENANT } from "./running.ts";

const RUN = "run-1";

/** How a step behaves: told by its name, so that the model and every process agree. */
interface Conduct {
  /** How many attempts fail. */
  readonly failures: number;
  /** Whether it waits for a token of its name. */
  readonly waits: boolean;
  /** What it answers beside its input; nothing at all, null, or a number. */
  readonly answer: number;
}

class Conducts {
  constructor(
    readonly salt: number,
    readonly mayFail: boolean,
    readonly mayWait: boolean,
  ) {}

  of(runId: string, scope: string, handler: string): Conduct {
    let hash = this.salt;
    for (const char of `${runId} ${scope}`) {
      hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193) >>> 0;
    }
    return {
      failures: this.mayFail && hash % 7 === 0 ? 1 + (hash >> 8) % 3 : 0,
      waits: this.mayWait && handler !== STEADY && (hash >> 4) % 5 === 0,
      answer: (hash >> 12) % 6,
    };
  }

  output({ answer, waits }: Conduct, input: unknown, token: string): unknown {
    switch (answer) {
      case 0:
        return undefined;
      case 1:
        return null;
      case 2:
        return 2;
      default:
        return { v: answer - 3, input, ...(waits ? { token } : {}) };
    }
  }

  handler(name: string): NodeHandler {
    return async (input, context) => {
      const { runId, stepScope, attempt } = context;
      const conduct = this.of(runId, stepScope, name);
      if (conduct.answer > 3) await new Promise((on) => setTimeout(on));
      if (attempt <= conduct.failures) throw new Error(stepScope);
      const token = `${runId} ${stepScope}`;
      if (conduct.waits) await context.waitForToken(token);
      return { output: this.output(conduct, input, token) };
    };
  }
}

/** Takes a run to its end over processes that die at these writes; each wait is answered once it is there. */
async function runThrough(
  flow: Flow,
  children: readonly Flow[],
  conducts: Conducts,
  input: unknown,
  cuts: readonly Cut[],
): Promise<{ result: RunResult; store: MemoryAgentStore }> {
  let now = Date.now();
  const clock = () => now;
  let store = createMemoryStore({ clock });
  const handlers = new Map(
    [LEAF, STEADY].map((name) => [name, conducts.handler(name)]),
  );
  for (let processes = 0;; processes++) {
    const { journal } = new CutJournal(store.journal, cuts[processes]);
    const binding = createRunBinding({
      journal,
      flows: (_tenantId, { flowId }) =>
        children.find(({ id }) => id === flowId),
    });
    const run = { tenantId: TENANT, runId: RUN, flow, handlers };
    const known = okValue(await store.journal.get(TENANT, RUN));
    const result = known === null
      ? await binding.runGraph({ ...run, input })
      : await binding.resumeRun(run);
    if (result.kind === "ok") {
      const { status, waitingOn = [] } = result.value;
      if (status !== "suspended") return { result: result.value, store };
      for (const { runId, tokenId } of waitingOn) {
        await binding.completeToken(TENANT, runId, tokenId, true);
      }
      continue;
    }
    assertEquals(result.error.code, "journal-error");
    assert(processes < cuts.length, "the run can't go on without a reason");
    now += 60_000;
    store = createMemoryStore({ clock, saved: store.save() });
  }
}

/** The same for every failure: which of several comes first is a matter of time. */
function withoutReasons(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (key, item) => key === "error" ? "" : item),
  );
}

Deno.test("random flows, cut at random writes and resumed, come to what a plain model of flows says", async () => {
  const cut = fc.record({
    at: fc.integer({ min: 1, max: 6 }),
    stored: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.gen(),
      fc.record({
        salt: fc.nat(),
        mayFail: fc.boolean(),
        mayWait: fc.boolean(),
        n: fc.nat(3),
        items: fc.array(fc.constantFrom("a", "b", 1), { maxLength: 4 }),
        cuts: fc.array(cut, { maxLength: 20 }),
      }),
      async (g, { salt, mayFail, mayWait, n, items, cuts }) => {
        const random = randomFlow(g);
        const flow = loaded(random.flow);
        const children = random.children.map(loaded);
        const conducts = new Conducts(salt, mayFail, mayWait);
        const input = { n, items };
        let expected: unknown;
        try {
          const output = modelOutput(flow, input, {
            runId: RUN,
            children,
            leaf: ({ runId, scope, handler, attempt, input }) => {
              const conduct = conducts.of(runId, scope, handler);
              if (attempt <= conduct.failures) throw new ModelFailure(scope);
              return conducts.output(conduct, input, `${runId} ${scope}`);
            },
          });
          expected = ["completed", withoutReasons(output)];
        } catch (thrown) {
          if (!(thrown instanceof ModelFailure)) throw thrown;
          expected = ["failed", null];
        }
        const { result, store } = await runThrough(
          flow,
          children,
          conducts,
          input,
          cuts,
        );
        assertEquals(
          [result.status, withoutReasons(result.output)],
          expected as never,
        );
        await assertWhole(store);
      },
    ),
    { numRuns: 300 },
  );
});

/** Every run of the store has ended, and has completed no step of an attempt twice. */
async function assertWhole({ journal }: MemoryAgentStore): Promise<void> {
  for (const run of okValue(await journal.list({ tenantId: TENANT }))) {
    assert(run.endedAt !== undefined, `run ${run.runId} hasn't ended`);
    const entries = okValue(await journal.read(TENANT, run.runId));
    const isRetried = entries.some(({ payload }) =>
      (payload as { retrying?: boolean } | undefined)?.retrying === true
    );
    if (isRetried) continue;
    const done = entries.filter(({ kind }) => kind === "step.completed")
      .map(({ nodeId, payload }) => {
        const { loopContext } = (payload ?? {}) as { loopContext?: unknown };
        return `${nodeId} ${JSON.stringify(loopContext)}`;
      });
    assertEquals(new Set(done).size, done.length);
  }
}
