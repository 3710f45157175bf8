/**
 * The numbers and names that a flow is held to (`spec/flow.md`).
 *
 * @module
 */

/** Where a flow begins: the source of its first edges. */
export const START = "$start";
/** Where a flow ends: the destination of its last edges. */
export const END = "$end";
/** Where each iteration of a loop's body begins. */
export const LOOP_START = "$loop-start";
/** Where each iteration of a loop's body ends. */
export const LOOP_END = "$loop-end";

/** The names that no node may have. */
export const RESERVED_NODE_IDS: readonly string[] = [
  START,
  END,
  LOOP_START,
  LOOP_END,
];

/** Nodes of a run that may be running at once when the flow doesn't say. */
export const DEFAULT_MAX_PARALLELISM = 8;
/** The most iterations that a loop may ask for. */
export const MAX_LOOP_ITERATIONS = 10_000;
/** The most iterations of a `foreach` loop that may run at once. */
export const MAX_LOOP_CONCURRENCY = 32;
/** The most attempts that a retry policy may ask for. */
export const MAX_RETRY_ATTEMPTS = 10;
/** The longest delay of a linear backoff that names none, in milliseconds. */
export const DEFAULT_LINEAR_MAX_DELAY_MS = 60_000;
/** The longest time that one attempt may take, in milliseconds: an hour. */
export const MAX_TIMEOUT_MS = 3_600_000;
/** How far a priority may be from 0, either way. */
export const MAX_PRIORITY = 100;
/** The most levels of nesting in a flow: at this depth nothing that walks it can exhaust the stack. */
export const MAX_FLOW_DEPTH = 256;
/** The most values in a flow, counting every one inside another: what shares one object many times over stops here. */
export const MAX_FLOW_VALUES = 1_000_000;

/** An exact semantic version: no range, no leading `v` (semver.org's own expression). */
export const EXACT_VERSION =
  "^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)(-(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)(\\.(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\\+[0-9a-zA-Z-]+(\\.[0-9a-zA-Z-]+)*)?$";
/** The longest version, in characters: what the `semver` package reads. */
export const MAX_VERSION_LENGTH = 256;

const exactVersion = new RegExp(EXACT_VERSION);

/** Whether a text is an exact semantic version. */
export function isExactVersion(text: string): boolean {
  return text.length <= MAX_VERSION_LENGTH && exactVersion.test(text);
}

/** Whether a number is whole and within bounds, both included. */
export function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
