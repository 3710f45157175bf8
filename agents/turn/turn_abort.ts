/**
 * What ends a turn from outside: its caller's signal, its wall clock, its run being cancelled (`spec/agents_turn.md` 9).
 *
 * @module
 */

import type { AgentTurnAbortedError } from "./errors.ts";
import { TurnFailure } from "./failure.ts";
import { Patience } from "./patience.ts";

/** How long a turn may take where its agent doesn't say. */
const DEFAULT_MAX_WALL_MS = 120_000;

/** The longest delay that timers take. */
const MAX_DELAY_MS = 2_147_483_647;

/**
 * Until when something is waited for: until the turn is to end, whyever, until its time is up, or, for its last event, a little
 * longer than until it is to end.
 */
export type WaitUntil = "abort" | "wall" | "last-event";

/** Milliseconds that a step has left once the turn is to end, to tell and to account for what it was doing. */
const LAST_STEP_MS = 200;

/** Milliseconds that a listener has left for a turn's last event: nothing tells it how the turn ended but that. */
const LAST_EVENT_MS = 1_000;

/** Ends a turn. The first reason counts. */
export class TurnAbort {
  /** When the turn's time is up, in milliseconds since 1970. */
  readonly deadlineAt: number;
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #external: AbortSignal | undefined;
  readonly #patience: Record<WaitUntil, Patience> = {
    "abort": new Patience(LAST_STEP_MS),
    "wall": new Patience(LAST_STEP_MS),
    "last-event": new Patience(LAST_EVENT_MS),
  };
  #followed: AbortSignal | undefined;
  #reason: AgentTurnAbortedError["reason"] | undefined;

  /** Starts the wall clock and listens to the caller's signal. */
  constructor(
    maxWallMs: number | undefined,
    external: AbortSignal | undefined,
  ) {
    const wall = Math.min(maxWallMs ?? DEFAULT_MAX_WALL_MS, MAX_DELAY_MS);
    this.deadlineAt = Date.now() + wall;
    this.#timer = setTimeout(() => {
      this.#abort("timeout");
      this.#patience.wall.end();
    }, wall);
    this.#external = external;
    if (external?.aborted) this.#abort("external");
    else external?.addEventListener("abort", this.#onExternal);
  }

  /** Aborts when the turn is to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the turn is to end; `undefined` while it isn't. */
  get reason(): AgentTurnAbortedError["reason"] | undefined {
    return this.#reason;
  }

  /** Aborts with another signal, that of the run's step, instead of the one before: steps come one after the other. */
  follow(signal: AbortSignal): void {
    if (signal === this.#followed) return;
    this.#followed?.removeEventListener("abort", this.#onExternal);
    this.#followed = signal;
    if (signal.aborted) this.#onExternal();
    else signal.addEventListener("abort", this.#onExternal);
  }

  /** Ends the step if the turn is to end. */
  throwIfAborted(): void {
    if (this.#reason !== undefined) throw new TurnFailure(this.error());
  }

  /**
   * Waits for work of the turn, but hardly longer than the turn: code of the host that never answers doesn't hold it.
   *
   * @param onGiveUp Called when it has been given up; the promise rejects with the turn's error then.
   */
  within<Value>(
    work: Promise<Value>,
    until: WaitUntil,
    onGiveUp?: () => void,
  ): Promise<Value> {
    return this.#patience[until].within(work, () => {
      onGiveUp?.();
      return new TurnFailure(this.error());
    });
  }

  /** The error of an aborted turn. */
  error(detail = ""): AgentTurnAbortedError {
    const reason = this.#reason ?? "external";
    return {
      code: "agent-turn-aborted",
      message:
        (reason === "timeout"
          ? "The turn was ended: its time (budget.maxWallMs) was up"
          : "The turn was ended from outside") + detail,
      reason,
    };
  }

  /** Lets go of timer and signal. */
  close(): void {
    clearTimeout(this.#timer);
    this.#external?.removeEventListener("abort", this.#onExternal);
    this.#followed?.removeEventListener("abort", this.#onExternal);
    for (const patience of Object.values(this.#patience)) patience.close();
  }

  readonly #onExternal = (): void => this.#abort("external");

  #abort(reason: AgentTurnAbortedError["reason"]): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller.abort();
    this.#patience.abort.end();
    this.#patience["last-event"].end();
  }
}
