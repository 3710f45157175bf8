/**
 * Taking runs up: starting one, or going on with one that waited or was interrupted. A subgraph's run goes the same way.
 *
 * @module
 */

import { RollingMap } from "../../../base/rolling_map.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { RunId } from "../../agent/mod.ts";
import type { RunStartedPayload } from "../journal_entry.ts";
import type { KernelError } from "../kernel_errors.ts";
import type { NodeHandlers } from "../node_context.ts";
import type {
  ResumeRunInput,
  RunFlowInput,
  RunResult,
} from "../run_binding.ts";
import type { NewRun } from "../run_record.ts";
import { runLeaseKey } from "../lease.ts";
import type { Flow } from "../types.ts";
import { advanceRun } from "./advance_run.ts";
import { CancelScope } from "./cancel_scope.ts";
import { Execution, type RunIdentity } from "./execution.ts";
import { type Taker, withinExclusive } from "./exclusive.ts";
import { JournalWriter, type WriterStart } from "./journal_writer.ts";
import type { KeptLease } from "./lease_keeper.ts";
import { ownValue } from "./own_values.ts";
import { runGraph } from "./run_graph.ts";
import { startExclusive } from "./start_exclusive.ts";
import { rebuild, standing } from "./standing.ts";
import { RunProgress } from "./run_progress.ts";
import type { Around, RunsParts } from "./runs_parts.ts";
import {
  executingElsewhere,
  identityOf,
  missingHandlers,
  newRun,
  startedPayload,
} from "./run_setup.ts";

const NO_KEYS: ReadonlySet<string> = new Set();

/** Takes runs up, and knows those that are being advanced here. */
export class Runs {
  readonly #parts: RunsParts;
  readonly #executing = new RollingMap<string, Execution>();
  readonly #process = crypto.randomUUID();
  #taken = 0;

  /** Takes nothing up yet. */
  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  /** The execution of a run, when it is being advanced here. */
  executing(tenantId: string, runId: string): Execution | undefined {
    return this.#executing.get(`${tenantId}\n${runId}`);
  }

  /** A name for a taker of leases, used once. */
  holder(): string {
    return `${this.#process} ${++this.#taken}`;
  }

