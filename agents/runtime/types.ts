/**
 * A runtime for agents: everything that a host needs, wired together (`spec/api.md`, adapters).
 *
 * @module
 */

import type { Logger } from "../../base/log.ts";
import type { Result } from "../../base/result.ts";
import type {
  Agent,
  AgentError,
  AgentRegistry,
  BlockDefinition,
  PersistenceError,
} from "../agent/mod.ts";
import type {
  Approval,
  ApprovalError,
  ApprovalStore,
  DecideApprovalInput,
  HitlBinding,
} from "../approvals/mod.ts";
import type { BlockReader } from "../blocks/mod.ts";
import type {
  Conversation,
  ConversationMessage,
  ConversationPage,
  ListConversationsPageInput,
  OpenConversationInput,
  ReadMessagesInput,
} from "../conversation/mod.ts";
import type {
  Authorize,
  KernelError,
  ListRunsInput,
  RunRecord,
} from "../flow/mod.ts";
import type {
  CheckRegistry,
  Guardrail,
  GuardrailRegistry,
  RegisteredCheck,
} from "../guardrails/mod.ts";
import type { TemplateRenderer } from "../instructions/mod.ts";
import type { EmbeddingProviderRegistry } from "../memory/mod.ts";
import type { PolicyExecutor, PolicyRegistry } from "../policy/mod.ts";
import type { KeyProvider } from "../provenance/mod.ts";
import type { ModelProvider, ProviderRegistry } from "../routing/mod.ts";
import type { AgentStore } from "../store/mod.ts";
import type { Tool, ToolRegistry } from "../tools/mod.ts";
import type {
  InvokeAgentBindings,
  InvokeAgentInput,
  OnTurnEvent,
  ResumeAgentTurnInput,
  TurnAnswer,
} from "../turn/mod.ts";

/** What a runtime is made of. */
export interface OpenAgentRuntimeInput {
  /** Where everything is kept; it stays its opener's to close. */
  readonly store: AgentStore;
  /** Model providers: a list for every tenant, or a registry. */
  readonly providers: readonly ModelProvider[] | ProviderRegistry;
  /** The agents that the runtime knows: what turns without `agent` and the worker run. */
  readonly agents?: readonly Agent[] | AgentRegistry;
  /** Tools: a list for every tenant, or a registry. */
  readonly tools?: readonly Tool[] | ToolRegistry;
  /** Guardrails. */
  readonly guardrails?: readonly Guardrail[] | GuardrailRegistry;
  /** Checks beside the built-in ones, or a registry. */
  readonly checks?: readonly RegisteredCheck[] | CheckRegistry;
  /** Data blocks. */
  readonly blocks?: readonly BlockDefinition[] | BlockReader;
  /** The tenants' policies. */
  readonly policies?: readonly PolicyExecutor[] | PolicyRegistry;
  /**
   * Where instructions are rendered: in a restricted process of its own, made on first use (`worker`, when absent), in this
   * process, or by a renderer of the host's.
   */
  readonly renderer?: "worker" | "in-process" | TemplateRenderer;
  /** The keys that sign provenance; unsigned when absent. */
  readonly keyProvider?: KeyProvider;
  /** Decides what principals may do; without it a turn with a principal fails. */
  readonly authorize?: Authorize;
  /**
   * Who asks reviewers: the store's approvals when absent, or a queue of the host's, whose decisions the next resume or
   * sweep carries over. With `none` nobody is asked: a turn that needs somebody's say parks, and a sweep cancels its wait
   * once its time is over.
   */
  readonly hitl?: HitlBinding | "none";
  /** Where text is turned into vectors, for retrieval by meaning. */
  readonly embeddings?: EmbeddingProviderRegistry;
  /** Hears every turn's events. */
  readonly onEvent?: OnTurnEvent;
  /** Where tools' and the worker's log records go; nowhere when absent. */
  readonly log?: Logger;
  /** The most bytes of JSON that a tool's result may have; 262 144 when absent, and a pack service's at most 1 MiB. */
  readonly maxToolResultBytes?: number;
  /** How long a process that died keeps its runs, in milliseconds; 30 000 when absent. */
  readonly leaseMs?: number;
}

