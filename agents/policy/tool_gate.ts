/**
 * Whether a tool call asks a reviewer before it runs (`spec/agents_turn.md` 7.3).
 *
 * @module
 */

import type { ReviewerRole, ToolHitlMode } from "../agent/mod.ts";
import type { EffectiveHitlPolicy } from "./effective_hitl.ts";
import { stricterToolHitlRule } from "./hitl_spec.ts";

/** What a tool's calls are held to. */
export interface ToolGate {
  /** Whether they ask. */
  readonly mode: ToolHitlMode;
  /** The lowest role that decides. */
  readonly requiredRole: ReviewerRole;
}

/** The part of a tool that its gate depends on. */
export interface GatedTool {
  /** The tool's id. */
  readonly id: string;
  /** Whether it changes anything; `true` when absent. */
  readonly mutating?: boolean;
}

/**
 * What the calls of a tool are held to: the stricter of the agent's rule and the tenant's floor.
 *
 * An agent without `hitl.tools` never asks. One with them asks by the tool's override, else by the default, else on first
 * use of a tool that changes something. The floor holds whether or not the agent asks (`spec/durability.md`).
 */
export function toolGate(
  policy: EffectiveHitlPolicy,
  tool: GatedTool,
): ToolGate {
  const own = policy.tools?.overrides.get(tool.id) ??
    { mode: modeOf(policy, tool) };
  const withRole = { requiredRole: policy.defaultReviewerRole, ...own };
  const floor = policy.toolFloors?.get(tool.id);
  return floor === undefined
    ? withRole
    : { ...withRole, ...stricterToolHitlRule(withRole, floor) };
}

function modeOf(
  { tools }: EffectiveHitlPolicy,
  { mutating }: GatedTool,
): ToolHitlMode {
  if (tools === undefined) return "never_ask";
  return tools.default ??
    (mutating === false ? "never_ask" : "ask_on_first_use");
}
