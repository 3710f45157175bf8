/**
 * A run as it is started and as it is listed.
 *
 * @module
 */

import type { RunId, TenantId, Timestamp } from "../agent/mod.ts";
import type { RunAgent, RunParent } from "./journal_entry.ts";

/** Where a run stands. A run is *interrupted* when it is `running` and not `executing`. */
export type RunStatus =
  | "running"
  | "suspended"
  | "completed"
  | "failed"
  | "cancelled";

/** A wait that nothing has ended yet. */
export interface PendingWait {
  /** The run that waits: the suspended one, or a subgraph's run beneath it. */
  readonly runId: string;
  /** What it waits for. */
  readonly tokenId: string;
}

/** A run as journals list it. */
export interface RunRecord {
  /** The run. */
  readonly runId: RunId;
  /** Whose run it is. */
  readonly tenantId: TenantId;
  /** The project. */
  readonly projectId?: string;
  /** The flow at its version. */
  readonly flow: { readonly id: string; readonly version: string };
  /** The agent's turn that the run is. */
  readonly agent?: RunAgent;
  /** The run that this one is a subgraph of. */
  readonly parent?: RunParent;
  /** What makes starting it again find this run. */
  readonly startKey?: string;
  /** Whether it is a dry run. */
  readonly dryRun: boolean;
  /** Where it stands. */
  readonly status: RunStatus;
  /** Whether somebody holds its lease now, by the store's clock. */
  readonly executing: boolean;
  /** Whether a resume would take it further: it hasn't ended, nobody executes it, and no wait holds it up. */
  readonly resumable: boolean;
  /** Why it is to be cancelled, once that was asked for; whoever advances it next ends it. */
  readonly cancelRequested?: string;
  /** For a suspended run: what has to be resolved before anything can go on; one of them is enough. */
  readonly waitingOn: readonly PendingWait[];
  /** When it was started. */
  readonly startedAt: Timestamp;
  /** When it ended; absent while it hasn't. */
  readonly endedAt?: Timestamp;
  /** The sequence of its last entry. */
  readonly sequence: number;
}

/** What a run is when it is started. */
export interface NewRun {
  /** The run's id, unused so far. */
  readonly runId: string;
  /** Whose run it is. */
  readonly tenantId: string;
  /** The project. */
  readonly projectId?: string;
  /** The flow at its version. */
  readonly flow: { readonly id: string; readonly version: string };
  /** The agent's turn that the run is. */
  readonly agent?: RunAgent;
  /** The run that this one is a subgraph of. */
  readonly parent?: RunParent;
  /** One run at most is started under a key of a tenant. */
  readonly startKey?: string;
  /** Whether it is a dry run. */
  readonly dryRun?: boolean;
}

/** The {@link RunRecord.startKey} of a run that was started with an idempotency key, which counts per conversation. */
export function runStartKey(
  conversationId: string | undefined,
  idempotencyKey: string,
): string {
  return JSON.stringify([conversationId ?? null, idempotencyKey]);
}
