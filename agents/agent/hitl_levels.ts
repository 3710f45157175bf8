/**
 * The levels of human review: when a tool asks, and who may answer. Both lists run from loosest to strictest.
 *
 * @module
 */

/** When a tool call asks a reviewer, loosest first. */
export const TOOL_HITL_MODES = [
  "never_ask",
  "ask_on_first_use",
  "always_ask",
] as const;

/**
 * One of {@link TOOL_HITL_MODES}.
 *
 * `ask_on_first_use` asks until this tool at this exact version was approved in this conversation; a rejection covers
 * nothing (`spec/decisions.md` 19).
 */
export type ToolHitlMode = (typeof TOOL_HITL_MODES)[number];

/** Who may decide an approval, lowest first. */
export const REVIEWER_ROLES = ["standard", "senior", "admin"] as const;

/** One of {@link REVIEWER_ROLES}. */
export type ReviewerRole = (typeof REVIEWER_ROLES)[number];

/** How calls of one tool are reviewed. */
export interface ToolHitlRule {
  /** When a call asks. */
  readonly mode: ToolHitlMode;
  /** The lowest role that may decide; the policy's default role when absent. */
  readonly requiredRole?: ReviewerRole;
}

/** Whether a value is one of {@link TOOL_HITL_MODES}. */
export function isToolHitlMode(value: unknown): value is ToolHitlMode {
  return (TOOL_HITL_MODES as readonly unknown[]).includes(value);
}

/** Whether a value is one of {@link REVIEWER_ROLES}. */
export function isReviewerRole(value: unknown): value is ReviewerRole {
  return (REVIEWER_ROLES as readonly unknown[]).includes(value);
}
