/**
 * Asking a store what may be asked again: reads, and appends whose key makes them one.
 *
 * @module
 */

import type { Result } from "../../base/result.ts";
import { reasonOf } from "../agent/mod.ts";
import type { InvokeAgentError } from "./errors.ts";
import { TurnFailure } from "./failure.ts";

/** How often a store is asked before the turn gives up. */
const ATTEMPTS = 3;

/**
 * Asks until there is an answer: a turn isn't lost over a store's bad moment, and what was stored although the answer was
 * lost is found the second time.
 *
 * @param doing What can't be done if it keeps failing, such as `read the messages`.
 * @throws {TurnFailure} `persistence-error` then; any other error that the store answers, at once.
 */
export async function askStore<Value>(
  doing: string,
  question: () => Promise<Result<Value, InvokeAgentError>>,
): Promise<Value> {
  let failure: unknown;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let answer: Result<Value, InvokeAgentError>;
    try {
      answer = await question();
    } catch (thrown) {
      failure = thrown;
      continue;
    }
    if (answer.kind === "ok") return answer.value;
    failure = answer.error;
    if (answer.error.code !== "persistence-error") {
      throw new TurnFailure(answer.error);
    }
  }
  throw new TurnFailure({
    code: "persistence-error",
    message: `Cannot ${doing}: ${reasonOf(failure)}`,
    cause: failure,
  });
}
