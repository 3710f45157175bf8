/**
 * Whether the demo's calls are answered as they have to be.
 *
 * @module
 */
import type { PackResponse } from "../pack_service/protocol.ts";
import type { DemoStep } from "./demo_steps.ts";

/** The code of an error, or the kind of any other message. */
export function answerName(message: PackResponse<string>): string {
  return message.kind === "error" ? message.code : message.kind;
}

/** What is wrong with a step's answer, in one sentence, or nothing. */
export function problemOf(
  { expected, includes }: DemoStep,
  message: PackResponse<string>,
): string | undefined {
  const name = answerName(message);
  if (name !== expected) return `the answer is ${name}, not ${expected}`;
  if (JSON.stringify(message).includes(includes)) return undefined;
  return `the answer doesn't say ${includes}`;
}
