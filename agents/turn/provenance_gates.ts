/**
 * What a turn's journal says of people who were asked, for its provenance.
 *
 * @module
 */

import type { JournalEntry } from "../flow/mod.ts";
import type { ProvenanceEdge, ProvenanceNode } from "../provenance/mod.ts";
import {
  type GateRecord,
  SESSION_GATE_KEY,
  TOOL_GATE_PREFIX,
} from "./ask_for_approval.ts";
import { readGateDecision } from "./gate_decision.ts";
import type { SessionGateRecord } from "./session_gate.ts";

/** How a wait began and ended. */
interface Wait {
  openedAt?: string;
  endedAt?: string;
  /** What the token was completed with. */
  completed?: { readonly value: unknown };
  /** Why the wait was cancelled. */
  cancelled?: string;
}

/** The gates of a turn, read from its journal. */
export class ProvenanceGates {
  readonly #gates = new Map<string, GateRecord>();
  readonly #waits = new Map<string, Wait>();

  /** Reads the journal. */
  constructor(journal: readonly JournalEntry[]) {
    for (const { kind, payload, timestamp } of journal) {
      const fields = payload as Record<string, unknown> | undefined;
      switch (kind) {
        case "value.recorded": {
          const key = String(fields?.key);
          if (key === SESSION_GATE_KEY || key.startsWith(TOOL_GATE_PREFIX)) {
            this.#gates.set(key, fields?.value as GateRecord);
          }
          break;
        }
        case "wait.suspended":
          this.#wait(fields).openedAt ??= timestamp;
          break;
        case "wait.resumed": {
          const wait = this.#wait(fields);
          wait.endedAt ??= timestamp;
          wait.completed ??= { value: fields?.value };
          break;
        }
        case "wait.cancelled": {
          const wait = this.#wait(fields);
          wait.endedAt ??= timestamp;
          wait.cancelled ??= String(fields?.reason);
          break;
        }
      }
    }
  }

  /** Adds the session's gate, where there was one. */
  session(nodes: ProvenanceNode[], edges: ProvenanceEdge[]): void {
    const gate = this.#gates.get(SESSION_GATE_KEY) as
      | SessionGateRecord
      | undefined;
    if (gate === undefined) return;
    const { turnCount, threshold } = gate;
    this.#add(
      "session-hitl-gate",
      String(turnCount),
      gate,
      {
        gate: "session",
        threshold,
      },
      nodes,
      edges,
    );
  }

  /** Adds a tool call's gate, where it had one; answers the node of what was decided. */
  toolCall(
    callId: string,
    nodes: ProvenanceNode[],
    edges: ProvenanceEdge[],
  ): string | undefined {
    const gate = this.#gates.get(TOOL_GATE_PREFIX + callId);
    if (gate === undefined) return undefined;
    const resume = this.#add(
      "tool-hitl-gate",
      callId,
      gate,
      {
        gate: "tool",
        invocationId: callId,
      },
      nodes,
      edges,
    );
    edges.push({
      from: `tool-call:${callId}`,
      to: `tool-hitl-gate-wait:${callId}`,
      kind: "waited-on",
    });
    return resume;
  }

  #add(
    prefix: string,
    suffix: string,
    { waitTokenId, approval }: GateRecord,
    attributes: Record<string, unknown>,
    nodes: ProvenanceNode[],
    edges: ProvenanceEdge[],
  ): string | undefined {
    const wait = this.#waits.get(waitTokenId) ?? {};
    const waitId = `${prefix}-wait:${suffix}`;
    nodes.push({
      id: waitId,
      kind: "wait",
      timestamp: wait.openedAt ?? wait.endedAt ?? approval.expiresAt,
      attributes: { ...attributes, token: waitTokenId },
    });
    if (wait.endedAt === undefined) return undefined;
    const resumeId = `${prefix}-resume:${suffix}`;
    const { actor, decision } = outcomeOf(wait);
    nodes.push({
      id: resumeId,
      kind: "resume",
      timestamp: wait.endedAt,
      ...(actor === undefined ? {} : { actor }),
      attributes: { ...attributes, ...decision },
    });
    edges.push({ from: waitId, to: resumeId, kind: "resumed-from" });
    return resumeId;
  }

  #wait(fields: Record<string, unknown> | undefined): Wait {
    const tokenId = String(fields?.tokenId);
    const known = this.#waits.get(tokenId);
    if (known !== undefined) return known;
    const wait: Wait = {};
    this.#waits.set(tokenId, wait);
    return wait;
  }
}

/** How a wait ended, for its node. */
function outcomeOf({ completed, cancelled }: Wait): {
  readonly actor?: string;
  readonly decision: Record<string, unknown>;
} {
  if (completed === undefined) {
    return { decision: { decision: "cancelled", reason: cancelled ?? "" } };
  }
  const read = readGateDecision(completed.value);
  const { approvalId, decidedBy } = read;
  const approval = approvalId === undefined ? {} : { approvalId };
  const actor = decidedBy === undefined ? {} : { actor: decidedBy };
  if (read.approved) {
    return { ...actor, decision: { decision: "approve", ...approval } };
  }
  const { reason, rationale } = read;
  return {
    ...actor,
    decision: {
      decision: reason === "rejected" ? "reject" : "unreadable",
      ...(rationale === undefined ? {} : { rationale }),
      ...approval,
    },
  };
}
