/**
 * Starting a turn (`spec/agents_turn.md` 1.1).
 *
 * @module
 */

import { err } from "../../base/result.ts";
import {
  conversationLeaseKey,
  type RunBinding,
  type RunFlowInput,
  type RunRecord,
  runStartKey,
} from "../flow/mod.ts";
import type { InvokeAgentBindings } from "./bindings.ts";
import { completeBindings } from "./check_bindings.ts";
import { concludeTurn } from "./conclude_turn.ts";
import { AGENT_TURN_FLOW } from "./flow.ts";
import { resumeAgentTurn } from "./resume_agent_turn.ts";
import { Turn } from "./turn.ts";
import { turnHandlers } from "./turn_handlers.ts";
import { checkTurnInput, readTurnInput, turnMetadata } from "./turn_input.ts";
import { kernelAnswer, type TurnAnswer } from "./turn_outcome.ts";
import type { InvokeAgentInput } from "./types.ts";

/**
 * Runs one turn of a conversation, from the user's message to the answer, as a journaled run of `AGENT_TURN_FLOW`.
 *
 * Turns of one conversation go one at a time. The answer is `status: "suspended"` when the turn parked on a person's
 * approval: `resumeAgentTurn` takes it further. When the caller's signal aborts or the agent's `maxWallMs` is over, it
 * answers at once. An error of code `model-invocation-failed` whose `cause.code` is `journal-error`, `run-lease-lost` or
 * `run-executing` leaves the run unfinished: it can be resumed (`spec/durability.md`, Ending).
 *
 * @throws {TypeError} If a required binding is missing, tenant, conversation or message isn't a text, or the input holds what
 * JSON can't.
 */
export async function invokeAgent(
  input: InvokeAgentInput,
  bindings: InvokeAgentBindings,
): Promise<TurnAnswer> {
  const { runBinding } = completeBindings(bindings, "invoke an agent");
  checkTurnInput(input);
  const { abortSignal, idempotencyKey, traceparent } = input;
  const known = await startedBefore(input, runBinding);
  if (known !== undefined) return await answerAgain(known, input, bindings);
  const turn = new Turn({
    runId: crypto.randomUUID(),
    input: readTurnInput(input),
    bindings,
    abortSignal,
    traceparent,
  });
  try {
    const outcome = await runBinding.runGraph(runOf(turn, idempotencyKey));
    if (outcome.kind === "err") {
      const { error } = outcome;
      if (error.code === "run-already-started") {
        return await answerAgain(error.run, input, bindings);
      }
    }
    return await concludeTurn(turn, outcome, true);
  } finally {
    turn.close();
  }
}

/** The run of a turn. Absent options are absent keys. */
function runOf(
  turn: Turn,
  idempotencyKey: string | undefined,
): RunFlowInput {
  const { input, runId, abort } = turn;
  const { tenantId, projectId, orgId, agent, conversationId } = input;
  const { userMessage, dryRun, principal, authz } = input;
  const metadata = turnMetadata(input);
  return {
    tenantId,
    projectId,
    ...(orgId === undefined ? {} : { orgId }),
    runId,
    flow: AGENT_TURN_FLOW,
    handlers: turnHandlers(turn),
    input: userMessage,
    agent: { id: agent.id, version: agent.version, conversationId },
    ...(metadata === undefined ? {} : { metadata }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(principal === undefined ? {} : { principal }),
    ...(authz === undefined ? {} : { authz }),
    ...(dryRun === true ? { options: { dryRun } } : {
      // A dry run stores nothing, so that it needn't wait for its turn.
      exclusive: {
        key: conversationLeaseKey(conversationId),
        signal: abort.signal,
      },
    }),
  };
}

/** The run that an idempotency key stands for; found before the turn would wait for that very run to finish. */
async function startedBefore(
  { tenantId, conversationId, idempotencyKey }: InvokeAgentInput,
  runBinding: RunBinding,
): Promise<RunRecord | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const runs = await runBinding.listRuns({ tenantId, conversationId });
  // The start itself is what decides: a list that can't be read only costs the wait.
  if (runs.kind === "err") return undefined;
  const startKey = runStartKey(conversationId, idempotencyKey);
  return runs.value.find((run) => run.startKey === startKey);
}

/** Answers for a run that was started with this idempotency key, as a resume would (`spec/durability.md`). */
async function answerAgain(
  run: RunRecord,
  input: InvokeAgentInput,
  bindings: InvokeAgentBindings,
): Promise<TurnAnswer> {
  const { tenantId, agent, orgId, abortSignal } = input;
  const { runId } = run;
  const journal = await bindings.runBinding!.readJournal(tenantId, runId);
  if (journal.kind === "err") return kernelAnswer(journal.error);
  const started = journal.value[0]?.payload as
    | { readonly input?: unknown }
    | undefined;
  const same = run.agent?.id === agent.id &&
    run.agent.version === agent.version &&
    run.dryRun === (input.dryRun === true) &&
    started?.input === readTurnInput(input).userMessage;
  if (!same) {
    return err({
      code: "idempotency-key-conflict",
      message:
        `Cannot start the turn: its idempotency key stands for run ${runId}, which has another agent, version or message, or is a dry run where this isn't or the reverse; use a key of its own for each turn`,
      runId,
    });
  }
  return await resumeAgentTurn({
    tenantId,
    runId,
    agent,
    ...(orgId === undefined ? {} : { orgId }),
    ...(abortSignal === undefined ? {} : { abortSignal }),
  }, bindings);
}
