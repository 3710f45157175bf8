/**
 * `persist-provenance`: how the answer came about, signed and kept (`spec/agents_turn.md` 3.9, 14).
 *
 * The record is a function of the run's journal, so that a turn that was cut or parked has the one it would have had.
 *
 * @module
 */

import type { NodeContext } from "../../flow/mod.ts";
import { persistProvenance as persist } from "../../provenance/mod.ts";
import { AGENT_TURN_FLOW_ID, AGENT_TURN_FLOW_VERSION } from "../flow.ts";
import { provenanceGraph } from "../provenance_graph.ts";
import type { PersistProvenanceOutput } from "../step_outputs.ts";
import type { Turn } from "../turn.ts";

/** Builds the record and hands it over; whatever fails, the answer stands. */
export async function persistProvenance(
  turn: Turn,
  context: NodeContext,
): Promise<PersistProvenanceOutput> {
  const { provenance, runBinding } = turn.bindings;
  const newBuilder = provenance?.newBuilder;
  if (newBuilder === undefined || context.dryRun) return { persisted: false };
  const { tenantId, projectId } = turn.input;
  const { runId } = context;
  try {
    const journal = await runBinding!.readJournal(tenantId, runId);
    if (journal.kind === "err") return { persisted: false };
    const [started] = journal.value;
    const builder = newBuilder({
      runId,
      tenantId,
      ...(started === undefined ? {} : { createdAt: started.timestamp }),
      flowRef: { id: AGENT_TURN_FLOW_ID, version: AGENT_TURN_FLOW_VERSION },
    });
    const { nodes, edges } = provenanceGraph(journal.value, turn.input.agent);
    nodes.forEach((node) => builder.addNode(node));
    edges.forEach((edge) => builder.addEdge(edge));
    const finished = await persist(builder, provenance!, { projectId });
    if (finished.kind === "err") return { persisted: false };
    const { persisted, record } = finished.value;
    return { persisted, record };
  } catch {
    return { persisted: false };
  }
}
