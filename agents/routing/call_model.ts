/**
 * One call of a model: one attempt, until it is answered or given up (`spec/agents_turn.md` 4.1).
 *
 * @module
 */

import { oneLine } from "../../base/one_line.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { AbortedWaitError, untilAborted } from "../../base/until_aborted.ts";
import { reasonOf } from "../agent/mod.ts";
import type { ProviderModel } from "./constraint.ts";
import type { ModelCallAbortedError, ModelInvocationError } from "./errors.ts";
import { type ModelAnswer, readModelAnswer } from "./model_answer.ts";
import type { ModelCallInput } from "./model_provider.ts";
import type { ToolCallIdScope } from "./tool_call_ids.ts";

/** The longest reason that a message repeats, in UTF-16 code units. */
const REASON_LENGTH = 500;

/** What to call, and with what. */
export interface ModelCall extends ProviderModel {
  /** The call, without the model's name. */
  readonly call: Omit<ModelCallInput, "model">;
  /** Where tool call ids have to be unique; within the answer when absent. */
  readonly ids?: ToolCallIdScope;
}

/**
 * Calls a model once: nothing is tried again, and nothing goes to another provider.
 *
 * When the call's signal aborts, the answer is `model-call-aborted` at once, whether the provider honours the signal or
 * not; a late answer is dropped. What comes is read by `readModelAnswer`. Never rejects.
 */
export async function callModel(
  { provider, model, call, ids }: ModelCall,
): Promise<Result<ModelAnswer, ModelInvocationError | ModelCallAbortedError>> {
  const began = performance.now();
  let given: unknown;
  try {
    given = await untilAborted(
      call.abortSignal,
      () => provider.invoke({ model: model.name, ...call }),
    );
  } catch (thrown) {
    if (thrown instanceof AbortedWaitError || call.abortSignal?.aborted) {
      return err({
        code: "model-call-aborted",
        message: `The call of ${
          named({ provider, model })
        } was given up: its signal aborted`,
      });
    }
    return err(modelInvocationFailed({ provider, model }, thrown));
  }
  try {
    const answer = readModelAnswer(given, {
      provider,
      model,
      durationMs: Math.round(performance.now() - began),
      ids,
    });
    if (answer.kind === "ok") return ok(answer.value);
    return err(
      modelInvocationFailed({ provider, model }, new Error(answer.error)),
    );
  } catch (thrown) {
    // An answer that throws when it is looked at is as good as one that never came.
    return err(modelInvocationFailed({ provider, model }, thrown));
  }
}

/**
 * The error of a model call that failed: its message names provider and model and repeats the reason on one line, at most
 * 500 characters; where there is none, the name of what was thrown.
 */
export function modelInvocationFailed(
  pair: ProviderModel,
  thrown: unknown,
): ModelInvocationError {
  const reason = oneLine(reasonOf(thrown), REASON_LENGTH) ||
    (thrown instanceof Error ? thrown.constructor.name : "no reason given");
  return {
    code: "model-invocation-failed",
    message: `Cannot get an answer of ${named(pair)}: ${reason}`,
    cause: thrown,
  };
}

function named({ provider, model }: ProviderModel): string {
  return `provider ${provider.metadata.id}, model ${model.name}`;
}
