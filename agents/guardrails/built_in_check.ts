/**
 * What the built-in checks have in common: a config that is checked before they judge.
 *
 * @module
 */

import { compileSchema } from "../../base/json_schema.ts";
import type { JsonSchema } from "../agent/mod.ts";
import type { CheckResult, RegisteredCheck } from "./check.ts";
import type { RunTrace } from "./trace.ts";

/** A check without a model: decided at once from the trace. */
export interface BuiltInCheck extends RegisteredCheck {
  /** Its id. */
  readonly id: string;
  /** No model judges. */
  readonly kind: "zero-llm";
  /** What its config has to look like. */
  readonly configJsonSchema: JsonSchema;
}

/** A config whose shape has been checked. */
type Config = Readonly<Record<string, unknown>>;

/** What a built-in check is made of. */
interface BuiltInSpec {
  readonly id: string;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly judge: (config: Config, trace: RunTrace) => CheckResult;
  /** The key of a regular expression in the config, which has to compile. */
  readonly patternKey?: string;
}

/**
 * Makes a built-in check.
 *
 * A config that doesn't fit throws when it is evaluated: a guardrail that is written wrong must not let everything pass.
 */
export function builtInCheck(spec: BuiltInSpec): BuiltInCheck {
  const { id, properties, judge, patternKey } = spec;
  const schema: JsonSchema = {
    type: "object",
    properties,
    additionalProperties: false,
  };
  const validateConfig = (config: Config): string | undefined =>
    patternKey === undefined ? undefined : patternProblem(config, patternKey);
  return {
    id,
    kind: "zero-llm",
    configJsonSchema: schema,
    validateConfig,
    evaluate: (given, trace) => {
      const config: Config = given ?? {};
      const problem = shapeProblem(schema, config) ?? validateConfig(config);
      if (problem === undefined) return judge(config, trace);
      throw new TypeError(
        `The config of check "${id}" can't be used: ${problem}`,
      );
    },
  };
}

function shapeProblem(schema: JsonSchema, config: Config): string | undefined {
  const compiled = compileSchema(schema, "output");
  if (compiled.kind === "err") throw compiled.error.cause; // our own schema
  const [first] = compiled.value(config);
  return first && `${first.instancePath} ${first.message}`.trim();
}

function patternProblem(config: Config, key: string): string | undefined {
  const pattern = config[key];
  if (pattern === undefined) return undefined;
  try {
    regularExpression(String(pattern), config.flags);
    return undefined;
  } catch (thrown) {
    return `/${key} ${(thrown as Error).message}`;
  }
}

/** A pattern and flags as a regular expression without a memory: `g` and `y` are left to the caller. */
export function regularExpression(pattern: string, flags: unknown): RegExp {
  const given = typeof flags === "string" ? flags : "";
  return new RegExp(pattern, given.replaceAll(/[gy]/g, ""));
}

/** The verdict that all is well. */
export const PASSED: CheckResult = Object.freeze({ passed: true });

/** The verdict that it isn't, with the reason. */
export function failed(reason: string): CheckResult {
  return { passed: false, reason };
}
