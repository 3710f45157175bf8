/**
 * Typed answers: told to the model, checked, and mended by it where they don't fit (`spec/agents_turn.md` 17).
 *
 * @module
 */

import { compileSchema } from "../../base/json_schema.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type AgentOutput, reasonOf } from "../agent/mod.ts";
import type { ModelMessage } from "../routing/mod.ts";

/** The first line of a message that asks for a better answer: by it repairs are counted. */
export const OUTPUT_REPAIR_MARKER = "[kindgi:output-repair]";

/** How often an answer may be mended where the agent doesn't say. */
const DEFAULT_MAX_REPAIRS = 1;

/** A fence around the whole answer, with or without the word json. */
const FENCE = /^```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n?```$/i;

/** How often an answer may be mended. */
export function maxRepairs({ maxRepairs }: AgentOutput): number {
  return maxRepairs ?? DEFAULT_MAX_REPAIRS;
}

/** The part of the system message that says what the final answer looks like. */
export function outputInstructions({ schema }: AgentOutput): string {
  return [
    "Your final answer must be one JSON value that fits this JSON Schema, and nothing else: no words around it.",
    JSON.stringify(schema),
  ].join("\n");
}

/**
 * Reads an answer as the agent's output.
 *
 * @returns The value, or every problem as `<pointer or (root)> <what is wrong>`.
 */
export function readOutput(
  { schema }: AgentOutput,
  text: string,
): Result<unknown, readonly string[]> {
  const validator = compileSchema(schema, "output");
  if (validator.kind === "err") {
    return err([`(root) can't be checked: ${validator.error.message}`]);
  }
  const trimmed = text.trim();
  let value: unknown;
  try {
    value = JSON.parse(FENCE.exec(trimmed)?.[1] ?? trimmed);
  } catch (thrown) {
    return err([`(root) must be JSON: ${reasonOf(thrown)}`]);
  }
  const issues = validator.value(value);
  if (issues.length === 0) return ok(value);
  return err(
    issues.map(({ instancePath, message }) =>
      `${instancePath || "(root)"} ${message}`
    ),
  );
}

/** What the model is told of an answer that doesn't fit. */
export function repairMessage(
  { schema }: AgentOutput,
  problems: readonly string[],
): ModelMessage {
  return {
    role: "user",
    content: [
      OUTPUT_REPAIR_MARKER,
      "Your answer doesn't fit. Answer again with one JSON value that fits this JSON Schema, and nothing else.",
      JSON.stringify(schema),
      "What is wrong:",
      ...problems.map((problem) => `- ${problem}`),
    ].join("\n"),
  };
}

/** How many of the messages ask for a better answer. */
export function repairsIn(messages: readonly ModelMessage[]): number {
  return messages.filter(({ role, content }) =>
    role === "user" && content.startsWith(OUTPUT_REPAIR_MARKER)
  ).length;
}
