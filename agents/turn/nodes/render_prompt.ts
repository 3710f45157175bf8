/**
 * `render-prompt`: the agent's instructions as text (`spec/agents_turn.md` 3.2).
 *
 * @module
 */

import { mendedText } from "../../../base/mended_text.ts";
import { reasonOf } from "../../agent/mod.ts";
import {
  type RenderContext,
  renderInstructions,
  type RenderInstructionsResult,
  renderInstructionsWith,
  TemplateRenderBudgetError,
} from "../../instructions/mod.ts";
import { TurnFailure } from "../failure.ts";
import type { RenderPromptOutput } from "../step_outputs.ts";
import { settled, type Turn } from "../turn.ts";

/** Renders the instructions, elsewhere where a renderer is bound. */
export async function renderPrompt(turn: Turn): Promise<RenderPromptOutput> {
  const result = await render(turn);
  if (result.ok) return { rendered: mendedText(result.value.rendered) };
  throw new TurnFailure({
    code: "model-invocation-failed",
    message:
      `Cannot render the instructions of agent ${turn.input.agent.id}: ${result.error.message}`,
    cause: result.error,
  });
}

async function render(turn: Turn): Promise<RenderInstructionsResult> {
  const { agent, tenantId, conversationId, parameters, input } = turn.input;
  const { templateRenderer } = turn.bindings;
  const { blocks } = settled(turn.environment, "environment");
  const { turnNumber } = settled(turn.state.setup, "setup");
  const context: RenderContext = {
    parameters: parameters ?? {},
    conversation: { id: conversationId, turn: turnNumber },
    ...(input === undefined ? {} : { input }),
    ...(blocks.settings === undefined ? {} : { settings: blocks.settings }),
  };
  if (templateRenderer === undefined) {
    return renderInstructions(agent, context, blocks.prompt);
  }
  try {
    return await renderInstructionsWith(
      templateRenderer,
      tenantId,
      agent,
      context,
      blocks.prompt,
    );
  } catch (thrown) {
    const message = reasonOf(thrown);
    if (thrown instanceof TemplateRenderBudgetError) {
      throw new TurnFailure({ code: "rate-limit-exceeded", message });
    }
    return {
      ok: false,
      error: { code: "render-failure", message, cause: thrown },
    };
  }
}
