/**
 * A tenant's `hitl` policy: it can only tighten what agents ask for (`spec/agents_define.md` 12.1).
 *
 * @module
 */

import {
  type DefinitionIssue,
  isPlainObject,
  isPositiveInteger,
  isReviewerRole,
  isToolHitlMode,
  pointerSegment,
  REVIEWER_ROLES,
  type ReviewerRole,
  shown,
  type SpecValidation,
  TOOL_HITL_MODES,
  type ToolHitlMode,
  type ToolHitlRule,
  validateSpec,
} from "../agent/mod.ts";

/** What a tenant demands of human review; an absent field demands nothing. */
export interface HitlSpec {
  /** The longest that a tier of reviewers may take, in milliseconds. */
  readonly maxTimeoutMs?: number;
  /** The lowest role that may decide anything. */
  readonly minReviewerRole?: ReviewerRole;
  /** Per tool id, the least that its calls are held to: a gate even where an agent declares none. */
  readonly tools?: Readonly<Record<string, ToolHitlMode | ToolHitlRule>>;
}

const KEYS = ["maxTimeoutMs", "minReviewerRole", "tools"];
const RULE_KEYS = ["mode", "requiredRole"];

/** A tool's rule, from either way of writing it: a mode alone becomes `{ mode }`. */
export function toolHitlRule(value: ToolHitlMode | ToolHitlRule): ToolHitlRule {
  return typeof value === "string" ? { mode: value } : value;
}

/** The stricter of two rules in both respects: the later mode, and the higher role where either names one. */
export function stricterToolHitlRule(
  a: ToolHitlRule,
  b: ToolHitlRule,
): ToolHitlRule {
  const requiredRole = higherRole(a.requiredRole, b.requiredRole);
  return {
    mode: later(TOOL_HITL_MODES, a.mode, b.mode),
    ...(requiredRole === undefined ? {} : { requiredRole }),
  };
}

/** The higher of two roles; where one is absent, the other. */
export function higherRole(
  a: ReviewerRole | undefined,
  b: ReviewerRole | undefined,
): ReviewerRole | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return later(REVIEWER_ROLES, a, b);
}

function later<Level extends string>(
  order: readonly Level[],
  a: Level,
  b: Level,
): Level {
  return order.indexOf(b) > order.indexOf(a) ? b : a;
}

/**
 * One policy as strict as each of a list: the shortest timeout, the highest role, and per tool the stricter rule.
 *
 * An empty list demands nothing: `{}`.
 */
export function combineHitlSpecs(specs: readonly HitlSpec[]): HitlSpec {
  let maxTimeoutMs: number | undefined;
  let minReviewerRole: ReviewerRole | undefined;
  const tools = new Map<string, ToolHitlRule>();
  for (const spec of specs) {
    if (spec.maxTimeoutMs !== undefined) {
      maxTimeoutMs = Math.min(maxTimeoutMs ?? Infinity, spec.maxTimeoutMs);
    }
    minReviewerRole = higherRole(minReviewerRole, spec.minReviewerRole);
    for (const [toolId, value] of Object.entries(spec.tools ?? {})) {
      const rule = toolHitlRule(value);
      const known = tools.get(toolId);
      tools.set(toolId, known ? stricterToolHitlRule(known, rule) : rule);
    }
  }
  return {
    ...(maxTimeoutMs === undefined ? {} : { maxTimeoutMs }),
    ...(minReviewerRole === undefined ? {} : { minReviewerRole }),
    ...(tools.size === 0 ? {} : { tools: Object.fromEntries(tools) }),
  };
}

/**
 * Checks a tenant's `hitl` policy.
 *
 * Issues: `""` not a plain object, or unreadable; `/<key>` unknown; `/maxTimeoutMs`; `/minReviewerRole`; `/tools`;
 * `/tools/<id>` an empty id, or neither a mode nor a rule; `/tools/<id>/<key>` unknown; `/tools/<id>/mode`;
 * `/tools/<id>/requiredRole`. Tool ids are escaped as in a JSON Pointer (RFC 6901). Never throws.
 */
export function validateHitlSpec(value: unknown): SpecValidation<HitlSpec> {
  return validateSpec(value, hitlIssues);
}

function hitlIssues(value: unknown): DefinitionIssue[] {
  if (!isPlainObject(value)) {
    const message = `must be an object with ${KEYS.join(", ")}, all optional`;
    return [{ path: "", message }];
  }
  const issues = unknownKeys(value, KEYS, "");
  const { maxTimeoutMs, minReviewerRole, tools } = value;
  if (maxTimeoutMs !== undefined && !isPositiveInteger(maxTimeoutMs)) {
    issues.push({
      path: "/maxTimeoutMs",
      message: `must be milliseconds, an integer of 1 or more, not ${
        shown(maxTimeoutMs)
      }`,
    });
  }
  if (minReviewerRole !== undefined && !isReviewerRole(minReviewerRole)) {
    issues.push(roleIssue("/minReviewerRole", minReviewerRole));
  }
  if (tools === undefined) return issues;
  if (!isPlainObject(tools)) {
    const message = "must be an object of tool id to mode or rule";
    return [...issues, { path: "/tools", message }];
  }
  for (const [toolId, rule] of Object.entries(tools)) {
    issues.push(...ruleIssues(rule, toolId));
  }
  return issues;
}

function ruleIssues(rule: unknown, toolId: string): DefinitionIssue[] {
  const path = `/tools/${pointerSegment(toolId)}`;
  if (toolId === "") return [{ path, message: "must name a tool" }];
  if (isToolHitlMode(rule)) return [];
  if (!isPlainObject(rule)) {
    const message = `must be one of ${TOOL_HITL_MODES.join(", ")}, or ` +
      `{ mode, requiredRole }, not ${shown(rule)}`;
    return [{ path, message }];
  }
  const issues = unknownKeys(rule, RULE_KEYS, path);
  if (!isToolHitlMode(rule.mode)) {
    issues.push({
      path: `${path}/mode`,
      message: `must be one of ${TOOL_HITL_MODES.join(", ")}, not ${
        shown(rule.mode)
      }`,
    });
  }
  if (rule.requiredRole !== undefined && !isReviewerRole(rule.requiredRole)) {
    issues.push(roleIssue(`${path}/requiredRole`, rule.requiredRole));
  }
  return issues;
}

function roleIssue(path: string, role: unknown): DefinitionIssue {
  const message = `must be one of ${REVIEWER_ROLES.join(", ")}, not ${
    shown(role)
  }`;
  return { path, message };
}

function unknownKeys(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  path: string,
): DefinitionIssue[] {
  return Object.keys(value).filter((key) => !known.includes(key)).map((
    key,
  ) => ({
    path: `${path}/${pointerSegment(key)}`,
    message: `is not a known key: use ${known.join(", ")}`,
  }));
}
