/**
 * Reading a regular expression that is valid under the `u` flag into a tree. Of what a pattern can say, the tree keeps what
 * matters to whether it matches: groups are not told from captures, and whether a quantifier is lazy is forgotten.
 *
 * @module
 */
import {
  type CodePointRange,
  codePoints,
  type CodePointSet,
  complement,
} from "./code_point_set.ts";

/** A part of a pattern. */
export type PatternNode =
  /** One character out of a set; `undefined` for a set that is known to the engine only, as `\p{L}` is. */
  | { readonly kind: "character"; readonly set: CodePointSet | undefined }
  /** `^`, `$`, `\b` or `\B`. */
  | { readonly kind: "assertion"; readonly source: string }
  /** Alternatives, each a sequence. */
  | {
    readonly kind: "group";
    readonly alternatives: readonly (readonly PatternNode[])[];
  }
  /** A part so many times; `max` may be `Infinity`. */
  | {
    readonly kind: "repeat";
    readonly node: PatternNode;
    readonly min: number;
    readonly max: number;
  };

/** Look-around, back-references and flags inside the pattern: nothing that a tree of these nodes can say. */
export class UnreadablePattern extends Error {
  override readonly name = "UnreadablePattern";
}

/**
 * Reads a pattern.
 *
 * @throws {UnreadablePattern} If the pattern needs more than the tree can say.
 */
export function readPattern(pattern: string): PatternNode {
  const reader = new PatternReader(pattern);
  return reader.disjunction();
}

const DIGIT: CodePointSet = codePoints([[0x30, 0x39]]);
const WORD: CodePointSet = codePoints([
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]);
const LINE_END: CodePointSet = codePoints([
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]);
const SPACE: CodePointSet = codePoints([
  ...LINE_END,
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);
const CLASS_ESCAPES: Readonly<Record<string, CodePointSet>> = {
  d: DIGIT,
  D: complement(DIGIT),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
};
const CONTROL_ESCAPES: Readonly<Record<string, number>> = {
  t: 0x09,
  n: 0x0a,
  v: 0x0b,
  f: 0x0c,
  r: 0x0d,
  0: 0x00,
};

class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  disjunction(): PatternNode {
    const alternatives: PatternNode[][] = [[]];
    while (this.#at < this.#source.length && !this.#sees(")")) {
      if (this.#take("|")) alternatives.push([]);
      else alternatives.at(-1)!.push(this.#term());
    }
    return { kind: "group", alternatives };
  }

  #term(): PatternNode {
    const node = this.#atom();
    const bounds = this.#quantifier();
    return bounds === undefined ? node : { kind: "repeat", node, ...bounds };
  }

  #atom(): PatternNode {
    if (this.#take("^")) return { kind: "assertion", source: "^" };
    if (this.#take("$")) return { kind: "assertion", source: "$" };
    if (this.#take("(")) return this.#group();
    if (this.#take("[")) return this.#characterClass();
    if (this.#take(".")) {
      return { kind: "character", set: complement(LINE_END) };
    }
    if (!this.#take("\\")) return single(this.#codePoint());
    if (this.#take("b")) return { kind: "assertion", source: "\\b" };
    if (this.#take("B")) return { kind: "assertion", source: "\\B" };
    if (/[1-9k]/.test(this.#peek())) throw new UnreadablePattern();
    const escaped = this.#escape();
    return typeof escaped === "number"
      ? single(escaped)
      : { kind: "character", set: escaped };
  }

  #group(): PatternNode {
    if (this.#take("?")) {
      const named = this.#matches(/<[^=!>][^>]*>/y);
      if (named === undefined && !this.#take(":")) {
        throw new UnreadablePattern();
      }
    }
    const group = this.disjunction();
    this.#at += 1; // the closing parenthesis
    return group;
  }

  #quantifier(): { min: number; max: number } | undefined {
    const source = this.#matches(/[*+?]|\{\d+(?:,\d*)?\}/y);
    if (source === undefined) return undefined;
    this.#take("?");
    if (source === "*") return { min: 0, max: Infinity };
    if (source === "+") return { min: 1, max: Infinity };
    if (source === "?") return { min: 0, max: 1 };
    const [min = "0", max = min] = source.slice(1, -1).split(",");
    return { min: Number(min), max: max === "" ? Infinity : Number(max) };
  }

  #characterClass(): PatternNode {
    const negated = this.#take("^");
    const ranges: CodePointRange[] = [];
    let known = true;
    while (!this.#take("]")) {
      const first = this.#classMember();
      if (typeof first !== "number") {
        if (first === undefined) known = false;
        else ranges.push(...first);
        continue;
      }
      let last = first;
      if (this.#sees("-") && this.#source[this.#at + 1] !== "]") {
        this.#at += 1;
        // Under the `u` flag a range can only end in a single character.
        last = this.#classMember() as number;
      }
      ranges.push([first, last]);
    }
    const set = codePoints(ranges);
    return {
      kind: "character",
      set: !known ? undefined : negated ? complement(set) : set,
    };
  }

  #classMember(): number | CodePointSet | undefined {
    if (!this.#take("\\")) return this.#codePoint();
    if (this.#take("b")) return 0x08;
    return this.#escape();
  }

  /** What follows a backslash: a code point, a set, or `undefined` for a set that only the engine knows. */
  #escape(): number | CodePointSet | undefined {
    if (this.#matches(/[pP]\{[^}]*\}/y) !== undefined) return undefined;
    const hex = this.#matches(/x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}/y);
    if (hex !== undefined) return this.#joined(parseInt(hex.slice(1), 16));
    const braced = this.#matches(/u\{[0-9a-fA-F]+\}/y);
    if (braced !== undefined) return parseInt(braced.slice(2), 16);
    const control = this.#matches(/c[a-zA-Z]/y);
    if (control !== undefined) return control.charCodeAt(1) % 32;
    const letter = this.#peek();
    const set = CLASS_ESCAPES[letter];
    const code = CONTROL_ESCAPES[letter];
    if (set === undefined && code === undefined) return this.#codePoint();
    this.#at += 1;
    return set ?? code;
  }

  /** An escaped high surrogate and the escaped low one after it are one character under the `u` flag. */
  #joined(unit: number): number {
    if (unit < 0xd800 || unit > 0xdbff) return unit;
    const low = this.#matches(/\\u[dD][c-fC-F][0-9a-fA-F]{2}/y);
    if (low === undefined) return unit;
    return 0x10000 + (unit - 0xd800) * 0x400 +
      (parseInt(low.slice(2), 16) - 0xdc00);
  }

  #codePoint(): number {
    const code = this.#source.codePointAt(this.#at);
    if (code === undefined) throw new UnreadablePattern();
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  #peek(): string {
    return this.#source.charAt(this.#at);
  }

  #sees(character: string): boolean {
    return this.#source[this.#at] === character;
  }

  #take(character: string): boolean {
    const seen = this.#sees(character);
    if (seen) this.#at += 1;
    return seen;
  }

  /** Takes what a sticky expression matches here. */
  #matches(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    const text = expression.exec(this.#source)?.[0];
    if (text !== undefined) this.#at += text.length;
    return text;
  }
}

function single(code: number): PatternNode {
  return { kind: "character", set: [[code, code]] };
}
