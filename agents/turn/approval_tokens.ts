/**
 * The tokens that a turn's gates wait for: derived, so that a step that runs again asks the same question
 * (`spec/agents_turn.md` 7.2, 7.3).
 *
 * @module
 */

import { createHash } from "node:crypto";
import { sortedJson } from "../../base/sorted_json.ts";

/** The token of a session's gate. */
export function sessionGateToken(runId: string, turnCount: number): string {
  return digest(`agent-turn:session-hitl-gate:${runId}:${turnCount}`);
}

/** The token of a tool call's gate. */
export function toolGateToken(
  runId: string,
  callId: string,
  argsHash: string,
): string {
  return digest(`tool-call:${runId}:${callId}:${argsHash}`);
}

/** What stands for a tool call's arguments: the same for any order of keys. */
export function hashToolArgs(args: unknown): string {
  return digest(sortedJson(args));
}

/** The first 40 hex digits of the text's SHA-256. */
function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 40);
}
