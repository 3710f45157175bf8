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
  createMemoryStore,
  createStaticKeyProvider,
  generateSigningKey,
} from "../../agents/mod.ts";
import { openConversation, stageOf, takeTurn } from "../agent_stage.ts";

const keyProvider = createStaticKeyProvider(await generateSigningKey());

/** When the model was called, since that was asked for. */
let calledAt: number[] | undefined;

/** A turn whose model answers at once, in a conversation of its own. */
function turnOf(steps: number): () => Promise<void> {
  const runtime = stageOf({
    store: createMemoryStore(),
    steps,
    keyProvider,
    onModelCall: () => calledAt?.push(performance.now()),
  });
  return async () => takeTurn(runtime, await openConversation(runtime));
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
