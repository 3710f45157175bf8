/**
 * The JSON Schema of a flow.
 *
 * It holds the shape: which keys there are, which of them are required, what type each has. What depends on another
 * value, on a bound or on what an operator needs has an error code of its own and is left to the loader, which can say
 * more about it than a schema could.
 *
 * @module
 */

import { EXACT_VERSION, MAX_VERSION_LENGTH } from "./limits.ts";
import type { JsonSchema } from "./types.ts";

const text = { type: "string", minLength: 1 };
const jsonObject = { type: "object" };
const schema = { type: "object", description: "A JSON Schema." };
const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });

/** An object with exactly these keys, of which the listed ones are required. */
function closed(
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[],
  description?: string,
): JsonSchema {
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    properties,
    required,
    additionalProperties: false,
  };
}

/** Applies a definition to nodes of some kinds. */
function whenKind(kinds: readonly string[], definition: string): JsonSchema {
  return {
    if: {
      type: "object",
      properties: { kind: { enum: kinds } },
      required: ["kind"],
    },
    then: ref(definition),
  };
}

const nodeId = {
  ...text,
  description:
    "Unique over the flow and every body; not $start, $end, $loop-start or $loop-end.",
};
const edges = { type: "array", items: ref("edge") };
const nodes = { type: "array", items: ref("node") };

const definitions: Readonly<Record<string, JsonSchema>> = {
  operand: {
    ...closed(
      { literal: {}, path: { type: "string" } },
      [],
      "Either a literal, or a path: runInput…, state…, nodeOutputs.<nodeId>…; " +
        "in an exit condition also iterationIndex, iterationOutput….",
    ),
    minProperties: 1,
    maxProperties: 1,
  },
  mapping: { type: "object", additionalProperties: ref("operand") },
  predicate: closed(
    {
      op: {
        ...text,
        description:
          "eq ne lt lte gt gte (left, right), in notIn (value, set), exists notExists truthy falsy (value), and or (children), not (child).",
      },
      left: ref("operand"),
      right: ref("operand"),
      value: ref("operand"),
      set: ref("operand"),
      children: { type: "array", items: ref("predicate") },
      child: ref("predicate"),
    },
    ["op"],
  ),
  retry: closed(
    {
      maxAttempts: { type: "number", description: "1 to 10." },
      delayMs: { type: "number", description: "At least 0; 0 by default." },
      backoff: { enum: ["fixed", "linear", "exponential"] },
      maxDelayMs: {
        type: "number",
        description: "Required for exponential; 60000 by default for linear.",
      },
    },
    ["maxAttempts"],
  ),
  policy: closed(
    {
      retry: ref("retry"),
      timeoutMs: { type: "number", description: "1 to 3600000." },
      concurrencyKey: {
        type: "string",
        description: "1 to 256 printable ASCII characters.",
      },
      priority: { type: "number", description: "-100 to 100; 0 by default." },
    },
    [],
    "Counts only on the sole incoming edge of a node; not allowed in a loop's body.",
  ),
  edge: closed(
    {
      id: { ...text, description: "Unique over the flow and every body." },
      from: {
        ...text,
        description: "A node, $start or (in a body) $loop-start.",
      },
      to: { ...text, description: "A node, $end or (in a body) $loop-end." },
      when: ref("predicate"),
      policy: ref("policy"),
    },
    ["id", "from", "to"],
  ),
  node: {
    type: "object",
    properties: {
      id: nodeId,
      kind: { enum: ["tool", "agent", "loop", "fanout", "subgraph"] },
    },
    required: ["id", "kind"],
    allOf: [
      whenKind(["tool", "agent"], "leaf"),
      whenKind(["loop"], "loop"),
      whenKind(["fanout"], "fanout"),
      whenKind(["subgraph"], "subgraph"),
    ],
  },
  leaf: closed(
    {
      id: nodeId,
      kind: { enum: ["tool", "agent"] },
      ref: { ...text, description: "The handler's name in the run." },
      config: jsonObject,
      inputMapping: ref("mapping"),
    },
    ["id", "kind", "ref"],
  ),
  loop: closed(
    {
      id: nodeId,
      kind: { const: "loop" },
      loopKind: { enum: ["while", "foreach"] },
      body: closed({ nodes, edges }, ["nodes", "edges"]),
      maxIterations: { type: "number", description: "Required: 1 to 10000." },
      outputSchema: {
        ...schema,
        description: "Required: the JSON Schema of every iteration's output.",
      },
      collectAllIterations: { type: "boolean" },
      exitCondition: {
        ...ref("predicate"),
        description: "Required of a while loop, and its alone.",
      },
      evaluationTiming: {
        enum: ["after", "before"],
        description: "Of a while loop alone; after by default.",
      },
      iterateOver: {
        ...ref("operand"),
        description: "Required of a foreach loop, and its alone.",
      },
      concurrency: {
        type: "number",
        description:
          "Of a foreach loop alone: 1 (the default) to the smaller of maxIterations and 32.",
      },
    },
    ["id", "kind", "loopKind", "body"],
  ),
  fanout: closed(
    {
      id: nodeId,
      kind: { const: "fanout" },
      branches: {
        type: "array",
        items: closed(
          { branchId: text, handler: text, outputSchema: schema },
          ["branchId", "handler", "outputSchema"],
        ),
        description: "At least one, each with a branchId of its own.",
      },
      concurrency: {
        type: "number",
        description: "1 to the number of branches, which is the default.",
      },
      convergence: { enum: ["all-succeed", "any-succeed", "settle-all"] },
    },
    ["id", "kind", "branches", "convergence"],
  ),
  subgraph: closed(
    {
      id: nodeId,
      kind: { const: "subgraph" },
      flowRef: closed(
        {
          flowId: text,
          version: { type: "string", description: "An exact version." },
        },
        ["flowId", "version"],
      ),
      inputMapping: ref("mapping"),
      outputSchema: schema,
      convergence: { enum: ["success-only", "settle-all"] },
    },
    ["id", "kind", "flowRef", "inputMapping", "outputSchema", "convergence"],
  ),
};

/**
 * The JSON Schema (draft 2020-12) that every flow fits: closed objects throughout, and clean under Ajv's strict mode.
 *
 * A flow that fits it may still be refused by `loadFlow`, which also looks at bounds, references and cycles.
 */
export const FLOW_SCHEMA: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Flow",
  ...closed(
    {
      $schema: {
        type: "string",
        description: "For editors; dropped when the flow is loaded.",
      },
      id: text,
      version: {
        type: "string",
        pattern: EXACT_VERSION,
        maxLength: MAX_VERSION_LENGTH,
        description: "An exact semantic version.",
      },
      name: { type: "string" },
      description: { type: "string" },
      nodes,
      edges,
      maxParallelism: {
        type: "integer",
        minimum: 1,
        description: "Nodes running at once; 8 by default.",
      },
      metadata: jsonObject,
      output: closed({ mapping: ref("mapping"), schema }, ["mapping"]),
    },
    ["id", "version", "nodes", "edges"],
    "A directed graph of steps without cycles, from $start to $end.",
  ),
  $defs: definitions,
};
