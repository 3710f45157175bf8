/**
 * The ids of the checks that a pack ships, and the ids that are taken.
 *
 * @module
 */
import { BUILT_IN_CHECK_IDS } from "../base/built_in_checks.ts";
import { isRecord } from "../base/result.ts";
import { type IndexedFile, warn } from "./indexed_file.ts";

/** The ids of the runtime's built-in checks. A pack may name one; a check of its own can't have its id. */
export const RESERVED_CHECK_IDS: readonly string[] = BUILT_IN_CHECK_IDS;

/** The distinct ids of checks that a guardrail's file ships: its own `check`, and any check that the module exports. */
export function shippedCheckIds(file: IndexedFile): string[] {
  const candidates = [file.definition.check, ...Object.values(file.exports)];
  const ids = candidates.flatMap((value) =>
    isRecord(value) && typeof value.id === "string" &&
      typeof value.evaluate === "function"
      ? [value.id]
      : []
  );
  return [...new Set(ids)];
}

/** Warns of each shipped check outside the pack's own names: packs of one tenant share one space of check ids. */
export function warnAboutUnprefixed(file: IndexedFile): void {
  for (const id of shippedCheckIds(file)) {
    if (id.startsWith(`${file.packId}.`)) continue;
    if (RESERVED_CHECK_IDS.includes(id)) continue;
    warn(
      file,
      "check-id-unprefixed",
      "check",
      `The check "${id}" is not named after its pack, so another pack of the tenant may have one of the same name. Call it ` +
        `"${file.packId}.checks.<name>".`,
    );
  }
}
