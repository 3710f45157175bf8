/**
 * `run-retrievals`: what the agent remembers (`spec/agents_turn.md` 3.4, 12).
 *
 * @module
 */

import { isoTime } from "../../../base/iso_time.ts";
import { frozenJson } from "../../../base/frozen_json.ts";
import { untilAborted } from "../../../base/until_aborted.ts";
import { isRecord } from "../../../base/result.ts";
import { reasonOf } from "../../agent/mod.ts";
import type { NodeContext } from "../../flow/mod.ts";
import { type Retrieval, runRetrievals as retrieve } from "../../memory/mod.ts";
import { TurnFailure } from "../failure.ts";
import type { RunRetrievalsOutput } from "../step_outputs.ts";
import { settled, type Turn, valueOf } from "../turn.ts";

/** Carries out the agent's retrieval intents. */
export function runRetrievals(
  turn: Turn,
  context: NodeContext,
): RunRetrievalsOutput | Promise<RunRetrievalsOutput> {
  return turn.input.agent.retrieval.length === 0 && !turn.isHeard
    ? outputOf(context, NOTHING)
    : retrieveAndTell(turn, context);
}

const NOTHING: Retrieval = { retrieved: [], degraded: [], warnings: [] };

async function retrieveAndTell(
  turn: Turn,
  context: NodeContext,
): Promise<RunRetrievalsOutput> {
  // Facts are whatever a memory answers; from here on they are the turn's.
  const retrieval = frozenJson(await read(turn, context)) as Retrieval;
  const { retrieved } = retrieval;
  await turn.emit({
    kind: "retrieval.completed",
    count: retrieved.length,
    factIds: retrieved.map(({ fact }) => fact.id),
  });
  return outputOf(context, retrieval);
}

function outputOf(
  context: NodeContext,
  { retrieved, degraded, warnings }: Retrieval,
): RunRetrievalsOutput {
  return {
    at: isoTime(context.clockNow()),
    count: retrieved.length,
    retrieved,
    ...(degraded.length === 0 ? {} : { degraded }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

async function read(turn: Turn, context: NodeContext): Promise<Retrieval> {
  const { input, bindings, abort } = turn;
  const { tenantId, conversationId, projectId, orgId, principal } = input;
  const { agent } = input;
  if (agent.retrieval.length === 0) return NOTHING;
  const conversation = settled(turn.conversation, "conversation");
  const { memoryBinding, embeddingRegistry, embeddingModel } = bindings;
  abort.follow(context.abortSignal);
  try {
    return valueOf(
      await untilAborted(abort.signal, () =>
        retrieve({
          intents: agent.retrieval,
          query: input.userMessage,
          tenantId,
          conversationId,
          runProjectId: projectId || undefined,
          conversationProjectId: conversation.projectId,
          orgId,
          participantId: conversation.participantId ?? input.participantId,
          userId: isRecord(principal) && typeof principal.userId === "string"
            ? principal.userId
            : undefined,
        }, {
          memoryBinding,
          ...(embeddingRegistry === undefined ? {} : { embeddingRegistry }),
          ...(embeddingModel === undefined ? {} : { embeddingModel }),
        })),
    );
  } catch (thrown) {
    abort.throwIfAborted();
    if (thrown instanceof TurnFailure) throw thrown;
    throw new TurnFailure({
      code: "persistence-error",
      message: `Cannot read the agent's memory: ${reasonOf(thrown)}`,
      cause: thrown,
    });
  }
}
