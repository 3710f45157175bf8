/**
 * Provenance records in memory (`ProvenanceStore`).
 *
 * @module
 */

import { frozenJson } from "../../base/frozen_json.ts";
import { ok, type Result } from "../../base/result.ts";
import type { PersistenceError } from "../agent/mod.ts";
import type { ProvenanceRecord } from "../provenance/mod.ts";
import type { ProvenanceStore } from "./contract.ts";
import type { MemoryTenants } from "./memory_tenants.ts";

/** Provenance records of all tenants. */
export class MemoryProvenance implements ProvenanceStore {
  readonly #tenants: MemoryTenants;

  /** Keeps its records with the tenants. */
  constructor(tenants: MemoryTenants) {
    this.#tenants = tenants;
  }

  emit(record: ProvenanceRecord): Promise<Result<void, PersistenceError>> {
    const { provenance } = this.#tenants.of(record.tenantId);
    if (!provenance.has(record.runId)) {
      // One that is frozen was taken in by its builder.
      provenance.set(
        record.runId,
        Object.isFrozen(record)
          ? record
          : frozenJson(record) as ProvenanceRecord,
      );
    }
    return Promise.resolve(ok(undefined));
  }

  get(
    tenantId: string,
    runId: string,
  ): Promise<Result<ProvenanceRecord | null, PersistenceError>> {
    const { provenance } = this.#tenants.of(tenantId);
    return Promise.resolve(ok(provenance.get(runId) ?? null));
  }
}
