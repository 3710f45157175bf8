/**
 * Telling patterns that can't backtrack much, whatever the text, from those that might.
 *
 * @module
 */
import type { PatternNode } from "./pattern_syntax.ts";

/** Ways to match that may be tried in all, for a pattern tried at one place of the text only. */
const WAYS_LIMIT = 100_000;

/** Ways that may be tried for each character of the text. */
const WAYS_PER_CHARACTER_LIMIT = 100;

/** How many ways to match a part a backtracking engine may have to try. */
interface Ways {
  /** Not counting the unbounded repeats. */
  readonly bounded: number;
  /** How many unbounded repeats can multiply them, each by the length of the text. */
  readonly unbounded: number;
}

const ONE_WAY: Ways = { bounded: 1, unbounded: 0 };

/**
 * Whether matching takes time at most linear in the length of the text, with a small factor, in a backtracking engine.
 * Errs on the side of no.
 */
export function backtracksLittle(node: PatternNode): boolean {
  const ways = waysOf(node);
  if (ways === undefined) return false;
  const factors = ways.unbounded + (startsAtBeginning(node) ? 0 : 1);
  if (factors === 0) return ways.bounded <= WAYS_LIMIT;
  return factors === 1 && ways.bounded <= WAYS_PER_CHARACTER_LIMIT;
}

/** `undefined` when they can't be told: a part that is itself made of parts, repeated a number of times that varies. */
function waysOf(node: PatternNode): Ways | undefined {
  switch (node.kind) {
    case "character":
    case "assertion":
      return ONE_WAY;
    case "group": {
      let bounded = 0;
      let unbounded = 0;
      for (const sequence of node.alternatives) {
        const ways = product(sequence.map(waysOf));
        if (ways === undefined) return undefined;
        bounded += ways.bounded;
        unbounded = Math.max(unbounded, ways.unbounded);
      }
      return { bounded, unbounded };
    }
    case "repeat": {
      const { min, max } = node;
      if (node.node.kind === "character") {
        return max === Infinity
          ? { bounded: 1, unbounded: 1 }
          : { bounded: max - min + 1, unbounded: 0 };
      }
      const ways = waysOf(node.node);
      if (ways === undefined || ways.unbounded > 0 || max > 16) {
        return undefined;
      }
      let bounded = 0;
      for (let count = min; count <= max; count++) {
        bounded += ways.bounded ** count;
      }
      return { bounded, unbounded: 0 };
    }
  }
}

function product(all: readonly (Ways | undefined)[]): Ways | undefined {
  let bounded = 1;
  let unbounded = 0;
  for (const ways of all) {
    if (ways === undefined) return undefined;
    bounded *= ways.bounded;
    unbounded += ways.unbounded;
  }
  return { bounded, unbounded };
}

/** Whether the pattern can only match at the beginning of the text. */
function startsAtBeginning(node: PatternNode | undefined): boolean {
  if (node === undefined) return false;
  if (node.kind === "assertion") return node.source === "^";
  return node.kind === "group" &&
    node.alternatives.every(([first]) => startsAtBeginning(first));
}
