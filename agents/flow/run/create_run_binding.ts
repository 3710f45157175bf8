/**
 * The run binding: executes flows and keeps them in a journal.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { JournalEntry } from "../journal_entry.ts";
import type { KernelError } from "../kernel_errors.ts";
import type { Authorize } from "../node_context.ts";
import type {
  CancelWaitsInput,
  EndRunInput,
  ResumeRunInput,
  RunBinding,
  RunFlowInput,
  RunResult,
} from "../run_binding.ts";
import type {
  ListRunsInput,
  RunJournal,
  TokenOutcome,
} from "../run_journal.ts";
import type { RunRecord } from "../run_record.ts";
import type { Flow } from "../types.ts";
import { structurallyEqual } from "../structural_equality.ts";
import { AskedJournal } from "./asked_journal.ts";
import { endRun } from "./end_run.ts";
import { needsOf } from "./flow_plan.ts";
import { DEFAULT_LEASE_MS, LeaseKeeper } from "./lease_keeper.ts";
import { ownValue } from "./own_values.ts";
import { executingElsewhere } from "./run_setup.ts";
import { type FindFlow, subgraphRunner } from "./run_subgraph.ts";
import { Runs } from "./runs.ts";

/** What a run binding is made of. */
export interface CreateRunBindingInput {
  /** Where runs are kept. */
  readonly journal: RunJournal;
  /** Decides what handlers ask through `ctx.authorize`; without it that is absent. */
  readonly authorize?: Authorize;
  /** What `ctx.clockNow` answers, in milliseconds since 1970; `Date.now` when absent. Leases never go by it. */
  readonly clock?: () => number;
  /** How long a lease lasts without being renewed, in milliseconds; 30 000 when absent. Renewed at a third of it. */
  readonly leaseMs?: number;
  /** Finds the flows that subgraph nodes name; without it there are none. */
  readonly flows?: FindFlow;
}

/** Makes a run binding over a journal. Several, in one process or many, may work on one journal. */
export function createRunBinding(input: CreateRunBindingInput): RunBinding {
  return new JournaledRunBinding(input);
}

const CANCELLED = "cancelled";

class JournaledRunBinding implements RunBinding {
  readonly #journal: AskedJournal;
  readonly #leases: LeaseKeeper;
  readonly #runs: Runs;

