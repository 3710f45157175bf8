/**
 * From how a run came out to what its turn answers (`spec/agents_turn.md` 1.3, `spec/durability.md`, Ending).
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import type { ConversationMessage } from "../conversation/mod.ts";
import type { KernelError, RunResult } from "../flow/mod.ts";
import type { AgentTurnAbortedError, InvokeAgentError } from "./errors.ts";
import { parseFailureMessage } from "./failure.ts";
import type { Turn } from "./turn.ts";
import type { AgentTurnResult, PendingApproval } from "./types.ts";

/** What a turn answers. */
export type TurnAnswer = Result<AgentTurnResult, InvokeAgentError>;

/** An ended run, as a binding or a journal tells it. */
export type EndedRun = Pick<RunResult, "output" | "failureMessage"> & {
  /** How it ended. */
  readonly status: "completed" | "failed" | "cancelled";
};

/**
 * What a turn answers for a run that has ended.
 *
 * @param reason Why a cancelled run was cancelled, where this process knows.
 */
export function answerOf(
  run: EndedRun,
  reason: AgentTurnAbortedError["reason"] = "external",
): TurnAnswer {
  const { status, output, failureMessage = "" } = run;
  switch (status) {
    case "completed":
      return output === undefined
        ? err({
          code: "model-invocation-failed",
          message: "The turn's run completed without a result",
          cause: null,
        })
        : ok({ ...output as AgentTurnResult, status: "completed" });
    case "cancelled": {
      const own = parseFailureMessage(failureMessage) !== undefined;
      return err({
        code: "agent-turn-aborted",
        message: `The turn's run was cancelled${
          own || failureMessage === "" ? "" : `: ${failureMessage}`
        }`,
        reason,
      });
    }
    case "failed":
      return err(
        parseFailureMessage(failureMessage) ?? {
          code: "model-invocation-failed",
          message: failureMessage,
          cause: null,
        },
      );
  }
}

/** A run that can't go on here: it is left unfinished and can be resumed, and nothing is told. */
export function kernelAnswer(error: KernelError): TurnAnswer {
  return err({
    code: "model-invocation-failed",
    message: `The turn's run can't go on here: ${error.message}`,
    cause: error,
  });
}

/** What a parked turn answers: its run's id, and what it waits for. */
export function parkedAnswer(
  turn: Turn,
  runId: string,
  pending: readonly PendingApproval[],
): TurnAnswer {
  return ok({
    runId,
    conversationId: turn.input.conversationId,
    turnNumber: 0,
    appended: [],
    response: { role: "assistant", content: "" },
    retrieved: [],
    violations: [],
    usage: {
      steps: 0,
      promptTokens: 0,
      completionTokens: 0,
      totalCostUsd: 0,
      durationMs: turn.durationMs,
    },
    provider: { id: "", model: "" },
    status: "suspended",
    pending,
  });
}

/** Tells how a turn ended. */
export async function tellEnd(turn: Turn, answer: TurnAnswer): Promise<void> {
  const { conversationId } = turn.input;
  if (answer.kind === "err") {
    const { code, message } = answer.error;
    await turn.emitLast({
      kind: "turn.failed",
      conversationId,
      errorCode: code,
      message,
    });
    return;
  }
  const { turnNumber, response, retrieved, usage } = answer.value;
  await turn.emitLast({
    kind: "turn.completed",
    conversationId,
    turnNumber,
    response: response as ConversationMessage,
    retrieved,
    durationMs: usage.durationMs,
    totalCostUsd: usage.totalCostUsd,
  });
}
