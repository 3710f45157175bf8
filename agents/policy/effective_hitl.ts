/**
 * The review policy that a turn runs under: defaults, the agent's, and the tenant's on top (`spec/agents_define.md` 10).
 *
 * @module
 */

import type {
  Agent,
  HitlPolicy,
  ReviewerRole,
  ToolHitlMode,
  ToolHitlRule,
} from "../agent/mod.ts";
import { higherRole, type HitlSpec, toolHitlRule } from "./hitl_spec.ts";

const DEFAULT_ROLE: ReviewerRole = "standard";
const DEFAULT_TIMEOUT_MS = 24 * 60 * 60 * 1_000;

/** When a person has to agree in a turn, everything resolved. */
export interface EffectiveHitlPolicy {
  /** The session's gate; absent when turns don't ask. */
  readonly turn?: {
    /** Completed turns after which each turn asks. */
    readonly afterTurns: number;
  };
  /** The agent's gates; absent when it declares none. */
  readonly tools?: {
    /** The mode of a tool without an override; absent leaves it to whether the tool changes anything. */
    readonly default?: ToolHitlMode;
    /** Rule by tool id, as the agent has them; a role that one names is the tenant's lowest at least. */
    readonly overrides: ReadonlyMap<string, ToolHitlRule>;
  };
  /** The tenant's floor by tool id: a call is held to the stricter of it and the agent's. Absent when it names none. */
  readonly toolFloors?: ReadonlyMap<string, ToolHitlRule>;
  /** Who decides where a rule names no role. */
  readonly defaultReviewerRole: ReviewerRole;
  /** Milliseconds that each tier of reviewers has. */
  readonly timeoutMs: number;
  /** What happens then; the only choice. */
  readonly onTimeout: "escalate";
}

/** What the policy is resolved from. */
export interface EffectiveHitlInput {
  /** The tenant's `hitl` policy, or `undefined` for none. */
  readonly tenant: HitlSpec | undefined;
  /** The agent. */
  readonly agent: Agent;
}

/**
 * Resolves the review policy of a turn: 24 hours, `standard` reviewers and escalation, overlaid with the agent's policy,
 * then held to the tenant's, which can only tighten it.
 *
 * The tenant caps the timeout (the default too), raises the reviewer's role, also where an override names a lower one, and
 * sets floors for tools. The agent's overrides stay as they are otherwise: at each call the stricter of override and
 * floor counts.
 */
export function resolveEffectiveHitlPolicy(
  { tenant, agent }: EffectiveHitlInput,
): EffectiveHitlPolicy {
  const hitl = agent.conversationPolicy?.hitl;
  const afterTurns = hitl?.afterTurns ??
    agent.conversationPolicy?.hitlAfterTurns;
  const floors = rules(tenant?.tools);
  return {
    ...(afterTurns === undefined ? {} : { turn: { afterTurns } }),
    ...(hitl?.tools === undefined
      ? {}
      : { tools: toolGates(hitl.tools, tenant?.minReviewerRole) }),
    ...(floors.size === 0 ? {} : { toolFloors: floors }),
    defaultReviewerRole:
      higherRole(hitl?.defaultReviewerRole, tenant?.minReviewerRole) ??
        DEFAULT_ROLE,
    timeoutMs: Math.min(
      hitl?.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      tenant?.maxTimeoutMs ?? Infinity,
    ),
    onTimeout: "escalate",
  };
}

function toolGates(
  tools: NonNullable<HitlPolicy["tools"]>,
  minRole: ReviewerRole | undefined,
): NonNullable<EffectiveHitlPolicy["tools"]> {
  return {
    ...(tools.default === undefined ? {} : { default: tools.default }),
    overrides: new Map(
      [...rules(tools.overrides)].map((
        [id, rule],
      ) => [id, withMinRole(rule, minRole)]),
    ),
  };
}

/** A rule that names a role names at least the tenant's lowest; one that names none leaves it to the default. */
function withMinRole(
  rule: ToolHitlRule,
  minRole: ReviewerRole | undefined,
): ToolHitlRule {
  const requiredRole = higherRole(rule.requiredRole, minRole);
  return rule.requiredRole === undefined || requiredRole === undefined
    ? rule
    : { ...rule, requiredRole };
}

function rules(
  values: Readonly<Record<string, ToolHitlMode | ToolHitlRule>> | undefined,
): Map<string, ToolHitlRule> {
  return new Map(
    Object.entries(values ?? {}).map((
      [id, value],
    ) => [id, toolHitlRule(value)]),
  );
}
