/**
 * What a turn costs in a conversation that is long already. The prompt takes the last eight messages, whatever the length.
 *
 * @module
 */

import type { AgentRuntime, AgentStore } from "../../agents/mod.ts";
import { median } from "../server_process.ts";
import {
  openConversation,
  stageOf,
  STORES,
  takeTurn,
  valueOf,
  WHOSE,
} from "../agent_stage.ts";
import { growthTable, type SizeCosts } from "./growth_table.ts";

const HISTORY_LIMIT = 8;
const LENGTHS = [10, 100, 1_000, 10_000];
/** Turns that are measured at each length. They lengthen it by two messages each. */
const TURNS = 60;
const WARM_UP_TURNS = 300;
const TEXT = "A sentence or two, as people and agents write them. ".repeat(3);

/** Opens a conversation of some length. */
export async function conversationOf(
  store: AgentStore,
  runtime: AgentRuntime,
  length: number,
): Promise<string> {
  const id = await openConversation(runtime);
  for (let at = 0; at < length; at++) {
    valueOf(
      await store.conversations.appendMessage({
        tenantId: WHOSE.tenantId,
        conversationId: id,
        role: at % 2 === 0 ? "user" : "agent",
        content: TEXT,
      }),
    );
  }
  return id;
}

/** The median time of a turn at each length, in µs; lengths take turns. */
async function turnTimes(store: AgentStore): Promise<number[]> {
  const runtime = stageOf({ store, steps: 1, historyLimit: HISTORY_LIMIT });
  const turn = async (conversationId: string) => {
    const begun = performance.now();
    await takeTurn(runtime, conversationId);
    return (performance.now() - begun) * 1_000;
  };
  const warm = await conversationOf(store, runtime, 10);
  for (let at = 0; at < WARM_UP_TURNS; at++) await turn(warm);
  const ids: string[] = [];
  for (const length of LENGTHS) {
    ids.push(await conversationOf(store, runtime, length));
  }
  const times = ids.map((): number[] => []);
  for (let round = 0; round < TURNS; round++) {
    for (const [at, id] of ids.entries()) times[at]!.push(await turn(id));
  }
  await runtime.close();
  return times.map(median);
}

/** Measures it on each store and answers the table. */
export async function conversationLength(
  report: (progress: string) => void,
): Promise<string[]> {
  const costs = LENGTHS.map((): Record<string, number> => ({}));
  for (const [name, open] of Object.entries(STORES)) {
    report(name);
    await using opened = await open();
    for (const [at, time] of (await turnTimes(opened.store)).entries()) {
      costs[at]![`turn on ${name}, µs`] = time;
    }
  }
  const rows: SizeCosts[] = LENGTHS.map((size, at) => ({
    size,
    costs: costs[at]!,
  }));
  return growthTable("messages", rows);
}
