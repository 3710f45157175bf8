/**
 * The one check that a template passes wherever it comes in.
 *
 * @module
 */

import { provideHostChecks } from "../../base/host_checks.ts";
import { tenantInputBounds } from "./bounds.ts";
import { boundMessage } from "./errors.ts";
import { parsed } from "./parsed_templates.ts";

/**
 * What is wrong with a template, or `undefined` when the renderer takes it.
 *
 * Refused, in this order (`spec/agents_define.md` 4.2): one longer than `liquid.parseLimit`; one that uses `include`,
 * `render` or `layout`; one that the renderer doesn't parse, an unknown tag or filter included. Never throws.
 */
export function templateProblem(template: string): string | undefined {
  if (typeof template !== "string") return "a template must be text";
  const { liquid } = tenantInputBounds();
  if (template.length > liquid.parseLimit) {
    return boundMessage("length", liquid);
  }
  const result = parsed(template);
  return result.kind === "err" ? result.error.problem : undefined;
}

provideHostChecks({ templateProblem });
