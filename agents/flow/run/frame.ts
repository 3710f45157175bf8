/**
 * How far the running of a graph has come: the same whether it got there live or was rebuilt from a journal.
 *
 * @module
 */

import type { LoopContext } from "../journal_entry.ts";
import { mergeOwn } from "./own_values.ts";

/** One running of a graph: the flow's, or that of a loop's body in one iteration. */
export class Frame {
  /** What happened to each node that was started. */
  readonly steps: Map<string, StepProgress> = new Map();
  /** The edges with a `when` that were decided. */
  get decided(): Map<string, boolean> {
    return this.#decided ??= new Map();
  }
  /** The loops around; `undefined` for the flow's own graph. */
  readonly loop: LoopContext | undefined;
  /** {@link loop} as JSON text, written once. */
  readonly loopText: string | undefined;
  /** What an entry says of a step's first attempt. */
  readonly startedText: string | undefined;
  /** What follows a node's id in its step's scope. */
  readonly scopeSuffix: string;

  readonly #around: Frame | undefined;
  readonly #own = new Map<string, unknown>();
  /** Both made once they are asked for: most bodies never look further than at their input. */
  #outputs: Record<string, unknown> | undefined;
  #state: Record<string, unknown> | undefined;
  #decided: Map<string, boolean> | undefined;

  /** A fresh frame: that of the flow, or that of an iteration within the frame around its loop. */
  constructor(around?: Frame, loopNodeId?: string, iteration?: number) {
    this.#around = around;
    if (
      around === undefined || loopNodeId === undefined ||
      iteration === undefined
    ) {
      this.loop = undefined;
      this.loopText = undefined;
      this.startedText = undefined;
      this.scopeSuffix = "";
      return;
    }
    const position = { loopNodeId, iteration };
    this.loop = { ...position, path: [position, ...around.loop?.path ?? []] };
    this.loopText = JSON.stringify(this.loop);
    this.startedText = `{"loopContext":${this.loopText}}`;
    this.scopeSuffix = scopeSuffix(this.loop);
  }

  /** What is merged into the state so far; in a body over the state around, and the iteration's own. */
  get state(): Record<string, unknown> {
    return this.#state ??= Object.assign(
      Object.create(null),
      this.#around?.state,
    );
  }

  /** The outputs so far by node id; in a body over those of the graph around. */
  get outputs(): Record<string, unknown> {
    return this.#outputs ??= Object.assign(
      Object.create(null),
      this.#around?.outputs,
      Object.fromEntries(this.#own),
    );
  }

  /** The output of a node of this graph. */
  output(nodeId: string): unknown {
    return this.#own.get(nodeId);
  }

  /** What happened to a node, begun now if need be. */
  step(nodeId: string): StepProgress {
    let step = this.steps.get(nodeId);
    if (step === undefined) {
      step = new StepProgress();
      this.steps.set(nodeId, step);
    }
    return step;
  }

  /** Takes a node's output and what it merges into the state. */
  complete(
    nodeId: string,
    output: unknown,
    stateDelta: Readonly<Record<string, unknown>> | undefined,
  ): void {
    const step = this.step(nodeId);
    step.completed = true;
    // What happened inside is of no use any more.
    step.loop = undefined;
    if (output !== undefined) {
      this.#own.set(nodeId, output);
      if (this.#outputs !== undefined) this.#outputs[nodeId] = output;
    }
    if (stateDelta !== undefined) mergeOwn(this.state, stateDelta);
  }
}

/** What happened to one node in one frame. */
export class StepProgress {
  /** Whether it has completed. */
  completed = false;
  /** How many of its attempts failed and are tried again. */
  failures = 0;
  /** For a loop: its iterations. */
  loop: LoopProgress | undefined;

  /** An attempt failed and is tried again: a loop begins anew. */
  retry(): void {
    this.failures += 1;
    this.loop = undefined;
  }
}

/** How far a loop has come. */
export class LoopProgress {
  /** The outputs of completed iterations, by index; a `foreach` may leave gaps meanwhile. */
  readonly outputs: unknown[] = [];
  /** The same as JSON texts, as far as they were written here. */
  readonly texts: (string | undefined)[] = [];
  /** The iterations that have completed. */
  readonly completed: Set<number> = new Set();
  /** The iterations that have begun and haven't completed. */
  readonly frames: Map<number, Frame> = new Map();
  /** Why it stops, once an iteration has said so. */
  stopReason: string | undefined;

  /** An iteration completed: its frame is let go. */
  complete(
    iteration: number,
    output: unknown,
    text: string | undefined,
  ): void {
    this.outputs[iteration] = output;
    this.texts[iteration] = text;
    this.completed.add(iteration);
    this.frames.delete(iteration);
  }
}

/** The loops around a frame, for the end of a payload: `""` or `,"loopContext":…`. */
export function loopPart({ loopText }: Frame): string {
  return loopText === undefined ? "" : `,"loopContext":${loopText}`;
}

/** What follows a node's id in the scope of a step within loops: `@<loop>#<iteration>`, the innermost first. */
export function scopeSuffix(loop: LoopContext | undefined): string {
  if (loop === undefined) return "";
  return "@" +
    loop.path.map(({ loopNodeId, iteration }) => `${loopNodeId}#${iteration}`)
      .join("/");
}
