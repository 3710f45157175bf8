/**
 * Rules for how turns and conversations are conducted: budget, conversation policy, tool errors.
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import {
  isReviewerRole,
  isToolHitlMode,
  REVIEWER_ROLES,
  TOOL_HITL_MODES,
} from "./hitl_levels.ts";
import type { IssueList } from "./issue_list.ts";
import { quoted, shown } from "./issues.ts";
import { validateToolErrorsSpec } from "./tool_errors.ts";
import { isPositiveInteger } from "./values.ts";

/** Where tool ids stand raw in paths, as they are written (`spec/agents_define.md` 3.1). */
export const OVERRIDES_PATH = "/conversationPolicy/hitl/tools/overrides";

const ANY_ROLE = `must be one of ${REVIEWER_ROLES.join(", ")}`;
const ANY_MODE = `must be one of ${TOOL_HITL_MODES.join(", ")}`;

/** Checks `budget`: positive integers, and an amount that is finite and not negative. */
export function checkBudget(value: unknown, issues: IssueList): void {
  const budget = issues.optionalRecord(
    value,
    "/budget",
    "must be { maxSteps, maxCostUsd, maxWallMs }",
  );
  if (budget === undefined) return;
  requirePositive(budget, "/budget", ["maxSteps"], issues);
  const { maxCostUsd } = budget;
  issues.require(
    maxCostUsd === undefined ||
      typeof maxCostUsd === "number" && maxCostUsd >= 0,
    "/budget/maxCostUsd",
    "must be a finite amount of US dollars, 0 or more",
  );
  requirePositive(budget, "/budget", ["maxWallMs"], issues);
}

/** Checks `conversationPolicy`: its numbers, then `hitl`. */
export function checkConversationPolicy(
  value: unknown,
  issues: IssueList,
): void {
  const path = "/conversationPolicy";
  const policy = issues.optionalRecord(
    value,
    path,
    "must be an object with historyLimit, hitl and so on",
  );
  if (policy === undefined) return;
  requirePositive(policy, path, [
    "historyLimit",
    "autoCloseAfterInactiveSeconds",
    "hitlAfterTurns",
  ], issues);
  checkHitl(policy.hitl, `${path}/hitl`, issues);
}

function checkHitl(value: unknown, path: string, issues: IssueList): void {
  const hitl = issues.optionalRecord(
    value,
    path,
    "must be an object with afterTurns, tools and so on",
  );
  if (hitl === undefined) return;
  requirePositive(hitl, path, ["afterTurns", "timeoutMs"], issues);
  const { onTimeout, defaultReviewerRole, tools } = hitl;
  issues.require(
    onTimeout === undefined || onTimeout === "escalate",
    `${path}/onTimeout`,
    onTimeoutProblem(onTimeout),
  );
  issues.require(
    defaultReviewerRole === undefined || isReviewerRole(defaultReviewerRole),
    `${path}/defaultReviewerRole`,
    ANY_ROLE,
  );
  checkToolGates(tools, `${path}/tools`, issues);
}

function onTimeoutProblem(value: unknown): string {
  if (value !== "auto-approve" && value !== "auto-reject") {
    return `must be "escalate", or be left out, not ${shown(value)}`;
  }
  return `${quoted(value)} is not offered: an approval that expires moves up ` +
    'one tier of reviewers and, at admin, expires for good and fails the turn with hitl-cancelled; use "escalate" ' +
    "or leave it out";
}

function checkToolGates(value: unknown, path: string, issues: IssueList): void {
  const tools = issues.optionalRecord(
    value,
    path,
    "must be { default, overrides }",
  );
  if (tools === undefined) return;
  issues.require(
    tools.default === undefined || isToolHitlMode(tools.default),
    `${path}/default`,
    ANY_MODE,
  );
  const overrides = issues.optionalRecord(
    tools.overrides,
    OVERRIDES_PATH,
    "must be an object of tool id to mode or rule",
  );
  for (const [toolId, rule] of Object.entries(overrides ?? {})) {
    checkOverride(rule, `${OVERRIDES_PATH}/${toolId}`, issues);
  }
}

function checkOverride(rule: unknown, path: string, issues: IssueList): void {
  const mode = isRecord(rule) ? rule.mode : rule;
  issues.require(
    isToolHitlMode(mode),
    path,
    `${ANY_MODE}, or { mode, requiredRole } with such a mode`,
  );
  if (!isRecord(rule)) return;
  issues.require(
    rule.requiredRole === undefined || isReviewerRole(rule.requiredRole),
    `${path}/requiredRole`,
    ANY_ROLE,
  );
}

/** Checks `toolErrors`. */
export function checkToolErrors(toolErrors: unknown, issues: IssueList): void {
  if (toolErrors === undefined) return;
  const checked = validateToolErrorsSpec(toolErrors);
  if (checked.kind === "ok") return;
  for (const { path, message } of checked.issues) {
    issues.add(`/toolErrors${path}`, message);
  }
}

function requirePositive(
  owner: Readonly<Record<string, unknown>>,
  path: string,
  keys: readonly string[],
  issues: IssueList,
): void {
  for (const key of keys) {
    issues.require(
      owner[key] === undefined || isPositiveInteger(owner[key]),
      `${path}/${key}`,
      "must be an integer of 1 or more",
    );
  }
}
