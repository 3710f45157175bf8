/**
 * What a handler gets: the step's place in its run, decisions that are made once, and waits.
 *
 * @module
 */

import type {
  AuthorizeAnswer,
  AuthorizeRequest,
  NodeContext,
  UsageSink,
  WaitOptions,
} from "../node_context.ts";
import { WaitpointCancelledError } from "../node_context.ts";
import type { PendingWait } from "../run_record.ts";
import type { Execution, StepPosition } from "./execution.ts";
import { thrownText } from "./outcome.ts";
import { ownValue } from "./own_values.ts";

/** Thrown into a handler that waits for what hasn't come: its node is parked. */
export class ParkSignal extends Error {
  /** What it waits for. */
  readonly wait: PendingWait;

  /** Says what to do with it, for whoever catches it by mistake. */
  constructor(wait: PendingWait) {
    super(
      `The run waits for token ${wait.tokenId}; a handler lets this signal through`,
    );
    this.name = "ParkSignal";
    this.wait = wait;
  }
}

/** The wait behind what a handler threw: a park signal, as it is or as a cause. */
export function parkedOn(thrown: unknown): PendingWait | undefined {
  for (let depth = 0; depth < 8 && thrown instanceof Error; depth++) {
    if (thrown instanceof ParkSignal) return thrown.wait;
    thrown = thrown.cause;
  }
  return undefined;
}

/** What the context of a step is made of. */
export interface StepContextParts {
  /** The node. */
  readonly nodeId: string;
  /** Where the step stands; for a fanout's branch the scope is the branch's. */
  readonly position: StepPosition;
  /** The node's settings. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** Makes what a handler gets beside its input. Absent optionals are absent keys. */
export function stepContext(
  execution: Execution,
  { nodeId, position, config }: StepContextParts,
): NodeContext {
  return new StepContext(execution, nodeId, position, config);
}

class StepContext implements NodeContext {
  declare readonly projectId?: string;
  declare readonly orgId?: string;
  declare readonly agent?: NonNullable<NodeContext["agent"]>;
  declare readonly principal?: unknown;
  declare readonly authz?: unknown;
  declare readonly config?: Readonly<Record<string, unknown>>;
  declare readonly loopContext?: NonNullable<NodeContext["loopContext"]>;
  declare readonly authorize?: (
    request: AuthorizeRequest,
  ) => Promise<AuthorizeAnswer>;
  readonly runId: NodeContext["runId"];
  readonly tenantId: NodeContext["tenantId"];
  readonly dryRun: boolean;
  readonly stepScope: string;
  readonly attempt: number;
  readonly nodeId: string;
  readonly #execution: Execution;
  readonly #position: StepPosition;
  #deciding: Map<string, Promise<unknown>> | undefined;

  constructor(
    execution: Execution,
    nodeId: string,
    position: StepPosition,
    config: Readonly<Record<string, unknown>> | undefined,
  ) {
    const { identity, authorize } = execution.parts;
    this.#execution = execution;
    this.#position = position;
    this.nodeId = nodeId;
    this.runId = identity.runId;
    this.tenantId = identity.tenantId;
    this.dryRun = identity.dryRun;
    this.stepScope = position.stepScope;
    this.attempt = position.attempt;
    const { projectId, orgId, agent, principal, authz } = identity;
    if (projectId !== undefined) this.projectId = projectId;
    if (orgId !== undefined) this.orgId = orgId;
    if (agent !== undefined) this.agent = agent;
    if (principal !== undefined) this.principal = principal;
    if (authz !== undefined) this.authz = authz;
    if (config !== undefined) this.config = config;
    const { loop } = position.frame;
    if (loop !== undefined) this.loopContext = loop;
    if (authorize !== undefined) {
      this.authorize = async (request) => {
        try {
          return await authorize(request);
        } catch (thrown) {
          return {
            allowed: false,
            reason: `the authoriser failed: ${thrownText(thrown)}`,
          };
        }
      };
    }
  }

  get runInput(): unknown {
    return this.#execution.parts.input;
  }

  get state(): Readonly<Record<string, unknown>> {
    return this.#position.frame.state;
  }

  get nodeOutputs(): Readonly<Record<string, unknown>> {
    return this.#position.frame.outputs;
  }

  get abortSignal(): AbortSignal {
    return this.#position.scope.signal;
  }

  clockNow(): number {
    return this.#execution.parts.clock();
  }

  record<Value>(
    key: string,
    decide: () => Value | Promise<Value>,
  ): Promise<Value> {
    const { progress } = this.#execution.parts;
    const known = progress.recorded(this.stepScope);
    if (known?.has(key)) return Promise.resolve(known.get(key) as Value);
    const deciding = this.#deciding ??= new Map();
    const underWay = deciding.get(key);
    if (underWay !== undefined) return underWay as Promise<Value>;
    const decision = this.#decide(key, decide).finally(() =>
      deciding.delete(key)
    );
    deciding.set(key, decision);
    return decision;
  }

  async commit(): Promise<void> {
    this.#assertRunning();
    const execution = this.#execution;
    const { writer } = execution;
    await (execution.mayHaveLost() ? writer.confirm() : writer.flush());
    this.#assertRunning();
  }

  seal(): void {
    this.#assertRunning();
    this.#execution.seal();
  }

  keepUsage(sink: UsageSink, record: unknown): boolean {
    return this.#execution.writer.keepUsage(sink, record);
  }

  async openWait(tokenId: string, options: WaitOptions = {}): Promise<void> {
    this.#assertRunning();
    const { writer, parts } = this.#execution;
    if (!parts.progress.open(tokenId)) return;
    writer.stage(
      "wait.suspended",
      this.nodeId,
      JSON.stringify({
        tokenId,
        timeoutMs: options.timeoutMs,
        scope: this.stepScope,
      }),
    );
    await writer.flush();
  }

  async waitForToken(
    tokenId: string,
    options: WaitOptions = {},
  ): Promise<unknown> {
    await this.openWait(tokenId, options);
    const outcome = this.#execution.parts.progress.outcome(tokenId);
    if (outcome === undefined) {
      throw new ParkSignal(this.#execution.wait(tokenId));
    }
    if (outcome.kind === "completed") return outcome.value;
    throw new WaitpointCancelledError(tokenId, this.nodeId, outcome.reason);
  }

  async #decide<Value>(
    key: string,
    decide: () => Value | Promise<Value>,
  ): Promise<Value> {
    const decided = await decide();
    const { text, value } = ownValue(decided);
    if (text === undefined) return decided;
    this.#assertRunning();
    const { writer, parts } = this.#execution;
    writer.stage(
      "value.recorded",
      this.nodeId,
      `{"scope":${JSON.stringify(this.stepScope)},"key":${
        JSON.stringify(key)
      },"value":${text}}`,
    );
    await writer.flush();
    parts.progress.record(this.stepScope, key, value);
    return value as Value;
  }

  /** What comes after a step was stopped is dropped, and never journaled. */
  #assertRunning(): void {
    const { reason } = this.#position.scope;
    if (reason === undefined && !this.#execution.over) return;
    throw new Error(
      `Step ${this.stepScope} of run ${this.runId} is over: ${
        reason === undefined
          ? "the run advances no further here"
          : reason.kind === "cancelled"
          ? reason.reason
          : reason.error.message
      }`,
    );
  }
}
