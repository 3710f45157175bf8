/**
 * `persist-provenance`: how the answer came about, signed and kept (`spec/agents_turn.md` 3.9).
 *
 * @module
 */

import type { NodeContext } from "../../flow/mod.ts";
import { makeProvenance } from "../provenance_record.ts";
import type { PersistProvenanceOutput } from "../step_outputs.ts";
import type { Turn } from "../turn.ts";

/** Makes the record and hands it over; whatever fails, the answer stands. */
export async function persistProvenance(
  turn: Turn,
  context: NodeContext,
): Promise<PersistProvenanceOutput> {
  const made = await makeProvenance(turn, context, true);
  turn.provenance = made?.record;
  return {
    persisted: made?.persisted === true,
    recorded: made !== undefined,
  };
}
