/**
 * `defineCheck`: a guardrail's check, its config validated and filled in before the author's function sees it.
 *
 * @module
 */
import { hostChecks } from "../base/host_checks.ts";
import { err, isRecord, ok, type Result } from "../base/result.ts";
import type { StandardResult } from "../base/zod_schema.ts";
import { readAuthorSchema } from "./author_schema.ts";
import {
  isFunction,
  isOneOf,
  issueText,
  isText,
  type Shape,
  shapeIssues,
} from "./issues.ts";
import type {
  CheckBindings,
  CheckKind,
  CheckResult,
  CheckTrace,
  JsonSchema,
  SchemaLike,
  SchemaOf,
} from "./types.ts";

/** Every kind of check. */
export const CHECK_KINDS: readonly CheckKind[] = Object.freeze<CheckKind[]>([
  "zero-llm",
  "llm-judge",
  "external",
]);

/** What an author gives to {@link defineCheck}. */
export interface CheckSpec<Config> {
  /** The check's id; a pack's own begins with the pack's id, such as `acme.checks.polite`. */
  readonly id: string;
  /** How it judges; a pack service runs `zero-llm` checks. */
  readonly kind: CheckKind;
  /** What it judges, for people. */
  readonly description?: string;
  /** The schema of the config; without one any object is taken. */
  readonly configSchema?: SchemaOf<Config>;
  /** Judges; gets the config with its defaults filled in. */
  readonly evaluate: (
    config: Config,
    trace: CheckTrace,
    bindings: CheckBindings,
  ) => CheckResult | Promise<CheckResult>;
  /** What the schema can't say about a config: what is wrong in one sentence, or nothing. */
  readonly validateConfig?: (config: Config) => string | undefined;
}

/** A check: what a guardrail's module exports as `check`. */
export interface DefinedCheck<Config = unknown> {
  /** The check's id. */
  readonly id: string;
  /** How it judges. */
  readonly kind: CheckKind;
  /** What it judges, for people. */
  readonly description?: string;
  /** The schema of the config, as the author gave it. */
  readonly configSchema?: SchemaOf<Config>;
  /** The schema, when it is a Zod schema. */
  readonly configZod?: SchemaLike<Config>;
  /** The schema as JSON Schema; absent when there is none or its library can't convert it. */
  readonly configJsonSchema?: JsonSchema;
  /**
   * Validates the config, fills in its defaults and judges.
   *
   * @throws {CheckConfigError} If the config doesn't fit. With an asynchronous Zod schema the promise rejects instead.
   */
  evaluate(
    config: unknown,
    trace: CheckTrace,
    bindings?: CheckBindings,
  ): CheckResult | Promise<CheckResult>;
  /** What is wrong with a config beyond its schema, in one sentence, or nothing. */
  validateConfig?(config: Config): string | undefined;
}

/** A check was given a config that doesn't fit its schema. */
export class CheckConfigError extends Error {
  /** The class's name, as for every error. */
  override readonly name = "CheckConfigError";
  /** The check. */
  readonly checkId: string;

  /** Says which check, and what is wrong with the config. */
  constructor(checkId: string, reason: string) {
    super(`The config doesn't fit the check "${checkId}": ${reason}`);
    this.checkId = checkId;
  }
}

const CHECK: Shape = {
  required: ["id", "kind", "evaluate"],
  rules: {
    id: isText,
    kind: isOneOf(CHECK_KINDS),
    description: isText,
    configSchema: () => undefined, // read, and judged, as a schema
    evaluate: isFunction,
    validateConfig: isFunction,
  },
};

/**
 * Defines a check (`spec/handler_runtime.md` 9).
 *
 * The answer's `evaluate` can be called with any config: none counts as `{}`, defaults are filled in, and one that
 * doesn't fit throws before the author's function runs.
 *
 * @throws {TypeError} If the definition or its schema can't be used.
 *
 * @example
 * ```ts
 * import { defineCheck } from "@kindgi-deno/runtime/define";
 *
 * export const check = defineCheck({
 *   id: "acme.checks.short",
 *   kind: "zero-llm",
 *   configSchema: {
 *     type: "object",
 *     properties: { maxChars: { type: "integer", minimum: 0, default: 200 } },
 *   },
 *   evaluate: (config: { maxChars: number }, trace) => ({
 *     passed: (trace.output ?? "").length <= config.maxChars,
 *   }),
 * });
 * ```
 */
