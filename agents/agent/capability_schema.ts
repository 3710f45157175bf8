/**
 * The JSON Schema of a capability.
 *
 * @module
 */

import { COMPARISON_OPERATORS, MODEL_FEATURES } from "./capability.ts";
import type { JsonSchema } from "./types.ts";

const NAMES = { type: "array", items: { type: "string", minLength: 1 } };

const ALLOW_DENY = {
  type: "object",
  properties: { allow: NAMES, deny: NAMES },
  additionalProperties: false,
};

function comparison(
  amount: string,
  schema: JsonSchema,
  operators: readonly string[],
): JsonSchema {
  return {
    type: "object",
    properties: { op: { enum: operators }, [amount]: schema },
    required: ["op", amount],
    additionalProperties: false,
  };
}

function requirement(key: string, schema: JsonSchema): JsonSchema {
  return {
    type: "object",
    properties: { [key]: schema },
    required: [key],
    additionalProperties: false,
  };
}

/**
 * What a capability looks like, as JSON Schema of draft 2020-12: at least one need, each need exactly one of the forms,
 * no other keys. `defineCapability` checks against it.
 */
export const CAPABILITY_SCHEMA: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Capability",
  type: "object",
  properties: {
    kind: { type: "string", minLength: 1 },
    needs: {
      type: "array",
      minItems: 1,
      items: {
        oneOf: [
          requirement("feature", { enum: MODEL_FEATURES }),
          requirement(
            "contextWindow",
            comparison(
              "value",
              { type: "integer", minimum: 1 },
              COMPARISON_OPERATORS,
            ),
          ),
          requirement(
            "costPerCall",
            comparison(
              "usd",
              { type: "number", minimum: 0 },
              COMPARISON_OPERATORS,
            ),
          ),
          requirement("region", { type: "string", minLength: 1 }),
          requirement(
            "p95LatencyMs",
            comparison("value", { type: "integer", minimum: 0 }, ["<=", "<"]),
          ),
          requirement("providers", ALLOW_DENY),
          requirement("models", ALLOW_DENY),
        ],
      },
    },
    prefer: {
      type: "array",
      items: {
        type: "object",
        properties: {
          feature: { type: "string", minLength: 1 },
          weight: { type: "number" },
        },
        required: ["feature", "weight"],
        additionalProperties: false,
      },
    },
    budget: {
      type: "object",
      properties: {
        maxCostUsd: { type: "number", minimum: 0 },
        maxTokens: { type: "integer", minimum: 1 },
        maxDurationMs: { type: "integer", minimum: 1 },
      },
      additionalProperties: false,
    },
  },
  required: ["needs"],
  additionalProperties: false,
};
