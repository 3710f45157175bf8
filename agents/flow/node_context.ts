/**
 * What a handler of a flow's node gets, and what it answers.
 *
 * @module
 */

import type { RunId, TenantId } from "../agent/mod.ts";
import type { LoopContext, RunAgent } from "./journal_entry.ts";

/** What is to be authorised: one tool call on somebody's behalf (`spec/decisions.md` 28). */
export interface AuthorizeRequest {
  /** Whose run. */
  readonly tenantId: string;
  /** Whom the run acts for. */
  readonly principal: unknown;
  /** How that principal is authorised. */
  readonly authz?: unknown;
  /** The tool. */
  readonly toolId: string;
  /** Its exact version. */
  readonly toolVersion: string;
  /** The conversation. */
  readonly conversationId: string;
  /** The run. */
  readonly runId: string;
}

/** Whether something is allowed. */
export interface AuthorizeAnswer {
  /** Whether it is. */
  readonly allowed: boolean;
  /** Why it isn't. */
  readonly reason?: string;
}

/** Decides whether a call is allowed; a throw or rejection is a refusal. */
export type Authorize = (
  request: AuthorizeRequest,
) => AuthorizeAnswer | Promise<AuthorizeAnswer>;

/** The settings of a wait. */
export interface WaitOptions {
  /** How long it is meant to last, in milliseconds: journaled as a record; no clock of the run ends a wait. */
  readonly timeoutMs?: number;
}

/** Where records of the account go. */
export interface UsageSink {
  /** Keeps a record. */
  record(record: unknown): unknown;
}

/** What a handler gets beside its input. Absent optionals are absent keys. */
export interface NodeContext {
  /** The run. */
  readonly runId: RunId;
  /** The node. */
  readonly nodeId: string;
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
  /** What the run was started with. */
  readonly runInput: unknown;
  /** The run's state as it is now; in a loop's body the iteration's own. Not to be changed. */
  readonly state: Readonly<Record<string, unknown>>;
  /** Outputs so far, by node id; in a loop's body the iteration's over those outside. Not to be changed. */
  readonly nodeOutputs: Readonly<Record<string, unknown>>;
  /** The node's `config`. */
  readonly config?: Readonly<Record<string, unknown>>;
  /**
   * Names this step within the run: the node's id, and in loops `<node>@<loop>#<iteration>`, the innermost loop first
   * with `/` between loops. A fanout's branch is `<branch>@<node>`.
   */
  readonly stepScope: string;
  /** The loops around the step; absent outside of loops. */
  readonly loopContext?: LoopContext;
  /** Which attempt it is, from 1; only failures that a retry policy covers count. */
  readonly attempt: number;
  /** Aborted when the run is cancelled, a sibling failed, the attempt's time is up, or the lease was lost. */
  readonly abortSignal: AbortSignal;
  /** Milliseconds since 1970, by the binding's clock. */
  clockNow(): number;
  /** Asks the binding's authoriser; absent when none is bound. A throw there is a refusal here. */
  readonly authorize?: (request: AuthorizeRequest) => Promise<AuthorizeAnswer>;
  /**
   * Decides once: the value is journaled under the step and the key before it is answered, and a step that runs again
   * gets the same. It goes through JSON even the first time; concurrent calls share one decision; a throw, and a
   * decision of `undefined`, is not recorded.
   */
  record<Value>(
    key: string,
    decide: () => Value | Promise<Value>,
  ): Promise<Value>;
  /**
   * Stores everything that was journaled so far: what a handler with {@link NodeHandler.commits} calls before an effect
   * that must not happen without it, such as running a tool that a model asked for. It asks the store whether the run is
   * still this process's where its lease wasn't renewed in time. Absent where every step is stored before the next one
   * anyway.
   *
   * @throws {Error} If the step is over meanwhile, or it can't be stored: the effect is to be left out.
   */
  commit?(): Promise<void>;
  /**
   * Ends the time in which this process cancels the run: called right before an effect that says how the run comes out, such
   * as storing a turn's answer. A cancel that comes later is too late. Absent where runs aren't cancelled so.
   *
   * @throws {Error} If the step is over.
   */
  seal?(): void;
  /**
   * Keeps a record of the account together with what is journaled next, where the journal can do that for this sink.
   * `false`, and absence, mean that it can't: the record is to be given to the sink itself.
   */
  keepUsage?(sink: UsageSink, record: unknown): boolean;
  /** Journals a wait without waiting; opening it again changes nothing. */
  openWait(tokenId: string, options?: WaitOptions): Promise<void>;
  /**
   * The value that a token was completed with; opens the wait if need be.
   *
   * While it is unresolved this rejects with a signal that parks the node; a handler lets it through, and is run again
   * from its top when the run is resumed. Tokens are looked up by their id within the run.
   *
   * @throws {WaitpointCancelledError} If the token was cancelled.
   */
  waitForToken(tokenId: string, options?: WaitOptions): Promise<unknown>;
}

/**
 * Runs a node. An object with an own `output` key is `{ output, stateDelta?, plain? }`; anything else is the output. Both
 * go through JSON, unless `plain: true` says that the output is plain JSON data which nobody changes any more: it is then
 * taken as it is. A throw or rejection is a failed attempt; its message is the failure's text.
 */
export interface NodeHandler {
  /** Runs the node. */
  (input: unknown, context: NodeContext): unknown;
  /**
   * It may run again after a crash, and calls {@link NodeContext.commit} itself before any effect for which that isn't
   * so. What was journaled before it is then stored with what comes later rather than before it runs: a step that was
   * not stored as completed runs again. Absent means that everything is stored before it runs.
   */
  readonly commits?: true;
}

/** A run's handlers by the `ref` of its leaves and the `handler` of its branches. */
export type NodeHandlers =
  | Readonly<Record<string, NodeHandler>>
  | ReadonlyMap<string, NodeHandler>;

/** Thrown by `waitForToken` when the token was cancelled. */
export class WaitpointCancelledError extends Error {
  /** The token. */
  readonly tokenId: string;
  /** The node that waited. */
  readonly nodeId: string;
  /** Why it was cancelled, such as `timeout`. */
  readonly reason: string;

  /** Names the token, the node and the reason. */
  constructor(tokenId: string, nodeId: string, reason: string) {
    super(
      `The wait of node ${nodeId} for token ${tokenId} was cancelled: ${reason}`,
    );
    this.name = "WaitpointCancelledError";
    this.tokenId = tokenId;
    this.nodeId = nodeId;
    this.reason = reason;
  }
}
