/**
 * The gates of one step's tool calls (`spec/agents_turn.md` 7.3, `spec/durability.md`, Gates of one step).
 *
 * @module
 */

import type { ToolHitlMode, ToolHitlRule } from "../agent/mod.ts";
import { isRoleAtLeast } from "../approvals/mod.ts";
import type { NodeContext } from "../flow/mod.ts";
import {
  type EffectiveHitlPolicy,
  stricterToolHitlRule,
} from "../policy/mod.ts";
import type { ModelToolCall } from "../routing/mod.ts";
import { hashToolArgs, toolGateToken } from "./approval_tokens.ts";
import {
  type GateRecord,
  gateRecord,
  openGate,
  TOOL_GATE_PREFIX,
} from "./ask_for_approval.ts";
import { awaitDecision, type GateDecision } from "./gate_decision.ts";
import type { TurnTool } from "./resolve_tools.ts";
import { settled, type Turn } from "./turn.ts";

/** A tool call's gate as it is journaled. */
export interface ToolGateRecord extends GateRecord {
  /** What stands for the arguments. */
  readonly argsHash: string;
}

/** A call that may have to be agreed to. */
export interface GatedCall {
  /** The call. */
  readonly call: ModelToolCall;
  /** Its tool. */
  readonly tool: TurnTool;
  /** Whether its result is stored already: then nothing is asked any more. */
  readonly answered: boolean;
}

/** Whether a tool's calls are asked about, and whom. */
export interface ToolGateRule {
  /** When. */
  readonly mode: ToolHitlMode;
  /** The lowest role that may decide. */
  readonly requiredRole: NonNullable<ToolHitlRule["requiredRole"]>;
}

/**
 * The rule for a tool: the agent's override or default, else asking on first use unless the tool changes nothing; then the
 * tenant's floor, which holds whether or not the agent declares gates (`spec/durability.md`).
 */
export function toolGateRule(
  policy: EffectiveHitlPolicy,
  { id, mutating }: { readonly id: string; readonly mutating?: boolean },
): ToolGateRule {
  const { tools, toolFloors, defaultReviewerRole } = policy;
  const own: ToolHitlRule = tools === undefined
    ? { mode: "never_ask" }
    : tools.overrides.get(id) ?? {
      mode: tools.default ??
        (mutating === false ? "never_ask" : "ask_on_first_use"),
    };
  const requiredRole = own.requiredRole ?? defaultReviewerRole;
  const rule = { ...own, requiredRole };
  const floor = toolFloors?.get(id);
  const held = floor === undefined ? rule : stricterToolHitlRule(rule, floor);
  return {
    mode: held.mode,
    requiredRole: held.requiredRole ?? rule.requiredRole,
  };
}

/** Whether a call's gate is asked for the step's other calls of its tool too; not when they take a higher role by now. */
function covers(
  gate: ToolGateRecord | undefined,
  { mode, requiredRole }: ToolGateRule,
): boolean {
  return gate !== undefined && mode === "ask_on_first_use" &&
    isRoleAtLeast(gate.requiredRole, requiredRole);
}

/** The gates of one step. */
export class ToolGates {
  readonly #turn: Turn;
  readonly #context: NodeContext;
  readonly #calls: readonly GatedCall[];
  readonly #gates = new Map<string, ToolGateRecord>();
  /** By call: the first call of its tool in the step, whose approval covers it. */
  readonly #leaders = new Map<string, string>();

  constructor(turn: Turn, context: NodeContext, calls: readonly GatedCall[]) {
    this.#turn = turn;
    this.#context = context;
    this.#calls = calls;
  }

