/**
 * The index itself: from entries to the document that is written.
 *
 * @module
 */
import { compareCodeUnits } from "../base/canonical_json.ts";
import type { PackEnvDeclaration } from "../pack_service/pack_process.ts";
import type { CollectedPack, EntryLists } from "./collect.ts";
import type { IndexEntry } from "./entry_fields.ts";

/** A pack's `index.json`, version 1: what the service, the runtime and reviewers read. */
export interface IndexDocument extends EntryLists {
  /** Version of the format. */
  readonly v: 1;
  /** The pack's id. */
  readonly packId: string;
  /** The pack's version. */
  readonly packVersion: string;
  /** Which build this is. */
  readonly artifactVersion: string;
  /** When it was built, ISO 8601. */
  readonly publishedAt: string;
  /** The environment that the pack's code reads; absent when it declares none. */
  readonly env?: PackEnvDeclaration;
}

/** What a build adds to what was read from the pack. */
export interface BuildStamp {
  /** Which build this is. */
  readonly artifactVersion: string;
  /** When it was built, ISO 8601. */
  readonly publishedAt: string;
}

/** The index of a pack: each list sorted by id, versions of one id in path order (`spec/handler_runtime.md` 7.7). */
export function indexDocument(
  { packId, packVersion, env, entries }: CollectedPack,
  stamp: BuildStamp,
): IndexDocument {
  return {
    v: 1,
    packId,
    packVersion,
    ...stamp,
    tools: sortedById(entries.tools),
    guardrails: sortedById(entries.guardrails),
    agents: sortedById(entries.agents),
    flows: sortedById(entries.flows),
    ...(env === undefined ? {} : { env }),
  };
}

function sortedById(entries: readonly IndexEntry[]): IndexEntry[] {
  return [...entries].sort((a, b) => compareCodeUnits(a.id, b.id));
}
