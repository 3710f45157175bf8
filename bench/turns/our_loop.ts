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
  type AgentRuntime,
  createMemoryStore,
  createStaticKeyProvider,
  generateSigningKey,
} from "../../agents/mod.ts";
import { openConversation, stageOf, takeTurn } from "../agent_stage.ts";

const keyProvider = createStaticKeyProvider(await generateSigningKey());

/** When the model was called, since that was asked for. */
let calledAt: number[] | undefined;

/** A runtime whose model answers at once. */
function runtimeOf(steps: number): AgentRuntime {
  return stageOf({
    store: createMemoryStore(),
    steps,
    keyProvider,
    onModelCall: () => calledAt?.push(performance.now()),
  });
}

/** Milliseconds that turns take, each the first of a conversation that is open. */
async function timeOf(runtime: AgentRuntime, turns: number): Promise<number> {
  const conversations: string[] = [];
  while (conversations.length < turns) {
    conversations.push(await openConversation(runtime));
  }
  const began = performance.now();
  for (const id of conversations) await takeTurn(runtime, id);
  return performance.now() - began;
}

/** What each step of a turn takes, from one model call to the next. */
async function gaps(
  runtime: AgentRuntime,
  steps: number,
  turns: number,
): Promise<number[]> {
  const all: number[][] = Array.from({ length: steps - 1 }, () => []);
  for (let done = 0; done < turns; done++) {
    calledAt = [];
    await takeTurn(runtime, await openConversation(runtime));
    for (const [at, gap] of all.entries()) {
      gap.push(calledAt[at + 1]! - calledAt[at]!);
    }
  }
  calledAt = undefined;
  return all.map(median);
}

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) {
    const [, steps, count] = line.split(" ").map(Number);
    // A store for each: what the turns before left is no part of these.
    const runtime = runtimeOf(steps!);
    const answer = line.startsWith("gaps ")
      ? await gaps(runtime, steps!, count!)
      : await timeOf(runtime, count!);
    console.log(JSON.stringify(answer));
  }
}
