/** What a turn asks of its store: in a database each call is a statement or a transaction. */
import { createMemoryStore } from "../../../agents/mod.ts";
import { assert, assertEquals } from "../../assert.ts";
import { cutStore } from "./cut_store.ts";
import { turnOfSteps } from "./turn_of_steps.ts";

/** The calls of a turn with so many model steps, each but the last with a tool. */
async function callsOf(steps: number): Promise<string[]> {
  const { store, calls } = cutStore(createMemoryStore());
  await turnOfSteps(store, steps, () => calls.length = 0);
  return calls;
}

Deno.test("a turn of two steps with a tool asks at most 12 things of its store", async () => {
  assertEquals(await callsOf(2), [
    "conversations.getConversation",
    "journal.startExclusive",
    "snapshots.write",
    "conversations.getWithMessages",
    "conversations.appendMessage",
    "journal.append",
    "conversations.appendMessage",
    "conversations.appendMessage",
    "journal.append",
    "conversations.appendMessage",
    "provenance.emit",
    "journal.append",
  ]);
});

Deno.test("each further step asks the same few things, however long the turn is", async () => {
  const [two, three, ten, eleven] = await Promise.all(
    [2, 3, 10, 11].map(async (steps) => (await callsOf(steps)).length),
  );
  assertEquals(three! - two!, 3);
  assertEquals(eleven! - ten!, 3);
  assert(two! <= 12);
});
