/**
 * What is remembered: facts, where they belong, and who may read them (`spec/agents_turn.md` 21.4).
 *
 * @module
 */

import type { FactId } from "../agent/mod.ts";

/** Where a fact belongs; a key that is absent doesn't narrow it, and a fact without any is the whole tenant's. */
export interface FactScope {
  /** A project. */
  readonly projectId?: string;
  /** A project's organisation. */
  readonly orgId?: string;
  /** A person who uses the host. */
  readonly userId?: string;
  /** An end user of a conversation. */
  readonly participantId?: string;
  /** A conversation. */
  readonly threadId?: string;
}

/** How far a fact can be relied on; `asserted` where nothing is said. */
export type FactTrust = "asserted" | "verified";

/** Who said it. */
export interface FactAttribution {
  /** What kind of source it is, such as `user`, `agent` or `system`. */
  readonly kind: string;
  /** The source's id. */
  readonly id?: string;
  /** For an agent, its version. */
  readonly agentVersion?: string;
}

/** What is given to remember a fact. */
export interface FactInput {
  /** Its type, such as `acme.note`: what retrieval intents name. */
  readonly type: string;
  /** What is remembered: JSON. */
  readonly content: unknown;
  /** Where it belongs. */
  readonly scope: FactScope;
  /** How far it can be relied on. */
  readonly trust?: FactTrust;
  /** Who said it. */
  readonly attributedTo?: FactAttribution;
  /** Whom it is about, by id. */
  readonly subjects?: readonly string[];
  /** From when it holds, as ISO 8601. */
  readonly validFrom?: string;
  /** Until when it holds, as ISO 8601. */
  readonly validUntil?: string;
  /** When it is forgotten, as ISO 8601. */
  readonly expiresAt?: string;
  /** The fact that it replaces: that one isn't read any more. */
  readonly supersedes?: string;
}

/** A remembered fact. */
export interface Fact extends Omit<FactInput, "content"> {
  /** Its id. */
  readonly id: FactId;
  /** What is remembered; absent when it is kept elsewhere. */
  readonly content?: unknown;
  /** Which version of it this is, from 1. */
  readonly version: number;
  /** When it was written, as ISO 8601. */
  readonly createdAt: string;
  /** A digest of the content. */
  readonly contentHash?: string;
  /** What wrote it. */
  readonly generatedBy?: Readonly<Record<string, unknown>>;
}

/**
 * What a reader has been granted. A fact is read when each container that it names is granted; one that names none is
 * read by the whole tenant.
 */
export interface FactReaders {
  /** Reads everything of the tenant. */
  readonly all?: boolean;
  /** Projects. */
  readonly projectIds?: readonly string[];
  /** Organisations; looked at for facts that name no project. */
  readonly orgIds?: readonly string[];
  /** Persons. */
  readonly userIds?: readonly string[];
  /** End users. */
  readonly participantIds?: readonly string[];
  /** Conversations. */
  readonly threadIds?: readonly string[];
  /** Projects whose end users and conversations are granted as well. */
  readonly onBehalfOfProjectIds?: readonly string[];
}

/** Whether a fact names every given container, and names it so. An empty scope narrows nothing. */
export function isInScope(fact: Fact, scope: FactScope | undefined): boolean {
  return Object.entries(scope ?? {}).every(([key, id]) =>
    id === undefined || fact.scope[key as keyof FactScope] === id
  );
}

/** Whether a reader may see a fact; without readers everything is seen (`spec/agents_turn.md` 21.4). */
export function isReadableBy(
  fact: Fact,
  readers: FactReaders | undefined,
): boolean {
  if (readers === undefined || readers.all === true) return true;
  const { projectId, orgId, userId, participantId, threadId } = fact.scope;
  const onBehalf = projectId !== undefined &&
    granted(projectId, readers.onBehalfOfProjectIds ?? []);
  return granted(projectId, readers.projectIds) &&
    (projectId !== undefined || granted(orgId, readers.orgIds)) &&
    granted(userId, readers.userIds) &&
    (onBehalf || granted(participantId, readers.participantIds)) &&
    (onBehalf || granted(threadId, readers.threadIds));
}

function granted(
  id: string | undefined,
  ids: readonly string[] | undefined,
): boolean {
  return id === undefined || ids?.includes(id) === true;
}

/** Whether a fact holds at a moment: its validity has begun and hasn't ended, and it isn't forgotten. */
export function holdsAt(fact: Fact, moment: Date): boolean {
  const { validFrom, validUntil, expiresAt } = fact;
  const now = moment.getTime();
  return (validFrom === undefined || Date.parse(validFrom) <= now) &&
    (validUntil === undefined || now < Date.parse(validUntil)) &&
    (expiresAt === undefined || now < Date.parse(expiresAt));
}
