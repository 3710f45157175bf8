/**
 * Writing a pattern without the `u` flag and with the same meaning, so that V8's linear engine takes over when
 * backtracking gets out of hand. That engine takes no `u` flag, look-around or back-references, and no part that may
 * stand more than 16 times once its counted repeats are written out.
 *
 * The rewritten expression is for well-formed text: there a surrogate is always half of a pair, and a class that should
 * take a pair is written as one.
 *
 * @module
 */
import {
  type CodePointRange,
  type CodePointSet,
  LAST_CODE_POINT,
  sizeOf,
  within,
} from "./code_point_set.ts";
import type { PatternNode } from "./pattern_syntax.ts";

/** How often V8's linear engine lets one part of a pattern stand. */
const REPLICATION_LIMIT = 16;

/** A longer expression is not worth its memory; the pattern then stays as it is. */
const SOURCE_LIMIT = 20_000;

/** How many optional parts may be written inside each other: V8 reads them on its call stack. */
const OPTIONAL_LIMIT = 256;

const SURROGATE_FIRST = 0xd800;
const SURROGATE_LAST = 0xdfff;
const SURROGATE_COUNT = 0x800;
const ASTRAL_FIRST = 0x10000;
const LOW_FIRST = 0xdc00;
const LOW_LAST = 0xdfff;

/** Stands in for a lone surrogate when text is made well formed. */
const REPLACEMENT = 0xfffd;

/** Says the pattern without the `u` flag; `undefined` where that can't be done. */
export function withoutUnicodeFlag(node: PatternNode): string | undefined {
  return write(node, 1);
}

/** @param replication How often this part stands by the repeats around it. */
function write(node: PatternNode, replication: number): string | undefined {
  switch (node.kind) {
    case "assertion":
      // Between the halves of a pair `\B` would hold, a place that doesn't exist under the `u` flag.
      return node.source === "\\B" ? undefined : node.source;
    case "character":
      return node.set && writeSet(node.set);
    case "group": {
      const alternatives: string[] = [];
      for (const sequence of node.alternatives) {
        const parts = sequence.map((part) => write(part, replication));
        if (parts.includes(undefined)) return undefined;
        alternatives.push(parts.join(""));
      }
      return bounded(`(?:${alternatives.join("|")})`);
    }
    case "repeat":
      return writeRepeat(node, replication);
  }
}

function writeRepeat(
  { node, min, max }: PatternNode & { kind: "repeat" },
  replication: number,
): string | undefined {
  const copies = replication * (max === Infinity ? Math.max(min, 1) : max);
  if (copies <= REPLICATION_LIMIT) {
    const part = write(node, Math.max(copies, 1));
    return part === undefined ? undefined : part + quantifier(min, max);
  }
  // Written out: the required ones in a row, then the optional ones each inside the one before, so that there is still
  // only one way to match.
  const part = write(node, replication);
  if (part === undefined) return undefined;
  const optional = max === Infinity ? 0 : max - min;
  const length = part.length * min + (part.length + 5) * optional;
  if (optional > OPTIONAL_LIMIT || length > SOURCE_LIMIT) return undefined;
  const tail = max === Infinity
    ? `${part}*`
    : `(?:${part}`.repeat(optional) + ")?".repeat(optional);
  return `(?:${part.repeat(min)}${tail})`;
}

function quantifier(min: number, max: number): string {
  if (max === Infinity) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  return min === 0 && max === 1 ? "?" : `{${min},${max}}`;
}

function bounded(source: string): string | undefined {
  return source.length > SOURCE_LIMIT ? undefined : source;
}

function writeSet(set: CodePointSet): string | undefined {
  const surrogates = sizeOf(within(set, SURROGATE_FIRST, SURROGATE_LAST));
  const replacement = sizeOf(within(set, REPLACEMENT, REPLACEMENT)) === 1;
  if (surrogates !== (replacement ? SURROGATE_COUNT : 0)) return undefined;

  const basic = [
    ...within(set, 0, SURROGATE_FIRST - 1),
    ...within(set, SURROGATE_LAST + 1, ASTRAL_FIRST - 1),
  ];
  const pairs = within(set, ASTRAL_FIRST, LAST_CODE_POINT).flatMap(writePairs);
  if (pairs.length === 0) return unitClass(basic);
  const choices = basic.length === 0 ? pairs : [...pairs, unitClass(basic)];
  return bounded(`(?:${choices.join("|")})`);
}

/** A range of astral code points as surrogate pairs. */
function writePairs([first, last]: CodePointRange): string[] {
  const [high, low] = surrogatePair(first);
  const [lastHigh, lastLow] = surrogatePair(last);
  if (high === lastHigh) return [pair(high, high, low, lastLow)];
  const pairs: string[] = [];
  const fullFrom = low === LOW_FIRST ? high : high + 1;
  const fullTo = lastLow === LOW_LAST ? lastHigh : lastHigh - 1;
  if (fullFrom > high) pairs.push(pair(high, high, low, LOW_LAST));
  if (fullFrom <= fullTo) {
    pairs.push(pair(fullFrom, fullTo, LOW_FIRST, LOW_LAST));
  }
  if (fullTo < lastHigh) {
    pairs.push(pair(lastHigh, lastHigh, LOW_FIRST, lastLow));
  }
  return pairs;
}

function surrogatePair(code: number): [high: number, low: number] {
  const offset = code - ASTRAL_FIRST;
  return [SURROGATE_FIRST + (offset >> 10), LOW_FIRST + (offset & 0x3ff)];
}

function pair(high: number, toHigh: number, low: number, toLow: number) {
  return unitClass([[high, toHigh]]) + unitClass([[low, toLow]]);
}

function unitClass(ranges: readonly CodePointRange[]): string {
  const [only] = ranges;
  if (ranges.length === 1 && only !== undefined && only[0] === only[1]) {
    return unit(only[0]);
  }
  const members = ranges.map(([first, last]) =>
    first === last ? unit(first) : `${unit(first)}-${unit(last)}`
  );
  return `[${members.join("")}]`;
}

function unit(code: number): string {
  const character = String.fromCharCode(code);
  if (/[0-9A-Za-z]/.test(character)) return character;
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
