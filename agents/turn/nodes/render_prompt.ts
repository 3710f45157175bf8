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
export function renderPrompt(
  turn: Turn,
): RenderPromptOutput | Promise<RenderPromptOutput> {
  const result = render(turn);
  return result instanceof Promise
    ? result.then((late) => outputOf(turn, late))
    : outputOf(turn, result);
}

function outputOf(
  turn: Turn,
  result: RenderInstructionsResult,
): RenderPromptOutput {
  if (result.ok) return { rendered: mendedText(result.value.rendered) };
  throw new TurnFailure({
    code: "model-invocation-failed",
    message:
      `Cannot render the instructions of agent ${turn.input.agent.id}: ${result.error.message}`,
    cause: result.error,
  });
}

function render(
  turn: Turn,
): RenderInstructionsResult | Promise<RenderInstructionsResult> {
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
  return templateRenderer === undefined
    ? renderInstructions(agent, context, blocks.prompt)
    : renderElsewhere(() =>
      renderInstructionsWith(
        templateRenderer,
        tenantId,
        agent,
        context,
        blocks.prompt,
      )
    );
}

async function renderElsewhere(
  work: () => Promise<RenderInstructionsResult>,
): Promise<RenderInstructionsResult> {
  try {
    return await work();
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
