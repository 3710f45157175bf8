/**
 * What each step of a turn takes.
 *
 * @module
 */

import type { AgentStore, KeyProvider } from "../../agents/mod.ts";
import { openConversation, stageOf, takeTurn } from "../agent_stage.ts";
import { median } from "../server_process.ts";

/** Which turns. */
export interface StepGapsOptions {
  /** Where they are kept. */
  readonly store: AgentStore;
  /** Their model calls. */
  readonly steps: number;
  /** How many of them. */
  readonly turns: number;
  /** The keys that sign provenance. */
  readonly keyProvider: KeyProvider;
}

/** Milliseconds from one model call to the next, from the first on: medians over turns. */
export async function stepGaps(options: StepGapsOptions): Promise<number[]> {
  const { store, steps, turns, keyProvider } = options;
  let calledAt: number[] = [];
  const runtime = stageOf({
    ...{ store, steps, keyProvider },
    onModelCall: () => calledAt.push(performance.now()),
  });
  const gaps: number[][] = Array.from({ length: steps - 1 }, () => []);
  for (let done = 0; done < turns; done++) {
    calledAt = [];
    await takeTurn(runtime, await openConversation(runtime));
    for (const [at, gap] of gaps.entries()) {
      gap.push(calledAt[at + 1]! - calledAt[at]!);
    }
  }
  await runtime.close();
  return gaps.map(median);
}
