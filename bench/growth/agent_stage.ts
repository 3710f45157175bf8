/**
 * A runtime whose model answers at once, for measuring what turns cost by themselves.
 *
 * @module
 */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type Agent,
  type AgentRuntime,
  type AgentStore,
  createMemoryStore,
  createScriptedProvider,
  defineAgent,
  openAgentRuntime,
  type Result,
  type Tool,
} from "../../agents/mod.ts";
import { openSqliteStore } from "../../agents/store/sqlite.ts";

/** Whose turns they are. */
export const WHOSE = { tenantId: "t-1", projectId: "p-1" } as const;

/** The agent of the stage. */
export const AGENT_ID = "acme.helper";

/** The value of a result that is expected to be one. */
export function valueOf<T>(result: Result<T, { readonly message: string }>): T {
  if (result.kind === "err") throw new Error(result.error.message);
  return result.value;
}

/** A store and how to be rid of it. */
export interface OpenStore extends AsyncDisposable {
  /** The store. */
  readonly store: AgentStore;
}

/** The stores that are measured. */
export const STORES: Readonly<Record<string, () => Promise<OpenStore>>> = {
  memory: () => {
    const store = createMemoryStore();
    return Promise.resolve({
      store,
      [Symbol.asyncDispose]: () => store.close(),
    });
  },
  SQLite: async () => {
    const folder = await Deno.makeTempDir({ prefix: "kindgi-bench-" });
    const store = openSqliteStore(join(folder, "store.sqlite"));
    return {
      store,
      async [Symbol.asyncDispose]() {
        await store.close();
        await rm(folder, { recursive: true });
      },
    };
  },
};

function toolOf(id: string): Tool {
  return {
    id,
    version: "1.0.0",
    description: "Looks something up",
    input: {
      type: "object",
      properties: { q: { type: "string" } },
      required: ["q"],
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: { found: { type: "string" } },
      required: ["found"],
    },
    handler: (input) => ({ found: (input as { q: string }).q }),
  };
}

function agentOf(historyLimit: number): Agent {
  return valueOf(defineAgent({
    id: AGENT_ID,
    version: "1.0.0",
    name: "Helper",
    instructions: "Help.",
    capabilities: [{ needs: [{ feature: "tool-use" }] }],
    tools: [{ id: "pack.lookup", version: "^1.0.0" }],
    retrieval: [],
    guardrails: [],
    budget: { maxSteps: 1_000 },
    conversationPolicy: { historyLimit },
  }));
}

/** How a turn goes. */
export interface StageOptions {
  /** Where it is kept. */
  readonly store: AgentStore;
  /** Model calls of a turn: each but the last one calls a tool. */
  readonly steps: number;
  /** Prior messages in the prompt; 8 when absent. */
  readonly historyLimit?: number;
}

/** A runtime whose turns have so many model calls. */
export function stageOf(options: StageOptions): AgentRuntime {
  const { store, steps, historyLimit = 8 } = options;
  return openAgentRuntime({
    store,
    agents: [agentOf(historyLimit)],
    tools: [toolOf("pack.lookup")],
    renderer: "in-process",
    providers: [
      createScriptedProvider({
        answers: ({ messages }) => {
          const said = messages.findLastIndex(({ role }) => role === "user");
          const step = messages.slice(said)
            .filter(({ role }) => role === "assistant").length + 1;
          if (step >= steps) return { text: "done" };
          return {
            toolCalls: [{
              id: `k${step}`,
              name: "pack.lookup",
              arguments: { q: "x" },
            }],
          };
        },
      }),
    ],
  });
}
