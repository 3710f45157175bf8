/**
 * Calling one handler: a leaf's, or a fanout branch's.
 *
 * @module
 */

import { isRecord } from "../../../base/result.ts";
import type { NodeContext, NodeHandler } from "../node_context.ts";
import type { CancelScope } from "./cancel_scope.ts";
import { RunHalted } from "./halted.ts";
import {
  type Done,
  failed,
  type Outcome,
  type OutcomeSoon,
  STOPPED_OUTCOME,
  thrownText,
} from "./outcome.ts";
import { type OwnValue, ownValue } from "./own_values.ts";
import { parkedOn } from "./step_context.ts";

/**
 * Calls a handler and takes what it answers as the run's own. What a handler answers at once is answered at once.
 *
 * Answers at once, too, when the scope is stopped, whether or not the handler honours its signal; what that one says later
 * is dropped (`spec/decisions.md` 31).
 */
export function callHandler(
  handler: NodeHandler,
  input: unknown,
  context: NodeContext,
  scope: CancelScope,
): OutcomeSoon {
  if (scope.reason !== undefined) return STOPPED_OUTCOME;
  let answer: unknown;
  try {
    answer = handler(input, context);
  } catch (thrown) {
    return ofThrown(thrown, scope);
  }
  if (!isThenable(answer)) return ofAnswer(answer, scope);
  return outcomeOf(
    answer instanceof Promise ? answer : Promise.resolve(answer),
    scope,
  );
}

/** What a promise comes to, or that the scope was stopped before. */
function outcomeOf(
  answer: Promise<unknown>,
  scope: CancelScope,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const release = scope.onStop(() => resolve(STOPPED_OUTCOME));
    answer.then(
      (late) => {
        release();
        resolve(ofAnswer(late, scope));
      },
      (thrown) => {
        release();
        resolve(ofThrown(thrown, scope));
      },
    );
  });
}

function ofThrown(thrown: unknown, scope: CancelScope): Outcome {
  if (scope.reason !== undefined) return STOPPED_OUTCOME;
  const wait = parkedOn(thrown);
  if (wait !== undefined) return { kind: "waiting", waits: [wait] };
  // Whoever halted the run has told its scope; a handler that kept the error for later is a handler that failed.
  return failed(
    thrown instanceof RunHalted ? thrown.error.message : thrownText(thrown),
  );
}

/** An object with an own `output` is `{ output, stateDelta?, plain? }`; anything else is the output. */
function ofAnswer(answer: unknown, scope: CancelScope): Outcome {
  if (scope.reason !== undefined) return STOPPED_OUTCOME;
  try {
    if (!isRecord(answer) || !Object.hasOwn(answer, "output")) {
      return done(ownValue(answer));
    }
    const { output: given, stateDelta, plain } = answer;
    const output = plain === true
      ? { text: JSON.stringify(given), value: given }
      : ownValue(given);
    if (stateDelta === undefined) return done(output);
    const delta = ownValue(stateDelta);
    if (!isRecord(delta.value)) {
      return failed(
        "The handler's stateDelta isn't an object: what is merged into the state needs keys",
      );
    }
    return {
      ...done(output),
      stateDelta: delta.value,
      stateDeltaText: delta.text!,
    };
  } catch (thrown) {
    return failed(
      `The handler's answer can't be written as JSON: ${thrownText(thrown)}`,
    );
  }
}

function done({ text, value }: OwnValue): Done {
  return { kind: "done", output: value, text };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null &&
    typeof (value as { then?: unknown }).then === "function";
}
