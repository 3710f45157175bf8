/**
 * Runs in Postgres (`RunJournal`). Every method is one statement.
 *
 * @module
 */

import { ok, type Result } from "../../../base/result.ts";
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
import { resolutionEntry } from "../journal_entries.ts";
import { loadedText, storedText } from "../stored_text.ts";
import type { PostgresDatabase } from "./database.ts";
import {
  leaseName,
  loadedAppend,
  loadedEntry,
  loadedOutcome,
  loadedRun,
  RUN_LEASE,
  type StoredEntry,
  type StoredRun,
  storedWaits,
} from "./run_input.ts";
import { type Refusal, RunOperations } from "./run_operations.ts";
import type { PostgresUsage } from "./usage.ts";

/** How many runs are listed when nobody says. */
const LIST_LIMIT = 1_000;

type Answer<Value> = Promise<Result<Value, JournalError>>;

/** Runs of all tenants. */
export class PostgresJournal implements RunJournal {
  readonly #runs: RunOperations;
  readonly #usage: PostgresUsage;

  /** Keeps its runs in a database, and records that come along in the account. */
  constructor(database: PostgresDatabase, usage: PostgresUsage) {
    this.#runs = new RunOperations(database);
    this.#usage = usage;
  }

  async start(input: StartRunInput): Answer<StartedRun> {
    const { within } = input;
    const started = await this.#runs.start(
      input,
      within === undefined
        ? {}
        : { within: { ...within, key: leaseName(within.key) } },
    );
    // Only a second lease can be waited for.
    return started as Result<StartedRun, JournalError>;
  }

  startExclusive(input: StartExclusiveInput): Answer<StartedExclusive> {
    return this.#runs.start(input, { exclusive: leaseName(input.exclusive) });
  }

  keepsUsageOf(sink: object): boolean {
    return sink === this.#usage;
  }

  async append(input: AppendInput): Answer<Appended> {
    const written = await this.#runs.append(input, {});
    return written.kind === "err"
      ? written
      : ok(loadedAppend(written.value.appended));
  }

  async park(input: ParkInput): Answer<Parked> {
    const { waitingOn } = input;
    const written = await this.#runs.append(input, {
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
    return this.#runs.do<
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
    return this.#runs.do<Refusal & StoredRun, RunRecord>(
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
    return this.#runs.do<
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
    return this.#runs.do<StoredRun | null, RunRecord | null>(
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
    return this.#runs.do<readonly StoredRun[], readonly RunRecord[]>(
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
    return this.#runs.do<object, void>(
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
    return this.#runs.do<HeldLease | WaitingLease, HeldLease | WaitingLease>(
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
    return this.#runs.do<
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
        ...(name.startsWith(RUN_LEASE)
          ? { runId: name.slice(RUN_LEASE.length) }
          : {}),
      },
      ({ cancelRequested }) =>
        cancelRequested === undefined
          ? {}
          : { cancelRequested: loadedText(cancelRequested) },
      key,
    );
  }

  release(tenantId: string, key: string, holder: string): Answer<void> {
    return this.#runs.do<object, void>(
      `release lease ${key}`,
      tenantId,
      holder,
      "lease_release",
      { key: leaseName(key), holder: storedText(holder) },
      () => undefined,
    );
  }
}
