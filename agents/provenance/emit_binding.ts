/**
 * Where finished records go.
 *
 * @module
 */

import type { Result } from "../../base/result.ts";
import type { PersistenceError } from "../agent/mod.ts";
import type { ProvenanceRecord } from "./record.ts";

/** What is known of a record beside what it says. */
export interface ProvenanceEmitContext {
  /** The project of the run; the record itself names none. */
  readonly projectId?: string;
}

/** Keeps records. */
export interface ProvenanceEmitBinding {
  /** Keeps a record; idempotent on tenant and record id. */
  emit(
    record: ProvenanceRecord,
    context: ProvenanceEmitContext,
  ): Promise<Result<void, PersistenceError>>;
}
