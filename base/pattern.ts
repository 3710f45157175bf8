/**
 * The regular expressions of JSON Schemas, compiled so that a hostile text can't make one run for ever.
 *
 * A schema's pattern has the meaning of the `u` flag, but V8's engine for patterns that backtrack too much
 * (`--enable-experimental-regexp-engine-on-excessive-backtracks`) refuses that flag. So a pattern that might backtrack is
 * said again without it where that is possible (`spec/decisions.md` 12).
 *
 * @module
 */
import { withoutUnicodeFlag } from "./pattern_linear.ts";
import { readPattern } from "./pattern_syntax.ts";
import { backtracksLittle } from "./pattern_work.ts";

/** What a schema's `pattern` is compiled to. */
export interface CompiledPattern {
  /** Whether the text holds a match. */
  test(text: string): boolean;
  /** The pattern as a regular expression is written: different for different patterns. */
  toString(): string;
}

/** How a pattern is run. */
type Plan =
  /** As it is: it can't backtrack much. */
  | { readonly kind: "harmless" }
  /** Said without the `u` flag; V8's linear engine takes over when need be. */
  | { readonly kind: "linear"; readonly expression: RegExp }
  /** As it is: it may backtrack, and can't be said otherwise. */
  | { readonly kind: "backtracking" };

/**
 * Compiles a pattern with the meaning of the `u` flag.
 *
 * @throws {SyntaxError} If the pattern is not a regular expression under the `u` flag.
 */
export function compilePattern(pattern: string): CompiledPattern {
  const unicode = new RegExp(pattern, "u");
  const plan = planOf(pattern);
  if (plan.kind !== "linear") return unicode;
  const { expression } = plan;
  return {
    test: (text) =>
      expression.test(text.isWellFormed() ? text : text.toWellFormed()),
    // Ajv tells the patterns of a schema apart by their text.
    toString: () => String(unicode),
  };
}

/**
 * Whether a pattern's time stays linear in the text, in a process with V8's linear fallback: either it can't backtrack
 * much, or the fallback takes it. `false` for one with look-around or back-references, for one whose classes can't be said
 * without the `u` flag, and for one that isn't a regular expression.
 */
export function patternRunsLinear(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
  } catch {
    return false;
  }
  return planOf(pattern).kind !== "backtracking";
}

function planOf(pattern: string): Plan {
  try {
    const tree = readPattern(pattern);
    if (backtracksLittle(tree)) return { kind: "harmless" };
    const source = withoutUnicodeFlag(tree);
    if (source !== undefined) {
      const expression = new RegExp(source);
      // V8 compiles at the first test, for each width of characters by itself; what is too large is found out here.
      expression.test("");
      expression.test("\u2028");
      return { kind: "linear", expression };
    }
  } catch {
    // Unreadable, or too large to be read or compiled.
  }
  return { kind: "backtracking" };
}
