/**
 * What comes of running a node, a loop's body or a whole graph.
 *
 * @module
 */

import type { PendingWait } from "../run_record.ts";

/** It is done. */
export interface Done {
  /** The mark of what is done. */
  readonly kind: "done";
  /** Its output: the run's own value. */
  readonly output: unknown;
  /** The output as JSON text, where it was written already. */
  readonly text?: string | undefined;
  /** What it merges into the state. */
  readonly stateDelta?: Readonly<Record<string, unknown>>;
  /** That as JSON text. */
  readonly stateDeltaText?: string;
}

/** It failed for good. */
export interface Failed {
  /** The mark of a failure. */
  readonly kind: "failed";
  /** Why: what the handler threw, word for word. */
  readonly message: string;
}

/** It waits. */
export interface Waiting {
  /** The mark of what waits. */
  readonly kind: "waiting";
  /** What for; one of them is enough to go on. */
  readonly waits: readonly PendingWait[];
}

/** It was stopped from outside: what stopped it knows why. */
export interface Stopped {
  /** The mark of what was stopped. */
  readonly kind: "stopped";
}

/** What comes of running something. */
export type Outcome = Done | Failed | Waiting | Stopped;

/** The same, at once where nothing has to be waited for: most of a flow's steps go without a promise. */
export type OutcomeSoon = Outcome | Promise<Outcome>;

/** The only value of {@link Stopped}. */
export const STOPPED_OUTCOME: Stopped = Object.freeze({ kind: "stopped" });

/** A failure with its text. */
export function failed(message: string): Failed {
  return { kind: "failed", message };
}

/** What was thrown, as a failure's text: an error's message word for word. */
export function thrownText(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message || thrown.name;
    return typeof thrown === "string" ? thrown : String(thrown);
  } catch {
    return "something was thrown that can't be put into words";
  }
}
