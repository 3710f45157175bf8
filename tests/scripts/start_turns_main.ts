/**
 * A process that starts turns and never finishes one: its model doesn't answer. It prints `started` once every turn waits
 * for its model, and lives until it is killed, as a server that dies in the middle of its work.
 *
 * Arguments: the store, its leases' milliseconds, then the messages, each for a conversation of its own.
 */
import {
  createScriptedProvider,
  defineAgent,
  openAgentRuntime,
} from "../../agents/mod.ts";
import {
  openStore,
  readStorePlace,
} from "../../scripts/support/store_place.ts";
import { okValue } from "../assert.ts";
import { CLERK } from "./agent_pack.ts";

const [where = "", leaseMs = "", ...messages] = Deno.args;
const place = readStorePlace(where, Deno.cwd());
if (typeof place === "string") throw new Error(place);
const whose = { tenantId: "local", projectId: "local" };
let waiting = 0;
const runtime = openAgentRuntime({
  store: await openStore(place),
  agents: [okValue(defineAgent(CLERK))],
  providers: [createScriptedProvider({
    answers: () => {
      waiting += 1;
      if (waiting === messages.length) console.log("started");
      return new Promise(() => {});
    },
    id: "told",
    model: "told-1",
  })],
  tools: [{
    id: "acme.note",
    version: "1.0.0",
    description: "Keeps a note",
    input: {},
    output: {},
    handler: () => null,
  }],
  renderer: "in-process",
  leaseMs: Number(leaseMs),
});
await Promise.all(messages.map(async (userMessage) => {
  const { id: conversationId } = okValue(
    await runtime.openConversation({ ...whose, agentId: CLERK.id }),
  );
  await runtime.invoke({ ...whose, conversationId, userMessage });
}));
