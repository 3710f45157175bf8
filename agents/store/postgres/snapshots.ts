/**
 * Run snapshots in Postgres (`RunSnapshotBinding`). Documents stand in envelopes.
 *
 * @module
 */

import { err, ok, type Result } from "../../../base/result.ts";
import type { PersistenceError, Timestamp } from "../../agent/mod.ts";
import {
  mended,
  type RunSnapshotBinding,
  type RunSnapshotRecord,
  type RunSnapshotWriteInput,
} from "../../conversation/mod.ts";
import { unwrapOrThrow, wrap } from "../envelope.ts";
import { loadedText, storedText } from "../stored_text.ts";
import type { PostgresDatabase } from "./database.ts";
import { persistenceError } from "./failures.ts";

/** Fields of a snapshot that are documents. */
const DOCUMENTS = ["parameters", "input", "principal", "authz"] as const;
/** Fields that are ids, which come back as they were. */
const IDS = ["projectId", "conversationId", "participantId"] as const;

type Fields = Readonly<Record<string, unknown>>;

/** Snapshots of all tenants' runs. */
export class PostgresSnapshots implements RunSnapshotBinding {
  readonly #database: PostgresDatabase;

  /** Keeps its snapshots in a database. */
  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async write(
    input: RunSnapshotWriteInput,
  ): Promise<Result<void, PersistenceError>> {
    const { tenantId, runId } = input;
    try {
      await this.#database.call(tenantId, "snapshot_write", stored(input));
      return ok(undefined);
    } catch (thrown) {
      return err(
        persistenceError(`write the snapshot of run ${runId}`, thrown),
      );
    }
  }

  async read(
    tenantId: string,
    runId: string,
  ): Promise<Result<RunSnapshotRecord | null, PersistenceError>> {
    try {
      const row = await this.#database.call<Fields | null>(
        tenantId,
        "snapshot_read",
        { runId: storedText(runId) },
      );
      return ok(row === null ? null : loaded(row, tenantId, runId));
    } catch (thrown) {
      return err(persistenceError(`read the snapshot of run ${runId}`, thrown));
    }
  }
}

function stored(input: RunSnapshotWriteInput): Fields {
  const fields: Record<string, unknown> = {
    runId: storedText(input.runId),
    agentId: storedText(input.agentId),
    agentVersion: storedText(input.agentVersion),
    userMessage: storedText(input.userMessage),
    dryRun: input.dryRun === true ? 1 : 0,
    snapshot: JSON.stringify(
      mended({ ...input, dryRun: input.dryRun === true }),
    ),
  };
  for (const name of IDS) {
    const value = input[name];
    if (value !== undefined) fields[name] = storedText(value);
  }
  for (const name of DOCUMENTS) {
    if (input[name] !== undefined) fields[name] = wrap(mended(input[name]));
  }
  return fields;
}

function loaded(
  row: Fields,
  tenantId: string,
  runId: string,
): RunSnapshotRecord {
  const createdAt = row.createdAt as Timestamp;
  if (typeof row.snapshot === "string") {
    // Word for word but for the ids, which the caller has.
    return { ...JSON.parse(row.snapshot), tenantId, runId, createdAt };
  }
  // Written by another program, which knows the one table only.
  const text = (name: string) => loadedText(row[name] as string);
  const fields: Record<string, unknown> = {
    runId,
    tenantId,
    agentId: text("agentId"),
    agentVersion: text("agentVersion"),
    userMessage: text("userMessage"),
    dryRun: row.dryRun === 1,
    createdAt,
  };
  for (const name of IDS) {
    if (typeof row[name] === "string") fields[name] = text(name);
  }
  for (const name of DOCUMENTS) {
    // An envelope that holds null is a document; a column without one isn't.
    if (row[name] !== null && row[name] !== undefined) {
      fields[name] = unwrapOrThrow(row[name]);
    }
  }
  return fields as unknown as RunSnapshotRecord;
}
