/**
 * Taking a turn further that parked or was cut (`spec/agents_turn.md` 8, `spec/durability.md`).
 *
 * @module
 */

import { err, ok, type Result } from "../../base/result.ts";
import { type ConversationId, reasonOf, type Semver } from "../agent/mod.ts";
import {
  conversationLeaseKey,
  type JournalEntry,
  type RunBinding,
  type RunStartedPayload,
} from "../flow/mod.ts";
import type { InvokeAgentBindings } from "./bindings.ts";
import { completeBindings } from "./check_bindings.ts";
import { concludeTurn } from "./conclude_turn.ts";
import type { InvokeAgentError } from "./errors.ts";
import { TurnFailure, turnFailureMessage } from "./failure.ts";
import { AGENT_TURN_FLOW } from "./flow.ts";
import { reconcileWaits } from "./open_gates.ts";
import { prepareResume, takeUp } from "./rehydrate.ts";
import { Turn } from "./turn.ts";
import { turnHandlers } from "./turn_handlers.ts";
import { inputFrom, keptInJournal, type KeptTurnInput } from "./turn_input.ts";
import { answerOf, kernelAnswer, type TurnAnswer } from "./turn_outcome.ts";
import type { ResumeAgentTurnInput } from "./types.ts";

/**
 * Takes a turn further: after its approval was decided, or after its process died.
 *
 * It goes on from the step it stood in. What was journaled isn't done again: calls keep their stored results, the model and
 * tools stay those that the turn began with, and memory isn't read again. A turn that has ended answers its recorded
 * result; one that still waits, the placeholder; one that runs elsewhere, `model-invocation-failed` with cause
 * `run-executing`. An error found before anything runs (`capability-routing-failed`, …) leaves the turn as it was.
 *
 * @throws {TypeError} If a required binding is missing.
 */
export async function resumeAgentTurn(
  input: ResumeAgentTurnInput,
  bindings: InvokeAgentBindings,
): Promise<TurnAnswer> {
  const { runBinding } = completeBindings(bindings, "resume a turn");
  const { tenantId, runId, agent, orgId, abortSignal } = input;
  const journal = await readJournal(tenantId, runId, runBinding);
  if (journal.kind === "err") return journal;
  const recorded = recordedAnswer(journal.value);
  if (recorded !== undefined) return recorded;
  const kept = await keptInput(tenantId, runId, journal.value, bindings);
  if (kept.kind === "err") return kept;
  const { agentId, agentVersion, conversationId } = kept.value;
  if (agentId !== agent.id || agentVersion !== agent.version) {
    return err({
      code: "agent-version-mismatch",
      message:
        `Cannot resume run ${runId} with ${agent.id}@${agent.version}: it was started with ${agentId}@${agentVersion}`,
      conversationId: conversationId as ConversationId,
      expectedVersion: agentVersion as Semver,
      actualVersion: agent.version,
    });
  }
  const turn = new Turn({
    runId,
    input: inputFrom(kept.value, agent, orgId),
    bindings,
    abortSignal,
    enter: takeUp(journal.value),
  });
  try {
    const prepared = await prepare(turn, journal.value);
    if (prepared.kind === "err") {
      return await leave(turn, prepared.error, runBinding);
    }
    const outcome = await runBinding.resumeRun({
      tenantId,
      runId,
      flow: AGENT_TURN_FLOW,
      handlers: turnHandlers(turn),
      ...(turn.isAnswered ? { sealed: true } : {}),
      ...(turn.input.dryRun === true ? {} : {
        exclusive: {
          key: conversationLeaseKey(conversationId),
          signal: turn.abort.signal,
        },
      }),
    });
    return await concludeTurn(turn, outcome, turn.entered);
  } finally {
    turn.close();
  }
}

