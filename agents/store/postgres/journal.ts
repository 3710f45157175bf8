/**
 * Runs in Postgres (`RunJournal`). Every method is one statement.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type {
  Appended,
  AppendInput,
  HeldLease,
  JournalEntry,
  JournalError,
  ListRunsInput,
  Parked,
  ParkInput,
  ResolveTokenInput,
  RunJournal,
  RunRecord,
  StartedExclusive,
  StartedRun,
  StartExclusiveInput,
  StartRunInput,
  TokenResolution,
  WaitingLease,
} from "../../flow/mod.ts";
import type { ModelUsageRecord } from "../../routing/mod.ts";
import { resolutionEntry } from "../journal_entries.ts";
import { leaseLost, runEnded, runNotFound } from "../journal_errors.ts";
import { loadedText, storedText } from "../stored_text.ts";
import type { PostgresDatabase } from "./database.ts";
import { journalError } from "./failures.ts";
import {
  effectOf,
  leaseKey,
  leaseName,
  loadedAppend,
  loadedEntry,
  loadedOutcome,
  loadedRun,
  type StoredAppend,
  storedEntries,
  type StoredEntry,
  type StoredRun,
  storedWaits,
} from "./run_input.ts";
import { keptCall, type PostgresUsage } from "./usage.ts";

/** How many runs are listed when nobody says. */
const LIST_LIMIT = 1_000;

type Answer<Value> = Promise<Result<Value, JournalError>>;

/** Why the database refused, as its functions say it. */
interface Refusal {
  readonly error?: "run-not-found" | "run-already-terminal" | "run-lease-lost";
  /** The lease that was lost. */
  readonly key?: string;
}

interface StartAnswer extends Refusal {
  readonly exists?: StoredRun;
  readonly waiting?: true;
  readonly epoch: number;
  readonly exclusiveEpoch?: number | null;
  readonly appended: StoredAppend;
}

interface AppendAnswer extends Refusal {
  readonly parked: boolean;
  readonly appended: StoredAppend;
  readonly resolved?: readonly string[];
}

/** Runs of all tenants. */
export class PostgresJournal implements RunJournal {
  readonly #database: PostgresDatabase;
  readonly #usage: PostgresUsage;

  /** Keeps its runs in a database, and records that come along in the account. */
  constructor(database: PostgresDatabase, usage: PostgresUsage) {
    this.#database = database;
    this.#usage = usage;
  }

