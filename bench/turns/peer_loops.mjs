/**
 * The peers of `turns.ts`: the same turn in their loops. A process of its own, started in a folder that has them.
 *
 * Reads lines `<peer> <model steps> <turns>` and answers each with the milliseconds that it took, as JSON.
 */
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import process from "node:process";

const require = createRequire(`${process.cwd()}/package.json`);

/** Imports a package from the folder that the process was started in. */
function load(name) {
  return import(pathToFileURL(require.resolve(name)).href);
}

const peers = {
  async ai() {
    const { generateText, stepCountIs, tool } = await load("ai");
    const { MockLanguageModelV4 } = await load("ai/test");
    const { z } = await load("zod");
    const lookup = tool({
      description: "Looks something up",
      inputSchema: z.object({ q: z.string() }),
      execute: ({ q }) => Promise.resolve({ found: q }),
    });
    const usage = {
      inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 5, text: 5, reasoning: 0 },
    };
    return async (steps) => {
      let step = 0;
      const model = new MockLanguageModelV4({
        doGenerate: () => {
          step += 1;
          return Promise.resolve(
            step < steps
              ? {
                content: [{
                  type: "tool-call",
                  toolCallId: `k${step}`,
                  toolName: "lookup",
                  input: '{"q":"x"}',
                }],
                finishReason: { unified: "tool-calls", raw: "tool_calls" },
                usage,
                warnings: [],
              }
              : {
                content: [{ type: "text", text: "done" }],
                finishReason: { unified: "stop", raw: "stop" },
                usage,
                warnings: [],
              },
          );
        },
      });
      const { text } = await generateText({
        model,
        system: "Help.",
        prompt: "Hello",
        tools: { lookup },
        stopWhen: stepCountIs(32),
      });
      if (text !== "done") throw new Error(`ai answered ${text}`);
    };
  },

  async "@openai/agents"() {
    const { Agent, Runner, setTracingDisabled, tool, Usage } = await load(
      "@openai/agents",
    );
    const { z } = await load("zod");
    setTracingDisabled(true);
    const lookup = tool({
      name: "lookup",
      description: "Looks something up",
      parameters: z.object({ q: z.string() }),
      execute: ({ q }) => Promise.resolve({ found: q }),
    });
    return async (steps) => {
      let step = 0;
      const model = {
        getResponse() {
          step += 1;
          return Promise.resolve({
            usage: new Usage({
              inputTokens: 10,
              outputTokens: 5,
              totalTokens: 15,
            }),
            output: step < steps
              ? [{
                type: "function_call",
                callId: `k${step}`,
                name: "lookup",
                status: "completed",
                arguments: '{"q":"x"}',
              }]
              : [{
                type: "message",
                role: "assistant",
                status: "completed",
                content: [{ type: "output_text", text: "done" }],
              }],
          });
        },
      };
      const agent = new Agent({
        name: "Helper",
        instructions: "Help.",
        model,
        tools: [lookup],
      });
      const runner = new Runner({ tracingDisabled: true });
      const { finalOutput } = await runner.run(agent, "Hello", {
        maxTurns: 32,
      });
      if (finalOutput !== "done") throw new Error(`answered ${finalOutput}`);
    };
  },

  async "@langchain/langgraph"() {
    const { MemorySaver, MessagesAnnotation, StateGraph } = await load(
      "@langchain/langgraph",
    );
    const { ToolNode } = await load("@langchain/langgraph/prebuilt");
    const { AIMessage } = await load("@langchain/core/messages");
    const { tool } = await load("@langchain/core/tools");
    const { z } = await load("zod");
    const lookup = tool(({ q }) => Promise.resolve({ found: q }), {
      name: "lookup",
      description: "Looks something up",
      schema: z.object({ q: z.string() }),
    });
    let thread = 0;
    return async (steps) => {
      let step = 0;
      const graph = new StateGraph(MessagesAnnotation)
        .addNode("model", () => {
          step += 1;
          return {
            messages: [
              step < steps
                ? new AIMessage({
                  content: "",
                  tool_calls: [{
                    id: `k${step}`,
                    name: "lookup",
                    args: { q: "x" },
                    type: "tool_call",
                  }],
                })
                : new AIMessage("done"),
            ],
          };
        })
        .addNode("tools", new ToolNode([lookup]))
        .addEdge("__start__", "model")
        .addConditionalEdges(
          "model",
          ({ messages }) =>
            messages.at(-1).tool_calls?.length > 0 ? "tools" : "__end__",
        )
        .addEdge("tools", "model")
        .compile({ checkpointer: new MemorySaver() });
      const { messages } = await graph.invoke(
        { messages: [{ role: "user", content: "Hello" }] },
        {
          configurable: { thread_id: `t-${++thread}` },
          recursionLimit: 100,
        },
      );
      if (messages.at(-1).content !== "done") throw new Error("no answer");
    };
  },
};

const loaded = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const [name, steps, turns] = line.split(" ");
  if (!loaded.has(name)) loaded.set(name, await peers[name]());
  const turn = loaded.get(name);
  const began = performance.now();
  for (let done = 0; done < Number(turns); done++) await turn(Number(steps));
  console.log(JSON.stringify(performance.now() - began));
}
