/**
 * How fast instructions render, in this process and in workers.
 *
 * Times are medians over rounds; on a machine with other work the spread is large, so look at the table as a whole.
 *
 * @module
 */

import {
  configureTenantInputBounds,
  prepareInstructions,
  renderInstructions,
} from "../agents/instructions/mod.ts";
import { parseTemplate } from "../agents/instructions/engine.ts";
import {
  createWorkerTemplateRenderer,
  STOP_MARGIN_MS,
} from "../agents/instructions/worker_renderer.ts";
import { AGENT, CONTEXT } from "./instructions/template.ts";

const prepared = prepareInstructions(AGENT, CONTEXT);
if (!prepared.ok) throw new Error(prepared.error.message);
const { template, scope } = prepared.value;

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[times.length >> 1]!;
}

/** The median time of each task, the tasks taking turns so that the machine's other work meets them alike. */
async function times<const Tasks extends readonly (() => unknown)[]>(
  rounds: number,
  ...tasks: Tasks
): Promise<{ [Index in keyof Tasks]: number }> {
  const taken = tasks.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, task] of tasks.entries()) {
      const startedAt = performance.now();
      await task();
      taken[index]!.push(performance.now() - startedAt);
    }
  }
  return taken.map(median) as { [Index in keyof Tasks]: number };
}

/** Renders a second, with `width` renders under way at any time. */
async function rendersPerSecond(
  width: number,
  render: () => unknown,
  ms = 1_000,
): Promise<number> {
  const end = performance.now() + ms;
  let count = 0;
  await Promise.all(Array.from({ length: width }, async () => {
    while (performance.now() < end) {
      await render();
      count++;
    }
  }));
  return count / ms * 1_000;
}

const renderBudget = { ms: 1_000_000_000 };
configureTenantInputBounds({ renderBudget });

const one = createWorkerTemplateRenderer({ workers: 1 });
const two = createWorkerTemplateRenderer({ workers: 2 });
const inProcess = () => renderInstructions(AGENT, CONTEXT);
const inWorker = () => one.render({ tenantId: "acme", template, scope });
const inTwo = () => two.render({ tenantId: "acme", template, scope });
const letter = () => one.render({ tenantId: "a", template: "x", scope: {} });
const parse = () => parseTemplate(template);

await times(3_000, inProcess, inWorker, inTwo);
const [inProcessMs, workerMs, channelMs, parseMs] = await times(
  4_000,
  inProcess,
  inWorker,
  letter,
  parse,
);

const inProcessRates: number[] = [];
const twoRates: number[] = [];
for (let round = 0; round < 5; round++) {
  inProcessRates.push(await rendersPerSecond(1, inProcess));
  twoRates.push(await rendersPerSecond(8, inTwo));
}
await one.close();
await two.close();
const inProcessRate = median(inProcessRates);
const twoRate = median(twoRates);

/** A search that takes seconds within one step of the engine: only stopping the process ends it. */
const STUCK = "{{ text | split: pattern | size }}";
const stuckScope = {
  text: ("b" + "a".repeat(20_000)).repeat(45),
  pattern: "b" + "a".repeat(30_000),
};
const STOP_LIMIT_MS = 300;
configureTenantInputBounds({
  liquid: { renderLimitMs: STOP_LIMIT_MS },
  renderBudget,
});
const stopping = createWorkerTemplateRenderer({ workers: 1 });
const afterStop = () => stopping.render({ tenantId: "a", template, scope });
await times(200, afterStop);
const waits: number[] = [];
const stopped: number[] = [];
for (let round = 0; round < 7; round++) {
  const startedAt = performance.now();
  await stopping.render({ tenantId: "b", template: STUCK, scope: stuckScope })
    .then(() => {
      throw new Error("the stuck template was expected to be stopped");
    }, () => {});
  const killedAt = performance.now();
  await afterStop();
  stopped.push(killedAt - startedAt);
  waits.push(performance.now() - killedAt);
}
await stopping.close();

const us = (ms: number) => `${(ms * 1_000).toFixed(0)} µs`;
console.table({
  [`in process, ${(template.length / 1_000).toFixed(1)} KB template`]: {
    measured: us(inProcessMs),
    target: "",
  },
  "warm worker, the same": { measured: us(workerMs), target: "" },
  "warm worker over in process": {
    measured: us(workerMs - inProcessMs),
    target: "≤ 200 µs",
  },
  "of that, the channel and the wake-ups (a one-letter template)": {
    measured: us(channelMs),
    target: "",
  },
  "in process, renders a second": {
    measured: inProcessRate.toFixed(0),
    target: "",
  },
  "two workers, renders a second": { measured: twoRate.toFixed(0), target: "" },
  "two workers to in process": {
    measured: (twoRate / inProcessRate).toFixed(2),
    target: "≥ 0.5",
  },
  "a stuck render is stopped after": {
    measured: `${median(stopped).toFixed(0)} ms`,
    target: `limit ${STOP_LIMIT_MS} ms + ${STOP_MARGIN_MS} ms`,
  },
  "the next render after that": {
    measured: `${median(waits).toFixed(1)} ms, worst ${
      Math.max(...waits).toFixed(1)
    } ms`,
    target: "< 150 ms",
  },
  "parsing, which later renders save": {
    measured: `${us(parseMs)} = ${(parseMs / inProcessMs).toFixed(1)} renders`,
    target: "",
  },
});
