/**
 * Many conversations finished by several worker processes that are killed at random: on one file, and on the database of
 * `KINDGI_BENCH_POSTGRES_URL` where that is set. Fails when a turn ends twice or not at all, when a message is lost or
 * doubled, or when a tool runs again whose result was stored.
 *
 * @module
 */

import process from "node:process";
import { AgentPack } from "../tests/scripts/agent_pack.ts";
import { runHerd } from "../tests/scripts/worker_herd.ts";

const CONVERSATIONS = 200;
const MODEL_MS = 100;
const TOOL_MS = 20;
const WORKERS = 2;
const CONCURRENCY = 8;
const KILLS = 12;

/** Runs the herd on a store, without kills and with them, and prints what it took. */
async function measure(
  name: string,
  placeOf: (pack: AgentPack) => string,
): Promise<void> {
  const row = async (kills: number) => {
    await using pack = await AgentPack.write();
    const store = placeOf(pack);
    return await runHerd({
      ...{ pack, store, kills },
      conversations: CONVERSATIONS,
      workers: WORKERS,
      modelMs: MODEL_MS,
      toolMs: TOOL_MS,
      concurrency: CONCURRENCY,
    });
  };
  const calm = await row(0);
  const wild = await row(KILLS);
  // Four model calls and three tools a turn, so many turns at once: no worker can be faster.
  const ideal = CONVERSATIONS * (4 * MODEL_MS + 3 * TOOL_MS) /
    (WORKERS * CONCURRENCY);
  console.log(
    `${name.padEnd(10)}${
      (ideal / calm.ms).toFixed(2)
    } of the ideal without kills, ${
      (ideal / wild.ms).toFixed(2)
    } with ${wild.kills}; ${wild.repeated} calls ran again, their results not stored`,
  );
}

console.log(
  `${CONVERSATIONS} conversations, each 4 model calls of ${MODEL_MS} ms and 3 tools of ${TOOL_MS} ms; ${WORKERS} workers, ${CONCURRENCY} turns at once each\n`,
);
await measure("SQLite", (pack) => pack.store);
const url = process.env.KINDGI_BENCH_POSTGRES_URL;
if (url === undefined) {
  console.log("Postgres  not measured: KINDGI_BENCH_POSTGRES_URL isn't set");
} else await measure("Postgres", () => url);
