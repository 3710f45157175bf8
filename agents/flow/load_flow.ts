/**
 * Loading a flow: from anything at all to a flow that can be run, or the first reason why it can't.
 *
 * @module
 */

import { compileSchema, freezeSchema } from "../../base/json_schema.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { invalidEdgePolicy } from "./check_edge_policy.ts";
import {
  loopBodyEdgeReference,
  unknownNodeReference,
} from "./check_edge_ends.ts";
import { invalidFanoutNode } from "./check_fanouts.ts";
import {
  cycle,
  loopBodyCycle,
  loopBodyMissingStart,
  missingStartEdge,
} from "./check_graphs.ts";
import { duplicateEdgeId, duplicateNodeId, reservedId } from "./check_ids.ts";
import {
  loopConcurrency,
  loopMaxIterations,
  loopOutputSchema,
  loopVariantMismatch,
} from "./check_loops.ts";
import { invalidFlowOutput, invalidMapping } from "./check_mappings.ts";
import { invalidPredicate } from "./check_predicates.ts";
import { invalidSubflowNode } from "./check_subgraphs.ts";
import type { FlowError, FlowSchemaIssue } from "./errors.ts";
import { inWords } from "./issue_words.ts";
import { plainData } from "./plain_data.ts";
import { FLOW_SCHEMA } from "./schema.ts";
import { type FlowShape, type FlowUnderCheck, levelsOf } from "./shape.ts";
import { wrongShape } from "./wrong_shape.ts";
import type { Flow } from "./types.ts";

/**
 * What is checked once a flow has the right shape, in the order of `spec/flow.md`. Each check looks at the whole flow
 * and may rely on those before it, so which code comes out doesn't depend on the order of nodes and edges.
 */
const CHECKS: readonly ((checked: FlowUnderCheck) => FlowError | undefined)[] =
  [
    reservedId,
    duplicateNodeId,
    duplicateEdgeId,
    unknownNodeReference,
    invalidPredicate,
    invalidEdgePolicy,
    loopMaxIterations,
    loopVariantMismatch,
    loopOutputSchema,
    loopConcurrency,
    invalidFanoutNode,
    invalidSubflowNode,
    invalidMapping,
    invalidFlowOutput,
    missingStartEdge,
    cycle,
    loopBodyMissingStart,
    loopBodyEdgeReference,
    loopBodyCycle,
  ];

/**
 * Loads a flow: checks it and answers a copy of it as plain data, without `$schema`; or the first thing that is wrong.
 *
 * Pure, and never throws, whatever it is given. Checked in the order of `spec/flow.md`, "Loading": first the shape
 * (`schema-validation-failed`, listing every issue), then names, references, predicates, policies, loops, fanouts,
 * subgraphs, mappings, the output, and last that every graph begins somewhere and has no cycle.
 */
export function loadFlow(input: unknown): Result<Flow, FlowError> {
  const data = plainData(input);
  if (data.kind === "err") return err(wrongShape(input, data.error));

  const issues = shapeIssues(data.value);
  if (issues.length > 0) return err(wrongShape(data.value, issues));

  const { $schema: _, ...flow } = data.value as FlowShape & {
    $schema?: string;
  };
  const checked: FlowUnderCheck = { flow, levels: levelsOf(flow) };
  for (const check of CHECKS) {
    const error = check(checked);
    if (error !== undefined) return err(error);
  }
  // The checks above are what makes the shape a flow.
  return ok(flow as Flow);
}

/** Where a value doesn't fit {@link FLOW_SCHEMA}. */
function shapeIssues(data: unknown): readonly FlowSchemaIssue[] {
  const compiled = compileSchema(FLOW_SCHEMA, "output");
  if (compiled.kind === "err") throw compiled.error.cause;
  return compiled.value(data).flatMap(inWords);
}

freezeSchema(FLOW_SCHEMA);
