/**
 * A store in memory: for tests, for trying things out, and as the measure of what other stores do.
 *
 * @module
 */

import { ok, type Result } from "../../base/result.ts";
import type { PersistenceError, TenantId } from "../agent/mod.ts";
import type { AgentStore, PurgeInput } from "./contract.ts";
import { MemoryApprovals } from "./memory_approvals.ts";
import { StoreClock } from "./memory_clock.ts";
import { MemoryConversations } from "./memory_conversations.ts";
import { MemoryFacts } from "./memory_facts.ts";
import { MemoryJournal } from "./memory_journal.ts";
import { MemoryProvenance } from "./memory_provenance.ts";
import { MemorySnapshots } from "./memory_snapshots.ts";
import { MemoryTenants } from "./memory_tenants.ts";
import { MemoryUsage } from "./memory_usage.ts";

/** What a store in memory begins with. */
export interface CreateMemoryStoreInput {
  /** The store's clock, in milliseconds since 1970; `Date.now` when absent. Leases and deadlines go by it. */
  readonly clock?: () => number;
  /** What `save` answered earlier: the store begins where that one was. */
  readonly saved?: string;
}

/** A store in memory, whose contents can be saved. */
export interface MemoryAgentStore extends AgentStore {
  /**
   * Everything the store holds, leases included, as JSON text: what `createMemoryStore({ saved })` takes. That is what a
   * killed process would have left on a disk, so tests of crashes use it.
   */
  save(): string;
}

/** Makes a store in memory. Its contents last as long as it does. */
export function createMemoryStore(
  { clock = Date.now, saved }: CreateMemoryStoreInput = {},
): MemoryAgentStore {
  const tenants = new MemoryTenants(
    saved === undefined ? [] : JSON.parse(saved),
  );
  const storeClock = new StoreClock(clock);
  const usage = new MemoryUsage(tenants);
  const journal = new MemoryJournal(tenants, storeClock, usage);
  const approvals = new MemoryApprovals(tenants, storeClock, journal);
  return {
    conversations: new MemoryConversations(
      tenants,
      storeClock,
      journal,
      approvals,
    ),
    snapshots: new MemorySnapshots(tenants, storeClock),
    memory: new MemoryFacts(tenants, storeClock),
    journal,
    approvals,
    provenance: new MemoryProvenance(tenants),
    usage,
    tenants: (): Promise<Result<readonly TenantId[], PersistenceError>> =>
      Promise.resolve(ok(tenants.ids())),
    purge: (input) => Promise.resolve(ok({ runs: purge(tenants, input) })),
    close: () => Promise.resolve(),
    save: () => JSON.stringify(tenants.save()),
  };
}

/** Removes ended runs with their snapshots and approvals; answers how many. */
function purge(
  tenants: MemoryTenants,
  { before, tenantId }: PurgeInput,
): number {
  let runs = 0;
  for (const [, tenant] of tenants.each(tenantId)) {
    for (const [runId, { endedAt }] of [...tenant.runs]) {
      if (endedAt === undefined) continue;
      if (Date.parse(endedAt) >= before.getTime()) continue;
      tenant.removeApprovals(runId);
      tenant.snapshots.delete(runId);
      tenant.removeRun(runId);
      runs += 1;
    }
  }
  return runs;
}
