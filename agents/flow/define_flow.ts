/**
 * `defineFlow`, for a pack's modules: it must load no validator, so it finds the loader where a host has provided it.
 *
 * @module
 */

import { hostChecks } from "../../base/host_checks.ts";
import { err, isRecord, ok, type Result } from "../../base/result.ts";
import type { FlowError, FlowSchemaIssue } from "./errors.ts";
import { isExactVersion } from "./limits.ts";
import { plainData } from "./plain_data.ts";
import type { Flow } from "./types.ts";
import { wrongShape } from "./wrong_shape.ts";

/**
 * Defines a flow: the same answer as `loadFlow` gives, made for the default export of a module under `flows/`.
 *
 * Where no host is loaded (a bundler, a script) only the outline is checked: an object with an `id`, an exact `version`
 * and lists of `nodes` and `edges`. The indexer and every host check the rest.
 */
export function defineFlow(
  flow: Flow & { readonly $schema?: string },
): Result<Flow, FlowError> {
  const { loadFlow } = hostChecks();
  // What is provided there is the `loadFlow` of this package, if not of this copy of it.
  if (loadFlow !== undefined) return loadFlow(flow) as Result<Flow, FlowError>;

  const data = plainData(flow);
  if (data.kind === "err") return err(wrongShape(flow, data.error));
  const issues = outlineIssues(data.value);
  if (issues.length > 0) return err(wrongShape(data.value, issues));
  const { $schema: _, ...rest } = data.value as Flow & { $schema?: string };
  return ok(rest);
}

function outlineIssues(flow: unknown): FlowSchemaIssue[] {
  if (!isRecord(flow)) return [{ path: "", message: "must be an object" }];
  const issues: FlowSchemaIssue[] = [];
  if (typeof flow.id !== "string" || flow.id === "") {
    issues.push({ path: "/id", message: "must be a string that isn't empty" });
  }
  if (typeof flow.version !== "string" || !isExactVersion(flow.version)) {
    issues.push({
      path: "/version",
      message: "must be an exact version such as 1.0.0",
    });
  }
  for (const key of ["nodes", "edges"]) {
    if (!Array.isArray(flow[key])) {
      issues.push({ path: `/${key}`, message: "must be an array" });
    }
  }
  return issues;
}
