/**
 * Writing a run's journal: what is staged while a write is under way goes with the next one, in order, and nothing goes
 * on before what it rests on is stored.
 *
 * @module
 */

import type { Result } from "../../../base/result.ts";
import type { JournalEntryKind, NewJournalEntry } from "../journal_entry.ts";
import type { UsageSink } from "../node_context.ts";
import type { JournalError } from "../journal_error.ts";
import type { KernelError } from "../kernel_errors.ts";
import type {
  Appended,
  AppendInput,
  Parked,
  RunJournal,
  TokenOutcome,
} from "../run_journal.ts";
import type { NewRun, PendingWait } from "../run_record.ts";
import type { LeaseFence } from "../lease.ts";
import {
  alreadyStarted,
  kernelError,
  RunHalted,
  thrownByJournal,
} from "./halted.ts";

/** What a writer tells its execution. */
export interface JournalListener {
  /** Cancelling was asked for. */
  cancelRequested(reason: string): void;
  /** Tokens turned out to be resolved. */
  tokensResolved(outcomes: readonly TokenOutcome[]): void;
  /** The second lease was given up with the end or the park. */
  released(): void;
  /** The run can't be written any more; every later write fails likewise. */
  halted(error: KernelError): void;
}

/** How a writer takes its run up. */
export interface WriterStart {
  /** Where it writes. */
  readonly journal: RunJournal;
  /** Whose run. */
  readonly tenantId: string;
  /** The run. */
  readonly runId: string;
  /** A second lease that has to be held as well. */
  readonly within?: LeaseFence;
  /** For a run that exists: the epoch of its lease, held already. */
  readonly epoch?: number;
  /** For a run that doesn't exist yet: the first write starts it. */
  readonly start?: {
    /** The run. */
    readonly run: NewRun;
    /** Who holds its lease. */
    readonly holder: string;
    /** For how long, in milliseconds. */
    readonly ttlMs: number;
    /** Called once it is started, with the epoch of its lease. */
    readonly started: (epoch: number) => void;
  };
}

/** Writes one run's journal under its lease. */
export class JournalWriter {
  readonly #setup: WriterStart;
  readonly #listener: JournalListener;
  #epoch: number | undefined;
  #number = 0;
  #staged: NewJournalEntry[] = [];
  /** Records that haven't been stored. */
  #usage: { readonly sink: UsageSink; readonly record: unknown }[] = [];
  #writing: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #error: KernelError | undefined;

  /** Writes nothing yet. */
  constructor(setup: WriterStart, listener: JournalListener) {
    this.#setup = setup;
    this.#listener = listener;
    this.#epoch = setup.epoch;
  }

  /** Why nothing can be written any more; `undefined` while it can. */
  get error(): KernelError | undefined {
    return this.#error;
  }

  /** Whether the run is started: before that its first write starts it. */
  get started(): boolean {
    return this.#epoch !== undefined;
  }

  /** Keeps a record of an account with the next write; `false` when the journal can't. */
  keepUsage(sink: UsageSink, record: unknown): boolean {
    const { journal } = this.#setup;
    if (!this.started || journal.keepsUsageOf?.(sink) !== true) return false;
    this.#usage.push({ sink, record });
    return true;
  }

  /** Puts an entry behind those staged so far. */
  stage(
    kind: JournalEntryKind,
    nodeId: string | undefined,
    payload: string | undefined,
  ): void {
    const entry: {
      -readonly [Key in keyof NewJournalEntry]: NewJournalEntry[Key];
    } = { kind };
    if (nodeId !== undefined) entry.nodeId = nodeId;
    if (payload !== undefined) entry.payload = payload;
    this.#staged.push(entry);
  }

