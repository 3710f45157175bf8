/**
 * What a turn costs whose agent has many tools, of which it calls one: all of them go to the model at each step.
 *
 * @module
 */

import { createMemoryStore } from "../../agents/mod.ts";
import { openConversation, stageOf, takeTurn } from "../agent_stage.ts";
import { median } from "../server_process.ts";
import { stepGaps } from "../turns/step_gaps.ts";
import { growthTable, type SizeCosts } from "./growth_table.ts";

const SIZES = [10, 100, 1_000, 10_000];
const SHORT_STEPS = 2;
const LONG_STEPS = 10;
const TURNS = 25;
const WARM_UP_TURNS = 100;

/** The median time of a short turn with so many tools, in µs. */
async function turnUs(tools: number, turns: number): Promise<number> {
  const runtime = stageOf({
    store: createMemoryStore(),
    steps: SHORT_STEPS,
    otherTools: tools - 1,
  });
  const times: number[] = [];
  while (times.length < turns) {
    const id = await openConversation(runtime);
    const begun = performance.now();
    await takeTurn(runtime, id);
    times.push((performance.now() - begun) * 1_000);
  }
  await runtime.close();
  return median(times);
}

/** The median time from one model call to the next with so many tools, in µs. */
async function stepUs(tools: number, turns: number): Promise<number> {
  const gaps = await stepGaps({
    store: createMemoryStore(),
    steps: LONG_STEPS,
    otherTools: tools - 1,
    turns,
  });
  return median(gaps) * 1_000;
}

/** Measures it and answers the table. */
export async function toolsOfAnAgent(
  report: (progress: string) => void,
): Promise<string[]> {
  const fewest = SIZES[0]!;
  await turnUs(fewest, WARM_UP_TURNS);
  await stepUs(fewest, WARM_UP_TURNS);
  const rows: SizeCosts[] = [];
  for (const size of SIZES) {
    report(`${size} tools`);
    rows.push({
      size,
      costs: {
        [`turn of ${SHORT_STEPS} steps, µs`]: await turnUs(size, TURNS),
        "a further step, µs": await stepUs(size, TURNS),
      },
    });
  }
  return growthTable("tools", rows);
}
