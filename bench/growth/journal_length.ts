/**
 * What a run costs whose journal is long already: a further step of it, and taking it up again where it waited.
 *
 * @module
 */

import {
  createRunBinding,
  type Flow,
  loadFlow,
  type NodeHandlers,
  type RunBinding,
} from "../../agents/flow/mod.ts";
import { STORES, valueOf } from "../agent_stage.ts";
import { median } from "../server_process.ts";
import { growthTable, type SizeCosts } from "./growth_table.ts";

/** Iterations of a run's loop, of one step each. */
const ITERATIONS = [3, 33, 333, 3_333];
/** Runs that are measured at each length, after some that warm up. */
const RUNS = 7;
const WARM_UP_RUNS = 30;
/** The last steps of a run, which are measured. */
const LATE_STEPS = 3;
const TENANT = "t-1";
const TOKEN = "go-on";

/** A loop of one step; then it waits for a token. */
const FLOW: Flow = valueOf(loadFlow({
  id: "bench.steps",
  version: "1.0.0",
  nodes: [
    {
      id: "steps",
      kind: "loop",
      loopKind: "while",
      maxIterations: Math.max(...ITERATIONS),
      outputSchema: { type: "object" },
      exitCondition: { op: "truthy", value: { path: "iterationOutput.done" } },
      body: {
        nodes: [{ id: "step", kind: "tool", ref: "step" }],
        edges: [
          { id: "in", from: "$loop-start", to: "step" },
          { id: "out", from: "step", to: "$loop-end" },
        ],
      },
    },
    { id: "wait", kind: "tool", ref: "wait" },
  ],
  edges: [
    { id: "first", from: "$start", to: "steps" },
    { id: "then", from: "steps", to: "wait" },
    { id: "last", from: "wait", to: "$end" },
  ],
}));

/** What a run was measured to take, in µs, and its journal's length. */
interface RunCosts {
  readonly entries: number;
  readonly step: number;
  readonly resume: number;
}

/** Runs it until it waits, and from there to its end. */
async function costsOf(
  binding: RunBinding,
  iterations: number,
): Promise<RunCosts> {
  const calledAt: number[] = [];
  const handlers: NodeHandlers = {
    step: () => {
      calledAt.push(performance.now());
      return {
        text: "What a step found.",
        done: calledAt.length === iterations,
      };
    },
    wait: (_, context) => context.waitForToken(TOKEN),
  };
  const started = valueOf(
    await binding.runGraph({ tenantId: TENANT, flow: FLOW, handlers }),
  );
  if (started.status !== "suspended") throw new Error(started.status);
  const { runId } = started;
  const journal = valueOf(await binding.readJournal(TENANT, runId));
  valueOf(await binding.completeToken(TENANT, runId, TOKEN, "on"));
  const begun = performance.now();
  const ended = valueOf(
    await binding.resumeRun({ tenantId: TENANT, runId, flow: FLOW, handlers }),
  );
  const resume = (performance.now() - begun) * 1_000;
  if (ended.status !== "completed") throw new Error(ended.status);
  const late = calledAt.slice(-LATE_STEPS);
  const step = (late.at(-1)! - late[0]!) / (late.length - 1) * 1_000;
  return { entries: journal.length, step, resume };
}

/** Measures it on each store and answers the table. */
export async function journalLength(
  report: (progress: string) => void,
): Promise<string[]> {
  const costs = ITERATIONS.map((): Record<string, number> => ({}));
  const sizes: number[] = [];
  for (const [name, open] of Object.entries(STORES)) {
    await using opened = await open();
    const binding = createRunBinding({ journal: opened.store.journal });
    for (let run = 0; run < WARM_UP_RUNS; run++) await costsOf(binding, 33);
    for (const [at, iterations] of ITERATIONS.entries()) {
      report(`${iterations} steps on ${name}`);
      const runs: RunCosts[] = [];
      while (runs.length < RUNS) runs.push(await costsOf(binding, iterations));
      sizes[at] = runs[0]!.entries;
      Object.assign(costs[at]!, {
        [`step on ${name}, µs`]: median(runs.map((run) => run.step)),
        [`resume on ${name}, µs`]: median(runs.map((run) => run.resume)),
      });
    }
  }
  const rows: SizeCosts[] = sizes.map((size, at) => ({
    size,
    costs: costs[at]!,
  }));
  return growthTable("entries", rows);
}
