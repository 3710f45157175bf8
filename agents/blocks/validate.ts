/**
 * The check that a data block passes before it is published.
 *
 * @module
 */

import { err, isRecord, ok, type Result } from "../../base/result.ts";
import {
  BLOCK_KINDS,
  type BlockDefinition,
  type BlockIssue,
  hostTemplateProblem,
  isBlockId,
  isFilledText,
  issueCount,
  issueSummary,
  parameterIssues,
  plainCopy,
  shown,
} from "../agent/mod.ts";
import type { InvalidBlockError } from "./errors.ts";
import { settingsSchemaIssues } from "./settings_schema.ts";

const RELEASE_VERSION = /^\d+\.\d+\.\d+$/;

/**
 * Checks a data block and answers it with its known fields only, as a deep copy.
 *
 * Issues, in this order: `""` not a plain object; `/id`; `/version` (no prerelease); `/description`; `/kind`; then the
 * content. A prompt's: `/content`, `/content/template` (blank, or what `templateProblem` says), and its parameters as an
 * agent's. Settings': `/content`, `/content/values`, `/content/schema`, and what {@link settingsSchemaIssues} finds. What
 * JSON can't hold is an issue at its place. Never throws.
 */
export function validateBlock(
  input: unknown,
): Result<BlockDefinition, InvalidBlockError> {
  const { value: block, problems } = plainCopy(input);
  const unheld = [...problems].map(([path, message]) => ({ path, message }));
  if (!isRecord(block)) {
    const message = "a block must be an object with id, version, kind, content";
    const issues = unheld.length > 0 ? unheld : [{ path: "", message }];
    return err(invalidBlock(undefined, issues));
  }
  const found = [...headIssues(block), ...contentIssues(block)];
  const issues = [
    ...found.filter(({ path }) => !problems.has(path)),
    ...unheld,
  ];
  if (issues.length > 0) return err(invalidBlock(block.id, issues));
  const { id, version, kind, content, description } = block;
  return ok(
    {
      id,
      version,
      kind,
      content,
      ...(description === undefined ? {} : { description }),
    } as BlockDefinition,
  );
}

function headIssues(block: Readonly<Record<string, unknown>>): BlockIssue[] {
  const issues: BlockIssue[] = [];
  const { id, version, description, kind } = block;
  if (!isBlockId(id)) {
    issues.push({
      path: "/id",
      message: "must be lowercase and dotted, such as acme.intake",
    });
  }
  if (typeof version !== "string" || !RELEASE_VERSION.test(version)) {
    issues.push({
      path: "/version",
      message: "must be an exact version such as 1.2.0, without a prerelease",
    });
  }
  if (description !== undefined && typeof description !== "string") {
    issues.push({ path: "/description", message: "must be text" });
  }
  if (!(BLOCK_KINDS as readonly unknown[]).includes(kind)) {
    issues.push({
      path: "/kind",
      message: `must be one of ${BLOCK_KINDS.join(", ")}`,
    });
  }
  return issues;
}

function contentIssues(block: Readonly<Record<string, unknown>>): BlockIssue[] {
  const { kind, content } = block;
  if (kind !== "prompt" && kind !== "settings") return [];
  if (!isRecord(content)) {
    const message = kind === "prompt"
      ? "must be { template, parameters }"
      : "must be { values, schema }";
    return [{ path: "/content", message }];
  }
  return kind === "prompt" ? promptIssues(content) : settingsIssues(content);
}

function promptIssues(
  content: Readonly<Record<string, unknown>>,
): BlockIssue[] {
  const { template, parameters } = content;
  const path = "/content/template";
  if (!isFilledText(template)) {
    return [{ path, message: "must be a template that isn't blank" }];
  }
  const problem = hostTemplateProblem(template);
  return [
    ...(problem === undefined ? [] : [{ path, message: problem }]),
    ...parameterIssues(parameters, "/content/parameters"),
  ];
}

function settingsIssues(
  content: Readonly<Record<string, unknown>>,
): BlockIssue[] {
  const { values, schema } = content;
  const issues: BlockIssue[] = [];
  if (!isRecord(values)) {
    issues.push({ path: "/content/values", message: "must be an object" });
  }
  if (schema !== undefined && !isRecord(schema)) {
    issues.push({ path: "/content/schema", message: "must be a JSON Schema" });
  }
  if (issues.length > 0) return issues;
  return settingsSchemaIssues(
    values,
    schema as Record<string, unknown> | undefined,
  );
}

function invalidBlock(
  id: unknown,
  issues: readonly BlockIssue[],
): InvalidBlockError {
  const whose = id === undefined ? "a block" : `block ${shown(id)}`;
  return {
    code: "invalid-block",
    message: `Cannot accept ${whose}: ${issueCount(issues.length)} (${
      issueSummary(issues)
    })`,
    issues,
  };
}
