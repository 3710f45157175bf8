/**
 * What a chat shows of a turn, as it happens.
 *
 * @module
 */
import type {
  AgentTurnResult,
  ConversationMessage,
  TurnEvent,
} from "../../agents/mod.ts";
import { isRecord } from "../../base/result.ts";
import { styled } from "../printed.ts";
import {
  terminalJson,
  terminalLine,
  terminalText,
} from "../support/terminal_text.ts";

/** The line of an event; `undefined` for those that say nothing to a user. */
export function eventLine(event: TurnEvent): string | undefined {
  switch (event.kind) {
    case "retrieval.completed":
      return event.count === 0 ? undefined : dim(
        `remembered ${event.count} ${event.count === 1 ? "fact" : "facts"}`,
      );
    case "model.call.started":
      return dim(`asks ${event.providerId}/${event.model}`);
    case "tool.started":
      return `  ${styled("cyan", "→")} ${event.toolId} ${
        terminalJson(event.arguments)
      }`;
    case "tool.completed":
      return `  ${styled("green", "←")} ${event.toolId} ${
        terminalJson(event.output)
      } ${styled("dim", `${event.durationMs} ms`)}`;
    case "tool.failed":
      return bad(`${event.toolId} failed: ${event.error.message}`);
    case "agent.message": {
      const text = event.isFinal ? "" : partsOf(event.message.content).text;
      return text === "" ? undefined : dim(terminalLine(text, 500));
    }
    case "guardrail.violated":
      return bad(
        `guardrail ${event.guardrailId} (${event.severity}, ${event.action})${
          event.reason === undefined ? "" : `: ${event.reason}`
        }`,
      );
    case "guardrail.error":
      return bad(
        `guardrail ${event.guardrailId} couldn't be evaluated: ${event.message}`,
      );
    default:
      // The start was typed here, and the end is shown in full.
      return undefined;
  }
}

/** The answer of a turn, and what it took. */
export function answerLines(
  { response, usage, warnings = [], output }: AgentTurnResult,
): string[] {
  const { steps, promptTokens, completionTokens, totalCostUsd } = usage;
  const cost = totalCostUsd === 0 ? "" : `, $${totalCostUsd.toFixed(4)}`;
  return [
    shownContent(response.content),
    ...(output === undefined || typeof response.content !== "string"
      ? []
      : [dim(`output ${terminalJson(output, 500)}`)]),
    ...warnings.map(({ code, message }) =>
      bad(`${code}: ${terminalLine(message, 300)}`)
    ),
    dim(
      `${steps} model ${
        steps === 1 ? "call" : "calls"
      }, ${promptTokens} + ${completionTokens} tokens${cost}`,
    ),
  ];
}

/** The lines of a message of a conversation that goes on. */
export function messageLines(message: ConversationMessage): string[] {
  const { role, content, toolCall } = message;
  if (role === "user") {
    return [`${styled("bold", "›")} ${shownContent(content)}`];
  }
  if (role === "tool") {
    // Whatever the model called, which may be no tool at all.
    const tool = terminalLine(toolCall?.toolId ?? "tool");
    return [`  ${styled("green", "←")} ${tool} ${terminalJson(content)}`];
  }
  if (message.isIntermediate !== true) return [shownContent(content)];
  const { text, calls } = partsOf(content);
  return [
    ...(text === "" ? [] : [dim(terminalLine(text, 500))]),
    ...calls.map(({ name, arguments: args }) =>
      `  ${styled("cyan", "→")} ${terminalLine(String(name))} ${
        terminalJson(args)
      }`
    ),
  ];
}

/** What a message that asks for tools says, and what it asks for. */
function partsOf(content: unknown): {
  readonly text: string;
  readonly calls: readonly {
    readonly name: unknown;
    readonly arguments: unknown;
  }[];
} {
  if (!isRecord(content)) return { text: String(content), calls: [] };
  const { text, toolCalls } = content;
  return {
    text: typeof text === "string" ? text : "",
    calls: Array.isArray(toolCalls) ? toolCalls : [],
  };
}

/** A line that something went wrong. */
export function bad(text: string): string {
  return `  ${styled("red", "✗")} ${terminalLine(text, 500)}`;
}

/** A line in the background. */
export function dim(text: string): string {
  return styled("dim", `  ${text}`);
}

function shownContent(content: unknown): string {
  if (content === "") return dim("(an empty message)");
  return terminalText(
    typeof content === "string" ? content : JSON.stringify(content, null, 2),
  );
}
