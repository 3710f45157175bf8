/**
 * Telling a turn's events: one at a time, numbered, whatever the listener does.
 *
 * @module
 */

import type { OnTurnEvent, TurnEvent } from "./events.ts";

/** An event without what every event carries. */
export type NewTurnEvent = TurnEvent extends infer Event
  ? Event extends TurnEvent ? Omit<Event, "runId" | "sequence"> : never
  : never;

const TOLD: Promise<void> = Promise.resolve();

/** Tells one process's part of a turn. */
export class TurnEvents {
  readonly #listener: OnTurnEvent | undefined;
  #sequence = 0;
  #telling: Promise<void> = Promise.resolve();
  #closed = false;

  /** Without a listener nothing is told. */
  constructor(listener: OnTurnEvent | undefined) {
    this.#listener = listener;
  }

  /** Whether anybody hears. */
  get isHeard(): boolean {
    return this.#listener !== undefined && !this.#closed;
  }

  /** Tells an event once those before it were heard; resolves when it was heard too. Never rejects. */
  emit(runId: string, event: NewTurnEvent): Promise<void> {
    return this.isHeard ? this.#tell(runId, event) : TOLD;
  }

  /** Tells the last event: what a node that was given up still says afterwards is not told. */
  close(runId: string, event: NewTurnEvent): Promise<void> {
    const told = this.emit(runId, event);
    this.#closed = true;
    return told;
  }

  /** Tells nothing more: the turn goes on elsewhere, or later. */
  stop(): void {
    this.#closed = true;
  }

  #tell(runId: string, event: NewTurnEvent): Promise<void> {
    const listener = this.#listener!;
    const numbered = {
      ...event,
      runId,
      sequence: ++this.#sequence,
    } as TurnEvent;
    this.#telling = this.#telling.then(async () => {
      try {
        await listener(numbered);
      } catch {
        // A listener's fault is none of the turn's.
      }
    });
    return this.#telling;
  }
}
