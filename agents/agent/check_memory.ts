/**
 * Rules for what an agent looks up and remembers: retrieval, memory.
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import type { IssueList } from "./issue_list.ts";
import { isAbsentOrOneOf, isFilledText, isPositiveInteger } from "./values.ts";

const SCOPES = {
  facts: ["same-conversation", "same-user", "same-project", "tenant"],
  conversations: [
    "same-user",
    "same-conversation",
    "same-segment",
    "same-project",
  ],
} as const;
const MODES = ["keyword", "semantic", "both"];
const ROLES: readonly unknown[] = ["user", "agent"];
const MAX_KEEP_DAYS = 3650;

/** Checks `retrieval`: each intent by the rules of its source. */
export function checkRetrieval(retrieval: unknown, issues: IssueList): void {
  if (!Array.isArray(retrieval)) {
    issues.add("/retrieval", "must be a list of retrieval intents");
    return;
  }
  retrieval.forEach((intent: unknown, index) =>
    checkIntent(intent, `/retrieval/${index}`, issues)
  );
}

function checkIntent(intent: unknown, path: string, issues: IssueList): void {
  if (!isRecord(intent)) {
    issues.add(path, "must be a retrieval intent as { types, scope }");
    return;
  }
  const source = intent.source === undefined ? "facts" : intent.source;
  const known = issues.require(
    source === "facts" || source === "conversations",
    `${path}/source`,
    "must be facts or conversations",
  );
  if (known) checkIntentOf(source as keyof typeof SCOPES, intent, path, issues);
}

function checkIntentOf(
  source: keyof typeof SCOPES,
  intent: Readonly<Record<string, unknown>>,
  path: string,
  issues: IssueList,
): void {
  if (source === "facts") {
    issues.require(
      Array.isArray(intent.types) && intent.types.length > 0,
      `${path}/types`,
      "must be a list with at least one type of fact",
    );
  } else {
    issues.require(
      intent.types === undefined,
      `${path}/types`,
      "must be left out: conversations have no types",
    );
  }
  checkRoles(intent.roles, source, `${path}/roles`, issues);
  issues.require(
    (SCOPES[source] as readonly unknown[]).includes(intent.scope),
    `${path}/scope`,
    `must be one of ${SCOPES[source].join(", ")} for ${source}`,
  );
  issues.require(
    intent.limit === undefined || isPositiveInteger(intent.limit),
    `${path}/limit`,
    "must be an integer of 1 or more",
  );
  issues.require(
    isAbsentOrOneOf(intent.mode, MODES),
    `${path}/mode`,
    `must be one of ${MODES.join(", ")}, or be left out for the newest`,
  );
}

function checkRoles(
  roles: unknown,
  source: keyof typeof SCOPES,
  path: string,
  issues: IssueList,
): void {
  if (source === "facts") {
    issues.require(
      roles === undefined,
      path,
      "must be left out: facts have no roles",
    );
    return;
  }
  issues.require(
    roles === undefined ||
      Array.isArray(roles) && roles.length > 0 &&
        roles.every((role) => ROLES.includes(role)),
    path,
    "must be a list with user, agent or both",
  );
}

/** Checks `memory`: instruction types, and what may be remembered. */
export function checkMemory(value: unknown, issues: IssueList): void {
  const memory = issues.optionalRecord(
    value,
    "/memory",
    "must be { instructionTypes, remember }",
  );
  if (memory === undefined) return;
  const { instructionTypes } = memory;
  issues.require(
    instructionTypes === undefined || isTextList(instructionTypes),
    "/memory/instructionTypes",
    "must be a list of types of fact",
  );
  const path = "/memory/remember";
  const remember = issues.optionalRecord(
    memory.remember,
    path,
    "must be { types, scope, keepDays }",
  );
  if (remember === undefined) return;
  issues.require(
    isTextList(remember.types) && remember.types.length > 0,
    `${path}/types`,
    "must be a list with at least one type of fact",
  );
  issues.require(
    (SCOPES.facts as readonly unknown[]).includes(remember.scope),
    `${path}/scope`,
    `must be one of ${SCOPES.facts.join(", ")}`,
  );
  const { keepDays } = remember;
  issues.require(
    keepDays === undefined ||
      isPositiveInteger(keepDays) && keepDays <= MAX_KEEP_DAYS,
    `${path}/keepDays`,
    `must be an integer from 1 to ${MAX_KEEP_DAYS}`,
  );
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isFilledText);
}
