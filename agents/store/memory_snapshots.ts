/**
 * Run snapshots in memory (`RunSnapshotBinding`).
 *
 * @module
 */

import { frozenJson } from "../../base/frozen_json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { PersistenceError } from "../agent/mod.ts";
import type {
  RunSnapshotBinding,
  RunSnapshotRecord,
  RunSnapshotWriteInput,
} from "../conversation/mod.ts";
import type { StoreClock } from "./memory_clock.ts";
import type { MemoryTenants } from "./memory_tenants.ts";

/** Snapshots of all tenants' runs. */
export class MemorySnapshots implements RunSnapshotBinding {
  readonly #tenants: MemoryTenants;
  readonly #clock: StoreClock;

  /** Keeps its snapshots with the tenants. */
  constructor(tenants: MemoryTenants, clock: StoreClock) {
    this.#tenants = tenants;
    this.#clock = clock;
  }

  write(input: RunSnapshotWriteInput): Promise<Result<void, PersistenceError>> {
    const { snapshots } = this.#tenants.of(input.tenantId);
    if (snapshots.has(input.runId)) return Promise.resolve(ok(undefined));
    try {
      const copy = frozenJson(input) as RunSnapshotWriteInput;
      snapshots.set(
        input.runId,
        Object.freeze({
          ...copy,
          dryRun: copy.dryRun === true,
          createdAt: this.#clock.timestamp(),
        }),
      );
      return Promise.resolve(ok(undefined));
    } catch (cause) {
      return Promise.resolve(err({
        code: "persistence-error",
        message:
          `Cannot write the snapshot of run ${input.runId}: it can't be written as JSON`,
        cause,
      }));
    }
  }

  read(
    tenantId: string,
    runId: string,
  ): Promise<Result<RunSnapshotRecord | null, PersistenceError>> {
    const { snapshots } = this.#tenants.of(tenantId);
    return Promise.resolve(ok(snapshots.get(runId) ?? null));
  }
}
