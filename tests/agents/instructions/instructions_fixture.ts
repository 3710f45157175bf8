/** What the tests of instructions share: an agent, a fixed clock, and short ways to render. */
import { type Agent, defineAgent } from "../../../agents/agent/mod.ts";
import {
  configureTenantInputBounds,
  type PromptRenderError,
  type RenderContext,
  renderInstructions,
  type RenderInstructionsResult,
  resetTenantInputBounds,
  type TenantInputBoundsSettings,
} from "../../../agents/instructions/mod.ts";
import { okValue } from "../../assert.ts";

/** `2026-09-17T15:30:00Z`, always. */
export const CLOCK = () => new Date("2026-09-17T15:30:00Z");

/** An agent with these instructions. */
export function agentOf(
  instructions: unknown,
  parameters?: readonly unknown[],
): Agent {
  return okValue(defineAgent(
    {
      id: "acme.citer",
      version: "1.0.0",
      name: "Citer",
      instructions,
      capabilities: [{ needs: [{ feature: "tool-use" }] }],
      tools: [],
      retrieval: [],
      guardrails: [],
      ...(parameters === undefined ? {} : { parameters }),
    } as Parameters<typeof defineAgent>[0],
  ));
}

/** An agent whose template no check has seen. */
export function uncheckedAgent(instructions: string): Agent {
  return { ...agentOf("Answer."), instructions };
}

/** Renders a template, checked only as it renders, under the fixed clock. */
export function render(
  template: string,
  context: Partial<RenderContext> = {},
): RenderInstructionsResult {
  return renderInstructions(uncheckedAgent(template), {
    parameters: {},
    clock: CLOCK,
    ...context,
  });
}

/** The text of a render that must have worked. */
export function textOf(result: RenderInstructionsResult): string {
  if (!result.ok) throw new Error(`expected text, got ${result.error.message}`);
  return result.value.rendered;
}

/** The error of a render that must have failed. */
export function errorOf(result: RenderInstructionsResult): PromptRenderError {
  if (result.ok) {
    throw new Error(`expected an error, got ${result.value.rendered}`);
  }
  return result.error;
}

/** Runs a test under some bounds and puts the defaults back. */
export async function withBounds(
  settings: TenantInputBoundsSettings,
  run: () => void | Promise<void>,
): Promise<void> {
  configureTenantInputBounds(settings);
  try {
    await run();
  } finally {
    resetTenantInputBounds();
  }
}
