/**
 * The JSON Schema of an agent.
 *
 * @module
 */

import { CAPABILITY_SCHEMA } from "./capability_schema.ts";
import { REVIEWER_ROLES, TOOL_HITL_MODES } from "./hitl_levels.ts";
import { MAX_TOOL_ERROR_RETRIES, TOOL_ERROR_KINDS } from "./tool_errors.ts";
import type { JsonSchema } from "./types.ts";

const TEXT = { type: "string" };
const FILLED = { type: "string", pattern: "\\S" };
const POSITIVE = { type: "integer", minimum: 1 };
const BLOCK_ID = {
  type: "string",
  pattern: "^[a-z0-9][a-z0-9-]*(\\.[a-z0-9][a-z0-9-]*)+$",
};
const EXACT_VERSION = {
  type: "string",
  pattern: "^[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$",
};
const ROLE = { enum: REVIEWER_ROLES };
const MODE = { enum: TOOL_HITL_MODES };
const FACT_SCOPE = {
  enum: ["same-conversation", "same-user", "same-project", "tenant"],
};

/** An object with these properties and no others. */
function closed(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return {
    type: "object",
    properties,
    required,
    additionalProperties: false,
  };
}

function list(items: JsonSchema, minItems = 0): JsonSchema {
  return { type: "array", items, minItems };
}

function mapOf(values: JsonSchema): JsonSchema {
  return { type: "object", additionalProperties: values };
}

const BLOCK_REF = closed({ id: BLOCK_ID, version: TEXT }, ["id", "version"]);

const PARAMETER = closed({
  name: FILLED,
  description: TEXT,
  type: { enum: ["string", "number", "boolean", "date"] },
  required: { type: "boolean" },
  default: { type: ["string", "number", "boolean"] },
}, ["name", "type"]);

const LIMIT_AND_MODE = {
  limit: POSITIVE,
  mode: { enum: ["keyword", "semantic", "both"] },
};

const RETRIEVAL_INTENT = {
  oneOf: [
    closed({
      source: { const: "facts" },
      types: list(TEXT, 1),
      scope: FACT_SCOPE,
      ...LIMIT_AND_MODE,
    }, ["types", "scope"]),
    closed({
      source: { const: "conversations" },
      roles: list({ enum: ["user", "agent"] }, 1),
      scope: {
        enum: [
          "same-user",
          "same-conversation",
          "same-segment",
          "same-project",
        ],
      },
      ...LIMIT_AND_MODE,
    }, ["source", "scope"]),
  ],
};

const MEMORY = closed({
  instructionTypes: list(FILLED),
  remember: closed({
    types: list(FILLED, 1),
    scope: FACT_SCOPE,
    keepDays: { type: "integer", minimum: 1, maximum: 3650 },
  }, ["types", "scope"]),
});

const HITL = closed({
  afterTurns: POSITIVE,
  tools: closed({
    default: MODE,
    overrides: mapOf({
      oneOf: [MODE, closed({ mode: MODE, requiredRole: ROLE }, ["mode"])],
    }),
  }),
  defaultReviewerRole: ROLE,
  timeoutMs: POSITIVE,
  onTimeout: { const: "escalate" },
});

const VERSIONS = mapOf(TEXT);

/**
 * What an agent looks like at rest, as JSON Schema of draft 2020-12, `conversationPolicy.hitl` and what a deployment
 * sets included (`spec/agents_define.md` 14.1). Unknown keys are refused at every level.
 *
 * It says nothing that a schema can't: whether a template parses, ranges are npm's, ids are unique and names are free is
 * for `defineAgent`.
 */
export const AGENT_SCHEMA: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Agent",
  ...closed({
    id: FILLED,
    version: EXACT_VERSION,
    name: FILLED,
    description: TEXT,
    instructions: {
      oneOf: [
        FILLED,
        closed({ prompt: BLOCK_ID, version: TEXT }, ["prompt", "version"]),
      ],
    },
    parameters: list(PARAMETER),
    capabilities: list({ $ref: "#/$defs/Capability" }, 1),
    tools: list(closed({ id: FILLED, version: FILLED }, ["id", "version"])),
    retrieval: list(RETRIEVAL_INTENT),
    memory: MEMORY,
    guardrails: list(FILLED),
    settings: list(BLOCK_REF),
    modelSettings: BLOCK_REF,
    preferredProvider: TEXT,
    preferredModel: TEXT,
    output: closed({
      schema: { type: "object" },
      name: { type: "string", minLength: 1 },
      maxRepairs: { type: "integer", minimum: 0 },
    }, ["schema"]),
    toolErrors: closed({
      maxRetries: {
        type: "integer",
        minimum: 0,
        maximum: MAX_TOOL_ERROR_RETRIES,
      },
      retryOn: {
        type: "array",
        items: { enum: TOOL_ERROR_KINDS },
        uniqueItems: true,
      },
    }),
    conversationPolicy: closed({
      historyLimit: POSITIVE,
      autoCloseAfterInactiveSeconds: POSITIVE,
      hitlAfterTurns: POSITIVE,
      hitl: HITL,
    }),
    budget: closed({
      maxSteps: POSITIVE,
      maxCostUsd: { type: "number", minimum: 0 },
      maxWallMs: POSITIVE,
    }),
    tags: list(TEXT),
    pins: closed(
      { tools: VERSIONS, prompts: VERSIONS, settings: VERSIONS },
      ["tools", "prompts", "settings"],
    ),
    pinsDigest: { type: "string", pattern: "^sha256:[0-9a-f]{64}$" },
    derivedFrom: closed({
      version: EXACT_VERSION,
      reason: { enum: ["pins-changed", "unpinned", "version-taken"] },
    }, ["version", "reason"]),
  }, [
    "id",
    "version",
    "name",
    "instructions",
    "capabilities",
    "tools",
    "retrieval",
    "guardrails",
  ]),
  $defs: { Capability: withoutDialect(CAPABILITY_SCHEMA) },
};

/** A schema as part of another: `$schema` belongs to a document's root. */
function withoutDialect(schema: JsonSchema): JsonSchema {
  const { $schema: _, ...rest } = schema;
  return rest;
}
