/**
 * What a run's entries come to: where it stands, and what became of its tokens. Stores that work it out by themselves do
 * the same.
 *
 * @module
 */

import { frozen } from "../../base/frozen_json.ts";
import type { Timestamp } from "../agent/mod.ts";
import type {
  JournalEntryKind,
  NewJournalEntry,
  PendingWait,
  RunStatus,
  TokenOutcome,
} from "../flow/mod.ts";

/** Where a run stands. */
export interface RunState {
  /** In a word. */
  status: RunStatus;
  /** When it ended. */
  endedAt: Timestamp | undefined;
  /** Why it is to be cancelled. */
  cancelRequested: string | undefined;
  /** What it waits for while it is suspended. */
  waitingOn: readonly PendingWait[];
}

/** The tokens of a run. */
export interface RunTokens {
  /** How one was resolved. */
  outcome(tokenId: string): TokenOutcome | undefined;
  /** A wait for one was opened. */
  opened(tokenId: string): void;
  /** One was resolved. */
  resolved(outcome: TokenOutcome): void;
}

const ENDS: ReadonlySet<JournalEntryKind> = new Set([
  "run.completed",
  "run.failed",
  "run.cancelled",
]);

/** Takes in an entry; answers the token that it waits for and that was resolved before. */
export function takeIn(
  state: RunState,
  tokens: RunTokens,
  { kind, payload }: NewJournalEntry,
  timestamp: Timestamp,
): TokenOutcome | undefined {
  let resolved: TokenOutcome | undefined;
  switch (kind) {
    case "wait.suspended": {
      const { tokenId } = JSON.parse(payload!) as { tokenId: string };
      resolved = tokens.outcome(tokenId);
      if (resolved === undefined) tokens.opened(tokenId);
      break;
    }
    case "wait.resumed": {
      const { tokenId, value } = JSON.parse(payload!);
      tokens.resolved(frozen({ tokenId, kind: "completed", value }));
      return undefined;
    }
    case "wait.cancelled": {
      const { tokenId, reason } = JSON.parse(payload!);
      tokens.resolved(frozen({ tokenId, kind: "cancelled", reason }));
      return undefined;
    }
    case "run.cancel-requested":
      state.cancelRequested = (JSON.parse(payload!) as { reason: string })
        .reason;
      return undefined;
    case "run.suspended":
      state.status = "suspended";
      state.waitingOn = frozen(
        (JSON.parse(payload!) as { waitingOn: PendingWait[] }).waitingOn,
      );
      return undefined;
  }
  // Whoever writes anything else advances the run.
  state.status = ENDS.has(kind)
    ? kind.slice("run.".length) as RunStatus
    : "running";
  if (ENDS.has(kind)) state.endedAt = timestamp;
  if (state.waitingOn.length > 0) state.waitingOn = [];
  return resolved;
}
