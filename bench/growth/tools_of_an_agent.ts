/**
 * What a turn costs whose agent has many tools, of which it calls one: all of them go to the model at each step.
 *
 * @module
 */

import { type AgentRuntime, createMemoryStore } from "../../agents/mod.ts";
import { openConversation, stageOf, takeTurn } from "../agent_stage.ts";
import { median } from "../server_process.ts";
import { growthTable } from "./growth_table.ts";

const SIZES = [10, 100, 1_000, 10_000];
/** Model calls of a short turn and of a longer one: what is between them is what steps take. */
const [FEW_STEPS, MORE_STEPS] = [2, 10];
const TURNS = 15;
const WARM_UP_TURNS = 100;

async function turnUs(runtime: AgentRuntime): Promise<number> {
  const id = await openConversation(runtime);
  const begun = performance.now();
  await takeTurn(runtime, id);
  return (performance.now() - begun) * 1_000;
}

/** The median time of a turn with so many tools, in µs. */
async function turnTime(tools: number, steps: number): Promise<number> {
  const store = createMemoryStore();
  const runtime = stageOf({ store, steps, otherTools: tools - 1 });
  const times: number[] = [];
  while (times.length < TURNS) times.push(await turnUs(runtime));
  await runtime.close();
  return median(times);
}

/** Measures it and answers the table. */
export async function toolsOfAnAgent(
  report: (progress: string) => void,
): Promise<string[]> {
  const warm = stageOf({ store: createMemoryStore(), steps: MORE_STEPS });
  for (let turn = 0; turn < WARM_UP_TURNS; turn++) await turnUs(warm);
  await warm.close();
  const rows = [];
  for (const size of SIZES) {
    report(`${size} tools`);
    const few = await turnTime(size, FEW_STEPS);
    const more = await turnTime(size, MORE_STEPS);
    rows.push({
      size,
      costs: {
        [`turn of ${FEW_STEPS} steps, µs`]: few,
        "a further step, µs": (more - few) / (MORE_STEPS - FEW_STEPS),
      },
    });
  }
  return growthTable("tools", rows);
}
