/**
 * A turn of two model steps with a tool on each store, and many conversations at once on Postgres: the one that
 * `TEST_POSTGRES_URL` names, or a throwaway one.
 *
 * @module
 */

import {
  type AgentStore,
  createMemoryStore,
  createStaticKeyProvider,
  defineAgent,
  generateSigningKey,
  type ModelProvider,
  openAgentRuntime,
} from "../agents/mod.ts";
import { openPostgresStore } from "../agents/store/postgres.ts";
import { openSqliteStore } from "../agents/store/sqlite.ts";
import { TestDatabase } from "../tests/agents/store/postgres_database.ts";
import { median } from "./server_process.ts";

const TURNS = 300;
const CONVERSATIONS = [1, 16, 64];
const WHOSE = { tenantId: "t-1", projectId: "p-1" };

const defined = defineAgent({
  id: "acme.helper",
  version: "1.0.0",
  name: "Helper",
  instructions: "Help.",
  capabilities: [{ needs: [{ feature: "tool-use" }] }],
  tools: [{ id: "pack.lookup", version: "^1.0.0" }],
  retrieval: [],
  guardrails: [],
});
if (defined.kind === "err") throw new Error(defined.error.message);
const agent = defined.value;
const keyProvider = createStaticKeyProvider(await generateSigningKey());

/** A model that calls the tool once in each turn, and takes so long. */
function model(ms: number): ModelProvider {
  return {
    metadata: {
      id: "m",
      region: "unspecified",
      models: [{
        name: "m",
        contextWindow: 128_000,
        features: ["tool-use"],
        cost: { promptUsdPer1kTokens: 0, completionUsdPer1kTokens: 0 },
      }],
    },
    async invoke({ messages }) {
      if (ms > 0) await new Promise((done) => setTimeout(done, ms));
      const answered = messages.at(-1)?.role === "tool";
      return {
        message: {
          role: "assistant",
          content: answered ? "done" : "",
          ...(answered ? {} : {
            toolCalls: [{
              id: "k1",
              name: "pack.lookup",
              arguments: { q: "x" },
            }],
          }),
        },
        finishReason: answered ? "stop" : "tool-use",
        usage: { promptTokens: 10, completionTokens: 5 },
        durationMs: ms,
        provider: { id: "m", model: "m" },
      };
    },
  };
}

function runtimeOn(store: AgentStore, modelMs: number) {
  return openAgentRuntime({
    store,
    agents: [agent],
    tools: [{
      id: "pack.lookup",
      version: "1.0.0",
      description: "Looks something up",
      input: { type: "object" },
      output: {},
      handler: () => ({ found: "x" }),
    }],
    renderer: "in-process",
    keyProvider,
    providers: [model(modelMs)],
  });
}

type Runtime = ReturnType<typeof runtimeOn>;

async function conversation(runtime: Runtime): Promise<string> {
  const opened = await runtime.openConversation({
    ...WHOSE,
    agentId: agent.id,
  });
  if (opened.kind === "err") throw new Error(opened.error.message);
  return opened.value.id;
}

async function turn(runtime: Runtime, conversationId: string): Promise<void> {
  const answer = await runtime.invoke({
    ...WHOSE,
    conversationId,
    userMessage: "Hello",
  });
  if (answer.kind === "err") throw new Error(answer.error.message);
}

/** Milliseconds of a turn, one after another, each in a conversation of its own. */
async function turnMs(store: AgentStore): Promise<number> {
  const runtime = runtimeOn(store, 0);
  const times: number[] = [];
  for (let count = 0; count < TURNS; count += 1) {
    const id = await conversation(runtime);
    const from = performance.now();
    await turn(runtime, id);
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
  const runtime = runtimeOn(store, modelMs);
  const each = Math.max(4, Math.round((modelMs > 0 ? 256 : 512) / at));
  const ids = await Promise.all(
    Array.from({ length: at }, () => conversation(runtime)),
  );
  const from = performance.now();
  await Promise.all(ids.map(async (id) => {
    for (let count = 0; count < each; count += 1) await turn(runtime, id);
  }));
  const seconds = (performance.now() - from) / 1_000;
  await runtime.close();
  return at * each / seconds;
}

const database = await TestDatabase.make();
const folder = await Deno.makeTempDir();
const postgres = (prepare: boolean) =>
  openPostgresStore({ url: database.url, prepare, connections: 16 }, {
    onWarning: () => {},
  });
const stores: readonly (readonly [string, () => Promise<AgentStore>])[] = [
  ["memory", () => Promise.resolve(createMemoryStore())],
  ["SQLite", () => Promise.resolve(openSqliteStore(`${folder}/turns.sqlite`))],
  ["Postgres, prepared", () => postgres(true)],
  ["Postgres, unprepared", () => postgres(false)],
];
try {
  console.log("a turn of two steps with a tool, one after another:");
  for (const [name, open] of stores) {
    const store = await open();
    console.log(`  ${name.padEnd(22)}${(await turnMs(store)).toFixed(2)} ms`);
    await store.close();
  }
  for (const modelMs of [0, 50]) {
    const store = await postgres(true);
    const rates: number[] = [];
    for (const at of CONVERSATIONS) {
      rates.push(await throughput(store, at, modelMs));
    }
    console.log(
      `Postgres, a model that takes ${modelMs} ms, turns/s at ${
        CONVERSATIONS.join("/")
      } conversations: ${
        rates.map((rate) => rate.toFixed(0)).join("/")
      }, to one: ${
        rates.map((rate) => (rate / rates[0]!).toFixed(1)).join("/")
      }`,
    );
    await store.close();
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
