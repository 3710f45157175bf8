/**
 * A turn of two model steps with a tool on each store, and many conversations at once on Postgres: the one that
 * `TEST_POSTGRES_URL` names, or a throwaway one.
 *
 * @module
 */

import {
  type AgentStore,
  createStaticKeyProvider,
  generateSigningKey,
} from "../agents/mod.ts";
import { openPostgresStore } from "../agents/store/postgres.ts";
import { TestDatabase } from "../tests/agents/store/postgres_database.ts";
import {
  openConversation,
  type OpenStore,
  stageOf,
  STORES,
  takeTurn,
} from "./agent_stage.ts";
import { median } from "./server_process.ts";

const STEPS = 2;
const TURNS = 300;
const CONVERSATIONS = [1, 16, 64];

const keyProvider = createStaticKeyProvider(await generateSigningKey());

/** Milliseconds of a turn, one after another, each in a conversation of its own. */
async function turnMs(store: AgentStore): Promise<number> {
  const runtime = stageOf({ store, steps: STEPS, keyProvider });
  const times: number[] = [];
  for (let count = 0; count < TURNS; count += 1) {
    const id = await openConversation(runtime);
    const from = performance.now();
    await takeTurn(runtime, id);
    times.push(performance.now() - from);
  }
  await runtime.close();
  return median(times.slice(TURNS / 3));
}

/** Turns per second of so many conversations at once, each taking one turn after another. */
async function throughput(
  store: AgentStore,
  at: number,
  modelMs: number,
): Promise<number> {
  const runtime = stageOf({ store, steps: STEPS, keyProvider, modelMs });
  const each = Math.max(4, Math.round((modelMs > 0 ? 256 : 512) / at));
  const ids = await Promise.all(
    Array.from({ length: at }, () => openConversation(runtime)),
  );
  const from = performance.now();
  await Promise.all(ids.map(async (id) => {
    for (let count = 0; count < each; count += 1) await takeTurn(runtime, id);
  }));
  const seconds = (performance.now() - from) / 1_000;
  await runtime.close();
  return at * each / seconds;
}

const database = await TestDatabase.make();
async function postgres(prepare: boolean): Promise<OpenStore> {
  const place = { url: database.url, prepare, connections: 16 };
  const store = await openPostgresStore(place, { onWarning: () => {} });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

console.log("a turn of two steps with a tool, one after another:");
const stores = {
  ...STORES,
  "Postgres, prepared": () => postgres(true),
  "Postgres, unprepared": () => postgres(false),
};
for (const [name, open] of Object.entries(stores)) {
  await using opened = await open();
  const ms = await turnMs(opened.store);
  console.log(`  ${name.padEnd(22)}${ms.toFixed(2)} ms`);
}
for (const modelMs of [0, 50]) {
  await using opened = await postgres(true);
  const rates: number[] = [];
  for (const at of CONVERSATIONS) {
    rates.push(await throughput(opened.store, at, modelMs));
  }
  console.log(
    `Postgres, a model that takes ${modelMs} ms, turns/s at ${
      CONVERSATIONS.join("/")
    } conversations: ${
      rates.map((rate) => rate.toFixed(0)).join("/")
    }, to one: ${rates.map((rate) => (rate / rates[0]!).toFixed(1)).join("/")}`,
  );
}
