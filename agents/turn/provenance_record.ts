/**
 * A turn's provenance record (`spec/agents_turn.md` 14).
 *
 * It is a function of what the turn's nodes journaled, so that a turn that was cut or parked has the record it would have had.
 *
 * @module
 */

import type { NodeContext } from "../flow/mod.ts";
import {
  type PersistedProvenance,
  persistProvenance,
} from "../provenance/mod.ts";
import { AGENT_TURN_FLOW_ID, AGENT_TURN_FLOW_VERSION } from "./flow.ts";
import { ProvenanceGates } from "./provenance_gates.ts";
import { provenanceGraph } from "./provenance_graph.ts";
import { settled, type Turn } from "./turn.ts";

/**
 * Makes the record, signs it where there are keys and keeps it where that is asked for; `undefined` when it can't be had, or
 * nobody wants it. Never rejects: an answer isn't lost over its proof.
 *
 * @param emit `false` makes it again without keeping it.
 */
export async function makeProvenance(
  turn: Turn,
  context: NodeContext,
  emit: boolean,
): Promise<PersistedProvenance | undefined> {
  const { provenance } = turn.bindings;
  const newBuilder = provenance?.newBuilder;
  if (newBuilder === undefined || context.dryRun) return undefined;
  const { tenantId, projectId, agent } = turn.input;
  const { runId } = context;
  try {
    const gates = await gatesOf(turn, runId);
    if (gates === undefined) return undefined;
    const builder = newBuilder({
      runId,
      tenantId,
      createdAt: settled(turn.state.setup, "setup").at,
      flowRef: { id: AGENT_TURN_FLOW_ID, version: AGENT_TURN_FLOW_VERSION },
    });
    const { nodes, edges } = provenanceGraph(
      turn.state.outputs,
      agent,
      gates,
    );
    nodes.forEach((node) => builder.addNode(node));
    edges.forEach((edge) => builder.addEdge(edge));
    const bindings = emit ? provenance! : { ...provenance, emit: false };
    // An answer that is stored doesn't wait for ever for its proof either.
    const made = await turn.abort.within(
      persistProvenance(builder, bindings, { projectId }),
      "wall",
    );
    return made.kind === "ok" ? made.value : undefined;
  } catch {
    return undefined;
  }
}

/** The people who were asked: only the journal knows when. A turn in which nobody was needn't read it. */
async function gatesOf(
  { gated, bindings, input }: Turn,
  runId: string,
): Promise<ProvenanceGates | undefined> {
  if (!gated) return new ProvenanceGates([]);
  const journal = await bindings.runBinding!.readJournal(input.tenantId, runId);
  return journal.kind === "ok" ? new ProvenanceGates(journal.value) : undefined;
}
