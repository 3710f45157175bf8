/**
 * An agent's instructions, rendered: the scope that a template sees, and rendering it in this process.
 *
 * @module
 */

import { isoTime } from "../../base/iso_time.ts";
import {
  AUTO_INJECTED_VARS,
  type PromptBlockContent,
  type PromptParameter,
  type PromptRef,
} from "../agent/mod.ts";
import { tenantInputBounds } from "./bounds.ts";
import type { MissingParameterError, PromptRenderError } from "./errors.ts";
import { renderPlain } from "./render_template.ts";

/** What a turn gives its instructions. */
export interface RenderContext {
  /** The caller's values for the template's parameters; reserved names among them are left out. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The conversation and the number of the turn in it, from 1. */
  readonly conversation?: { readonly id: string; readonly turn: number };
  /** The turn's structured input: any JSON value. */
  readonly input?: unknown;
  /** The values of the settings blocks, by block id. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Where `today` and `now` come from; the wall clock when absent. Read once a render. */
  readonly clock?: () => Date;
}

/** Rendered instructions. */
export interface RenderResult {
  /** The text. */
  readonly rendered: string;
  /** Every value that the template saw. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** What {@link renderInstructions} answers. */
export type RenderInstructionsResult =
  | {
    /** It rendered. */
    readonly ok: true;
    /** The text and what it was made from. */
    readonly value: RenderResult;
  }
  | {
    /** It failed. */
    readonly ok: false;
    /** Why. */
    readonly error: PromptRenderError;
  };

/** A template with the scope it is to be rendered over: what a {@link TemplateRenderer} takes. */
export interface PreparedInstructions {
  /** The template. */
  readonly template: string;
  /** Every value that the template may see. */
  readonly scope: Readonly<Record<string, unknown>>;
}

/** What {@link prepareInstructions} answers. */
export type PrepareInstructionsResult =
  | {
    /** Everything that is required is there. */
    readonly ok: true;
    /** What to render. */
    readonly value: PreparedInstructions;
  }
  | {
    /** Something is missing. */
    readonly ok: false;
    /** What. */
    readonly error: PromptRenderError;
  };

/** What instructions are rendered from: an `Agent`, or as much of one. */
export interface InstructionsSource {
  /** The agent's id, which templates read as `agent.id`. */
  readonly id: string;
  /** Its name, `agent.name`. */
  readonly name: string;
  /** Its version, `agent.version`. */
  readonly version: string;
  /** The template, or the prompt block that holds it. */
  readonly instructions: string | PromptRef;
  /** The parameters that the template declares. */
  readonly parameters?: readonly PromptParameter[];
}

/**
 * Renders an agent's instructions in this process, under the bounds in force.
 *
 * `prompt` is the content of the prompt block that the instructions refer to; when given, its template and parameters
 * are used. A missing required parameter or an unresolved variable is `missing-parameter`; everything else is
 * `render-failure`, and past a bound its message says which (`spec/agents_define.md` 5). The time limit is looked at
 * between the steps of a template: only a worker renderer stops a single step that takes long.
 */
export function renderInstructions(
  agent: InstructionsSource,
  context: RenderContext,
  prompt?: PromptBlockContent,
): RenderInstructionsResult {
  const prepared = prepareInstructions(agent, context, prompt);
  if (!prepared.ok) return prepared;
  const { template, scope } = prepared.value;
  const rendered = renderPlain(template, scope, tenantInputBounds().liquid);
  return rendered.kind === "ok"
    ? { ok: true, value: { rendered: rendered.value, context: scope } }
    : { ok: false, error: rendered.error };
}

/**
 * Checks the required parameters and puts the scope together, without rendering: for a renderer elsewhere.
 *
 * The scope holds the parameters' defaults, over them the caller's values, over them the reserved variables. A declared
 * parameter that is optional, has no default and wasn't given is `null`, so that `{% if name %}` works on it
 * (`spec/decisions.md` 17).
 */
export function prepareInstructions(
  agent: InstructionsSource,
  context: RenderContext,
  prompt?: PromptBlockContent,
): PrepareInstructionsResult {
  const { instructions } = agent;
  if (prompt === undefined && typeof instructions !== "string") {
    return {
      ok: false,
      error: {
        code: "render-failure",
        message:
          `the instructions of ${agent.id} are the prompt block ${instructions.prompt} ${instructions.version}, ` +
          "which wasn't loaded: give its content to the render",
        cause: null,
      },
    };
  }
  const template = prompt?.template ?? instructions as string;
  const parameters = (prompt ? prompt.parameters : agent.parameters) ?? [];
  const given = callerValues(context.parameters);
  const error = missingParameters(parameters, given);
  if (error !== undefined) return { ok: false, error };
  const scope = Object.fromEntries([
    ...parameters.map(({ name, default: value }) => [name, value ?? null]),
    ...given,
    ...reservedVariables(agent, context),
  ]);
  return { ok: true, value: { template, scope } };
}

/** The caller's values, without reserved names and without those left undefined. */
function callerValues(
  parameters: Readonly<Record<string, unknown>>,
): Map<string, unknown> {
  const reserved: readonly string[] = AUTO_INJECTED_VARS;
  return new Map(
    Object.entries(parameters).filter(([name, value]) =>
      value !== undefined && !reserved.includes(name)
    ),
  );
}

function missingParameters(
  parameters: readonly PromptParameter[],
  given: ReadonlyMap<string, unknown>,
): MissingParameterError | undefined {
  const missing = parameters
    .filter((parameter) =>
      parameter.required !== false && parameter.default === undefined &&
      !given.has(parameter.name)
    )
    .map(({ name }) => name);
  const [first, ...others] = missing;
  if (first === undefined) return undefined;
  return others.length === 0
    ? {
      code: "missing-parameter",
      message: `a required parameter is missing: ${first}`,
      parameterName: first,
    }
    : {
      code: "missing-parameter",
      message: `required parameters are missing: ${missing.join(", ")}`,
    };
}

function reservedVariables(
  agent: InstructionsSource,
  context: RenderContext,
): [string, unknown][] {
  const now = isoTime(context.clock?.().getTime() ?? Date.now());
  const { id, name, version } = agent;
  const { conversation, input, settings } = context;
  const variables: [string, unknown][] = [
    ["today", now.slice(0, 10)],
    ["now", now],
    ["agent", { id, name, version }],
  ];
  if (conversation !== undefined) {
    const { id, turn } = conversation;
    variables.push(["conversation", { id, turn }]);
  }
  if (input !== undefined) variables.push(["input", input]);
  if (settings !== undefined) variables.push(["settings", settings]);
  return variables;
}
