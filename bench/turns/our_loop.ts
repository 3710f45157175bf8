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
import {
  createMemoryStore,
  createStaticKeyProvider,
  generateSigningKey,
} from "../../agents/mod.ts";
import { openConversation, stageOf, takeTurn } from "../agent_stage.ts";
import { stepGaps } from "./step_gaps.ts";

const keyProvider = createStaticKeyProvider(await generateSigningKey());

/** Milliseconds that turns take, each the first of a conversation that is open. */
async function timeOf(steps: number, turns: number): Promise<number> {
  // A store for each: what the turns before left is no part of these.
  const runtime = stageOf({ store: createMemoryStore(), steps, keyProvider });
  const conversations: string[] = [];
  while (conversations.length < turns) {
    conversations.push(await openConversation(runtime));
  }
  const began = performance.now();
  for (const id of conversations) await takeTurn(runtime, id);
  return performance.now() - began;
}

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) {
    const [, steps = 0, turns = 0] = line.split(" ").map(Number);
    const answer = line.startsWith("gaps ")
      ? await stepGaps({
        ...{ store: createMemoryStore(), keyProvider },
        ...{ steps, turns },
      })
      : await timeOf(steps, turns);
    console.log(JSON.stringify(answer));
  }
}
