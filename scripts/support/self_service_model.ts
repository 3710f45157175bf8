/**
 * What answers where no model is configured: it calls the tool that the user names, so that agents, tools and approvals can
 * be tried without one.
 *
 * @module
 */
import {
  createScriptedProvider,
  type ModelProvider,
  type ScriptedAnswerFunction,
} from "../../agents/mod.ts";

/** A tool's name, then its input as JSON, or nothing. */
const CALL = /^(\S+)(?:\s+(\{[\s\S]*\}))?$/;

/** Makes it. */
export function createSelfServiceModel(): ModelProvider {
  return createScriptedProvider({ answers: answer });
}

const answer: ScriptedAnswerFunction = ({ messages, tools = [] }) => {
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: said(messages) };
  const names = tools.map(({ name }) => name);
  const asked = CALL.exec(last?.content.trim() ?? "");
  const name = asked?.[1];
  if (name === undefined || !names.includes(name)) {
    return { text: usage(names) };
  }
  let input: Record<string, unknown>;
  try {
    input = JSON.parse(asked?.[2] ?? "{}");
  } catch (error) {
    return { text: `That is no JSON: ${(error as Error).message}` };
  }
  return { toolCalls: [{ id: "call-1", name, arguments: input }] };
};

/** What the tools of this turn have answered. */
function said(
  messages: Parameters<ScriptedAnswerFunction>[0]["messages"],
): string {
  const results: string[] = [];
  for (const { role, content } of [...messages].reverse()) {
    if (role !== "tool") break;
    results.unshift(content);
  }
  return `The tool answered: ${results.join("\n")}`;
}

function usage(names: readonly string[]): string {
  const [first = "TOOL"] = names;
  return names.length === 0
    ? "I am a script, no model, and this agent has no tools to call."
    : `I am a script, no model. Type a tool and its input, such as ${first} {"its": "input"}. The tools: ${
      names.join(", ")
    }.`;
}
