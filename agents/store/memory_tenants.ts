/**
 * What a store in memory keeps, tenant by tenant: nothing is reached but through its tenant.
 *
 * @module
 */

import { frozen } from "../../base/frozen_json.ts";
import type { TenantId } from "../agent/mod.ts";
import type { Approval } from "../approvals/mod.ts";
import type {
  Conversation,
  ConversationMessage,
  RunSnapshotRecord,
} from "../conversation/mod.ts";
import { type PendingWait, runLeaseKey } from "../flow/mod.ts";
import type { Fact } from "../memory/mod.ts";
import type { ProvenanceRecord } from "../provenance/mod.ts";
import type { ModelUsageRecord } from "../routing/mod.ts";
import { MemoryConversation } from "./memory_conversation.ts";
import { MemoryLeases, type SavedLeases } from "./memory_leases.ts";
import { MemoryRun, type SavedRun } from "./memory_run.ts";

/** What is saved of a tenant: plain JSON. */
export interface SavedTenant {
  /** Its runs, the first started first. */
  readonly runs: readonly SavedRun[];
  /** Its leases. */
  readonly leases: SavedLeases;
  /** Its conversations, the first opened first. */
  readonly conversations: readonly {
    readonly conversation: Conversation;
    readonly messages: readonly ConversationMessage[];
  }[];
  /** Its run snapshots. */
  readonly snapshots: readonly RunSnapshotRecord[];
  /** Its approvals, the oldest first. */
  readonly approvals: readonly Approval[];
  /** Its facts, the oldest first. */
  readonly facts: readonly Fact[];
  /** Its provenance records. */
  readonly provenance: readonly ProvenanceRecord[];
  /** Its model calls. */
  readonly usage: readonly ModelUsageRecord[];
}

/** What the keys of runs' leases begin with. */
const RUN_LEASE = runLeaseKey("");

/** One tenant's part of a store. */
export class MemoryTenant {
  /** Runs by id, the first started first. */
  readonly runs: Map<string, MemoryRun> = new Map();
  /** Leases. */
  readonly leases: MemoryLeases;
  /** Conversations by id, the first opened first. */
  readonly conversations: Map<string, MemoryConversation> = new Map();
  /** Snapshots by run. */
  readonly snapshots: Map<string, RunSnapshotRecord> = new Map();
  /** Approvals by id, the oldest first. */
  readonly approvals: Map<string, Approval> = new Map();
  /** Approvals' ids by their wait token. */
  readonly approvalByToken: Map<string, string> = new Map();
  /** Facts by id, the oldest first. */
  readonly facts: Map<string, Fact> = new Map();
  /** The facts that others have replaced. */
  readonly superseded: Set<string> = new Set();
  /** Provenance records by run. */
  readonly provenance: Map<string, ProvenanceRecord> = new Map();
  /** Model calls by call id, the oldest first. */
  readonly usage: Map<string, ModelUsageRecord> = new Map();
  readonly #byStartKey = new Map<string, string>();
  readonly #byConversation = new Map<string, Set<string>>();

  /** An empty part, or what was saved. */
  constructor(saved?: SavedTenant) {
    this.leases = new MemoryLeases(saved?.leases);
    if (saved === undefined) return;
    for (const run of saved.runs) this.addRun(MemoryRun.from(run));
    for (const { conversation, messages } of saved.conversations) {
      this.conversations.set(
        conversation.id,
        new MemoryConversation(frozen(conversation), messages.map(frozen)),
      );
    }
    for (const each of saved.snapshots) {
      this.snapshots.set(each.runId, frozen(each));
    }
    for (const each of saved.approvals) this.putApproval(frozen(each));
    for (const each of saved.facts) this.putFact(frozen(each));
    for (const each of saved.provenance) {
      this.provenance.set(each.runId, frozen(each));
    }
    for (const each of saved.usage) this.usage.set(each.callId, frozen(each));
  }

  /** Whether nothing was ever written. */
  get isEmpty(): boolean {
    return [
      this.runs,
      this.conversations,
      this.snapshots,
      this.approvals,
      this.facts,
      this.provenance,
      this.usage,
    ].every(({ size }) => size === 0);
  }

