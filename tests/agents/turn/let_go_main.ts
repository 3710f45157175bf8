/**
 * Runs turns with a tool call, then prints how many bytes of each were left after the frequent collections and gone after a
 * full one. Started with `--expose-gc`.
 */
import {
  createMemoryStore,
  createScriptedProvider,
  openAgentRuntime,
} from "../../../agents/mod.ts";
import { okValue } from "../../assert.ts";
import { agentWith, lookup, WITH_TOOL } from "./turn_fixture.ts";

const TURNS = 400;
const WHOSE = { tenantId: "t-1", projectId: "p-1" };
const { gc } = globalThis as unknown as {
  readonly gc: (options?: { readonly type: "minor" }) => void;
};

const runtime = openAgentRuntime({
  store: createMemoryStore(),
  agents: [agentWith(WITH_TOOL)],
  tools: [lookup().tool],
  providers: [
    createScriptedProvider({
      answers: ({ messages }) =>
        messages.at(-1)?.role === "tool" ? { text: "done" } : {
          toolCalls: [{ id: "1", name: "pack.lookup", arguments: { q: "x" } }],
        },
    }),
  ],
  renderer: "in-process",
});

async function runTurns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) {
    const { id } = okValue(
      await runtime.openConversation({ ...WHOSE, agentId: "acme.helper" }),
    );
    okValue(
      await runtime.invoke({
        ...WHOSE,
        conversationId: id,
        userMessage: "Hello",
      }),
    );
  }
}

await runTurns();
gc();
await runTurns();
// What two of these leave has become old.
gc({ type: "minor" });
gc({ type: "minor" });
const left = Deno.memoryUsage().heapUsed;
gc();
console.log(Math.round((left - Deno.memoryUsage().heapUsed) / TURNS));
await runtime.close();