/** The run's journal; empty when there is no such run. */
async function readJournal(
  tenantId: string,
  runId: string,
  runBinding: RunBinding,
): Promise<Result<readonly JournalEntry[], InvokeAgentError>> {
  const unavailable = (message: string, cause: unknown) =>
    err(
      {
        code: "run-journal-unavailable",
        message: `Cannot read the journal of run ${runId}: ${message}`,
        runId,
        cause,
      } as const,
    );
  try {
    const journal = await runBinding.readJournal(tenantId, runId);
    if (journal.kind === "ok") return journal;
    return journal.error.code === "run-not-found"
      ? ok([])
      : unavailable(journal.error.message, journal.error);
  } catch (thrown) {
    return unavailable(reasonOf(thrown), thrown);
  }
}

/** What a run that has ended answers, before anything else is looked at. */
function recordedAnswer(
  journal: readonly JournalEntry[],
): TurnAnswer | undefined {
  const end = journal[journal.length - 1];
  const fields = end?.payload as Record<string, unknown> | undefined;
  switch (end?.kind) {
    case "run.completed":
      return answerOf({ status: "completed", output: fields?.output });
    case "run.failed":
      return answerOf({
        status: "failed",
        failureMessage: String(fields?.message),
      });
    case "run.cancelled":
      return answerOf({
        status: "cancelled",
        failureMessage: String(fields?.reason),
      });
    default:
      return undefined;
  }
}

/** What the turn was started with: from its snapshot, else from the journal. */
async function keptInput(
  tenantId: string,
  runId: string,
  journal: readonly JournalEntry[],
  { runSnapshotBinding }: InvokeAgentBindings,
): Promise<Result<KeptTurnInput, InvokeAgentError>> {
  const unreadable = (message: string, cause: unknown) =>
    err(
      {
        code: "run-snapshot-unreadable",
        message: `Cannot read the snapshot of run ${runId}: ${message}`,
        runId,
        cause,
      } as const,
    );
  const [started] = journal;
  const journaled = started?.kind === "run.started"
    ? keptInJournal(tenantId, runId, started.payload as RunStartedPayload)
    : undefined;
  try {
    const snapshot = await runSnapshotBinding.read(tenantId, runId);
    if (snapshot.kind === "err") {
      return unreadable(snapshot.error.message, snapshot.error);
    }
    const kept = snapshot.value ?? journaled;
    if (kept !== undefined && started !== undefined) return ok(kept);
  } catch (thrown) {
    return unreadable(reasonOf(thrown), thrown);
  }
  return err({
    code: "run-snapshot-missing",
    message:
      `Cannot resume run ${runId}: the tenant has neither a snapshot nor a journal of it`,
    runId,
  });
}

/** Resolves what the turn needs, and ends the waits that are decided; one whose time is up over it is left as it was. */
async function prepare(
  turn: Turn,
  journal: readonly JournalEntry[],
): Promise<Result<void, InvokeAgentError>> {
  const { hitl, runBinding } = turn.bindings;
  const { runId, input } = turn;
  const run = { tenantId: input.tenantId, runId };
  const preparing = prepareResume(turn, journal).then(async (prepared) => {
    if (prepared.kind === "ok") {
      await reconcileWaits(journal, run, hitl, runBinding!);
    }
    return prepared;
  });
  try {
    return await turn.waitFor(preparing, "wall");
  } catch (thrown) {
    if (thrown instanceof TurnFailure) return err(thrown.error);
    throw thrown;
  }
}

/** An error found before anything ran: a closed conversation ends the run, any other leaves it as it was. */
async function leave(
  turn: Turn,
  error: InvokeAgentError,
  runBinding: RunBinding,
): Promise<TurnAnswer> {
  if (error.code !== "conversation-closed") return err(error);
  const ended = await runBinding.endRun({
    tenantId: turn.input.tenantId,
    runId: turn.runId,
    status: "failed",
    message: turnFailureMessage(error),
  });
  return ended.kind === "err"
    ? kernelAnswer(ended.error)
    : await concludeTurn(turn, ended, false);
}