  /** Starts a run and advances it. */
  async start(
    input: RunFlowInput,
    around?: Around,
  ): Promise<Result<RunResult, KernelError>> {
    const runId = (input.runId ?? crypto.randomUUID()) as RunId;
    const missing = missingHandlers(input.flow, input.handlers, runId);
    if (missing !== undefined) return err(missing);
    const started = startedPayload(input, around?.parent);
    const { text, value } = ownValue(started);
    const payload = value as RunStartedPayload;
    const holder = this.holder();
    const start = {
      run: newRun(input, runId, around?.parent),
      started: text!,
    };
    const advance = (
      within: KeptLease | undefined,
      by: KeptLease | typeof start,
    ) => {
      const execution = this.#execution({
        identity: identityOf(input.tenantId, runId, payload),
        flow: input.flow,
        handlers: input.handlers,
        input: payload.input,
        progress: new RunProgress(),
        holder,
        around,
      });
      return this.#advance(execution, within, by);
    };
    const { leases, journal } = this.#parts;
    const { tenantId, exclusive } = input;
    const taker = this.#taker(tenantId, runId, holder);
    if (exclusive !== undefined) {
      const begun = await startExclusive(
        journal.journal,
        leases,
        taker,
        exclusive.key,
        start,
      );
      if (begun.kind === "err") return begun;
      if (begun.value !== undefined) {
        const { within, lease } = begun.value;
        try {
          return await advance(within, lease);
        } finally {
          await within.release();
        }
      }
    }
    return await withinExclusive(
      leases,
      exclusive,
      taker,
      (within) => advance(within, start),
    );
  }

  /** Goes on with a run. */
  async resume(
    input: ResumeRunInput,
    around?: Around,
  ): Promise<Result<RunResult, KernelError>> {
    const { tenantId, runId, flow, handlers } = input;
    const answered = await standing(this.#parts.journal, tenantId, runId);
    if (answered.kind === "err") return answered;
    if (answered.value !== undefined) return ok(answered.value);
    const missing = missingHandlers(flow, handlers, runId);
    if (missing !== undefined) return err(missing);
    const holder = this.holder();
    return await withinExclusive(
      this.#parts.leases,
      input.exclusive,
      this.#taker(tenantId, runId, holder),
      async (within) => {
        const execution = { current: undefined as Execution | undefined };
        const taken = await this.#parts.leases.take({
          tenantId,
          key: runLeaseKey(runId),
          holder,
          runId,
          lost: (error) => execution.current?.writer.halt(error),
          cancelRequested: (reason) => execution.current?.cancel(reason),
        });
        if (taken.kind === "err") return taken;
        const lease = taken.value;
        if (lease === undefined) {
          const by = await standing(this.#parts.journal, tenantId, runId);
          if (by.kind === "err") return by;
          return by.value === undefined
            ? err(executingElsewhere(runId))
            : ok(by.value);
        }
        // What was true before the lease was held may not be any more.
        const rebuilt = await rebuild(this.#parts.journal, input);
        if (rebuilt.kind === "err" || "status" in rebuilt.value) {
          await lease.release();
          return rebuilt as Result<RunResult, KernelError>;
        }
        const { progress, started } = rebuilt.value;
        const { principal = started.principal, authz = started.authz } = input;
        execution.current = this.#execution({
          identity: identityOf(tenantId, runId as RunId, {
            ...started,
            principal,
            authz,
          }),
          flow,
          handlers,
          input: started.input,
          progress,
          holder,
          around,
        });
        if (input.sealed === true) execution.current.seal();
        return await this.#advance(execution.current, within, lease);
      },
    );
  }

  /** Who takes an exclusive key for a run: losing it halts the run. */
  #taker(tenantId: string, runId: string, holder: string): Taker {
    return {
      tenantId,
      runId,
      holder,
      lost: (error) => this.executing(tenantId, runId)?.writer.halt(error),
      cancelRequested: (reason) =>
        this.executing(tenantId, runId)?.cancel(reason),
    };
  }

  #execution(
    { around, ...parts }: {
      readonly identity: RunIdentity;
      readonly flow: Flow;
      readonly handlers: NodeHandlers;
      readonly input: unknown;
      readonly progress: RunProgress;
      readonly holder: string;
      readonly around: Around | undefined;
    },
  ): Execution {
    const { leases, clock, authorize, runSubgraph } = this.#parts;
    return new Execution({
      ...parts,
      leases,
      clock,
      authorize,
      runGraph,
      runSubgraph,
      scope: around?.scope.child() ?? new CancelScope(),
      heldKeys: around?.heldKeys ?? NO_KEYS,
    });
  }

  /** Gives up the lease of a start whose answer never came. */
  #abandon({ parts }: Execution): Promise<void> {
    const { tenantId, runId } = parts.identity;
    const { holder } = parts;
    return this.#parts.leases.giveUp({
      tenantId,
      key: runLeaseKey(runId),
      holder,
      runId,
    });
  }

  /** Advances an execution under its run's lease: one held already, or that of the start. */
  async #advance(
    execution: Execution,
    within: KeptLease | undefined,
    by: KeptLease | { readonly run: NewRun; readonly started: string },
  ): Promise<Result<RunResult, KernelError>> {
    const { journal, leases } = this.#parts;
    const { holder, scope, identity } = execution.parts;
    const { tenantId, runId } = identity;
    execution.within = within;
    if ("epoch" in by) execution.lease = by;
    const setup: WriterStart = {
      journal: journal.journal,
      tenantId,
      runId,
      ...(within === undefined
        ? {}
        : { within: { key: within.key, epoch: within.epoch } }),
      ...("epoch" in by ? { epoch: by.epoch } : {
        start: {
          run: by.run,
          holder,
          ttlMs: leases.leaseMs,
          started: (epoch) => {
            execution.lease = leases.keep({
              tenantId,
              key: runLeaseKey(runId),
              holder,
              runId,
              lost: (error) => execution.writer.halt(error),
              cancelRequested: (reason) => execution.cancel(reason),
            }, epoch);
          },
        },
      }),
    };
    execution.writer = new JournalWriter(setup, {
      cancelRequested: (reason) => execution.cancel(reason),
      tokensResolved: (outcomes) => execution.tokensResolved(outcomes),
      released: () => within?.drop(),
      halted: (error) => scope.stop({ kind: "halted", error }),
    });
    if ("run" in by) {
      execution.writer.stage("run.started", undefined, by.started);
    }
    const name = `${tenantId}\n${runId}`;
    this.#executing.set(name, execution);
    try {
      const result = await advanceRun(execution);
      // The lease went with the end or the park; a run that halted gives up what it may still hold.
      if (result.kind === "ok") execution.lease?.drop();
      else await (execution.lease?.release() ?? this.#abandon(execution));
      return result;
    } finally {
      execution.lease?.drop();
      scope.close();
      if (this.#executing.get(name) === execution) this.#executing.delete(name);
    }
  }
}
