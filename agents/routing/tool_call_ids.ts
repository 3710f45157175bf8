/**
 * Ids of tool calls that pair a call with its result, its approval and its idempotency key (`spec/decisions.md` 27).
 *
 * @module
 */

/** Where ids have to be unique. */
export interface ToolCallIdScope {
  /** Which model call of the turn the answer is of, from 1. */
  readonly step: number;
  /** The ids of the run's earlier steps. */
  readonly taken: ReadonlySet<string>;
}

/**
 * The ids of an answer's calls, in order, each unique in the run.
 *
 * An id that is empty, no text, taken by an earlier step, or repeated (from its second place on) becomes `call-<step>-<n>`,
 * `n` being the call's place from 1, or the next number that is free. Other ids stay.
 */
export function uniqueToolCallIds(
  ids: readonly unknown[],
  { step, taken }: ToolCallIdScope,
): string[] {
  const given = new Set(ids);
  const used = new Set(taken);
  return ids.map((id, index) => {
    if (typeof id === "string" && id !== "" && !used.has(id)) {
      used.add(id);
      return id;
    }
    let place = index + 1;
    // An id that the model gave to another of its calls stays that call's.
    while (used.has(callId(step, place)) || given.has(callId(step, place))) {
      place++;
    }
    used.add(callId(step, place));
    return callId(step, place);
  });
}

function callId(step: number, place: number): string {
  return `call-${step}-${place}`;
}
