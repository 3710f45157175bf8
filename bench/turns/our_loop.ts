/**
 * Our side of `turns.ts`: the same turn, journaled, with conversation, usage and signed provenance kept.
 *
 * Reads lines `<name> <model steps> <turns>` and answers each with the milliseconds that it took, as JSON; a line
 * `gaps <model steps> <turns>` with the milliseconds from each model call of a turn to the next, medians.
 *
 * @module
 */
import { createInterface } from "node:readline";
import process from "node:process";
import { median } from "../server_process.ts";
import {
  type Agent,
  createMemoryStore,
  createScriptedProvider,
  createStaticKeyProvider,
  defineAgent,
  generateSigningKey,
  openAgentRuntime,
  type Tool,
} from "../../agents/mod.ts";

const lookup: Tool = {
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

const keyProvider = createStaticKeyProvider(await generateSigningKey());

function helper(): Agent {
  const agent = defineAgent({
    id: "acme.helper",
    version: "1.0.0",
    name: "Helper",
    instructions: "Help.",
    capabilities: [{ needs: [{ feature: "tool-use" }] }],
    tools: [{ id: "pack.lookup", version: "^1.0.0" }],
    retrieval: [],
    guardrails: [],
    budget: { maxSteps: 32 },
  });
  if (agent.kind === "err") throw new Error(agent.error.message);
  return agent.value;
}

/** When the model was called, since that was asked for. */
let calledAt: number[] | undefined;

/** A runtime whose model answers at once: calls the tool until a turn has had so many model calls. */
function turnOf(steps: number): () => Promise<void> {
  const runtime = openAgentRuntime({
    store: createMemoryStore(),
    agents: [helper()],
    tools: [lookup],
    renderer: "in-process",
    keyProvider,
    providers: [
      createScriptedProvider({
        answers: ({ messages }) => {
          calledAt?.push(performance.now());
          const step = messages.filter(({ role }) => role === "assistant")
            .length + 1;
          return step < steps
            ? {
              toolCalls: [{
                id: `k${step}`,
                name: "pack.lookup",
                arguments: { q: "x" },
              }],
            }
            : { text: "done" };
        },
      }),
    ],
  });
  const whose = { tenantId: "t-1", projectId: "p-1" };
  return async () => {
    const opened = await runtime.openConversation({
      ...whose,
      agentId: "acme.helper",
    });
    if (opened.kind === "err") throw new Error(opened.error.message);
    const answer = await runtime.invoke({
      ...whose,
      conversationId: opened.value.id,
      userMessage: "Hello",
    });
    if (answer.kind === "err") throw new Error(answer.error.message);
  };
}

/** What each step of a turn takes, from one model call to the next. */
async function gaps(
  turn: () => Promise<void>,
  steps: number,
  turns: number,
): Promise<number[]> {
  const all: number[][] = Array.from({ length: steps - 1 }, () => []);
  for (let done = 0; done < turns; done++) {
    calledAt = [];
    await turn();
    for (const [at, gap] of all.entries()) {
      gap.push(calledAt[at + 1]! - calledAt[at]!);
    }
  }
  calledAt = undefined;
  return all.map(median);
}

if (import.meta.main) {
  const turns = new Map<number, () => Promise<void>>();
  for await (const line of createInterface({ input: process.stdin })) {
    const [, steps, count] = line.split(" ").map(Number);
    const turn = turns.get(steps!) ?? turnOf(steps!);
    turns.set(steps!, turn);
    if (line.startsWith("gaps ")) {
      console.log(JSON.stringify(await gaps(turn, steps!, count!)));
      continue;
    }
    const began = performance.now();
    for (let done = 0; done < count!; done++) await turn();
    console.log(JSON.stringify(performance.now() - began));
  }
}
