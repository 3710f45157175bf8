/**
 * Running flows: what a host, or an agent's turn, asks of whatever executes them (`spec/agents_turn.md` 21.1).
 *
 * @module
 */

import type { Result } from "../../base/result.ts";
import type { RunId, TenantId } from "../agent/mod.ts";
import type { JournalEntry, RunAgent } from "./journal_entry.ts";
import type { KernelError } from "./kernel_errors.ts";
import type { NodeHandlers } from "./node_context.ts";
import type { ListRunsInput } from "./run_journal.ts";
import type { PendingWait, RunRecord } from "./run_record.ts";
import type { Flow } from "./types.ts";

/** Runs that share a key go one at a time, in order of arrival, across processes. A suspended run doesn't count. */
export interface ExclusiveKey {
  /** The key, such as `conversationLeaseKey(id)`. */
  readonly key: string;
  /** Ends the waiting in line at once, with `run-wait-aborted` and nothing journaled; afterwards it isn't looked at. */
  readonly signal?: AbortSignal;
}

/** A run to start. */
export interface RunFlowInput {
  /** Whose run. */
  readonly tenantId: string;
  /** The project. */
  readonly projectId?: string;
  /** The project's organisation. */
  readonly orgId?: string;
  /** The flow, as `loadFlow` answers it. */
  readonly flow: Flow;
  /** The handlers of its nodes and branches, and of its subgraphs' flows. */
  readonly handlers: NodeHandlers;
  /** The run's input: JSON. */
  readonly input?: unknown;
  /** The run's id; a fresh UUID when absent. */
  readonly runId?: string;
  /** The agent's turn that the run is. */
  readonly agent?: RunAgent;
  /** Runs under this key go one at a time. */
  readonly exclusive?: ExclusiveKey;
  /** Starts one run at most per tenant, conversation (of `agent`) and key; a second start is `run-already-started`. */
  readonly idempotencyKey?: string;
  /** Settings of the run. */
  readonly options?: {
    /** Whether handlers should leave the world as it is. */
    readonly dryRun?: boolean;
  };
  /** Whom the run acts for; kept in the journal. */
  readonly principal?: unknown;
  /** How that principal is authorised; kept in the journal. */
  readonly authz?: unknown;
  /** Anything that whoever resumes the run wants to find again: JSON, kept in `run.started`. */
  readonly metadata?: unknown;
}

/** A run to take further. */
export interface ResumeRunInput {
  /** Whose run. */
  readonly tenantId: string;
  /** The run. */
  readonly runId: string;
  /** The flow it was started with: same id, same version. */
  readonly flow: Flow;
  /** The handlers. */
  readonly handlers: NodeHandlers;
  /** Runs under this key go one at a time. */
  readonly exclusive?: ExclusiveKey;
  /** Whom the run acts for; what it was started with when absent. */
  readonly principal?: unknown;
  /** How that principal is authorised; what it was started with when absent. */
  readonly authz?: unknown;
  /** Whether it is past being cancelled, as after `NodeContext.seal`: what was asked for came too late. */
  readonly sealed?: boolean;
}

/** How far a run has come. */
export interface RunResult {
  /** The run. */
  readonly runId: RunId;
  /** How it stands: ended, or suspended. */
  readonly status: "completed" | "failed" | "cancelled" | "suspended";
  /** For a completed run: the flow's output; absent when that is `undefined`. */
  readonly output?: unknown;
  /** For a failed or cancelled run: why. */
  readonly failureMessage?: string;
  /** Whose run. */
  readonly tenantId: TenantId;
  /** The project. */
  readonly projectId?: string;
  /** For a suspended run: what it waits for. */
  readonly waitingOn?: readonly PendingWait[];
  /** Whether this very call journaled the run's end: whoever did tells the world. Absent means no. */
  readonly endedHere?: true;
}

/** Ends a run without running anything more of it. */
export interface EndRunInput {
  /** Whose run. */
  readonly tenantId: string;
  /** The run. */
  readonly runId: string;
  /** How it ends. */
  readonly status: "failed" | "cancelled";
  /** Why. */
  readonly message: string;
}

/** Which waits to cancel. */
export interface CancelWaitsInput {
  /** Whose. */
  readonly tenantId: string;
  /** Those of all turns of this conversation. */
  readonly conversationId: string;
  /** Why: what `WaitpointCancelledError.reason` says. */
  readonly reason: string;
}

/** Executes flows. Nothing it answers is ever another tenant's. */
export interface RunBinding {
  /** Starts a run and takes it as far as it goes: to its end, or until it waits. */
  runGraph(input: RunFlowInput): Promise<Result<RunResult, KernelError>>;
  /**
   * Takes a run further that waited or was interrupted; what has completed isn't run again. A run that has ended answers
   * its recorded result, one that still waits answers `suspended`, one that is executing somewhere `run-executing`.
   */
  resumeRun(input: ResumeRunInput): Promise<Result<RunResult, KernelError>>;
  /**
   * Cancels a run: at once when this binding executes it, else at its holder's next renewal; one that nobody executes is
   * ended by its next resume, and its waits are cancelled now (`spec/durability.md`).
   */
  cancelRun(
    tenantId: string,
    runId: string,
    reason?: string,
  ): Promise<Result<void, KernelError>>;
  /** Ends a run that nobody executes; one that has ended answers its recorded result. */
  endRun(input: EndRunInput): Promise<Result<RunResult, KernelError>>;
  /** Completes a token; completing it again with an equal value is fine, anything else is `waitpoint-error`. */
  completeToken(
    tenantId: string,
    runId: string,
    tokenId: string,
    value: unknown,
  ): Promise<Result<void, KernelError>>;
  /** Cancels a token; cancelling it again is fine, cancelling a completed one is `waitpoint-error`. */
  cancelToken(
    tenantId: string,
    runId: string,
    tokenId: string,
    reason: string,
  ): Promise<Result<void, KernelError>>;
  /** Cancels every open wait of a conversation's runs. */
  cancelWaits(input: CancelWaitsInput): Promise<Result<void, KernelError>>;
  /** A run's journal, in order. */
  readJournal(
    tenantId: string,
    runId: string,
  ): Promise<Result<readonly JournalEntry[], KernelError>>;
  /** A run; `run-not-found` when there is none. */
  getRun(
    tenantId: string,
    runId: string,
  ): Promise<Result<RunRecord, KernelError>>;
  /** Runs, the latest started first. */
  listRuns(
    input: ListRunsInput,
  ): Promise<Result<readonly RunRecord[], KernelError>>;
  /** Deletes a run that isn't executing, with its journal and its subgraphs' runs. */
  deleteRun(
    tenantId: string,
    runId: string,
  ): Promise<Result<void, KernelError>>;
}