  /**
   * Stores what is staged; resolves once all of it is.
   *
   * @throws {RunHalted} If it can't be stored.
   */
  flush(): Promise<void> {
    if (this.#writing === undefined) {
      return this.#staged.length === 0 ? DONE : this.#begin();
    }
    // All who ask while a write is under way share the next one.
    return this.#next ??= this.#writing.then(() => {
      this.#next = undefined;
      return this.#staged.length === 0 ? undefined : this.#begin();
    });
  }

  /**
   * Stores what is staged, and finds out whether the run can still be written even where nothing is.
   *
   * @throws {RunHalted} If it can't.
   */
  async confirm(): Promise<void> {
    await this.flush();
    await (this.#writing ?? this.#begin());
  }

  /**
   * Stores what is staged and suspends the run, unless one of the waits has been resolved.
   *
   * @throws {RunHalted} If it can't be stored.
   */
  async park(waitingOn: readonly PendingWait[]): Promise<Parked> {
    // A run that waits was started: waiting is journaled first.
    await this.flush();
    const parked = await this.#append((journal, input) =>
      journal.park({ ...input, waitingOn })
    );
    this.#heed(parked.appended);
    if (parked.kind === "go-on") this.#listener.tokensResolved(parked.resolved);
    return parked;
  }

  /** Stops writing for a reason that lies elsewhere. */
  halt(error: KernelError): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    // What was spent is accounted for, whatever becomes of the answers.
    for (const { sink, record } of this.#usage.splice(0)) {
      void (async () => await sink.record(record))().catch(() => {});
    }
    this.#listener.halted(error);
  }

  #begin(): Promise<void> {
    return this.#writing = this.#write();
  }

  async #write(): Promise<void> {
    try {
      if (this.#epoch === undefined) return await this.#start();
      this.#heed(
        await this.#append((journal, input) => journal.append(input)),
      );
    } finally {
      this.#writing = undefined;
    }
  }

  async #start(): Promise<void> {
    const { start, within } = this.#setup;
    const { run, holder, ttlMs, started } = start!;
    const entries = this.#take();
    const answer = await this.#ask((journal) =>
      journal.start({
        run,
        holder,
        ttlMs,
        entries,
        ...(within === undefined ? {} : { within }),
      })
    );
    if (answer.kind === "exists") {
      throw this.#halted(alreadyStarted(run.runId, answer.run));
    }
    this.#epoch = answer.epoch;
    started(answer.epoch);
    this.#heed(answer.appended);
  }

  /** Appends what is staged, with the records that came up. */
  async #append<Value>(
    question: (
      journal: RunJournal,
      input: AppendInput,
    ) => Promise<Result<Value, JournalError>>,
  ): Promise<Value> {
    const { tenantId, runId, within } = this.#setup;
    const usage = this.#usage.map(({ record }) => record);
    const input: AppendInput = {
      tenantId,
      runId,
      epoch: this.#epoch!,
      number: ++this.#number,
      entries: this.#take(),
      ...(within === undefined ? {} : { within, release: true }),
      ...(usage.length === 0 ? {} : { usage }),
    };
    const answer = await this.#ask((journal) => question(journal, input));
    this.#usage.splice(0, usage.length);
    return answer;
  }

  #take(): NewJournalEntry[] {
    const entries = this.#staged;
    this.#staged = [];
    return entries;
  }

  async #ask<Value>(
    question: (journal: RunJournal) => Promise<Result<Value, JournalError>>,
  ): Promise<Value> {
    if (this.#error !== undefined) throw new RunHalted(this.#error);
    const { journal, runId } = this.#setup;
    let answer: Result<Value, JournalError>;
    try {
      answer = await question(journal);
    } catch (thrown) {
      throw this.#halted(thrownByJournal("write", runId, thrown));
    }
    if (answer.kind === "ok") return answer.value;
    throw this.#halted(kernelError(runId, answer.error));
  }

  #halted(error: KernelError): RunHalted {
    this.halt(error);
    return new RunHalted(this.#error!);
  }

  #heed({ cancelRequested, resolved, released }: Appended): void {
    if (released) this.#listener.released();
    if (resolved !== undefined) this.#listener.tokensResolved(resolved);
    if (cancelRequested !== undefined) {
      this.#listener.cancelRequested(cancelRequested);
    }
  }
}

const DONE: Promise<void> = Promise.resolve();
