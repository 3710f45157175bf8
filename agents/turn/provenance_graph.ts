/**
 * From what a turn's nodes journaled to the graph of how its answer came about (`spec/agents_turn.md` 14.1, 14.2).
 *
 * @module
 */

import type { Agent } from "../agent/mod.ts";
import type { ProvenanceEdge, ProvenanceNode } from "../provenance/mod.ts";
import {
  DISPATCH_TOOLS_NODE,
  EVALUATE_GUARDRAILS_NODE,
  MODEL_CALL_NODE,
  PERSIST_USER_MESSAGE_NODE,
  RUN_RETRIEVALS_NODE,
  SETUP_NODE,
} from "./flow.ts";
import { callsOf } from "./history.ts";
import { pinnedVersion } from "./pinned_version.ts";
import type { ProvenanceGates } from "./provenance_gates.ts";
import type {
  DispatchToolsOutput,
  EvaluateGuardrailsOutput,
  ModelCallOutput,
  RunRetrievalsOutput,
  SetupOutput,
  StoredMessageOutput,
} from "./step_outputs.ts";
import type { TurnState } from "./turn_state.ts";

// Keys are written in the order in which they are signed, which spares sorting them.

/** A graph of what happened; every edge's ends are nodes of it. */
export interface ProvenanceGraph {
  /** What happened, in order. */
  readonly nodes: readonly ProvenanceNode[];
  /** How it hangs together. */
  readonly edges: readonly ProvenanceEdge[];
}

/**
 * Reads what a turn's nodes came to as a graph.
 *
 * @param outputs What each came to, in order.
 */
export function provenanceGraph(
  outputs: TurnState["outputs"],
  agent: Agent,
  gates: ProvenanceGates,
): ProvenanceGraph {
  const reader = new OutputReader(agent, gates);
  for (const { nodeId, output } of outputs) reader.read(nodeId, output);
  return reader;
}

class OutputReader implements ProvenanceGraph {
  readonly nodes: ProvenanceNode[] = [];
  readonly edges: ProvenanceEdge[] = [];
  readonly #agent: Agent;
  readonly #gates: ProvenanceGates;
  readonly #toolResults: string[] = [];
  #setup: SetupOutput | undefined;
  #input = "";
  #inputSequence = 0;
  #lastCall = "";
  #lastModel = "";
  #lastAnswerAt = "";
  #steps = 0;

  constructor(agent: Agent, gates: ProvenanceGates) {
    this.#agent = agent;
    this.#gates = gates;
  }

  read(nodeId: string, output: unknown): void {
    switch (nodeId) {
      case SETUP_NODE:
        this.#setup = output as SetupOutput;
        this.#gates.session(this.nodes, this.edges);
        return;
      case PERSIST_USER_MESSAGE_NODE:
        return this.#readInput(output as StoredMessageOutput);
      case RUN_RETRIEVALS_NODE:
        return this.#readRetrievals(output as RunRetrievalsOutput);
      case MODEL_CALL_NODE:
        return this.#readModelCall(output as ModelCallOutput);
      case DISPATCH_TOOLS_NODE:
        return this.#readTools(output as DispatchToolsOutput);
      case EVALUATE_GUARDRAILS_NODE:
        this.#addAnswer();
        return this.#readGuardrails(output as EvaluateGuardrailsOutput);
    }
  }