  /** What there is to save. */
  save(): SavedTenant {
    return {
      runs: [...this.runs.values()].map((run) => run.save()),
      leases: this.leases.save(),
      conversations: [...this.conversations.values()].map((
        { conversation, messages },
      ) => ({ conversation, messages })),
      snapshots: [...this.snapshots.values()],
      approvals: [...this.approvals.values()],
      facts: [...this.facts.values()],
      provenance: [...this.provenance.values()],
      usage: [...this.usage.values()],
    };
  }

  /** Adds a run. */
  addRun(stored: MemoryRun): void {
    const { runId, startKey, agent } = stored.run;
    this.runs.set(runId, stored);
    if (startKey !== undefined) this.#byStartKey.set(startKey, runId);
    if (agent === undefined) return;
    const runs = this.#byConversation.get(agent.conversationId);
    if (runs !== undefined) runs.add(runId);
    else this.#byConversation.set(agent.conversationId, new Set([runId]));
  }

  /** Removes a run and what belongs to it alone. */
  removeRun(runId: string): void {
    const stored = this.runs.get(runId);
    if (stored === undefined) return;
    const { startKey, agent } = stored.run;
    this.runs.delete(runId);
    this.leases.forget(`run:${runId}`);
    if (startKey !== undefined) this.#byStartKey.delete(startKey);
    if (agent !== undefined) {
      this.#byConversation.get(agent.conversationId)?.delete(runId);
    }
  }

  /** The run that was started under a key. */
  runByStartKey(startKey: string): MemoryRun | undefined {
    return this.runs.get(this.#byStartKey.get(startKey) ?? "");
  }

  /** The run that a lease is for. */
  runByLease(key: string): MemoryRun | undefined {
    return key.startsWith(RUN_LEASE)
      ? this.runs.get(key.slice(RUN_LEASE.length))
      : undefined;
  }

  /** The runs of a conversation, the first started first. */
  runsOf(conversationId: string): MemoryRun[] {
    return [...this.#byConversation.get(conversationId) ?? []]
      .map((runId) => this.runs.get(runId)!);
  }

  /** Whether a wait is over: its token was resolved, or its run is. */
  isResolved({ runId, tokenId }: PendingWait): boolean {
    const run = this.runs.get(runId);
    return run === undefined || run.endedAt !== undefined ||
      run.cancelRequested !== undefined || run.outcome(tokenId) !== undefined;
  }

  /** Keeps an approval as it is now. */
  putApproval(approval: Approval): void {
    this.approvals.set(approval.id, approval);
    this.approvalByToken.set(approval.waitTokenId, approval.id);
  }

  /** Removes approvals of a run. */
  removeApprovals(runId: string): void {
    for (const { id, waitTokenId, runId: of } of this.approvals.values()) {
      if (of !== runId) continue;
      this.approvals.delete(id);
      this.approvalByToken.delete(waitTokenId);
    }
  }

  /** Keeps a fact; one that it replaces isn't read any more. */
  putFact(fact: Fact): void {
    this.facts.set(fact.id, fact);
    if (fact.supersedes !== undefined) this.superseded.add(fact.supersedes);
  }
}

/** Every tenant's part. */
export class MemoryTenants {
  readonly #tenants = new Map<string, MemoryTenant>();

  /** No tenants, or those that were saved. */
  constructor(saved: readonly (readonly [string, SavedTenant])[] = []) {
    for (const [id, tenant] of saved) {
      this.#tenants.set(id, new MemoryTenant(tenant));
    }
  }

  /** What there is to save. */
  save(): (readonly [string, SavedTenant])[] {
    return [...this.#tenants].map(([id, tenant]) => [id, tenant.save()]);
  }

  /** A tenant's part, begun now if need be. */
  of(tenantId: string): MemoryTenant {
    let tenant = this.#tenants.get(tenantId);
    if (tenant === undefined) {
      tenant = new MemoryTenant();
      this.#tenants.set(tenantId, tenant);
    }
    return tenant;
  }

  /** Every tenant, or one. */
  each(tenantId?: string): [string, MemoryTenant][] {
    if (tenantId === undefined) return [...this.#tenants];
    return [[tenantId, this.of(tenantId)]];
  }

  /** The ids of tenants that have written something. */
  ids(): TenantId[] {
    return [...this.#tenants].flatMap(([id, tenant]) =>
      tenant.isEmpty ? [] : [id as TenantId]
    );
  }
}
