/**
 * The operations on runs that are functions in the database, and how they are called.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type {
  AppendInput,
  JournalError,
  StartedExclusive,
  StartRunInput,
} from "../../flow/mod.ts";
import type { ModelUsageRecord } from "../../routing/mod.ts";
import { leaseLost, runEnded, runNotFound } from "../journal_errors.ts";
import { storedText } from "../stored_text.ts";
import type { PostgresDatabase } from "./database.ts";
import { journalError } from "./failures.ts";
import {
  effectOf,
  leaseKey,
  leaseName,
  loadedAppend,
  loadedRun,
  type StoredAppend,
  storedEntries,
  type StoredRun,
} from "./run_input.ts";
import { keptCall } from "./usage.ts";

type Answer<Value> = Promise<Result<Value, JournalError>>;

/** Why the database refused, as its functions say it. */
export interface Refusal {
  readonly error?: "run-not-found" | "run-already-terminal" | "run-lease-lost";
  /** The lease that was lost. */
  readonly key?: string;
}

/** What a start answers. */
export interface StartAnswer extends Refusal {
  readonly exists?: StoredRun;
  readonly waiting?: true;
  readonly epoch: number;
  readonly exclusiveEpoch?: number | null;
  readonly appended: StoredAppend;
}

/** What an append answers. */
export interface AppendAnswer extends Refusal {
  readonly parked: boolean;
  readonly appended: StoredAppend;
  readonly resolved?: readonly string[];
}

/** Calls the database's functions on runs. */
export class RunOperations {
  readonly #database: PostgresDatabase;

  /** Calls those of a database. */
  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /** Starts a run, with a second lease or under one where that is given. */
  start(
    { run, holder, ttlMs, entries }: Omit<StartRunInput, "within">,
    second: Readonly<Record<string, unknown>>,
  ): Answer<StartedExclusive> {
    const { tenantId, runId, startKey, agent, parent } = run;
    return this.do<StartAnswer, StartedExclusive>(
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

  /** Appends, and parks where that is given. */
  append(
    { tenantId, runId, epoch, number, entries, ...input }: AppendInput,
    parking: Readonly<Record<string, unknown>>,
  ): Answer<AppendAnswer> {
    const { within, release, usage = [] } = input;
    // A record that JSON can't hold is left out, and doesn't stop the run.
    const calls = usage.flatMap((record) => {
      const call = keptCall(record as ModelUsageRecord);
      return call.kind === "ok" ? [call.value] : [];
    });
    return this.do<AppendAnswer, AppendAnswer>(
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
  async do<Stored, Value>(
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