  #edge(from: string, to: string, kind: ProvenanceEdge["kind"]): void {
    this.edges.push({ from, kind, to });
  }

  #readInput({ sequence, message }: StoredMessageOutput): void {
    this.#inputSequence = sequence;
    this.#input = `input:${sequence}`;
    const { createdAt: timestamp, actor } = message;
    this.nodes.push({
      ...(actor === undefined ? {} : { actor }),
      id: this.#input,
      kind: "input",
      timestamp,
    });
  }

  /** The final answer: what the last model call came to. */
  #addAnswer(): void {
    const id = `model-output:${this.#steps}`;
    this.nodes.push({
      id,
      kind: "model-output",
      modelVersion: this.#lastModel,
      timestamp: this.#lastAnswerAt,
    });
    this.#edge(id, this.#lastCall, "produced");
  }

  #readRetrievals({ retrieved, at: timestamp }: RunRetrievalsOutput): void {
    const known = new Set<string>();
    for (const [index, intent] of this.#agent.retrieval.entries()) {
      if (intent.source === "conversations") continue;
      const own = JSON.stringify(intent);
      const found = retrieved.filter((fact) =>
        JSON.stringify(fact.intent) === own
      );
      const search = `memory-read:search:${this.#inputSequence}:${index}`;
      this.nodes.push({
        id: search,
        kind: "memory-read",
        timestamp,
        attributes: {
          operation: "search",
          intent: index,
          source: "facts",
          types: intent.types ?? [],
          scope: intent.scope,
          mode: intent.mode ?? "list",
          factIds: found.map(({ fact }) => fact.id),
        },
      });
      this.#edge(search, this.#input, "caused-by");
      for (const { fact, score, ranks } of found) {
        const id = `retrieval:${fact.id}`;
        this.#edge(id, search, "retrieved-from");
        // A fact that two intents found is one node.
        if (known.has(id)) continue;
        known.add(id);
        this.nodes.push({
          id,
          kind: "retrieval",
          timestamp,
          ...(fact.contentHash === undefined
            ? {}
            : { contentHash: fact.contentHash }),
          attributes: {
            factId: fact.id,
            factType: fact.type,
            intentScope: intent.scope,
            ...(score === undefined ? {} : { score }),
            ...(ranks === undefined ? {} : { ranks }),
          },
        });
        this.#edge(id, this.#input, "influenced-by");
      }
    }
  }

  #readModelCall(
    { step, callId, provider, finishReason, at }: ModelCallOutput,
  ): void {
    const id = `model-call:${step}`;
    this.#lastCall = id;
    this.#lastModel = `${provider.id}/${provider.model}`;
    this.#steps = step;
    this.#lastAnswerAt = at;
    this.nodes.push({
      attributes: {
        callId,
        finishReason,
        model: provider.model,
        providerId: provider.id,
        step,
      },
      id,
      kind: "model-call",
      modelVersion: this.#lastModel,
      timestamp: at,
    });
    this.#edge(id, this.#input, "caused-by");
    for (const result of this.#toolResults) {
      this.#edge(id, result, "influenced-by");
    }
  }

  #readTools({ step, iterationAppended }: DispatchToolsOutput): void {
    const [request, ...results] = iterationAppended;
    if (request === undefined) return;
    for (const { id: callId, name: toolId } of callsOf(request)) {
      const id = `tool-call:${callId}`;
      const toolVersion = pinnedVersion(this.#setup?.toolVersions, toolId);
      const range = this.#agent.tools.find((tool) => tool.id === toolId);
      this.nodes.push({
        attributes: {
          invocationId: callId,
          toolId,
          ...(toolVersion === undefined ? {} : { toolVersion }),
          ...(range === undefined ? {} : { toolVersionRange: range.version }),
        },
        id,
        kind: "tool-call",
        timestamp: request.createdAt,
      });
      this.#edge(id, `model-call:${step}`, "invoked");
      const resume = this.#gates.toolCall(callId, this.nodes, this.edges);
      const result = results.find(({ toolCall }) =>
        toolCall?.invocationId === callId
      );
      if (result === undefined) continue;
      const resultId = `tool-result:${callId}`;
      this.nodes.push({
        id: resultId,
        kind: "tool-result",
        timestamp: result.createdAt,
      });
      this.#edge(resultId, id, "produced");
      if (resume !== undefined) this.#edge(resultId, resume, "caused-by");
      this.#toolResults.push(resultId);
    }
  }

  #readGuardrails(
    { violations, errors, at: timestamp }: EvaluateGuardrailsOutput,
  ): void {
    for (const { guardrailId, action, severity, result, at } of violations) {
      this.#guardrail(guardrailId, at, {
        guardrailId,
        action,
        severity,
        passed: false,
        ...(result.reason === undefined ? {} : { reason: result.reason }),
      });
    }
    for (const { guardrailId, action, severity, code, message } of errors) {
      this.#guardrail(guardrailId, timestamp, {
        guardrailId,
        ...(action === undefined ? {} : { action }),
        ...(severity === undefined ? {} : { severity }),
        evaluated: false,
        error: code,
        reason: message,
      });
    }
  }

  #guardrail(
    guardrailId: string,
    timestamp: string,
    attributes: Record<string, unknown>,
  ): void {
    const id = `guardrail-check:${guardrailId}`;
    this.nodes.push({ id, kind: "guardrail-check", timestamp, attributes });
    this.#edge(id, `model-output:${this.#steps}`, "influenced-by");
  }
}