  constructor(
    { journal, authorize, clock = Date.now, leaseMs, flows }:
      CreateRunBindingInput,
  ) {
    this.#journal = new AskedJournal(journal);
    this.#leases = new LeaseKeeper(journal, leaseMs ?? DEFAULT_LEASE_MS);
    this.#runs = new Runs({
      journal: this.#journal,
      leases: this.#leases,
      clock,
      authorize,
      runSubgraph: subgraphRunner(flows, () => this.#runs),
    });
  }

  async runGraph(
    input: RunFlowInput,
  ): Promise<Result<RunResult, KernelError>> {
    return await this.#windDown(input, await this.#runs.start(input));
  }

  async resumeRun(
    input: ResumeRunInput,
  ): Promise<Result<RunResult, KernelError>> {
    return await this.#windDown(input, await this.#runs.resume(input));
  }

  async cancelRun(
    tenantId: string,
    runId: string,
    reason: string = CANCELLED,
  ): Promise<Result<void, KernelError>> {
    const asked = await this.#journal.requestCancel(tenantId, runId, reason);
    if (asked.kind === "err") return asked;
    this.#runs.executing(tenantId, runId)?.cancel(reason);
    for (const child of await this.#below(tenantId, runId)) {
      if (child.endedAt !== undefined) continue;
      const cancelled = await this.cancelRun(tenantId, child.runId, reason);
      const ended = cancelled.kind === "err" &&
        cancelled.error.code === "run-already-terminal";
      if (cancelled.kind === "err" && !ended) return cancelled;
    }
    return ok(undefined);
  }

  async endRun(input: EndRunInput): Promise<Result<RunResult, KernelError>> {
    const result = await endRun(
      this.#journal,
      this.#leases,
      this.#runs.holder(),
      input,
    );
    if (result.kind === "err") return result;
    const below = await this.#endBelow(input.tenantId, input.runId);
    return below.kind === "err" ? below : result;
  }

  completeToken(
    tenantId: string,
    runId: string,
    tokenId: string,
    value: unknown,
  ): Promise<Result<void, KernelError>> {
    // JSON has null for undefined.
    const own = ownValue(value === undefined ? null : value).value;
    return this.#resolve(tenantId, runId, {
      tokenId,
      kind: "completed",
      value: own,
    });
  }

  cancelToken(
    tenantId: string,
    runId: string,
    tokenId: string,
    reason: string,
  ): Promise<Result<void, KernelError>> {
    return this.#resolve(tenantId, runId, {
      tokenId,
      kind: "cancelled",
      reason,
    });
  }

  async cancelWaits(
    { tenantId, conversationId, reason }: CancelWaitsInput,
  ): Promise<Result<void, KernelError>> {
    const runs = await this.listRuns({ tenantId, conversationId });
    if (runs.kind === "err") return runs;
    for (const run of runs.value) {
      if (run.endedAt !== undefined) continue;
      const entries = await this.readJournal(tenantId, run.runId);
      if (entries.kind === "err") return entries;
      for (const tokenId of openTokens(entries.value)) {
        const cancelled = await this.cancelToken(
          tenantId,
          run.runId,
          tokenId,
          reason,
        );
        // Somebody may have resolved it, or ended the run, meanwhile.
        if (cancelled.kind === "err" && !isTooLate(cancelled.error)) {
          return cancelled;
        }
      }
    }
    return ok(undefined);
  }

  readJournal(
    tenantId: string,
    runId: string,
  ): Promise<Result<readonly JournalEntry[], KernelError>> {
    return this.#journal.read(tenantId, runId);
  }

  getRun(
    tenantId: string,
    runId: string,
  ): Promise<Result<RunRecord, KernelError>> {
    return this.#journal.get(tenantId, runId);
  }

  listRuns(
    input: ListRunsInput,
  ): Promise<Result<readonly RunRecord[], KernelError>> {
    return this.#journal.list(input);
  }

  async deleteRun(
    tenantId: string,
    runId: string,
  ): Promise<Result<void, KernelError>> {
    const found = await this.#journal.get(tenantId, runId);
    if (found.kind === "err") return found;
    if (found.value.executing) return err(executingElsewhere(runId, "delete"));
    for (const child of await this.#below(tenantId, runId)) {
      const deleted = await this.deleteRun(tenantId, child.runId);
      if (deleted.kind === "err") return deleted;
    }
    return await this.#journal.remove(tenantId, runId);
  }

  async #resolve(
    tenantId: string,
    runId: string,
    outcome: TokenOutcome,
  ): Promise<Result<void, KernelError>> {
    const resolved = await this.#journal.resolveToken(
      tenantId,
      runId,
      outcome,
    );
    if (resolved.kind === "err") return resolved;
    if (isSame(resolved.value.outcome, outcome)) return ok(undefined);
    return err({
      code: "waitpoint-error",
      message:
        `Cannot resolve token ${outcome.tokenId} of run ${runId}: it was ${resolved.value.outcome.kind} before`,
      runId,
    });
  }

  /**
   * Ends the subgraphs' runs that a run leaves behind when it ends before they do: again when an ended run is asked for, since
   * the process that ended it may have died before.
   */
  async #windDown(
    { tenantId, flow }: { readonly tenantId: string; readonly flow: Flow },
    result: Result<RunResult, KernelError>,
  ): Promise<Result<RunResult, KernelError>> {
    if (result.kind === "err" || result.value.status === "suspended") {
      return result;
    }
    if (!needsOf(flow).subgraphs) return result;
    const below = await this.#endBelow(tenantId, result.value.runId);
    return below.kind === "err" ? below : result;
  }

  /** The runs that are subgraphs of a run; none where they can't be read, since the run itself counts. */
  async #below(
    tenantId: string,
    runId: string,
  ): Promise<readonly RunRecord[]> {
    const runs = await this.listRuns({ tenantId, parentRunId: runId });
    return runs.kind === "ok" ? runs.value : [];
  }

  /** Ends what a run that has ended leaves unfinished beneath it. */
  async #endBelow(
    tenantId: string,
    runId: string,
  ): Promise<Result<void, KernelError>> {
    for (const child of await this.#below(tenantId, runId)) {
      if (child.executing) continue;
      const ended = child.endedAt !== undefined
        ? await this.#endBelow(tenantId, child.runId)
        : await this.endRun({
          tenantId,
          runId: child.runId,
          status: "cancelled",
          message: `run ${runId} has ended`,
        });
      if (ended.kind === "err") return ended;
    }
    return ok(undefined);
  }
}

/** The tokens that a journal has opened and not resolved. */
function openTokens(entries: readonly JournalEntry[]): Set<string> {
  const open = new Set<string>();
  for (const { kind, payload } of entries) {
    if (kind === "wait.suspended") open.add(tokenOf(payload));
  }
  for (const { kind, payload } of entries) {
    if (kind === "wait.resumed" || kind === "wait.cancelled") {
      open.delete(tokenOf(payload));
    }
  }
  return open;
}

function tokenOf(payload: unknown): string {
  return (payload as { tokenId: string }).tokenId;
}

function isTooLate({ code }: KernelError): boolean {
  return code === "waitpoint-error" || code === "run-already-terminal";
}

/** A token that was cancelled stays so, whatever the reason. */
function isSame(left: TokenOutcome, right: TokenOutcome): boolean {
  if (left.kind === "cancelled" || right.kind === "cancelled") {
    return left.kind === right.kind;
  }
  return structurallyEqual(left.value, right.value);
}
