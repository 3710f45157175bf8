/**
 * What each step of a turn takes.
 *
 * @module
 */

import {
  openConversation,
  stageOf,
  type StageOptions,
  takeTurn,
} from "../agent_stage.ts";
import { median } from "../server_process.ts";

/** Which turns. */
export interface StepGapsOptions extends Omit<StageOptions, "onModelCall"> {
  /** How many of them. */
  readonly turns: number;
}

/** Milliseconds from one model call to the next, from the first on: medians over turns. */
export async function stepGaps(options: StepGapsOptions): Promise<number[]> {
  const { turns, ...stage } = options;
  let calledAt: number[] = [];
  const runtime = stageOf({
    ...stage,
    onModelCall: () => calledAt.push(performance.now()),
  });
  const gaps: number[][] = Array.from({ length: stage.steps - 1 }, () => []);
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
