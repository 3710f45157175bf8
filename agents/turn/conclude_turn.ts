/**
 * The end of one process's part of a turn: what it answers, and what it tells.
 *
 * @module
 */

import { err, type Result } from "../../base/result.ts";
import type { KernelError, RunResult } from "../flow/mod.ts";
import { pendingApprovals } from "./open_gates.ts";
import type { Turn } from "./turn.ts";
import {
  answerOf,
  kernelAnswer,
  parkedAnswer,
  tellEnd,
  type TurnAnswer,
} from "./turn_outcome.ts";

/**
 * Answers for a run that came to its end or to a stop, and tells the end where this process made it.
 *
 * @param endedHere Whether an end is this process's, where the binding doesn't say.
 */
export async function concludeTurn(
  turn: Turn,
  outcome: Result<RunResult, KernelError>,
  endedHere: boolean,
): Promise<TurnAnswer> {
  if (outcome.kind === "err") {
    if (outcome.error.code !== "run-wait-aborted") {
      return kernelAnswer(outcome.error);
    }
    const aborted: TurnAnswer = err(
      turn.abort.error(" while it waited for the conversation's turn before"),
    );
    // A start that never came about has no run to end later; a resumed run stays as it was.
    if (endedHere) await tellEnd(turn, aborted);
    return aborted;
  }
  const run = outcome.value;
  const { status, runId } = run;
  switch (status) {
    case "completed":
    case "failed":
    case "cancelled": {
      const answer = answerOf({ ...run, status }, turn.abort.reason);
      if (endedHere || run.endedHere === true) await tellEnd(turn, answer);
      return answer;
    }
    case "suspended":
      return parkedAnswer(turn, runId, await pendingOf(turn, runId));
  }
}

async function pendingOf(turn: Turn, runId: string) {
  const { runBinding, hitl } = turn.bindings;
  const { tenantId } = turn.input;
  const journal = await runBinding!.readJournal(tenantId, runId);
  if (journal.kind === "err") return [];
  try {
    const pending = pendingApprovals(journal.value, tenantId, hitl);
    return await turn.abort.within(pending, "wall");
  } catch {
    // The turn is parked whether or not its queue answers.
    return [];
  }
}
