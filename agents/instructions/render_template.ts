/**
 * Rendering one template: the step that a process and its render workers share.
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import type { LiquidBounds } from "./bounds.ts";
import { reasonOf, renderParsed } from "./engine.ts";
import {
  boundMessage,
  type PromptRenderError,
  type RenderFailureError,
} from "./errors.ts";
import { parsed } from "./parsed_templates.ts";
import { plainScope } from "./plain_scope.ts";

/** A template that is short enough, with a scope that is plain. */
export interface AdmittedTemplate {
  /** The template. */
  readonly template: string;
  /** A copy of its scope: plain data. */
  readonly scope: Record<string, unknown>;
}

/** What is checked before the engine or a worker sees a template: its length, and that its scope is plain data. */
export function admit(
  template: string,
  scope: object,
  bounds: LiquidBounds,
): Result<AdmittedTemplate, RenderFailureError> {
  if (template.length > bounds.parseLimit) {
    return failure(boundMessage("length", bounds), null);
  }
  const plain = plainScope(scope);
  return plain.kind === "ok"
    ? ok({ template, scope: plain.value })
    : failure(`the template's values aren't plain data: ${plain.error}`, null);
}

/** Renders a template in this process, under `bounds`; never throws. */
export function renderPlain(
  template: string,
  scope: object,
  bounds: LiquidBounds,
): Result<string, PromptRenderError> {
  const admitted = admit(template, scope, bounds);
  return admitted.kind === "ok"
    ? renderAdmitted(admitted.value, bounds)
    : admitted;
}

/**
 * Renders an admitted template; never throws. The time counts from the call, parsing included
 * (`spec/agents_define.md` 5 and 6.1).
 */
export function renderAdmitted(
  { template, scope }: AdmittedTemplate,
  bounds: LiquidBounds,
): Result<string, PromptRenderError> {
  const startedAt = performance.now();
  const parse = parsed(template);
  if (parse.kind === "err") {
    return failure(parse.error.problem, parse.error.cause);
  }
  const outcome = renderParsed(parse.value, scope, bounds, startedAt);
  switch (outcome.kind) {
    case "rendered":
      return ok(outcome.text);
    case "exceeded":
      return failure(boundMessage(outcome.bound, bounds), null);
    case "undefined-variable":
      return err({
        code: "missing-parameter",
        message:
          `the template names a variable that isn't there: ${outcome.name}`,
        parameterName: outcome.name,
      });
    case "failed":
      return failure(
        `the template can't be rendered: ${reasonOf(outcome.cause)}`,
        outcome.cause,
      );
  }
}

function failure<T>(
  message: string,
  cause: unknown,
): Result<T, RenderFailureError> {
  return err({ code: "render-failure", message, cause });
}
