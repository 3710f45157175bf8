/**
 * Rules for the parameters of a template: an agent's, or a prompt block's.
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import { type DefinitionIssue, quoted } from "./issues.ts";
import { isReservedParameterName } from "./parameter_names.ts";
import { isFilledText } from "./values.ts";

const TYPES: readonly unknown[] = ["string", "number", "boolean", "date"];

/**
 * Checks declared parameters: `/<i>/name` blank, used twice or reserved; `/<i>/type` unknown.
 *
 * A default's type isn't checked: types are documentation (`spec/agents_define.md` 5).
 *
 * @param path The place of the list itself, such as `/parameters`.
 */
export function parameterIssues(
  parameters: unknown,
  path: string,
): DefinitionIssue[] {
  if (parameters === undefined) return [];
  if (!Array.isArray(parameters)) {
    return [{
      path,
      message: "must be a list of parameters as { name, type }",
    }];
  }
  const issues: DefinitionIssue[] = [];
  const named = new Set<string>();
  parameters.forEach((parameter: unknown, index) => {
    const place = `${path}/${index}`;
    if (!isRecord(parameter)) {
      issues.push({ path: place, message: "must be { name, type }" });
      return;
    }
    for (const message of nameProblems(parameter.name, named)) {
      issues.push({ path: `${place}/name`, message });
    }
    if (!TYPES.includes(parameter.type)) {
      issues.push({
        path: `${place}/type`,
        message: `must be one of ${TYPES.join(", ")}`,
      });
    }
  });
  return issues;
}

function nameProblems(name: unknown, named: Set<string>): string[] {
  if (!isFilledText(name)) return ["must be text that isn't blank"];
  const problems: string[] = [];
  if (named.has(name)) problems.push(`${quoted(name)} is declared twice`);
  named.add(name);
  if (isReservedParameterName(name)) {
    problems.push(
      `${quoted(name)} is set by rendering itself: give it another name`,
    );
  }
  return problems;
}
