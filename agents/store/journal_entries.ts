/**
 * The entries that a journal writes by itself, without anybody's lease.
 *
 * @module
 */

import type { NewJournalEntry, TokenOutcome } from "../flow/mod.ts";

/** How a token was resolved. */
export function resolutionEntry(outcome: TokenOutcome): NewJournalEntry {
  const { tokenId } = outcome;
  return outcome.kind === "completed"
    ? {
      kind: "wait.resumed",
      payload: JSON.stringify({ tokenId, value: outcome.value ?? null }),
    }
    : {
      kind: "wait.cancelled",
      payload: JSON.stringify({ tokenId, reason: outcome.reason }),
    };
}

/** Open waits that are cancelled together. */
export function cancelEntries(
  openTokens: readonly string[],
  reason: string,
): NewJournalEntry[] {
  return openTokens.map((tokenId) =>
    resolutionEntry({ tokenId, kind: "cancelled", reason })
  );
}
