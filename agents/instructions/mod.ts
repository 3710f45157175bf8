/**
 * Instructions: templates that tenants write, checked and rendered within bounds.
 *
 * Loading this module makes `templateProblem` available to the define helpers. The worker renderer is a door of its own
 * (`worker_renderer.ts`), so that a bundler never sees it.
 *
 * @module
 */

// Rendering
export { prepareInstructions, renderInstructions } from "./render.ts";
export type {
  InstructionsSource,
  PreparedInstructions,
  PrepareInstructionsResult,
  RenderContext,
  RenderInstructionsResult,
  RenderResult,
} from "./render.ts";
export { renderInstructionsWith } from "./renderer.ts";
export type { TemplateRenderer, TemplateRenderRequest } from "./renderer.ts";
export { AUTO_INJECTED_VARS } from "../agent/mod.ts";

// Checking
export { templateProblem } from "./template_problem.ts";
export {
  checkDraftedTemplate,
  DRAFTED_TEMPLATE_MAX,
} from "./drafted_template.ts";
export type { DraftedTemplateContext } from "./drafted_template.ts";

// Bounds
export {
  configureTenantInputBounds,
  resetTenantInputBounds,
  tenantInputBounds,
} from "./bounds.ts";
export type {
  LiquidBounds,
  RenderBudgetBounds,
  TenantInputBounds,
  TenantInputBoundsSettings,
} from "./bounds.ts";

// Errors
export { TemplateRenderBudgetError, TemplateRenderError } from "./errors.ts";
export type {
  MissingParameterError,
  PromptRenderError,
  RenderFailureError,
} from "./errors.ts";
