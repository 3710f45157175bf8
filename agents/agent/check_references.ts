/**
 * Rules for what an agent names by id: settings blocks, tools, guardrails.
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import { checkBlockRef } from "./check_identity.ts";
import type { IssueList } from "./issue_list.ts";
import { quoted } from "./issues.ts";
import { isFilledText } from "./values.ts";

/** Tools whose ids start so come from a declaration such as `memory.remember`, never from `tools`. */
const BUILT_IN_TOOL_PREFIX = "kindgi_";

/** Checks `settings` and `modelSettings`: the references, and that a block is named once in both together. */
export function checkSettings(
  spec: Readonly<Record<string, unknown>>,
  issues: IssueList,
): void {
  const named = new Set<unknown>();
  const { settings, modelSettings } = spec;
  if (Array.isArray(settings)) {
    settings.forEach((ref: unknown, index) =>
      checkSettingsRef(ref, `/settings/${index}`, named, issues)
    );
  } else {
    issues.require(
      settings === undefined,
      "/settings",
      "must be a list of settings blocks as { id, version }",
    );
  }
  if (modelSettings !== undefined) {
    checkSettingsRef(modelSettings, "/modelSettings", named, issues);
  }
}

function checkSettingsRef(
  ref: unknown,
  path: string,
  named: Set<unknown>,
  issues: IssueList,
): void {
  if (!isRecord(ref)) {
    issues.add(path, "must be a settings block as { id, version }");
    return;
  }
  checkBlockRef(ref, "id", path, issues);
  if (typeof ref.id !== "string") return;
  issues.require(
    !named.has(ref.id),
    `${path}/id`,
    `block ${quoted(ref.id)} is named twice in settings and modelSettings`,
  );
  named.add(ref.id);
}

/** Checks `tools`: each `{ id, version }`, no built-in ones, no id twice. Ranges are read when a turn resolves them. */
export function checkTools(tools: unknown, issues: IssueList): void {
  if (!Array.isArray(tools)) {
    issues.add("/tools", "must be a list of tools as { id, version }");
    return;
  }
  const named = new Set<unknown>();
  tools.forEach((ref: unknown, index) => {
    const path = `/tools/${index}`;
    if (!isRecord(ref)) {
      issues.add(
        path,
        "must be { id, version } with a version range; an id alone isn't enough",
      );
      return;
    }
    checkToolId(ref.id, `${path}/id`, named, issues);
    issues.require(
      isFilledText(ref.version),
      `${path}/version`,
      "must be a version range such as ^1.2.0",
    );
  });
}

function checkToolId(
  id: unknown,
  path: string,
  named: Set<unknown>,
  issues: IssueList,
): void {
  if (!isFilledText(id)) {
    issues.add(path, "must be text that isn't blank");
    return;
  }
  issues.require(
    !id.startsWith(BUILT_IN_TOOL_PREFIX),
    path,
    `must not start with ${BUILT_IN_TOOL_PREFIX}: built-in tools come from a declaration such as memory.remember`,
  );
  issues.require(!named.has(id), path, `tool ${quoted(id)} is listed twice`);
  named.add(id);
}

/** Checks `guardrails`: a list of ids. */
export function checkGuardrails(guardrails: unknown, issues: IssueList): void {
  if (!Array.isArray(guardrails)) {
    issues.add("/guardrails", "must be a list of guardrail ids");
    return;
  }
  guardrails.forEach((id: unknown, index) => {
    issues.require(
      isFilledText(id),
      `/guardrails/${index}`,
      "must be a guardrail's id: text that isn't blank",
    );
  });
}
