/**
 * Rendering somewhere else than on the thread that runs the turn.
 *
 * @module
 */

import type { PromptBlockContent } from "../agent/mod.ts";
import { TemplateRenderError } from "./errors.ts";
import {
  type InstructionsSource,
  prepareInstructions,
  type RenderContext,
  type RenderInstructionsResult,
} from "./render.ts";

/** A template to render for a tenant. */
export interface TemplateRenderRequest {
  /** Whose template it is: tenants take turns, and each has a render budget. */
  readonly tenantId: string;
  /** The template. */
  readonly template: string;
  /** Every value that the template may see: plain data. */
  readonly scope: Readonly<Record<string, unknown>>;
}

/**
 * Where a turn renders its instructions (`spec/agents_define.md` 6.2).
 *
 * `render` resolves with the text, the same as in-process rendering gives (the filter `sample` aside, which picks at
 * random). It rejects with `TemplateRenderError` for the template's own failure, the same as in-process rendering
 * reports; with `TemplateRenderBudgetError` when the tenant has spent its render budget; and with any other error when
 * the renderer itself failed.
 */
export interface TemplateRenderer {
  /** Renders one template. */
  render(request: TemplateRenderRequest): Promise<string>;
}

/**
 * Renders an agent's instructions with a renderer: what `renderInstructions` does in this process.
 *
 * @throws {Error} What the renderer rejects with, unless it is the template's own failure, which is answered.
 */
export async function renderInstructionsWith(
  renderer: TemplateRenderer,
  tenantId: string,
  agent: InstructionsSource,
  context: RenderContext,
  prompt?: PromptBlockContent,
): Promise<RenderInstructionsResult> {
  const prepared = prepareInstructions(agent, context, prompt);
  if (!prepared.ok) return prepared;
  const { template, scope } = prepared.value;
  try {
    const rendered = await renderer.render({ tenantId, template, scope });
    return { ok: true, value: { rendered, context: scope } };
  } catch (error) {
    if (!(error instanceof TemplateRenderError)) throw error;
    const { code, message, parameterName } = error;
    return code === "render-failure"
      ? { ok: false, error: { code, message, cause: error } }
      : {
        ok: false,
        error: {
          code,
          message,
          ...(parameterName === undefined ? {} : { parameterName }),
        },
      };
  }
}
