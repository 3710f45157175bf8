/**
 * One process's part of a turn: what its nodes share.
 *
 * What has to survive a crash is in {@link TurnState}, which the journal rebuilds; everything else here is live.
 *
 * @module
 */

import type { Result } from "../../base/result.ts";
import type { Conversation, ConversationMessage } from "../conversation/mod.ts";
import type { NodeContext } from "../flow/mod.ts";
import type { ProvenanceRecord } from "../provenance/mod.ts";
import type { InvokeAgentBindings } from "./bindings.ts";
import type { TurnEnvironment } from "./environment.ts";
import type { InvokeAgentError } from "./errors.ts";
import { TurnFailure } from "./failure.ts";
import { TurnAbort, type WaitUntil } from "./turn_abort.ts";
import { type NewTurnEvent, TurnEvents } from "./turn_events.ts";
import type { TurnInput } from "./turn_input.ts";
import { TurnState } from "./turn_state.ts";
import type { AgentTurnUsage } from "./types.ts";

/** What a turn is made of. */
export interface TurnParts {
  /** The run, as far as it is known before a node runs. */
  readonly runId: string;
  /** The input. */
  readonly input: TurnInput;
  /** What the turn works with. */
  readonly bindings: InvokeAgentBindings;
  /** The caller's signal. */
  readonly abortSignal?: AbortSignal | undefined;
  /** The caller's trace. */
  readonly traceparent?: string | undefined;
  /** For a resumed turn: called once, under the run's lease, before the first node runs. */
  readonly enter?:
    | ((turn: Turn, context: NodeContext) => Promise<void>)
    | undefined;
}

/** One process's part of a turn. */
export class Turn {
  /** The run. */
  runId: string;
  /** The input. */
  readonly input: TurnInput;
  /** What the turn works with. */
  readonly bindings: InvokeAgentBindings;
  /** What ends it from outside. */
  readonly abort: TurnAbort;
  /** The caller's trace. */
  readonly traceparent: string | undefined;
  /** How far it has come. */
  state: TurnState = new TurnState();
  /** The conversation, as setup found it. */
  conversation: Conversation | undefined;
  /** The conversation's newest messages, as setup found them; absent in a turn that was taken up later. */
  history: readonly ConversationMessage[] | undefined;
  /** Everything that setup resolved. */
  environment: TurnEnvironment | undefined;
  /** How the answer came about, once that is known. */
  provenance: ProvenanceRecord | undefined;
  /** Whether people were asked, or may have been in an earlier part. */
  gated = false;
  /** Whether the snapshot is stored. */
  snapshotStored = false;
  /** For a resumed turn: what this run stored in steps that didn't complete. */
  storedEarlier: readonly ConversationMessage[] = [];
  /** For a resumed turn that was to be cancelled: whether that came too late, its answer being stored. */
  isAnswered = false;
  /** For a resumed turn: whether events of what is in {@link storedEarlier} were told before it parked. */
  toldEarlier = false;
  readonly #events: TurnEvents;
  readonly #startedAt = performance.now();
  #enter: TurnParts["enter"];
  #entered = false;
  #over = false;
  #isDeaf = false;

  /** Starts the wall clock. */
  constructor(parts: TurnParts) {
    const { input, bindings } = parts;
    this.runId = parts.runId;
    this.input = input;
    this.bindings = bindings;
    this.traceparent = parts.traceparent;
    this.abort = new TurnAbort(
      input.agent.budget?.maxWallMs,
      parts.abortSignal,
    );
    this.#events = new TurnEvents(bindings.onEvent);
    this.#enter = parts.enter;
  }

  /** Takes up the run that a node is called in; `undefined` when nothing has to be waited for. */
  enter(context: NodeContext): Promise<void> | undefined {
    this.runId = context.runId;
    this.#entered = true;
    return this.#enter?.(this, context).then(() => {
      this.#enter = undefined;
    });
  }

  /** Whether a node of it has run here. */
  get entered(): boolean {
    return this.#entered;
  }

  /** Whether anybody hears of events. */
  get isHeard(): boolean {
    return this.#events.isHeard;
  }

  /** Tells an event; resolves when it was heard, or the turn is to end and it still isn't. */
  emit(event: NewTurnEvent): Promise<void> {
    const isHeard = this.isHeard;
    const told = this.#events.emit(this.runId, event);
    return isHeard ? this.#heard(told) : told;
  }

  /** Tells the turn's last event. */
  emitLast(event: NewTurnEvent): Promise<void> {
    const told = this.#events.close(this.runId, event);
    return this.abort.within(told, "last-event").catch(() => {});
  }

  /**
   * Waits for a step's work; one that is given up says nothing more.
   *
   * @throws {TurnFailure} If it has been given up.
   */
  waitFor<Value>(work: Promise<Value>, until: WaitUntil): Promise<Value> {
    return this.abort.within(work, until, this.#giveUp);
  }

  /** Whether a step was given up: what its code still wants to store comes too late. */
  get isOver(): boolean {
    return this.#over;
  }

  readonly #giveUp = (): void => void (this.#over = true);

  /** Waits until a listener has heard; one that let the turn wait past its end is not waited for again. */
  #heard(told: Promise<void>): Promise<void> {
    return this.#isDeaf ? Promise.resolve() : this.abort.within(
      told,
      "abort",
      this.#deafen,
    ).catch(() => {});
  }

  readonly #deafen = (): void => void (this.#isDeaf = true);

  /** What the turn has used so far. */
  usage(): AgentTurnUsage {
    const { steps, promptTokens, completionTokens, costUsd } = this.state;
    return {
      steps,
      promptTokens,
      completionTokens,
      totalCostUsd: costUsd,
      durationMs: this.durationMs,
    };
  }

  /** Milliseconds of this process's part. */
  get durationMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  /** Lets go of timer and signals; tells nothing more. */
  close(): void {
    this.abort.close();
    this.#events.stop();
  }
}

/** The value of a result; its error ends the turn. */
export function valueOf<Value>(
  result: Result<Value, InvokeAgentError>,
): Value {
  if (result.kind === "ok") return result.value;
  throw new TurnFailure(result.error);
}

/** What an earlier node has to have settled; a run that lacks it was not begun by this flow. */
export function settled<Value>(value: Value | undefined, what: string): Value {
  if (value !== undefined) return value;
  throw new TurnFailure({
    code: "model-invocation-failed",
    message: `The turn can't go on: its ${what} isn't there`,
    cause: null,
  });
}
