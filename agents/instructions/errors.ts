/**
 * How rendering a template fails, and the texts that name each limit.
 *
 * The texts are made here alone, so that a render in this process, one that a worker reports and one whose worker had
 * to be stopped all say the same (`spec/agents_define.md` 6.2).
 *
 * @module
 */

import type { LiquidBounds } from "./bounds.ts";

/** A required parameter wasn't given, or the template names a variable that isn't there. */
export interface MissingParameterError {
  /** Always `'missing-parameter'`. */
  readonly code: "missing-parameter";
  /** What is missing; every missing required parameter by name. */
  readonly message: string;
  /** The one name that is missing; absent when there are several. */
  readonly parameterName?: string;
}

/** The template couldn't be rendered: it doesn't parse, it failed, or it went past a bound. */
export interface RenderFailureError {
  /** Always `'render-failure'`. */
  readonly code: "render-failure";
  /** Why; past a bound, which one: length, time or memory. */
  readonly message: string;
  /** What the engine threw; `null` where it never ran. */
  readonly cause: unknown;
}

/** Why instructions couldn't be rendered. */
export type PromptRenderError = MissingParameterError | RenderFailureError;

/** The template's own failure, as a {@link TemplateRenderer} rejects with it. */
export class TemplateRenderError extends Error {
  /** The error's name: `TemplateRenderError`. */
  override readonly name = "TemplateRenderError";
  /** Which failure it is. */
  readonly code: PromptRenderError["code"];
  /** The variable that is missing, with `missing-parameter`. */
  readonly parameterName?: string;

  /** Makes the error of a failure: its code, message and, where there is one, the missing name. */
  constructor(
    failure: {
      readonly code: PromptRenderError["code"];
      readonly message: string;
      readonly parameterName?: string;
    },
  ) {
    super(failure.message);
    this.code = failure.code;
    if (failure.parameterName !== undefined) {
      this.parameterName = failure.parameterName;
    }
  }
}

/** A tenant has spent its render budget; a turn that meets it ends with `rate-limit-exceeded`. */
export class TemplateRenderBudgetError extends Error {
  /** The error's name: `TemplateRenderBudgetError`. */
  override readonly name = "TemplateRenderBudgetError";
  /** Always `'rate-limit-exceeded'`. */
  readonly code = "rate-limit-exceeded";
  /** Whose budget is spent. */
  readonly tenantId: string;

  /** Makes the error of a tenant and the budget that it spent, in milliseconds. */
  constructor(tenantId: string, budget: { ms: number; windowMs: number }) {
    super(
      `Can't render a template of tenant ${tenantId}: it has used its ${budget.ms} ms of render time ` +
        `within ${budget.windowMs} ms; try again later`,
    );
    this.tenantId = tenantId;
  }
}

/** Which of the bounds a render went past. */
export type ExceededBound = "length" | "time" | "memory";

/** Says which bound a render went past. */
export function boundMessage(
  bound: ExceededBound,
  limits: LiquidBounds,
): string {
  switch (bound) {
    case "length":
      return `the template is too long: its length limit is ${limits.parseLimit} characters`;
    case "time":
      return `the template took too long: its time limit is ${limits.renderLimitMs} ms`;
    case "memory":
      return `the template made too much: its memory limit is ${limits.memoryLimit} characters and list items`;
  }
}
