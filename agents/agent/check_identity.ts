/**
 * Rules for who an agent is and what it is told: id, version, name, instructions, capabilities.
 *
 * @module
 */

import { hostChecks } from "../../base/host_checks.ts";
import { isRecord } from "../../base/result.ts";
import { isBlockId } from "./blocks.ts";
import type { IssueList } from "./issue_list.ts";
import { reasonOf } from "./plain_copy.ts";
import { isFilledText } from "./values.ts";
import { isExactVersion, isVersionRange } from "./versions.ts";

/** Checks `id`, `version`, `name`, `instructions`, a conflict with `parameters`, and `capabilities`. */
export function checkIdentity(
  spec: Readonly<Record<string, unknown>>,
  issues: IssueList,
): void {
  issues.require(isFilledText(spec.id), "/id", "must be text that isn't blank");
  issues.require(
    isExactVersion(spec.version),
    "/version",
    "must be an exact version such as 1.2.0 or 1.2.0-rc.1, without v or build metadata",
  );
  issues.require(
    isFilledText(spec.name),
    "/name",
    "must be text that isn't blank",
  );
  checkInstructions(spec.instructions, issues);
  issues.require(
    !isRecord(spec.instructions) || spec.parameters === undefined,
    "/parameters",
    "must be left out: the prompt block declares its own parameters",
  );
  checkCapabilities(spec.capabilities, issues);
}

function checkInstructions(instructions: unknown, issues: IssueList): void {
  if (isRecord(instructions)) {
    checkBlockRef(instructions, "prompt", "/instructions", issues);
    return;
  }
  const path = "/instructions";
  const given = issues.require(
    isFilledText(instructions),
    path,
    "must be a template that isn't blank, or a prompt block as { prompt, version }",
  );
  if (!given) return;
  const problem = hostTemplateProblem(instructions as string);
  if (problem !== undefined) issues.add(path, problem);
}

/** What the host's template check says of a template; `undefined` when it is fine or nothing is loaded to check it. */
export function hostTemplateProblem(template: string): string | undefined {
  try {
    return hostChecks().templateProblem?.(template);
  } catch (thrown) {
    return `can't be checked: ${reasonOf(thrown)}`;
  }
}

function checkCapabilities(capabilities: unknown, issues: IssueList): void {
  const path = "/capabilities";
  if (!Array.isArray(capabilities) || capabilities.length === 0) {
    issues.add(path, "must be a list with at least one capability");
    return;
  }
  capabilities.forEach((capability: unknown, index) => {
    issues.require(
      isRecord(capability),
      `${path}/${index}`,
      "must be a capability, as { needs: [...] }",
    );
  });
}

/** Checks a reference to a data block: its id under `idKey`, and a range. */
export function checkBlockRef(
  ref: Readonly<Record<string, unknown>>,
  idKey: "id" | "prompt",
  path: string,
  issues: IssueList,
): void {
  issues.require(
    isBlockId(ref[idKey]),
    `${path}/${idKey}`,
    "must be the id of a data block: lowercase and dotted, such as acme.intake",
  );
  issues.require(
    isVersionRange(ref.version),
    `${path}/version`,
    "must be an npm version range such as ^1.2.0",
  );
}
