/**
 * Reading a service's answer: to a bound, since a service is not to be trusted with the runtime's memory.
 *
 * @module
 */

import { ToolCallError } from "./tool_call_error.ts";

/** The most bytes of an answer: four times a tool's largest result, since a message may carry a stack and issues. */
const MAX_ANSWER_BYTES = 1_048_576;

/**
 * Reads an answer's body as UTF-8.
 *
 * @throws {ToolCallError} `tool-result-too-large` past the bound, `pack-service-failed` when it isn't UTF-8.
 */
export async function readAnswer(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MAX_ANSWER_BYTES) {
      await reader.cancel();
      throw new ToolCallError(
        "tool-result-too-large",
        `The pack service's answer is larger than ${MAX_ANSWER_BYTES} bytes`,
      );
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ToolCallError(
      "pack-service-failed",
      "The pack service's answer is not UTF-8",
    );
  }
}
