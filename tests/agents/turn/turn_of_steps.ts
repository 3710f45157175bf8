/** A turn of so many model steps, each but the last with a tool, its provenance signed. */
import {
  type AgentStore,
  type AgentTurnResult,
  createStaticKeyProvider,
  generateSigningKey,
  openAgentRuntime,
} from "../../../agents/mod.ts";
import { assertEquals, okValue } from "../../assert.ts";
import { agentWith, call, lookup, provider, say } from "./turn_fixture.ts";

/** Takes the turn in a conversation of its own; `begun` is called once that is open. */
export async function turnOfSteps(
  store: AgentStore,
  steps: number,
  begun: () => void,
): Promise<AgentTurnResult> {
  const agent = agentWith({
    tools: [{ id: "pack.lookup", version: "*" }],
    budget: { maxSteps: 32 },
  });
  const runtime = openAgentRuntime({
    store,
    agents: [agent],
    tools: [lookup().tool],
    renderer: "in-process",
    keyProvider: createStaticKeyProvider(await generateSigningKey()),
    providers: [
      provider([
        ...Array.from(
          { length: steps - 1 },
          (_, at) => call([`k${at}`, "pack.lookup", { q: "x" }]),
        ),
        say("done"),
      ]),
    ],
  });
  try {
    const whose = { tenantId: "t-1", projectId: "p-1" };
    const { id } = okValue(
      await runtime.openConversation({ ...whose, agentId: agent.id }),
    );
    begun();
    const turn = okValue(
      await runtime.invoke({
        ...whose,
        conversationId: id,
        userMessage: "Hello",
      }),
    );
    assertEquals(turn.usage.steps, steps);
    assertEquals(turn.response.content as string, "done");
    return turn;
  } finally {
    await runtime.close();
  }
}
