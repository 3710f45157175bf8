/**
 * `setup`: everything that a turn needs, before anything is stored in the conversation (`spec/agents_turn.md` 3.1).
 *
 * @module
 */

import { isoTime } from "../../../base/iso_time.ts";
import type { NodeContext } from "../../flow/mod.ts";
import { loadWithHistory } from "../load_conversation.ts";
import { resolveEnvironment, resolveHitl } from "../environment.ts";
import { TurnFailure } from "../failure.ts";
import type { TurnTool } from "../resolve_tools.ts";
import { passSessionGate } from "../session_gate.ts";
import { storeSnapshot } from "../snapshot.ts";
import type { SetupOutput } from "../step_outputs.ts";
import { type Turn, valueOf } from "../turn.ts";

/** Checks and resolves everything; the first that fails ends the turn. */
export async function setup(
  turn: Turn,
  context: NodeContext,
): Promise<SetupOutput> {
  const { input, bindings } = turn;
  const snapshot = storeSnapshot(turn, "at the start");
  const loaded = await loadWithHistory(turn);
  await snapshot;
  const conversation = valueOf(loaded);
  turn.conversation = conversation;
  if (input.principal !== undefined && context.authorize === undefined) {
    throw new TurnFailure({
      code: "authorization-unavailable",
      message:
        "The turn acts for a principal, and nothing is bound that can authorise its tool calls: give the run binding an authorize function",
    });
  }
  const hitl = valueOf(await resolveHitl(input, bindings));
  if (!context.dryRun) {
    await passSessionGate(turn, context, hitl, conversation);
  }
  const environment = valueOf(await resolveEnvironment(input, bindings, hitl));
  turn.environment = environment;
  const turnNumber = conversation.turnCount + 1;
  const { agent, conversationId, userMessage } = input;
  await turn.emit({
    kind: "turn.started",
    conversationId,
    turnNumber,
    agentId: agent.id,
    agentVersion: agent.version,
    userMessage,
  });
  const { provider, model, tools, blocks } = environment;
  return {
    at: isoTime(context.clockNow()),
    turnNumber,
    providerId: provider.metadata.id,
    providerModel: model.name,
    toolCount: tools.size,
    toolVersions: versionsOf(tools),
    ...(Object.keys(blocks.versions).length === 0
      ? {}
      : { blockVersions: blocks.versions }),
  };
}

function versionsOf(
  tools: ReadonlyMap<string, TurnTool>,
): Record<string, string> {
  return Object.fromEntries(
    [...tools].map(([id, { resolvedVersion }]) => [id, resolvedVersion]),
  );
}