  /** Opens every gate of the step, in order, before anything runs. */
  async open(): Promise<void> {
    const { hitl } = settled(this.#turn.environment, "environment");
    /** The first call of each tool that asked on first use. */
    const first = new Map<string, string>();
    for (const gated of this.#calls) {
      const { call, tool, answered } = gated;
      const rule = toolGateRule(hitl, tool.tool);
      const leader = first.get(tool.tool.id);
      if (answered || leader !== undefined) {
        // It may have asked for itself in an earlier part of the turn.
        const known = await this.#recorded(call.id);
        if (known !== undefined) this.#gates.set(call.id, known);
        if (leader === undefined && covers(known, rule)) {
          first.set(tool.tool.id, call.id);
        }
        if (leader !== undefined) this.#leaders.set(call.id, leader);
        continue;
      }
      const gate = await this.#ask(gated, rule);
      if (covers(gate, rule)) first.set(tool.tool.id, call.id);
    }
  }

  /** The decision about a call; `undefined` when nobody has to agree. Parks the run while there is none. */
  async decision(gated: GatedCall): Promise<GateDecision | undefined> {
    const { call, tool } = gated;
    const own = this.#gates.get(call.id);
    if (own !== undefined) return await this.#await(own, tool);
    const leader = this.#leaders.get(call.id);
    if (leader === undefined) return undefined;
    const covering = this.#gates.get(leader);
    if (covering === undefined) return undefined;
    const decision = await this.#await(covering, tool);
    if (decision.approved) return decision;
    // A rejection covers nothing: each of the others asks for itself.
    for (const other of this.#calls) {
      if (this.#leaders.get(other.call.id) !== leader || other.answered) {
        continue;
      }
      const { requiredRole } = covering;
      await this.#ask(other, { mode: "always_ask", requiredRole });
    }
    return await this.#await(this.#gates.get(call.id)!, tool);
  }

  #await(gate: ToolGateRecord, { tool }: TurnTool): Promise<GateDecision> {
    return awaitDecision(this.#context, gate, `the call of tool ${tool.id}`);
  }

  /** The gate that was journaled for a call. */
  #recorded(callId: string): Promise<ToolGateRecord | undefined> {
    return this.#context.record<ToolGateRecord | undefined>(
      TOOL_GATE_PREFIX + callId,
      () => undefined,
    );
  }

  async #ask(
    gated: GatedCall,
    rule: ToolGateRule,
  ): Promise<ToolGateRecord | undefined> {
    const { call } = gated;
    if (this.#gates.has(call.id)) return this.#gates.get(call.id);
    const gate = await this.#context.record<ToolGateRecord | undefined>(
      TOOL_GATE_PREFIX + call.id,
      async () =>
        await this.#asks(gated, rule) ? this.#gateOf(gated, rule) : undefined,
    );
    if (gate === undefined) return undefined;
    this.#gates.set(call.id, gate);
    await openGate(this.#turn, this.#context, gate);
    return gate;
  }

  async #asks({ tool }: GatedCall, rule: ToolGateRule): Promise<boolean> {
    if (rule.mode !== "ask_on_first_use") return rule.mode === "always_ask";
    const { hitl } = this.#turn.bindings;
    const { tenantId, conversationId } = this.#turn.input;
    try {
      return await hitl?.approvedEarlier?.({
        tenantId,
        conversationId,
        toolId: tool.tool.id,
        toolVersion: tool.resolvedVersion,
        requiredRole: rule.requiredRole,
      }) !== true;
    } catch {
      // What isn't known to be approved isn't.
      return true;
    }
  }

  #gateOf(
    { call, tool }: GatedCall,
    { requiredRole }: ToolGateRule,
  ): ToolGateRecord {
    const { agent, conversationId } = this.#turn.input;
    const { hitl } = settled(this.#turn.environment, "environment");
    const argsHash = hashToolArgs(call.arguments);
    const record = gateRecord(this.#turn, this.#context, {
      waitTokenId: toolGateToken(this.#context.runId, call.id, argsHash),
      requiredRole,
      timeoutMs: hitl.timeoutMs,
      subjectKind: "tool-call:pending",
      subjectRef: {
        conversationId,
        agentId: agent.id,
        agentVersion: agent.version,
        toolId: tool.tool.id,
        toolVersion: tool.resolvedVersion,
        callId: call.id,
        argsHash,
        arguments: call.arguments,
      },
      title: `Let ${agent.name} call ${tool.tool.id}?`,
      description:
        `${agent.name} wants to call ${tool.tool.id}@${tool.resolvedVersion}: ${tool.tool.description}`,
    });
    return { ...record, argsHash };
  }
}
