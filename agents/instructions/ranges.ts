/**
 * Ranges such as `(1..10)` in parsed templates.
 *
 * LiquidJS builds a range by counting up by one. Past 2^53 adding one changes nothing, so `(100000000000000000..
 * 100000000000000016)` counts as 17 items and never ends. The bounds of every range that the parser meets are therefore
 * passed through a filter of ours that refuses such numbers.
 *
 * @module
 */

import { Expression, TokenKind, toValue, type ValueToken } from "liquidjs";

/** The name of the bound-checking filter: no template can write a name with a space. */
export const RANGE_BOUND_FILTER = "range bound";

/** Nested deeper than any expression has a use for: walking and evaluating them stays far from the stack's end. */
const EXPRESSION_DEPTH_LIMIT = 100;

/** A parsed piece of a template, of which only what matters here is named. */
interface Node {
  readonly kind?: TokenKind;
  /** An expression's operands, of a value or a filtered value. */
  readonly initial?: { readonly postfix?: readonly Node[] };
  /** Filters with their arguments: a value, or a name and its value. */
  readonly filters?: readonly {
    readonly args: readonly (Node | readonly [string | undefined, Node])[];
  }[];
  /** What is looked up, and where: of a property access. */
  readonly props?: readonly Node[];
  readonly variable?: Node;
}

/** A range with its two ends, which can be replaced. */
interface RangeNode extends Node {
  lhs: ValueToken;
  rhs: ValueToken;
}

/** What a walk over a parsed piece found. */
export interface Walk {
  /** Its ranges. */
  readonly ranges: RangeNode[];
  /** How many pieces it has. */
  readonly size: number;
}

/** Every range in a parsed value, at any depth. */
export function findRanges(value: unknown): RangeNode[] {
  return walk(value).ranges;
}

/** Makes every range in a parsed value check its bounds; answers how many pieces the value has. */
export function guardRanges(value: unknown): number {
  const { ranges, size } = walk(value);
  for (const range of ranges) {
    range.lhs = guarded(range.lhs);
    range.rhs = guarded(range.rhs);
  }
  return size;
}

/** Refuses a range bound that counting by one can't pass; answers it as a number, `NaN` making an empty range. */
export function rangeBound(value: unknown): number {
  const bound = Number(toValue(value));
  if (Math.abs(bound) > Number.MAX_SAFE_INTEGER) {
    throw new Error(
      `a range can't begin or end at ${bound}: whole numbers end at ${Number.MAX_SAFE_INTEGER}`,
    );
  }
  return bound;
}

function walk(root: unknown): Walk {
  const ranges: RangeNode[] = [];
  let size = 0;
  const visit = (node: Node | undefined, depth: number): void => {
    if (typeof node !== "object" || node === null) return;
    if (depth > EXPRESSION_DEPTH_LIMIT) {
      throw new Error(
        `an expression is nested deeper than ${EXPRESSION_DEPTH_LIMIT} levels`,
      );
    }
    size++;
    for (const operand of node.initial?.postfix ?? []) {
      visit(operand, depth + 1);
    }
    for (const filter of node.filters ?? []) {
      size++;
      for (const argument of filter.args) {
        visit(isNamed(argument) ? argument[1] : argument, depth + 1);
      }
    }
    for (const property of node.props ?? []) visit(property, depth + 1);
    visit(node.variable, depth + 1);
    if (isRange(node)) {
      visit(node.lhs as unknown as Node, depth + 1);
      visit(node.rhs as unknown as Node, depth + 1);
      ranges.push(node);
    }
  };
  visit(root as Node, 0);
  return { ranges, size };
}

function isRange(node: Node): node is RangeNode {
  return node.kind === TokenKind.Range;
}

function isNamed(
  argument: Node | readonly [string | undefined, Node],
): argument is readonly [string | undefined, Node] {
  return Array.isArray(argument);
}

/** A value token that evaluates to `token`'s value, passed through the bound-checking filter. */
function guarded(token: ValueToken): ValueToken {
  if (token.kind === TokenKind.FilteredValue) return token;
  return {
    kind: TokenKind.FilteredValue,
    input: token.input,
    begin: token.begin,
    end: token.end,
    initial: new Expression([token].values()),
    filters: [{ kind: TokenKind.Filter, name: RANGE_BOUND_FILTER, args: [] }],
    getText: () => token.getText(),
    getPosition: () => token.getPosition(),
    size: () => token.size(),
  } as unknown as ValueToken;
}
