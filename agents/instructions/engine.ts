/**
 * The LiquidJS engine that instructions are rendered with: strict, without partials, without a file system.
 *
 * @module
 */

import {
  Context,
  Liquid,
  LiquidError,
  Parser,
  Tag,
  type Template,
  type TopLevelToken,
  toValueSync,
} from "liquidjs";
import type { LiquidBounds } from "./bounds.ts";
import { registerFilters } from "./filters.ts";
import { guardRanges, RANGE_BOUND_FILTER, rangeBound } from "./ranges.ts";
import { CountingEmitter, RenderMeter } from "./render_meter.ts";

/** What a template that uses a partial is told (quoted by the seed). */
export const PARTIALS_REFUSED = "templates can't use include, render or layout";

/** Tags within tags: deeper than any prompt needs, and far from where rendering would exhaust the stack. */
const NESTING_LIMIT = 100;

/** A parsed template; rendering doesn't change it, so it can be kept and used again. */
export interface ParsedTemplate {
  /** LiquidJS's nodes. */
  readonly nodes: Template[];
  /** How many tags, outputs and expression parts it has: about how much memory it holds. */
  readonly size: number;
}

/** What a render gave, or which way it failed. */
export type EngineOutcome =
  | { readonly kind: "rendered"; readonly text: string }
  | { readonly kind: "exceeded"; readonly bound: "time" | "memory" }
  | { readonly kind: "undefined-variable"; readonly name: string }
  | { readonly kind: "failed"; readonly cause: unknown };

class PartialsRefused extends Error {}

class RefusedPartialTag extends Tag {
  constructor(...args: ConstructorParameters<typeof Tag>) {
    super(...args);
    throw new PartialsRefused(PARTIALS_REFUSED);
  }

  *render(): Generator<unknown, void, unknown> {}
}

const engine = createEngine();

function createEngine(): Liquid {
  const liquid = new Liquid({
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    // An empty set of templates: without it LiquidJS reads partials from the working folder.
    templates: {},
    locale: "en-US",
    timezoneOffset: 0,
  });
  for (const name of ["include", "render", "layout"]) {
    liquid.registerTag(name, RefusedPartialTag);
  }
  registerFilters(liquid);
  liquid.registerFilter(RANGE_BOUND_FILTER, rangeBound);
  // Captures render without an emitter of their own; what they gather is counted too.
  const { renderer } = liquid;
  const renderTemplates = renderer.renderTemplates;
  renderer.renderTemplates = (nodes, context, emitter) =>
    renderTemplates.call(
      renderer,
      nodes,
      context,
      emitter ??
        new CountingEmitter(context.memoryLimit as unknown as RenderMeter),
    );
  return liquid;
}

/** What LiquidJS's parser and tags use of a list of tokens: they take the next one, and look whether there is one. */
class TokenQueue {
  readonly #tokens: readonly TopLevelToken[];
  #next = 0;

  constructor(tokens: readonly TopLevelToken[]) {
    this.#tokens = tokens;
  }

  get length(): number {
    return this.#tokens.length - this.#next;
  }

  shift(): TopLevelToken | undefined {
    return this.#tokens[this.#next++];
  }
}

/** A parser that bounds nesting and guards ranges as it goes. */
class TemplateParser extends Parser {
  /** What it has parsed so far. */
  size = 0;
  #depth = 0;

  /** Parses with a queue that gives its tokens in constant time: a list of 30 000 takes a second to empty by `shift`. */
  override parseTokens(tokens: TopLevelToken[]): Template[] {
    return super.parseTokens(
      new TokenQueue(tokens) as unknown as TopLevelToken[],
    );
  }

  override parseToken(
    ...args: Parameters<Parser["parseToken"]>
  ): ReturnType<Parser["parseToken"]> {
    if (this.#depth >= NESTING_LIMIT) {
      throw new Error(`tags are nested deeper than ${NESTING_LIMIT} levels`);
    }
    this.#depth++;
    try {
      const node = super.parseToken(...args);
      this.size++;
      for (const value of valuesOf(node)) this.size += guardRanges(value);
      return node;
    } finally {
      this.#depth--;
    }
  }
}

/** The values that a template node evaluates. */
function* valuesOf(node: Template): Iterable<unknown> {
  if (node.arguments !== undefined) yield* node.arguments();
  yield (node as { group?: unknown }).group; // of `cycle`, which its arguments leave out
}

/**
 * Parses a template.
 *
 * @throws {Error} If it doesn't parse or uses a partial; {@link parseProblem} says what is wrong.
 */
export function parseTemplate(template: string): ParsedTemplate {
  const parser = new TemplateParser(engine);
  const nodes = parser.parse(template);
  return { nodes, size: parser.size };
}

/**
 * The paths of the variables that a template reads without setting them itself, each as its segments
 * (`[["settings", "acme.w", "recency"]]`); a segment that is computed is a list.
 *
 * @throws {Error} As {@link parseTemplate} does.
 */
export function globalVariablePaths(template: string): unknown[][] {
  parseTemplate(template);
  // Parsed once more without guards: LiquidJS's analysis doesn't look inside what guards a range.
  const nodes = new Parser(engine).parse(template);
  return engine.globalVariableSegmentsSync(nodes);
}

/** What is wrong with a template, from what parsing it threw. */
export function parseProblem(error: unknown): string {
  if (causes(error).some((cause) => cause instanceof PartialsRefused)) {
    return PARTIALS_REFUSED;
  }
  return `the template can't be parsed: ${reasonOf(error)}`;
}

/** Renders a parsed template; never throws. `startedAt` (`performance.now()`) is when its time began to count. */
export function renderParsed(
  template: ParsedTemplate,
  scope: Readonly<Record<string, unknown>>,
  bounds: LiquidBounds,
  startedAt: number,
): EngineOutcome {
  const meter = new RenderMeter(bounds, startedAt);
  const limiter = meter as unknown as Context["memoryLimit"];
  // A copy without a prototype: `increment` writes to it, and every name in it is a variable of the scope.
  const variables = Object.assign(Object.create(null), scope);
  const context = new Context(variables, engine.options, { sync: true }, {
    memoryLimit: limiter,
    renderLimit: limiter,
    liquid: engine,
  });
  try {
    const text = toValueSync(
      engine.renderer.renderTemplates(template.nodes, context),
    ) as string;
    meter.check(performance.now());
    return { kind: "rendered", text };
  } catch (cause) {
    if (meter.exceeded === "time" || meter.exceeded === "memory") {
      return { kind: "exceeded", bound: meter.exceeded };
    }
    const name = causes(cause)
      .map((each) => (each as { variableName?: unknown }).variableName)
      .find((each) => typeof each === "string");
    return name === undefined
      ? { kind: "failed", cause }
      : { kind: "undefined-variable", name };
  }
}

/** The engine's own words for a failure, without the rest of the template that some of them quote. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.length <= 300 ? message : `${message.slice(0, 299)}…`;
}

/** An error and what it wraps, outermost first. */
function causes(error: unknown): unknown[] {
  const chain: unknown[] = [];
  let each: unknown = error;
  while (each instanceof Error && chain.length < 10) {
    chain.push(each);
    each = LiquidError.is(each)
      ? (each as { originalError?: unknown }).originalError
      : undefined;
  }
  return chain;
}
