/**
 * How far a retrieval intent looks (`spec/agents_turn.md` 12.1).
 *
 * @module
 */

import type { RetrievalIntent } from "../agent/mod.ts";
import type { FactScope } from "./fact.ts";

/** Whose turn it is, for retrieval. */
export interface RetrievalContext {
  /** The tenant. */
  readonly tenantId: string;
  /** The conversation. */
  readonly conversationId: string;
  /** The run's project. */
  readonly runProjectId?: string | undefined;
  /** The conversation's project, where the run has none. */
  readonly conversationProjectId?: string | undefined;
  /** The project's organisation. */
  readonly orgId?: string | undefined;
  /** The end user: the conversation's, else the turn's. */
  readonly participantId?: string | undefined;
  /** The person who uses the host. */
  readonly userId?: string | undefined;
}

/** The project whose facts a turn reads: the run's, else the conversation's. */
export function projectOf(
  { runProjectId, conversationProjectId }: RetrievalContext,
): string | undefined {
  return runProjectId ?? conversationProjectId;
}

/**
 * The scopes that an intent reads, one after the other; `undefined` is the whole tenant.
 *
 * None when the scope names something that the turn doesn't have, such as a project: nothing is read then, rather than
 * everything. `same-user` reads the end user's facts, then the acting user's.
 */
export function scopesOf(
  { scope }: RetrievalIntent,
  context: RetrievalContext,
): (FactScope | undefined)[] {
  switch (scope) {
    case "same-conversation":
      return [{ threadId: context.conversationId }];
    case "same-project": {
      const projectId = projectOf(context);
      return projectId === undefined ? [] : [{ projectId }];
    }
    case "same-user": {
      const { participantId, userId } = context;
      return [
        ...(participantId === undefined ? [] : [{ participantId }]),
        ...(userId === undefined ? [] : [{ userId }]),
      ];
    }
    case "tenant":
      return [undefined];
    case "same-segment": // for conversations only
      return [];
  }
}
