/**
 * Loops: how often, of which kind, with what output, how many iterations at once.
 *
 * @module
 */

import { schemaProblem } from "./check_schema.ts";
import type {
  LoopConcurrency,
  LoopMaxIterations,
  LoopOutputSchema,
  LoopVariantMismatch,
} from "./errors.ts";
import {
  isWhole,
  MAX_LOOP_CONCURRENCY,
  MAX_LOOP_ITERATIONS,
} from "./limits.ts";
import { cannotLoad, quoted } from "./message.ts";
import { firstOfNodes, type FlowUnderCheck, type LoopShape } from "./shape.ts";

/** A loop without an end in sight. */
export function loopMaxIterations(
  checked: FlowUnderCheck,
): LoopMaxIterations | undefined {
  return firstOfLoops(checked, ({ id, maxIterations: max }) => {
    if (max !== undefined && isWhole(max, 1, MAX_LOOP_ITERATIONS)) {
      return undefined;
    }
    return {
      code: "loop-max-iterations",
      message: cannotLoad(
        checked.flow,
        `loop ${quoted(id)} has ${
          max === undefined ? "no maxIterations" : `maxIterations ${max}`
        }; it must be a whole number from 1 to ${MAX_LOOP_ITERATIONS}`,
      ),
      nodeId: id,
    };
  });
}

/** A loop of one kind that is furnished like the other. */
export function loopVariantMismatch(
  checked: FlowUnderCheck,
): LoopVariantMismatch | undefined {
  return firstOfLoops(checked, (loop) => {
    const [needed, foreign] = loop.loopKind === "while"
      ? ["exitCondition", ["iterateOver", "concurrency"]] as const
      : ["iterateOver", ["exitCondition", "evaluationTiming"]] as const;
    const outOfPlace = foreign.find((key) => loop[key] !== undefined);
    const lacks = loop[needed] === undefined;
    const field = lacks ? needed : outOfPlace;
    if (field === undefined) return undefined;
    return {
      code: "loop-variant-mismatch",
      message: cannotLoad(
        checked.flow,
        `loop ${quoted(loop.id)} is a ${loop.loopKind} loop, which ${
          lacks ? `needs ${field}; add it` : `doesn't take ${field}; remove it`
        } or change its loopKind`,
      ),
      nodeId: loop.id,
      field,
    };
  });
}

/** A loop whose iterations' outputs can't be checked. */
export function loopOutputSchema(
  checked: FlowUnderCheck,
): LoopOutputSchema | undefined {
  return firstOfLoops(checked, ({ id, outputSchema }) => {
    const problem = outputSchema === undefined
      ? "has no outputSchema; write the JSON Schema that every iteration's output has to fit"
      : schemaProblem("outputSchema", outputSchema);
    if (problem === undefined) return undefined;
    return {
      code: "loop-output-schema",
      message: cannotLoad(checked.flow, `loop ${quoted(id)} ${problem}`),
      nodeId: id,
    };
  });
}

/** A `foreach` loop that wants more at once than it may, or than it has iterations. */
export function loopConcurrency(
  checked: FlowUnderCheck,
): LoopConcurrency | undefined {
  return firstOfLoops(checked, ({ id, concurrency, maxIterations }) => {
    if (concurrency === undefined) return undefined;
    const most = Math.min(maxIterations!, MAX_LOOP_CONCURRENCY);
    if (isWhole(concurrency, 1, most)) return undefined;
    return {
      code: "loop-concurrency",
      message: cannotLoad(
        checked.flow,
        `loop ${
          quoted(id)
        } has concurrency ${concurrency}; it must be a whole ` +
          `number from 1 to ${most}, the smaller of its maxIterations and ${MAX_LOOP_CONCURRENCY}`,
      ),
      nodeId: id,
    };
  });
}

function firstOfLoops<E>(
  checked: FlowUnderCheck,
  check: (loop: LoopShape) => E | undefined,
): E | undefined {
  return firstOfNodes(
    checked,
    (node) => node.kind === "loop" ? check(node) : undefined,
  );
}