/** A turn to start; the agent may be left out where the runtime knows the conversation's. */
export type InvokeInput = Omit<InvokeAgentInput, "agent"> & {
  /** The agent; the one that the conversation was opened with when absent. */
  readonly agent?: Agent;
};

/** A turn to take further; the agent may be left out where the runtime knows the run's. */
export type ResumeInput = Omit<ResumeAgentTurnInput, "agent"> & {
  /** The agent; the one that the run was started with when absent. */
  readonly agent?: Agent;
};

/** A conversation to open; absent fields are filled in. */
export type OpenConversation =
  & Omit<OpenConversationInput, "agentVersion" | "title" | "scope">
  & {
    /** The agent's version; the highest that the runtime knows when absent. */
    readonly agentVersion?: string;
    /** What people call it; the agent's name when absent. */
    readonly title?: string;
    /** What it belongs to; tenant and project when absent. */
    readonly scope?: OpenConversationInput["scope"];
  };

/** What a sweep did. */
export interface SweepReport {
  /** Approvals that expired for good, and waits past their time that nobody can be asked about: those were cancelled. */
  readonly expired: number;
  /** Approvals that were missing and are asked for now. */
  readonly asked: number;
  /** Approvals of turns that ended without them. */
  readonly withdrawn: number;
}

/** A run to cancel. */
export interface CancelInput {
  /** Whose run. */
  readonly tenantId: string;
  /** The run. */
  readonly runId: string;
  /** Why. */
  readonly reason?: string;
}

/** How the worker works. */
export interface WorkInput {
  /** Ends the work: turns that are under way are finished first. */
  readonly signal: AbortSignal;
  /** Milliseconds between two looks; 1 000 when absent. */
  readonly pollMs?: number;
  /** How many turns are taken further at once; 4 when absent. */
  readonly concurrency?: number;
}

/** A runtime. */
export interface AgentRuntime {
  /** What turns work with: for `invokeAgent` and `resumeAgentTurn`. */
  readonly bindings: InvokeAgentBindings;
  /** The agents that it knows. */
  readonly agents: AgentRegistry;
  /** Opens a conversation. */
  openConversation(
    input: OpenConversation,
  ): Promise<Result<Conversation, AgentError>>;
  /** Runs a turn. */
  invoke(input: InvokeInput): Promise<TurnAnswer>;
  /** Takes a turn further. */
  resume(input: ResumeInput): Promise<TurnAnswer>;
  /** Questions to reviewers. */
  readonly approvals: Pick<ApprovalStore, "list" | "get">;
  /** Decides a question and completes its turn's wait; `resume`, or the worker, takes the turn further then. */
  decide(input: DecideApprovalInput): Promise<Result<Approval, ApprovalError>>;
  /** Runs: parked and interrupted ones too. */
  runs(
    input: ListRunsInput,
  ): Promise<Result<readonly RunRecord[], KernelError>>;
  /**
   * Escalates due approvals by one role; past the highest they expire, and their turns' waits are cancelled. Asks again
   * what couldn't be asked, and ends the waits of what was decided in a queue of the host's. Where nobody can be asked,
   * waits past their time are cancelled. Questions of turns that have ended are withdrawn.
   */
  sweep(now?: Date): Promise<Result<SweepReport, PersistenceError>>;
  /**
   * Keeps turns going over all tenants until the signal aborts: sweeps, takes resumable turns of known agents further, and
   * closes conversations past their agent's `autoCloseAfterInactiveSeconds`. Several workers may work on one store.
   */
  work(input: WorkInput): Promise<void>;
  /** Cancels a run and withdraws its questions. */
  cancel(input: CancelInput): Promise<Result<void, KernelError>>;
  /** A conversation's messages. */
  messages(
    input: ReadMessagesInput,
  ): Promise<Result<readonly ConversationMessage[], AgentError>>;
  /** A page of conversations. */
  conversations(
    input: ListConversationsPageInput,
  ): Promise<Result<ConversationPage, AgentError>>;
  /** Ends the renderer's process. The store stays open. */
  close(): Promise<void>;
}
