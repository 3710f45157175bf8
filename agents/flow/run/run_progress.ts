/**
 * How far a run has come, rebuilt from its journal (`spec/durability.md`).
 *
 * @module
 */

import { frozen } from "../../../base/frozen_json.ts";
import type {
  IterationCompletedPayload,
  JournalEntry,
  LoopContext,
  RunStartedPayload,
  StepCompletedPayload,
} from "../journal_entry.ts";
import type { TokenOutcome } from "../run_journal.ts";
import { Frame, LoopProgress, type StepProgress } from "./frame.ts";

/** How a run ended. */
export interface RunEnd {
  /** How it stands. */
  readonly status: "completed" | "failed" | "cancelled";
  /** For a completed run: its output. */
  readonly output?: unknown;
  /** For any other: why. */
  readonly message?: string;
}

/** How far a run has come. */
export class RunProgress {
  /** The running of the flow's own graph. */
  readonly frame: Frame = new Frame();
  /** What it was started with and as. */
  started: RunStartedPayload | undefined;
  /** Why it is to be cancelled, once that was asked for. */
  cancelRequested: string | undefined;
  /** How it ended. */
  end: RunEnd | undefined;
  // Made once there is something to keep: most runs have nothing.
  #recorded: Map<string, Map<string, unknown>> | undefined;
  #opened: Set<string> | undefined;
  #outcomes: Map<string, TokenOutcome> | undefined;

  /** Rebuilds it from a journal. */
  static from(entries: readonly JournalEntry[]): RunProgress {
    const progress = new RunProgress();
    for (const entry of entries) progress.#apply(entry);
    return progress;
  }

  /** The decisions recorded under a step, by key. */
  recorded(stepScope: string): ReadonlyMap<string, unknown> | undefined {
    return this.#recorded?.get(stepScope);
  }

  /** Keeps a decision. */
  record(stepScope: string, key: string, value: unknown): void {
    const recorded = this.#recorded ??= new Map();
    const known = recorded.get(stepScope);
    if (known === undefined) recorded.set(stepScope, new Map([[key, value]]));
    else known.set(key, value);
  }

  /** Notes that a wait was journaled; `false` when it was before. */
  open(tokenId: string): boolean {
    const opened = this.#opened ??= new Set();
    if (opened.has(tokenId)) return false;
    opened.add(tokenId);
    return true;
  }

  /** How a token was resolved, as far as it is known here. */
  outcome(tokenId: string): TokenOutcome | undefined {
    return this.#outcomes?.get(tokenId);
  }

  /** Keeps how a token was resolved; the first word counts. */
  resolve(outcome: TokenOutcome): void {
    const outcomes = this.#outcomes ??= new Map();
    if (!outcomes.has(outcome.tokenId)) {
      outcomes.set(outcome.tokenId, outcome);
    }
  }

  #apply({ kind, nodeId = "", payload }: JournalEntry): void {
    switch (kind) {
      case "run.started":
        this.started = frozen(payload as RunStartedPayload);
        return;
      case "step.completed": {
        const { output, stateDelta, loopContext } =
          (payload ?? {}) as StepCompletedPayload;
        this.#frame(loopContext)?.complete(
          nodeId,
          frozen(output),
          frozen(stateDelta),
        );
        return;
      }
      case "step.failed": {
        const { retrying, loopContext } = payload as {
          retrying?: boolean;
          loopContext?: LoopContext;
        };
        if (retrying) this.#frame(loopContext)?.step(nodeId).retry();
        return;
      }
      case "edge.evaluated": {
        const { edgeId, taken, loopContext } = payload as {
          edgeId: string;
          taken: boolean;
          loopContext?: LoopContext;
        };
        this.#frame(loopContext)?.decided.set(edgeId, taken);
        return;
      }
      case "iteration.started":
        this.#startIteration(nodeId, payload as IterationStarted);
        return;
      case "iteration.completed":
        this.#completeIteration(nodeId, payload as IterationCompletedPayload);
        return;
      case "wait.suspended":
        this.open((payload as { tokenId: string }).tokenId);
        return;
      case "wait.resumed": {
        const { tokenId, value } = payload as {
          tokenId: string;
          value: unknown;
        };
        this.resolve({ tokenId, kind: "completed", value });
        return;
      }
      case "wait.cancelled": {
        const { tokenId, reason } = payload as {
          tokenId: string;
          reason: string;
        };
        this.resolve({ tokenId, kind: "cancelled", reason });
        return;
      }
      case "value.recorded": {
        const { scope, key, value } = payload as {
          scope: string;
          key: string;
          value: unknown;
        };
        this.record(scope, key, frozen(value));
        return;
      }
      case "run.cancel-requested":
        this.cancelRequested = (payload as { reason: string }).reason;
        return;
      case "run.completed":
        this.end = {
          status: "completed",
          output: (payload as { output?: unknown } | undefined)?.output,
        };
        return;
      case "run.failed":
        this.end = {
          status: "failed",
          message: (payload as { message: string }).message,
        };
        return;
      case "run.cancelled":
        this.end = {
          status: "cancelled",
          message: (payload as { reason: string }).reason,
        };
        return;
      case "step.started":
      case "run.suspended":
        return;
    }
  }

  #startIteration(
    nodeId: string,
    { iteration, loopContext }: IterationStarted,
  ): void {
    const around = this.#frame(loopContext);
    if (around === undefined) return;
    const loop = loopOf(around.step(nodeId));
    // Begun again after a crash: what its steps have done still counts.
    if (loop.completed.has(iteration) || loop.frames.has(iteration)) return;
    loop.frames.set(iteration, new Frame(around, nodeId, iteration));
  }

  #completeIteration(
    nodeId: string,
    end: IterationCompletedPayload,
  ): void {
    const { iteration, output, outputSchemaValid, stopReason, loopContext } =
      end;
    // The loop has failed by it: should that be tried again, the iteration ends the same way.
    if (!outputSchemaValid) return;
    const around = this.#frame(loopContext);
    if (around === undefined) return;
    const loop = loopOf(around.step(nodeId));
    loop.complete(iteration, frozen(output), undefined);
    loop.stopReason = stopReason ?? loop.stopReason;
  }

  /** The frame of a step within loops; `undefined` when that iteration is over. */
  #frame(loop: LoopContext | undefined): Frame | undefined {
    let frame: Frame | undefined = this.frame;
    for (const { loopNodeId, iteration } of [...loop?.path ?? []].reverse()) {
      frame = frame?.steps.get(loopNodeId)?.loop?.frames.get(iteration);
    }
    return frame;
  }
}

interface IterationStarted {
  readonly iteration: number;
  readonly loopContext?: LoopContext;
}

/** A loop's progress, begun now if need be. */
export function loopOf(step: StepProgress): LoopProgress {
  return step.loop ??= new LoopProgress();
}
