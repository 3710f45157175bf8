/**
 * The check of a template that a model or a person drafted to replace the one in use.
 *
 * @module
 */

import type { BlockIssue } from "../agent/mod.ts";
import { globalVariablePaths } from "./engine.ts";
import { templateProblem } from "./template_problem.ts";

/** The longest drafted template, in characters. */
export const DRAFTED_TEMPLATE_MAX = 20_000;

/** Shorter drafts than this are never too long. */
const ALWAYS_ALLOWED_LENGTH = 2_000;

/** What a draft is held against. */
export interface DraftedTemplateContext {
  /** The template in use. */
  readonly current: string;
  /** The declared parameters, by name or as declared; those that `current` reads are known without it. */
  readonly parameters?: readonly (string | { readonly name: string })[];
  /** Ids of the settings blocks that the agent has. */
  readonly settingsBlocks: readonly string[];
  /** Dotted ids that a draft may mention, beside those in `current`. */
  readonly knownIds: readonly string[];
}

/** Reserved variables that any draft may read; `input` and `settings` aren't among them. */
const FREE_ROOTS = ["today", "now", "agent", "conversation"];

/** A word that looks like an id: segments joined by dots, the first a letter and at least one more character. */
const DOTTED_ID = /(?<![a-z0-9_-])[a-z][a-z0-9_-]+(?:\.[a-z0-9_-]+)+/gi;

/**
 * What is wrong with a drafted template, every issue at `/template`; empty when it may replace the current one.
 *
 * Refused: a blank or unchanged draft; one longer than twice the current template (2 000 characters are always allowed,
 * more than 20 000 never); one that `templateProblem` refuses; one that reads a variable or a settings block, or
 * mentions a dotted id, that neither the agent nor the current template has (`spec/agents_define.md` 7.2).
 */
export function checkDraftedTemplate(
  candidate: string,
  context: DraftedTemplateContext,
): BlockIssue[] {
  if (typeof candidate !== "string" || candidate.trim() === "") {
    return [issue("the draft is empty")];
  }
  if (candidate === context.current) {
    return [issue("the draft is the same as the template in use")];
  }
  const issues: BlockIssue[] = [];
  const allowed = Math.min(
    DRAFTED_TEMPLATE_MAX,
    Math.max(2 * context.current.length, ALWAYS_ALLOWED_LENGTH),
  );
  if (candidate.length > allowed) {
    issues.push(issue(
      `the draft has ${candidate.length} characters, more than the ${allowed} that it may have`,
    ));
  }
  const problem = templateProblem(candidate);
  if (problem !== undefined) return [...issues, issue(problem)];
  const read = globalVariablePaths(candidate);
  const unknown = unknownVariables(read, context);
  const free = new Set(
    read.filter((path) => !unknown.roots.has(path[0])).map((path) =>
      path.join(".").toLowerCase()
    ),
  );
  return [
    ...issues,
    ...[...unknown.names].map((name) =>
      issue(`the draft reads ${name}, which the agent doesn't have`)
    ),
    ...unknownIds(candidate, free, context).map((id) =>
      issue(`the draft mentions ${id}, which the agent doesn't know`)
    ),
  ];
}

/** Variables that a draft may not read: by the name to report, and by their root. */
function unknownVariables(
  read: readonly unknown[][],
  context: DraftedTemplateContext,
): { names: Set<string>; roots: Set<unknown> } {
  const known = new Set<unknown>([
    ...FREE_ROOTS,
    ...(context.parameters ?? []).map((parameter) =>
      typeof parameter === "string" ? parameter : parameter.name
    ),
    ...rootsOf(context.current),
  ]);
  const names = new Set<string>();
  const roots = new Set<unknown>();
  for (const [root, block] of read) {
    if (root === "settings") {
      if (
        typeof block === "string" && context.settingsBlocks.includes(block)
      ) continue;
      names.add(
        typeof block === "string" ? `settings["${block}"]` : "settings",
      );
    } else if (!known.has(root)) {
      names.add(String(root));
      roots.add(root);
    }
  }
  return { names, roots };
}

/** The variables that the current template reads; none when it doesn't parse, as one from before a rule was added. */
function rootsOf(current: string): unknown[] {
  try {
    return globalVariablePaths(current).map(([root]) => root);
  } catch {
    return [];
  }
}

function unknownIds(
  candidate: string,
  freePaths: ReadonlySet<string>,
  context: DraftedTemplateContext,
): string[] {
  const known = new Set([
    ...[...context.knownIds, ...dottedIds(context.current)].map(lowerCase),
    ...freePaths,
  ]);
  const unknown = new Map<string, string>();
  for (const id of dottedIds(candidate)) {
    if (known.has(lowerCase(id)) || unknown.has(lowerCase(id))) continue;
    unknown.set(lowerCase(id), id);
  }
  return [...unknown.values()];
}

function dottedIds(text: string): string[] {
  return [...text.matchAll(DOTTED_ID)].map(([id]) => id);
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

function issue(message: string): BlockIssue {
  return { path: "/template", message };
}