export function defineCheck<Config = Readonly<Record<string, unknown>>>(
  spec: CheckSpec<Config>,
): DefinedCheck<Config> {
  const issues = shapeIssues(spec, CHECK);
  if (issues.length > 0) throw unusable(spec, issueText(issues));
  const { id, kind, description, configSchema, validateConfig } = spec;
  const schema = configSchema === undefined
    ? undefined
    : readAuthorSchema(configSchema, "input");
  if (schema?.kind === "err") {
    throw unusable(spec, `/configSchema ${schema.error}`);
  }
  const json = schema?.value.json;
  const zod = schema?.value.zod;
  // Taken off the spec, so that the author's function is called without `this`, as the runner calls it.
  const { evaluate } = spec;

  return {
    id,
    kind,
    ...(description === undefined ? {} : { description }),
    ...(configSchema === undefined ? {} : { configSchema }),
    ...(zod && { configZod: configSchema as SchemaLike<Config> }),
    ...(json && { configJsonSchema: json }),
    evaluate(config, trace, bindings = {}) {
      const filled = zod
        ? zod["~standard"].validate(config ?? {})
        : fillByJsonSchema(json, config ?? {});
      return filled instanceof Promise
        ? filled.then((result) =>
          evaluate(fitting<Config>(id, result), trace, bindings)
        )
        : evaluate(fitting<Config>(id, filled), trace, bindings);
    },
    ...(validateConfig && { validateConfig }),
  };
}

/**
 * What keeps a config from being a check's, in one sentence, or nothing. A Zod schema that can only be asked
 * asynchronously isn't asked.
 */
export function checkConfigProblem(
  check: Pick<
    DefinedCheck,
    "configZod" | "configJsonSchema" | "validateConfig"
  >,
  config: unknown,
): string | undefined {
  const given = config ?? {};
  const filled = check.configZod
    ? check.configZod["~standard"].validate(given)
    : fillByJsonSchema(check.configJsonSchema, given);
  if (filled instanceof Promise) {
    filled.catch(() => {}); // its answer isn't waited for
    return undefined;
  }
  const problem = problemOf(filled);
  if (problem !== undefined || !check.validateConfig) return problem;
  try {
    return check.validateConfig((filled as { value: unknown }).value);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

function fitting<Config>(id: string, result: StandardResult): Config {
  const problem = problemOf(result);
  if (problem !== undefined) throw new CheckConfigError(id, problem);
  return (result as { value: Config }).value;
}

function problemOf(result: StandardResult): string | undefined {
  return result.issues?.map(({ message, path }) => {
    const place = (path ?? []).map((part) =>
      `/${String(typeof part === "object" ? part.key : part)}`
    ).join("");
    return place === "" ? message : `${place} ${message}`;
  }).join("; ");
}

/** The config with a JSON Schema's defaults, validated where a host is loaded. */
function fillByJsonSchema(
  schema: JsonSchema | undefined,
  config: unknown,
): StandardResult {
  if (!isRecord(config)) return { issues: [{ message: "must be an object" }] };
  if (!schema) return { value: config };
  const filled = fillOnHost(schema, config);
  return filled.kind === "ok"
    ? { value: filled.value }
    : { issues: [{ message: filled.error }] };
}

function fillOnHost(
  schema: JsonSchema,
  config: Record<string, unknown>,
): Result<unknown, string> {
  const { filledValue } = hostChecks();
  if (!filledValue) return ok(withDefaults(schema, config));
  try {
    return filledValue(schema, config);
  } catch (thrown) {
    return err(`it isn't plain data: ${String(thrown)}`);
  }
}

/**
 * The defaults of properties, all the way down: what can be filled in without a validator. The given value is left as it
 * is.
 */
function withDefaults(schema: unknown, value: unknown): unknown {
  if (!isRecord(schema) || !isRecord(schema.properties) || !isRecord(value)) {
    return value;
  }
  const filled = { ...value };
  for (const [key, part] of Object.entries(schema.properties)) {
    if (!isRecord(part)) continue;
    const given = Object.hasOwn(filled, key) ? filled[key] : undefined;
    const next = given === undefined
      ? structuredClone(part.default)
      : withDefaults(part, given);
    if (next !== undefined) filled[key] = next;
  }
  return filled;
}

function unusable(spec: unknown, reason: string): TypeError {
  const id = isRecord(spec) ? spec.id : undefined;
  return new TypeError(
    `Cannot define ${
      typeof id === "string" ? `the check ${JSON.stringify(id)}` : "a check"
    }: ${reason}`,
  );
}
