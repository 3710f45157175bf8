/**
 * The JSON Schema of `index.json`.
 *
 * @module
 */

const text = { type: "string" } as const;
const id = { type: "string", minLength: 1 } as const;
const list = { type: "array" } as const;
const object = { type: "object" } as const;
const names = { type: "array", items: text } as const;

/** A list of entries with exactly these fields. */
function entries(
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[],
): Readonly<Record<string, unknown>> {
  return {
    type: "array",
    items: {
      type: "object",
      properties,
      required,
      additionalProperties: false,
    },
  };
}

const tools = entries({
  id,
  description: text,
  effects: list,
  input: object,
  limits: object,
  modulePath: id,
  mutating: { type: "boolean" },
  needs: list,
  needsSpec: object,
  network: object,
  output: object,
  sandbox: text,
  spec: object,
  version: text,
}, ["id", "input", "output", "modulePath"]);

const guardrails = entries({
  id,
  action: {
    type: "object",
    properties: { "on-violation": true },
    required: ["on-violation"],
  },
  checkBuiltIn: { const: true },
  checkId: text,
  checkModulePath: id,
  config: object,
  configSchema: object,
  kind: text,
  limits: object,
  name: text,
  network: object,
  sandbox: text,
  scope: object,
  severity: text,
}, ["id", "kind", "action", "checkModulePath"]);

const agents = entries({
  id,
  budget: object,
  capabilities: list,
  conversationPolicy: object,
  description: text,
  guardrails: list,
  instructions: {
    anyOf: [text, {
      type: "object",
      properties: { prompt: text, version: text },
      required: ["prompt", "version"],
    }],
  },
  memory: object,
  modelSettings: object,
  modulePath: id,
  name: text,
  output: object,
  parameters: list,
  preferredModel: text,
  preferredProvider: text,
  retrieval: list,
  settings: list,
  tags: list,
  toolErrors: object,
  tools: list,
  version: text,
}, [
  "id",
  "version",
  "name",
  "instructions",
  "capabilities",
  "tools",
  "modulePath",
]);

const flows = entries({
  id,
  description: text,
  edges: list,
  kernelPayloadVersion: { const: 1 },
  maxParallelism: { type: "integer", minimum: 1 },
  metadata: object,
  modulePath: id,
  name: text,
  nodes: list,
  output: object,
  version: text,
}, [
  "id",
  "version",
  "nodes",
  "edges",
  "kernelPayloadVersion",
  "modulePath",
]);

/**
 * The JSON Schema (draft 2020-12) of a pack's `index.json`, version 1: the envelope and the fields of each entry, with no
 * other key on either (`spec/handler_runtime.md` 7.5, 7.7). What fields such as `input` or `nodes` hold is left to their
 * own rules.
 */
export const INDEX_SCHEMA: Readonly<Record<string, unknown>> = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Kindgi pack index, version 1",
  type: "object",
  properties: {
    v: { const: 1 },
    packId: id,
    packVersion: id,
    artifactVersion: text,
    publishedAt: text,
    tools,
    guardrails,
    agents,
    flows,
    env: {
      type: "object",
      properties: { optional: names, required: names },
      additionalProperties: false,
    },
  },
  required: [
    "v",
    "packId",
    "packVersion",
    "artifactVersion",
    "publishedAt",
    "tools",
    "guardrails",
    "agents",
    "flows",
  ],
  additionalProperties: false,
};
