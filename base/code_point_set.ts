/**
 * Sets of Unicode code points, as the character classes of regular expressions stand for.
 *
 * @module
 */

/** A run of code points, both ends included. */
export type CodePointRange = readonly [first: number, last: number];

/** A set: ranges in order, neither overlapping nor touching. */
export type CodePointSet = readonly CodePointRange[];

/** The last code point. */
export const LAST_CODE_POINT = 0x10ffff;

/** The union of ranges in any order. */
export function codePoints(ranges: readonly CodePointRange[]): CodePointSet {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const set: [number, number][] = [];
  for (const [first, last] of sorted) {
    const previous = set.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) {
      previous[1] = Math.max(previous[1], last);
    } else {
      set.push([first, last]);
    }
  }
  return set;
}

/** Every code point that is not in the set. */
export function complement(set: CodePointSet): CodePointSet {
  const gaps: CodePointRange[] = [];
  let next = 0;
  for (const [first, last] of set) {
    if (first > next) gaps.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= LAST_CODE_POINT) gaps.push([next, LAST_CODE_POINT]);
  return gaps;
}

/** What the set has between two code points, both included. */
export function within(
  set: CodePointSet,
  first: number,
  last: number,
): CodePointSet {
  return set
    .map(([from, to]): CodePointRange => [
      Math.max(from, first),
      Math.min(to, last),
    ])
    .filter(([from, to]) => from <= to);
}

/** How many code points the set has. */
export function sizeOf(set: CodePointSet): number {
  return set.reduce((size, [first, last]) => size + last - first + 1, 0);
}
