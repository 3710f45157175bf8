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
  type KeyProvider,
  type ModelCallInput,
  openAgentRuntime,
  type Result,
  type ScriptedAnswer,
  type Tool,
} from "../agents/mod.ts";
import { openSqliteStore } from "../agents/store/sqlite.ts";

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

const LOOKUP: Tool = {
  id: "pack.lookup",
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

/** Tools that the model never calls, as many as are asked for. */
function otherTools(count: number): Tool[] {
  return Array.from({ length: count }, (_, at) => ({
    ...LOOKUP,
    id: `pack.other-${at}`,
    description: `Looks up something else, ${at}`,
  }));
}

function agentOf(tools: readonly Tool[], historyLimit?: number): Agent {
  return valueOf(defineAgent({
    id: AGENT_ID,
    version: "1.0.0",
    name: "Helper",
    instructions: "Help.",
    capabilities: [{ needs: [{ feature: "tool-use" }] }],
    tools: tools.map(({ id }) => ({ id, version: "^1.0.0" })),
    retrieval: [],
    guardrails: [],
    budget: { maxSteps: 32 },
    ...(historyLimit === undefined
      ? {}
      : { conversationPolicy: { historyLimit } }),
  }));
}

/** How turns go. */
export interface StageOptions {
  /** Where they are kept. */
  readonly store: AgentStore;
  /** Model calls of a turn: each but the last one calls a tool. */
  readonly steps: number;
  /** Prior messages in the prompt; all of them when absent. */
  readonly historyLimit?: number;
  /** Tools of the agent beside the one that is called; none when absent. */
  readonly otherTools?: number;
  /** How long the model takes, in milliseconds; it answers at once when absent. */
  readonly modelMs?: number;
  /** The keys that sign provenance; unsigned when absent. */
  readonly keyProvider?: KeyProvider;
  /** Hears of every model call. */
  readonly onModelCall?: () => void;
}

/** A runtime whose turns have so many model calls. */
export function stageOf(options: StageOptions): AgentRuntime {
  const { store, steps, historyLimit, modelMs = 0, keyProvider } = options;
  const tools = [LOOKUP, ...otherTools(options.otherTools ?? 0)];
  const answerOf = ({ messages }: ModelCallInput): ScriptedAnswer => {
    const said = messages.findLastIndex(({ role }) => role === "user");
    const step = messages.slice(said)
      .filter(({ role }) => role === "assistant").length + 1;
    if (step >= steps) return { text: "done" };
    const name = LOOKUP.id;
    return { toolCalls: [{ id: `k${step}`, name, arguments: { q: "x" } }] };
  };
  return openAgentRuntime({
    store,
    agents: [agentOf(tools, historyLimit)],
    tools,
    renderer: "in-process",
    ...(keyProvider === undefined ? {} : { keyProvider }),
    providers: [
      createScriptedProvider({
        answers: (call) => {
          options.onModelCall?.();
          return modelMs === 0
            ? answerOf(call)
            : new Promise((answer) =>
              setTimeout(() => answer(answerOf(call)), modelMs)
            );
        },
      }),
    ],
  });
}

/** Opens a conversation; answers its id. */
export async function openConversation(runtime: AgentRuntime): Promise<string> {
  const opened = await runtime.openConversation({
    ...WHOSE,
    agentId: AGENT_ID,
  });
  return valueOf(opened).id;
}

/** Takes a turn. */
export async function takeTurn(
  runtime: AgentRuntime,
  conversationId: string,
): Promise<void> {
  valueOf(
    await runtime.invoke({ ...WHOSE, conversationId, userMessage: "Hello" }),
  );
}
