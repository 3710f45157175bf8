/**
 * LiquidJS's filters, each counted by what it makes.
 *
 * LiquidJS counts some filters by their input, some by their output and some not at all. Here every filter counts at
 * least as much as it answers. The filters that take an expression as text parse it as they run, out of the parser's
 * sight, so its ranges are refused here.
 *
 * @module
 */

import {
  type Context,
  type FilterImplOptions,
  filters as liquidFilters,
  type Liquid,
  Tokenizer,
  Value,
} from "liquidjs";
import { dateFilters } from "./dates.ts";
import { findRanges } from "./ranges.ts";
import type { RenderMeter } from "./render_meter.ts";

/** What LiquidJS binds as `this` when it calls a filter. */
interface FilterCall {
  readonly context: Context;
  readonly liquid: Liquid;
}

type FilterHandler = (this: FilterCall, ...args: unknown[]) => unknown;

/** Filters that answer one of the values they were given, and make nothing. */
const SELECTING = new Set(["default", "raw", "first", "last"]);

/** Filters whose second argument names a property, and those whose third argument is an expression. */
const TAKES_PROPERTY = new Set([
  "where",
  "reject",
  "group_by",
  "has",
  "find",
  "find_index",
]);
const TAKES_EXPRESSION = new Set([
  "where_exp",
  "reject_exp",
  "group_by_exp",
  "has_exp",
  "find_exp",
  "find_index_exp",
]);

/** Registers every filter on the engine, counted. */
export function registerFilters(engine: Liquid): void {
  const all: Record<string, FilterImplOptions> = {
    ...liquidFilters,
    ...dateFilters,
  };
  for (const [name, filter] of Object.entries(all)) {
    if (SELECTING.has(name) || typeof filter !== "function") continue;
    engine.registerFilter(name, counted(name, filter as FilterHandler));
  }
}

function counted(name: string, filter: FilterHandler): FilterHandler {
  return function (...args) {
    if (TAKES_PROPERTY.has(name)) refuseRanges(this.liquid, args[1], true);
    if (TAKES_EXPRESSION.has(name)) refuseRanges(this.liquid, args[2], false);
    const meter = this.context.memoryLimit as unknown as RenderMeter;
    const before = meter.used;
    const result = filter.apply(this, args);
    if (isGenerator(result)) return countedLater(result, meter, before);
    if (result !== args[0]) meter.useResult(result, before);
    return result;
  };
}

/** Passes a generator filter on to the engine, which runs it, and counts what comes of it. */
function* countedLater(
  running: Generator,
  meter: RenderMeter,
  before: number,
): Generator<unknown, unknown, unknown> {
  const result = yield running;
  meter.useResult(result, before);
  return result;
}

function isGenerator(value: unknown): value is Generator {
  return typeof (value as Generator | undefined)?.next === "function" &&
    typeof (value as Generator).throw === "function";
}

function refuseRanges(
  liquid: Liquid,
  expression: unknown,
  isProperty: boolean,
): void {
  if (typeof expression !== "string" || !expression.includes("..")) return;
  const parsed = isProperty
    ? new Tokenizer(expression).readScopeValue()
    : new Value(expression, liquid);
  if (parsed !== undefined && findRanges(parsed).length > 0) {
    throw new Error("a range can't be used inside a filter's expression");
  }
}
