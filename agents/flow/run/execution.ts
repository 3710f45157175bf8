/**
 * One process's hold on one run while it advances: what every node of it shares.
 *
 * @module
 */

import type { RunId, TenantId } from "../../agent/mod.ts";
import type { RunAgent } from "../journal_entry.ts";
import type { Authorize, NodeHandler, NodeHandlers } from "../node_context.ts";
import type { TokenOutcome } from "../run_journal.ts";
import type { PendingWait } from "../run_record.ts";
import type { Graph } from "../schedule.ts";
import type { Flow, SubgraphNode } from "../types.ts";
import type { CancelScope } from "./cancel_scope.ts";
import type { Frame } from "./frame.ts";
import type { JournalWriter } from "./journal_writer.ts";
import type { KeptLease, LeaseKeeper } from "./lease_keeper.ts";
import type { Outcome, OutcomeSoon } from "./outcome.ts";
import type { RunProgress } from "./run_progress.ts";

/** Who a run is and acts for: fixed when it is started. */
export interface RunIdentity {
  /** The run. */
  readonly runId: RunId;
  /** Whose run. */
  readonly tenantId: TenantId;
  /** The project. */
  readonly projectId?: string;
  /** The project's organisation. */
  readonly orgId?: string;
  /** The agent's turn that the run is. */
  readonly agent?: RunAgent;
  /** Whom the run acts for. */
  readonly principal?: unknown;
  /** How that principal is authorised. */
  readonly authz?: unknown;
  /** Whether it is a dry run. */
  readonly dryRun: boolean;
  /** How deep it lies beneath the run that no run started. */
  readonly depth: number;
}

/** What runs another flow for a subgraph node; given by the binding, which knows how runs are started. */
export type RunSubgraph = (
  execution: Execution,
  node: SubgraphNode,
  step: StepPosition,
) => Promise<Outcome>;

/** One running of a graph. */
export interface GraphRun {
  /** How far it has come. */
  readonly frame: Frame;
  /** What its first nodes are given. */
  readonly input: unknown;
  /** What stops it. */
  readonly scope: CancelScope;
  /** Concurrency keys that are held around it. */
  readonly heldKeys: ReadonlySet<string>;
  /** Nodes at once. */
  readonly maxParallelism: number | undefined;
}

/** Takes a graph as far as it goes. */
export type RunGraph = (
  execution: Execution,
  graph: Graph,
  run: GraphRun,
) => OutcomeSoon;

/** Where a step stands and what it is given. */
export interface StepPosition {
  /** The running of the graph that its node belongs to. */
  readonly frame: Frame;
  /** Its scope in the run. */
  readonly stepScope: string;
  /** Which attempt, from 1. */
  readonly attempt: number;
  /** What the node is given. */
  readonly input: unknown;
  /** What stops it. */
  readonly scope: CancelScope;
  /** Concurrency keys that are held around it. */
  readonly heldKeys: ReadonlySet<string>;
}

/** What an execution is made of. */
export interface ExecutionParts {
  /** Who the run is. */
  readonly identity: RunIdentity;
  /** The flow. */
  readonly flow: Flow;
  /** What the run was started with. */
  readonly input: unknown;
  /** The handlers. */
  readonly handlers: NodeHandlers;
  /** How far it has come. */
  readonly progress: RunProgress;
  /** Leases of this process. */
  readonly leases: LeaseKeeper;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Decides what is allowed. */
  readonly authorize: Authorize | undefined;
  /** Runs the bodies of loops. */
  readonly runGraph: RunGraph;
  /** Runs subgraphs. */
  readonly runSubgraph: RunSubgraph;
  /** What stops it; a subgraph's lies beneath its node's. */
  readonly scope: CancelScope;
  /** Names this execution among all takers of leases. */
  readonly holder: string;
  /** Concurrency keys that are held around it. */
  readonly heldKeys: ReadonlySet<string>;
}

/** One run being advanced here. */
export class Execution {
  /** What it is made of. */
  readonly parts: ExecutionParts;
  /** Writes its journal; set once, before anything runs. */
  writer!: JournalWriter;
  /** Whether it advances no further: whatever a handler still says comes too late. */
  over = false;
  /** The run's lease, once it is held here. */
  lease: KeptLease | undefined;
  /** The lease of the key that the run takes exclusively, where it has one. */
  within: KeptLease | undefined;
  #sealed = false;

  /** Begins nothing yet. */
  constructor(parts: ExecutionParts) {
    this.parts = parts;
  }

  /** The handler of a name. */
  handler(name: string): NodeHandler | undefined {
    const { handlers } = this.parts;
    if (handlers instanceof Map) return handlers.get(name);
    return Object.hasOwn(handlers, name)
      ? (handlers as Readonly<Record<string, NodeHandler>>)[name]
      : undefined;
  }

  /** Ends it as cancelled, unless it is past that. */
  cancel(reason: string): void {
    if (!this.#sealed) this.parts.scope.stop({ kind: "cancelled", reason });
  }

  /** Whether a lease that it runs under may be somebody else's by now. */
  mayHaveLost(): boolean {
    return this.lease?.isStale() === true || this.within?.isStale() === true;
  }

  /** From here on it isn't cancelled any more. */
  seal(): void {
    this.#sealed = true;
  }

  /** Keeps how tokens were resolved. */
  tokensResolved(outcomes: readonly TokenOutcome[]): void {
    for (const outcome of outcomes) this.parts.progress.resolve(outcome);
  }

  /** A wait of this run. */
  wait(tokenId: string): PendingWait {
    return { runId: this.parts.identity.runId, tokenId };
  }
}
