/**
 * `persist-user-message`: what the user said is stored before the model is called (`spec/agents_turn.md` 3.3).
 *
 * @module
 */

import type { NodeContext } from "../../flow/mod.ts";
import type { StoredMessageOutput } from "../step_outputs.ts";
import {
  storeMessage,
  type TurnMessage,
  unstoredMessage,
} from "../store_message.ts";
import type { Turn } from "../turn.ts";

/** Stores the user's message. */
export async function persistUserMessage(
  turn: Turn,
  context: NodeContext,
): Promise<StoredMessageOutput> {
  const { userMessage, participantId } = turn.input;
  const given: TurnMessage = {
    role: "user",
    content: userMessage,
    ...(participantId === undefined ? {} : { actor: participantId }),
  };
  const message = context.dryRun
    ? unstoredMessage(context, given)
    : await storeMessage(turn, context, "user", given);
  return { sequence: message.sequence, message };
}
