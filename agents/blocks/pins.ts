/**
 * Pins: the exact versions behind an agent's ranges, their digest, and what changed between two sets.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { compareCodeUnits } from "../../base/canonical_json.ts";
import type { AgentPins } from "../agent/mod.ts";

/** Exact versions, id to version. */
type Versions = Readonly<Record<string, string>>;

/**
 * The digest of pins: `sha256:` and the hex SHA-256 of their canonical JSON in UTF-8.
 *
 * Exactly the maps `tools`, `prompts` and `settings` count, keys sorted by code unit, without whitespace
 * (`spec/agents_define.md` 7.3): the order of keys doesn't matter.
 */
export function pinsDigest(pins: AgentPins): string {
  const json = `{"prompts":${versionsJson(pins.prompts)},` +
    `"settings":${versionsJson(pins.settings)},` +
    `"tools":${versionsJson(pins.tools)}}`;
  return `sha256:${createHash("sha256").update(json, "utf8").digest("hex")}`;
}

function versionsJson(versions: Versions): string {
  const entries = Object.entries(versions)
    .sort(([a], [b]) => compareCodeUnits(a, b))
    .map(([id, version]) => `${JSON.stringify(id)}:${JSON.stringify(version)}`);
  return `{${entries.join(",")}}`;
}

/** What {@link pinChanges} compares: pins whose maps may be missing, and the versions of agents next to them. */
export interface ComparablePins {
  /** Tools. */
  readonly tools?: Readonly<Record<string, string>>;
  /** Prompt blocks. */
  readonly prompts?: Readonly<Record<string, string>>;
  /** Settings blocks. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Agents, as a deployment pins them. */
  readonly agents?: Readonly<Record<string, string>>;
}

/** One pin that differs. */
export interface PinChange {
  /** What is pinned. */
  readonly kind: "tool" | "prompt" | "setting" | "agent";
  /** Its id. */
  readonly id: string;
  /** The version before; absent when it is new. */
  readonly from?: string;
  /** The version after; absent when it is gone. */
  readonly to?: string;
}

const KINDS = [
  ["tool", "tools"],
  ["prompt", "prompts"],
  ["setting", "settings"],
  ["agent", "agents"],
] as const;

/**
 * What changed from one set of pins to another: tools, prompts, settings, then agents, each sorted by id.
 *
 * Equal pins are left out. Without `before` every pin is new.
 */
export function pinChanges(
  before: ComparablePins | undefined,
  after: ComparablePins,
): PinChange[] {
  return KINDS.flatMap(([kind, key]) =>
    changesOf(kind, before?.[key] ?? {}, after[key] ?? {})
  );
}

function changesOf(
  kind: PinChange["kind"],
  before: Versions,
  after: Versions,
): PinChange[] {
  const from = new Map(Object.entries(before));
  const to = new Map(Object.entries(after));
  return [...new Set([...from.keys(), ...to.keys()])]
    .sort(compareCodeUnits)
    .filter((id) => from.get(id) !== to.get(id))
    .map((id) => ({
      kind,
      id,
      ...keyed("from", from.get(id)),
      ...keyed("to", to.get(id)),
    }));
}

function keyed<Key extends string>(
  key: Key,
  version: string | undefined,
): Partial<Record<Key, string>> {
  return version === undefined
    ? {}
    : { [key]: version } as Partial<Record<Key, string>>;
}
