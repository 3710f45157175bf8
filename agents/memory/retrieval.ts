/**
 * Looking up what an agent wants to know before its model is called (`spec/agents_turn.md` 12.1, `spec/decisions.md` 26).
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import type { PersistenceError, RetrievalIntent } from "../agent/mod.ts";
import type { Fact, FactReaders } from "./fact.ts";
import type { FusedRanks } from "./fusion.ts";
import {
  IntentSearch,
  type ReadFailure,
  type RetrievalBindings,
} from "./intent_search.ts";
import type { FactQuery } from "./memory_binding.ts";
import {
  projectOf,
  type RetrievalContext,
  scopesOf,
} from "./retrieval_scope.ts";

/** What is looked up, for whom. */
export interface RetrievalInput extends RetrievalContext {
  /** The agent's intents. */
  readonly intents: readonly RetrievalIntent[];
  /** What facts are matched against: the user's message. */
  readonly query: string;
}

/** A fact, and the intent that fetched it. */
export interface RetrievedFact {
  /** The fact. */
  readonly fact: Fact;
  /** The intent. */
  readonly intent: RetrievalIntent;
  /** How well it fits; only comparable within one intent. */
  readonly score?: number;
  /** For `both`: where it stood in each ranking. */
  readonly ranks?: FusedRanks;
}

/** An intent that was carried out by half. */
export interface DegradedIntent {
  /** Its place in the agent's list, from 0. */
  readonly intent: number;
  /** Nothing turns text into vectors: only words were looked for. */
  readonly reason: "no-embeddings";
}

/** Something that the caller of a turn should know. */
export interface RetrievalWarning {
  /**
   * `memory-needs-participant`: an intent reads an end user's facts, and none is named. `feature-unavailable`: an intent
   * looks through earlier conversations, which isn't built.
   */
  readonly code: "memory-needs-participant" | "feature-unavailable";
  /** Names the field of the agent. */
  readonly message: string;
}

/** What was found. */
export interface Retrieval {
  /** The facts: intent by intent, type by type, best first. One that two intents found stands twice. */
  readonly retrieved: readonly RetrievedFact[];
  /** Intents that were carried out by half. */
  readonly degraded: readonly DegradedIntent[];
  /** What the caller should know; one for each code. */
  readonly warnings: readonly RetrievalWarning[];
}

/** Nothing turns text into vectors, and an intent needs it: reading less without saying so would mislead the model. */
export interface SemanticUnavailableError {
  /** The turn fails. */
  readonly code: "semantic-unavailable";
  /** Names the intent and why. */
  readonly message: string;
  /** The intent's place in the agent's list, from 0. */
  readonly intent: number;
}

/** How many facts of a type are fetched where an intent doesn't say. */
const DEFAULT_LIMIT = 10;
/** What one intent comes to. */
interface IntentFacts {
  readonly facts: readonly RetrievedFact[];
  readonly degraded: readonly DegradedIntent[];
}

/** Why retrieval failed. */
export type RetrievalError = PersistenceError | SemanticUnavailableError;

/**
 * Carries out an agent's retrieval intents, one after the other, each type by itself with the intent's limit.
 *
 * Without a mode the newest facts are listed; `keyword` and `semantic` match the query; `both` does both and fuses them by
 * rank. What can't be carried out is never passed over in silence: a read that fails is `persistence-error`, an intent for
 * meaning alone without embeddings is `semantic-unavailable`, and `both` without them is noted as degraded.
 */
export async function runRetrievals(
  input: RetrievalInput,
  bindings: RetrievalBindings,
): Promise<Result<Retrieval, RetrievalError>> {
  const retrieved: RetrievedFact[] = [];
  const degraded: DegradedIntent[] = [];
  for (const [index, intent] of input.intents.entries()) {
    if (intent.source === "conversations") continue;
    const found = await runIntent(intent, index, input, bindings);
    if (found.kind === "err") return found;
    retrieved.push(...found.value.facts);
    degraded.push(...found.value.degraded);
  }
  return ok({ retrieved, degraded, warnings: warningsOf(input) });
}

async function runIntent(
  intent: RetrievalIntent,
  index: number,
  input: RetrievalInput,
  bindings: RetrievalBindings,
): Promise<Result<IntentFacts, RetrievalError>> {
  const limit = intent.limit ?? DEFAULT_LIMIT;
  const facts: RetrievedFact[] = [];
  let degraded = false;
  for (const type of intent.types ?? []) {
    const seen = new Set<string>();
    const found: RetrievedFact[] = [];
    for (const scope of scopesOf(intent, input)) {
      const query: FactQuery = {
        tenantId: input.tenantId,
        type,
        ...(scope === undefined ? {} : { scope }),
        readers: readersOf(input),
      };
      const search = new IntentSearch(intent, query, input.query, bindings);
      const hits = await search.run(limit);
      if (hits.kind === "err") return err(errorOf(hits.error, index, type));
      degraded ||= search.degraded;
      for (const hit of hits.value) {
        if (seen.has(hit.fact.id)) continue;
        seen.add(hit.fact.id);
        found.push({ ...hit, intent });
      }
    }
    facts.push(...found.slice(0, limit));
  }
  return ok({
    facts,
    degraded: degraded ? [{ intent: index, reason: "no-embeddings" }] : [],
  });
}

function errorOf(
  { operation, error }: ReadFailure,
  intent: number,
  type: string,
): RetrievalError {
  if (error.code === "embedding-unavailable") {
    return {
      code: "semantic-unavailable",
      message:
        `Cannot search memory by meaning for retrieval intent ${intent}: ${error.message}; bind an embedding provider, or use mode "keyword"`,
      intent,
    };
  }
  return {
    code: "persistence-error",
    message:
      `Cannot read facts of type ${type} (${operation}): ${error.message}`,
    cause: error,
  };
}

/** What the run may see: its project's, its organisation's, its people's, its conversation's. */
function readersOf(context: RetrievalContext): FactReaders {
  const { orgId, userId, participantId } = context;
  const projectId = projectOf(context);
  return {
    ...(projectId === undefined ? {} : { projectIds: [projectId] }),
    ...(orgId === undefined ? {} : { orgIds: [orgId] }),
    ...(userId === undefined ? {} : { userIds: [userId] }),
    ...(participantId === undefined ? {} : { participantIds: [participantId] }),
    threadIds: [context.conversationId],
  };
}

function warningsOf(
  { intents, participantId }: RetrievalInput,
): RetrievalWarning[] {
  const warnings: RetrievalWarning[] = [];
  const ofUser = intents.findIndex(({ source, scope }) =>
    source !== "conversations" && scope === "same-user"
  );
  if (ofUser !== -1 && participantId === undefined) {
    warnings.push({
      code: "memory-needs-participant",
      message:
        `/retrieval/${ofUser}/scope reads the end user's facts, and neither the conversation nor the turn names one`,
    });
  }
  const ofConversations = intents.findIndex(({ source }) =>
    source === "conversations"
  );
  if (ofConversations !== -1) {
    warnings.push({
      code: "feature-unavailable",
      message:
        `/retrieval/${ofConversations}/source: earlier conversations aren't looked through; the turn ran without them`,
    });
  }
  return warnings;
}
