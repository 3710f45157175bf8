/**
 * How the loader's messages begin and name things.
 *
 * @module
 */

import type { Level } from "./shape.ts";

/** The longest name that a message repeats whole, in characters. */
const LONGEST_NAME = 120;

/** A name in quotation marks, cut short if it is very long. */
export function quoted(name: string): string {
  return JSON.stringify(
    name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name,
  );
}

/** A message about a flow: which flow, then what is wrong and what to do. */
export function cannotLoad(
  flow: { readonly id: string; readonly version: string },
  problem: string,
): string {
  return `Cannot load flow ${quoted(flow.id)} ${flow.version}: ${problem}`;
}

/** Which graph something is in, to be put after its name; empty in the flow's own. */
export function inGraph(level: Level): string {
  return level.loop === undefined
    ? ""
    : ` in the body of loop ${quoted(level.loop.id)}`;
}
