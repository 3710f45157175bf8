/**
 * Predicates on edges and in exit conditions: known operators, each with its own operands, reading what can be there.
 *
 * @module
 */

import type { InvalidPredicate } from "./errors.ts";
import { cannotLoad, inGraph, quoted } from "./message.ts";
import { operandProblem, type Place } from "./place.ts";
import {
  firstOf,
  firstOfEdges,
  firstOfNodes,
  type FlowUnderCheck,
  levelOf,
  type PredicateShape,
} from "./shape.ts";
import type { Predicate } from "./types.ts";

type Part = Exclude<keyof PredicateShape, "op">;

const COMPARISON: readonly Part[] = ["left", "right"];
const MEMBERSHIP: readonly Part[] = ["value", "set"];
const VALUE: readonly Part[] = ["value"];
const JUNCTION: readonly Part[] = ["children"];

/** The keys that each operator takes, all of them required. */
const PARTS: ReadonlyMap<string, readonly Part[]> = new Map(
  Object.entries(
    {
      eq: COMPARISON,
      ne: COMPARISON,
      lt: COMPARISON,
      lte: COMPARISON,
      gt: COMPARISON,
      gte: COMPARISON,
      in: MEMBERSHIP,
      notIn: MEMBERSHIP,
      exists: VALUE,
      notExists: VALUE,
      truthy: VALUE,
      falsy: VALUE,
      and: JUNCTION,
      or: JUNCTION,
      not: ["child"],
    } satisfies Record<Predicate["op"], readonly Part[]>,
  ),
);

/** A predicate that can't be evaluated, or reads what can never be there. */
export function invalidPredicate(
  checked: FlowUnderCheck,
): InvalidPredicate | undefined {
  return onEdges(checked) ?? onLoops(checked);
}

function onEdges(checked: FlowUnderCheck): InvalidPredicate | undefined {
  return firstOfEdges(checked, ({ id, when }, level) => {
    if (when === undefined) return undefined;
    const found = predicateProblem(when, { level }, "");
    return found && {
      code: "invalid-predicate",
      message: cannotLoad(
        checked.flow,
        `the "when" of edge ${quoted(id)}${inGraph(level)} ` +
          `can't be evaluated: ${inWords(found)}`,
      ),
      edgeId: id,
      path: found.path,
    };
  });
}

function onLoops(checked: FlowUnderCheck): InvalidPredicate | undefined {
  return firstOfNodes(checked, (node, level) => {
    if (node.kind !== "loop" || node.exitCondition === undefined) {
      return undefined;
    }
    const found = predicateProblem(
      node.exitCondition,
      {
        level: levelOf(node.body, { loop: node, outer: level }),
        exitCondition: true,
      },
      "",
    );
    return found && {
      code: "invalid-predicate",
      message: cannotLoad(
        checked.flow,
        `the exit condition of loop ${quoted(node.id)} ` +
          `can't be evaluated: ${inWords(found)}`,
      ),
      nodeId: node.id,
      path: found.path,
    };
  });
}

/** What is wrong with a predicate, and where in it. */
interface PredicateProblem {
  readonly path: string;
  readonly problem: string;
}

function inWords({ path, problem }: PredicateProblem): string {
  return path === "" ? problem : `at ${path} it ${problem}`;
}

function predicateProblem(
  predicate: PredicateShape,
  place: Place,
  path: string,
): PredicateProblem | undefined {
  const parts = PARTS.get(predicate.op);
  if (parts === undefined) {
    return {
      path,
      problem: `has the operator ${quoted(predicate.op)}, ` +
        `which is none of ${[...PARTS.keys()].join(", ")}`,
    };
  }
  const missing = parts.find((part) => predicate[part] === undefined);
  if (missing !== undefined) {
    return {
      path,
      problem: `lacks ${quoted(missing)}, which ${predicate.op} needs`,
    };
  }
  const extra = Object.keys(predicate).find((key) =>
    key !== "op" && !(parts as readonly string[]).includes(key)
  );
  if (extra !== undefined) {
    return {
      path,
      problem: `has ${quoted(extra)}, which ${predicate.op} doesn't take`,
    };
  }
  return firstOf(
    parts,
    (part) => partProblem(predicate, part, place, `${path}/${part}`),
  );
}

function partProblem(
  predicate: PredicateShape,
  part: Part,
  place: Place,
  path: string,
): PredicateProblem | undefined {
  switch (part) {
    case "child":
      return predicateProblem(predicate.child!, place, path);
    case "children": {
      const children = predicate.children!;
      if (children.length === 0) {
        return { path, problem: "is empty; it needs at least one predicate" };
      }
      return firstOf(
        children.entries(),
        ([index, child]) => predicateProblem(child, place, `${path}/${index}`),
      );
    }
    default: {
      const problem = operandProblem(predicate[part]!, place);
      return problem === undefined ? undefined : { path, problem };
    }
  }
}
