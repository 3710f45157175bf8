/**
 * What a turn works with: every side effect is behind one of these (`spec/agents_turn.md` 1.5).
 *
 * @module
 */

import type { Logger } from "../../base/log.ts";
import type { HitlBinding } from "../approvals/mod.ts";
import type { BlockReader } from "../blocks/mod.ts";
import type {
  ConversationBinding,
  RunSnapshotBinding,
} from "../conversation/mod.ts";
import type { RunBinding } from "../flow/mod.ts";
import type { GuardrailsBindings } from "../guardrails/mod.ts";
import type { TemplateRenderer } from "../instructions/mod.ts";
import type {
  EmbeddingProviderRegistry,
  MemoryQueryBinding,
} from "../memory/mod.ts";
import type { PolicyRegistry } from "../policy/mod.ts";
import type { ProvenanceBindings } from "../provenance/mod.ts";
import type {
  ModelUsageRecord,
  ModelUsageSink,
  ProviderRegistry,
  TenantPolicy,
} from "../routing/mod.ts";
import type { Result } from "../../base/result.ts";
import type { PersistenceError } from "../agent/mod.ts";
import type { ToolRegistry } from "../tools/mod.ts";
import type { OnTurnEvent } from "./events.ts";

/** Keeps the account of model calls; one that can list a run's keeps `maxCostUsd` across crashes too. */
export interface TurnUsageSink extends ModelUsageSink {
  /** A run's records. */
  list?(input: {
    /** Whose. */
    readonly tenantId: string;
    /** The run. */
    readonly runId: string;
  }): Promise<Result<readonly ModelUsageRecord[], PersistenceError>>;
}

/** What a turn works with. */
export interface InvokeAgentBindings extends GuardrailsBindings {
  /** Model providers: the turn's, and judges'. */
  readonly providerRegistry: ProviderRegistry;
  /** Tools; a turn sees those of its tenant. */
  readonly toolRegistry: ToolRegistry;
  /** Remembered facts. */
  readonly memoryBinding: MemoryQueryBinding;
  /** Conversations and their messages. */
  readonly conversationBinding: ConversationBinding;
  /** What turns were started with. */
  readonly runSnapshotBinding: RunSnapshotBinding;
  /** What executes the turn's flow; required when a turn is started or resumed. */
  readonly runBinding?: RunBinding;
  /** Bounds on models, merged with the tenant's `model-routing` policy: the stricter of both counts. */
  readonly tenantPolicy?: TenantPolicy;
  /** The tenant's policies. */
  readonly policyRegistry?: PolicyRegistry;
  /** Where text is turned into vectors, for retrieval by meaning. */
  readonly embeddingRegistry?: EmbeddingProviderRegistry;
  /** The model for that; the sole provider's when absent. */
  readonly embeddingModel?: string;
  /** Hears of everything that happens. */
  readonly onEvent?: OnTurnEvent;
  /** How an answer's provenance is built, signed and kept. */
  readonly provenance?: ProvenanceBindings;
  /** How people are asked. */
  readonly hitl?: HitlBinding;
  /** Reads secrets for tools. */
  readonly resolveSecret?: (name: string) => Promise<string | undefined>;
  /** Renders instructions elsewhere; in this process when absent. */
  readonly templateRenderer?: TemplateRenderer;
  /** Keeps the account of model calls. */
  readonly usage?: TurnUsageSink;
  /** Data blocks. */
  readonly blockReader?: BlockReader;
  /** Where tools' log records go; nowhere when absent. */
  readonly log?: Logger;
  /** The most bytes of JSON that a tool's result may have; 262 144 when absent, and a pack service's at most 1 MiB. */
  readonly maxToolResultBytes?: number;
}
