/**
 * What every running of a graph does alike: a node's input, its completion, its failure.
 *
 * @module
 */

import { frozen } from "../../../base/frozen_json.ts";
import { resolveMapping } from "../operand.ts";
import type { FlowNode } from "../types.ts";
import type { CancelScope } from "./cancel_scope.ts";
import type { Execution } from "./execution.ts";
import { type Frame, loopPart } from "./frame.ts";
import type { Done, Failed } from "./outcome.ts";

/** What a node's mapping gives it; `given` where it has none. */
export function mappedInput(
  execution: Execution,
  frame: Frame,
  node: FlowNode,
  given: unknown,
): unknown {
  if (!("inputMapping" in node) || node.inputMapping === undefined) {
    return given;
  }
  return frozen(
    resolveMapping(node.inputMapping, {
      runInput: execution.parts.input,
      state: frame.state,
      nodeOutputs: frame.outputs,
    }),
  );
}

/** Journals that a node has completed and takes its output; answers that as JSON text. */
export function completeNode(
  execution: Execution,
  frame: Frame,
  nodeId: string,
  { output, text, stateDelta, stateDeltaText }: Done,
): string | undefined {
  const written = text ?? JSON.stringify(output) as string | undefined;
  const delta = stateDelta === undefined
    ? ""
    : `,"stateDelta":${stateDeltaText}`;
  const rest = delta + loopPart(frame);
  execution.writer.stage(
    "step.completed",
    nodeId,
    written !== undefined
      ? `{"output":${written}${rest}}`
      : rest === ""
      ? undefined
      : `{${rest.slice(1)}}`,
  );
  frame.complete(nodeId, output, stateDelta);
  return written;
}

/** Journals that a node has failed, and stops what runs beside it. */
export function failNode(
  execution: Execution,
  frame: Frame,
  nodeId: string,
  { message }: Failed,
  scope: CancelScope,
): void {
  execution.writer.stage(
    "step.failed",
    nodeId,
    `{"message":${JSON.stringify(message)}${loopPart(frame)}}`,
  );
  scope.stop({ kind: "cancelled", reason: `node ${nodeId} failed` });
}
