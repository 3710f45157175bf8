/**
 * What a store is: everything that turns persist, for many tenants, in one place (`spec/api.md`, adapters).
 *
 * @module
 */

import type { Result } from "../../base/result.ts";
import type { PersistenceError, TenantId } from "../agent/mod.ts";
import type { ApprovalStore } from "../approvals/mod.ts";
import type {
  ConversationBinding,
  RunSnapshotBinding,
} from "../conversation/mod.ts";
import type { RunJournal } from "../flow/mod.ts";
import type { MemoryStore } from "../memory/mod.ts";
import type {
  ProvenanceEmitBinding,
  ProvenanceRecord,
} from "../provenance/mod.ts";
import type { ModelUsageRecord, ModelUsageSink } from "../routing/mod.ts";

/** Keeps provenance records. */
export interface ProvenanceStore extends ProvenanceEmitBinding {
  /** The record of a run, or `null`. */
  get(
    tenantId: string,
    runId: string,
  ): Promise<Result<ProvenanceRecord | null, PersistenceError>>;
}

/** Which model calls to add up; conditions add up too. */
export interface UsageTotalsInput {
  /** Whose. */
  readonly tenantId: string;
  /** Only calls that began then or later, as ISO 8601. */
  readonly since?: string;
  /** Only calls of this run. */
  readonly runId?: string;
}

/** Model calls added up. Parts are contained in their totals: cached tokens in the prompt's, reasoning in the completion's. */
export interface UsageTotals {
  /** Calls, failed ones included. */
  readonly calls: number;
  /** Failed calls. */
  readonly failed: number;
  /** Tokens read. */
  readonly promptTokens: number;
  /** Tokens written. */
  readonly completionTokens: number;
  /** Tokens read from caches. */
  readonly cacheReadTokens: number;
  /** Tokens written to caches. */
  readonly cacheWriteTokens: number;
  /** Tokens spent on reasoning. */
  readonly reasoningTokens: number;
  /** US dollars, as far as calls reported or priced them. */
  readonly costUsd: number;
}

/** Keeps the account of model calls. */
export interface UsageStore extends ModelUsageSink {
  /** Keeps a record; the first one of a call id counts. */
  record(record: ModelUsageRecord): Promise<Result<void, PersistenceError>>;
  /** Adds up a tenant's calls. */
  totals(
    input: UsageTotalsInput,
  ): Promise<Result<UsageTotals, PersistenceError>>;
  /** A run's records in the order they were written: what a resume finds of calls whose answers were lost. */
  list(input: {
    /** Whose. */
    readonly tenantId: string;
    /** The run. */
    readonly runId: string;
  }): Promise<Result<readonly ModelUsageRecord[], PersistenceError>>;
}

/** What to purge. */
export interface PurgeInput {
  /** Runs that ended before this moment. */
  readonly before: Date;
  /** Only this tenant's; every tenant's when absent. */
  readonly tenantId?: string;
}

/**
 * Everything that turns persist, for many tenants, in one place.
 *
 * Every read and write names the tenant and can't cross to another. What is answered is the caller's to keep: it doesn't
 * change when the store does, and may be frozen.
 */
export interface AgentStore {
  /** Conversations and their messages. */
  readonly conversations: ConversationBinding;
  /** What turns were started with. */
  readonly snapshots: RunSnapshotBinding;
  /** Remembered facts. */
  readonly memory: MemoryStore;
  /** Runs: what `createRunBinding` writes to. */
  readonly journal: RunJournal;
  /** Questions to reviewers: a complete `hitl` binding. */
  readonly approvals: ApprovalStore;
  /** Provenance records. */
  readonly provenance: ProvenanceStore;
  /** The account of model calls. */
  readonly usage: UsageStore;
  /** Every tenant that ever wrote, in no particular order: what work over all tenants goes through. */
  tenants(): Promise<Result<readonly TenantId[], PersistenceError>>;
  /** Removes ended runs' journals, snapshots and approvals; conversations, facts, provenance and usage stay. */
  purge(input: PurgeInput): Promise<
    Result<{
      /** Runs removed. */
      readonly runs: number;
    }, PersistenceError>
  >;
  /** Lets go of whatever the store holds open; nothing may be asked of it afterwards. */
  close(): Promise<void>;
}