  async start(input: StartRunInput): Answer<StartedRun> {
    const { within } = input;
    const started = await this.#start(
      input,
      within === undefined
        ? {}
        : { within: { ...within, key: leaseName(within.key) } },
    );
    // Only a second lease can be waited for.
    return started as Result<StartedRun, JournalError>;
  }

  startExclusive(input: StartExclusiveInput): Answer<StartedExclusive> {
    return this.#start(input, { exclusive: leaseName(input.exclusive) });
  }

  keepsUsageOf(sink: object): boolean {
    return sink === this.#usage;
  }

  async append(input: AppendInput): Answer<Appended> {
    const written = await this.#append(input, {});
    return written.kind === "err"
      ? written
      : ok(loadedAppend(written.value.appended));
  }

  async park(input: ParkInput): Answer<Parked> {
    const { waitingOn } = input;
    const written = await this.#append(input, {
      waitingOn: storedWaits(waitingOn),
      suspended: JSON.stringify({ waitingOn }),
    });
    if (written.kind === "err") return written;
    const appended = loadedAppend(written.value.appended);
    return written.value.parked ? ok({ kind: "parked", appended }) : ok({
      kind: "go-on",
      appended,
      resolved: (written.value.resolved ?? []).map(loadedOutcome),
    });
  }

  resolveToken(
    { tenantId, runId, outcome }: ResolveTokenInput,
  ): Answer<TokenResolution> {
    const { kind, payload } = resolutionEntry(outcome);
    return this.#do<
      Refusal & { outcome: string; first: boolean },
      TokenResolution
    >(
      `resolve a token of run ${runId}`,
      tenantId,
      runId,
      "journal_resolve",
      {
        runId: storedText(runId),
        tokenId: storedText(outcome.tokenId),
        outcome: JSON.stringify(
          outcome.kind === "completed"
            ? { ...outcome, value: outcome.value ?? null }
            : outcome,
        ),
        kind,
        payload,
      },
      ({ outcome, first }) => ({ outcome: loadedOutcome(outcome), first }),
    );
  }

  requestCancel(
    tenantId: string,
    runId: string,
    reason: string,
  ): Answer<RunRecord> {
    return this.#do<Refusal & StoredRun, RunRecord>(
      `cancel run ${runId}`,
      tenantId,
      runId,
      "journal_cancel",
      {
        runId: storedText(runId),
        reason: storedText(reason),
        payload: JSON.stringify({ reason }),
      },
      loadedRun,
    );
  }

  read(tenantId: string, runId: string): Answer<readonly JournalEntry[]> {
    return this.#do<
      Refusal & { entries: readonly StoredEntry[] },
      readonly JournalEntry[]
    >(
      `read the journal of run ${runId}`,
      tenantId,
      runId,
      "journal_read",
      { runId: storedText(runId) },
      ({ entries }) => entries.map(loadedEntry),
    );
  }

  get(tenantId: string, runId: string): Answer<RunRecord | null> {
    return this.#do<StoredRun | null, RunRecord | null>(
      `read run ${runId}`,
      tenantId,
      runId,
      "journal_get",
      { runId: storedText(runId) },
      (stored) => stored === null ? null : loadedRun(stored),
    );
  }

  list(input: ListRunsInput): Answer<readonly RunRecord[]> {
    const { tenantId, status, conversationId, parentRunId, resumable } = input;
    return this.#do<readonly StoredRun[], readonly RunRecord[]>(
      "list runs",
      tenantId,
      "",
      "journal_list",
      {
        ...(status === undefined ? {} : { status }),
        ...(conversationId === undefined
          ? {}
          : { conversationId: storedText(conversationId) }),
        ...(parentRunId === undefined
          ? {}
          : { parentRunId: storedText(parentRunId) }),
        ...(resumable === undefined ? {} : { resumable }),
        limit: Math.max(0, Math.floor(input.limit ?? LIST_LIMIT)),
      },
      (stored) => stored.map(loadedRun),
    );
  }

  remove(tenantId: string, runId: string): Answer<void> {
    return this.#do<object, void>(
      `remove run ${runId}`,
      tenantId,
      runId,
      "journal_remove",
      { runId: storedText(runId) },
      () => undefined,
    );
  }

  acquire(
    tenantId: string,
    key: string,
    holder: string,
    ttlMs: number,
    options?: { readonly wait?: boolean },
  ): Answer<HeldLease | WaitingLease> {
    return this.#do<HeldLease | WaitingLease, HeldLease | WaitingLease>(
      `acquire lease ${key}`,
      tenantId,
      holder,
      "lease_take",
      {
        key: leaseName(key),
        holder: storedText(holder),
        ttlMs,
        wait: options?.wait ?? true,
      },
      (answer) => answer,
    );
  }

  renew(
    tenantId: string,
    key: string,
    holder: string,
    epoch: number,
    ttlMs: number,
  ): Answer<{ readonly cancelRequested?: string }> {
    const name = leaseName(key);
    const run = leaseName("run:");
    return this.#do<
      Refusal & { cancelRequested?: string },
      { readonly cancelRequested?: string }
    >(
      `renew lease ${key}`,
      tenantId,
      holder,
      "lease_renew",
      {
        key: name,
        holder: storedText(holder),
        epoch,
        ttlMs,
        ...(name.startsWith(run) ? { runId: name.slice(run.length) } : {}),
      },
      ({ cancelRequested }) =>
        cancelRequested === undefined
          ? {}
          : { cancelRequested: loadedText(cancelRequested) },
      key,
    );
  }

  release(tenantId: string, key: string, holder: string): Answer<void> {
    return this.#do<object, void>(
      `release lease ${key}`,
      tenantId,
      holder,
      "lease_release",
      { key: leaseName(key), holder: storedText(holder) },
      () => undefined,
    );
  }

  #start(
    { run, holder, ttlMs, entries }: Omit<StartRunInput, "within">,
    second: Readonly<Record<string, unknown>>,
  ): Answer<StartedExclusive> {
    const { tenantId, runId, startKey, agent, parent } = run;
    return this.#do<StartAnswer, StartedExclusive>(
      `start run ${runId}`,
      tenantId,
      runId,
      "journal_start",
      {
        runId: storedText(runId),
        ...(startKey === undefined ? {} : { startKey: storedText(startKey) }),
        ...(agent === undefined
          ? {}
          : { conversationId: storedText(agent.conversationId) }),
        ...(parent === undefined
          ? {}
          : { parentRunId: storedText(parent.runId) }),
        definition: JSON.stringify(run),
        holder: storedText(holder),
        ttlMs,
        entries: storedEntries(entries),
        effect: effectOf(entries),
        ...second,
      },
      (answer): StartedExclusive => {
        if (answer.waiting) return { kind: "waiting" };
        if (answer.exists !== undefined) {
          return { kind: "exists", run: loadedRun(answer.exists) };
        }
        const { epoch, exclusiveEpoch, appended } = answer;
        return {
          kind: "started",
          epoch,
          ...(typeof exclusiveEpoch === "number" ? { exclusiveEpoch } : {}),
          appended: loadedAppend(appended),
        } as StartedExclusive;
      },
    );
  }

  #append(
    { tenantId, runId, epoch, number, entries, ...input }: AppendInput,
    parking: Readonly<Record<string, unknown>>,
  ): Answer<AppendAnswer> {
    const { within, release, usage = [] } = input;
    // A record that JSON can't hold is left out, and doesn't stop the run.
    const calls = usage.flatMap((record) => {
      const call = keptCall(record as ModelUsageRecord);
      return call.kind === "ok" ? [call.value] : [];
    });
    return this.#do<AppendAnswer, AppendAnswer>(
      `append to run ${runId}`,
      tenantId,
      runId,
      "journal_append",
      {
        runId: storedText(runId),
        epoch,
        number,
        entries: storedEntries(entries),
        effect: effectOf(entries),
        ...(within === undefined
          ? {}
          : { within: { ...within, key: leaseName(within.key) } }),
        ...(release === undefined ? {} : { release }),
        ...(calls.length === 0 ? {} : { usage: calls }),
        ...parking,
      },
      (answer) => answer,
    );
  }

  /**
   * Does an operation and reads its answer.
   *
   * @param whose The run, or the lease's holder, that a refusal names.
   */
  async #do<Stored, Value>(
    doing: string,
    tenantId: string,
    whose: string,
    operation: string,
    input: Readonly<Record<string, unknown>>,
    read: (stored: Stored) => Value,
    key?: string,
  ): Answer<Value> {
    try {
      const answer = await this.#database.call<Stored & Refusal | null>(
        tenantId,
        operation,
        input,
      );
      switch (answer?.error) {
        case "run-not-found":
          return runNotFound(whose);
        case "run-already-terminal":
          return runEnded(whose);
        case "run-lease-lost":
          return leaseLost(whose, key ?? leaseKey(answer.key ?? ""));
        default:
          return ok(read(answer as Stored));
      }
    } catch (thrown) {
      return err(journalError(doing, thrown));
    }
  }
}
