/**
 * Keeping what a turn was started with (`spec/durability.md`, What a resume needs).
 *
 * @module
 */

import { err, type Result } from "../../base/result.ts";
import { type PersistenceError, reasonOf } from "../agent/mod.ts";
import { TurnFailure } from "./failure.ts";
import type { Turn } from "./turn.ts";
import { snapshotOf } from "./turn_input.ts";

/**
 * Stores the turn's snapshot unless it is stored.
 *
 * At the start a failure is let pass, since the run's journal has the input too. Before a park it is tried again, and
 * failing then ends the turn: nobody is asked about a turn that couldn't be resumed.
 */
export async function storeSnapshot(
  turn: Turn,
  when: "at the start" | "before a park",
): Promise<void> {
  if (turn.snapshotStored) return;
  const written = await write(turn);
  turn.snapshotStored = written.kind === "ok";
  if (written.kind === "err" && when === "before a park") {
    throw new TurnFailure({
      code: "persistence-error",
      message:
        `Cannot park the turn: the snapshot of run ${turn.runId} can't be stored: ${written.error.message}`,
      cause: written.error,
    });
  }
}

async function write(turn: Turn): Promise<Result<void, PersistenceError>> {
  try {
    const { runSnapshotBinding } = turn.bindings;
    return await runSnapshotBinding.write(snapshotOf(turn.runId, turn.input));
  } catch (thrown) {
    return err({
      code: "persistence-error",
      message: reasonOf(thrown),
      cause: thrown,
    });
  }
}
