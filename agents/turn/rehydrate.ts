/**
 * Rebuilding a turn from its journal (`spec/agents_turn.md` 8).
 *
 * Twice: before the run is taken up, so that what can't be had leaves it as it was; and under the run's lease, since another
 * process may have taken it further in between.
 *
 * @module
 */

import { ok, type Result } from "../../base/result.ts";
import { reasonOf } from "../agent/mod.ts";
import type {
  JournalEntry,
  NodeContext,
  StepCompletedPayload,
} from "../flow/mod.ts";
import { askStore } from "./ask_store.ts";
import { resolveEnvironment, resolveHitl } from "./environment.ts";
import type { InvokeAgentError } from "./errors.ts";
import { TurnFailure } from "./failure.ts";
import { PERSIST_FINAL_MESSAGE_NODE } from "./flow.ts";
import { loadConversation } from "./load_conversation.ts";
import { type Turn, valueOf } from "./turn.ts";
import { sumOfMoney, TurnState } from "./turn_state.ts";

/** How often a journal is read before the turn gives up. */
const ATTEMPTS = 3;

/** How far a turn has come, by its journal. */
export function stateFrom(journal: readonly JournalEntry[]): TurnState {
  const state = new TurnState();
  for (const { kind, nodeId, payload } of journal) {
    if (kind !== "step.completed" || nodeId === undefined) continue;
    state.apply(nodeId, (payload as StepCompletedPayload).output);
  }
  return state;
}

/**
 * Resolves what the rest of the turn needs, with the versions and the model that it began with.
 *
 * A turn whose setup hasn't completed runs that again, and needs nothing; nor does one that is to be cancelled, unless its
 * answer is stored.
 */
export async function prepareResume(
  turn: Turn,
  journal: readonly JournalEntry[],
): Promise<Result<void, InvokeAgentError>> {
  turn.snapshotStored = true;
  const state = stateFrom(journal);
  const { setup } = state;
  if (journal.some(({ kind }) => kind === "run.cancel-requested")) {
    turn.isAnswered = await isAnswered(turn, state);
    if (!turn.isAnswered) return ok(undefined);
  }
  return setup === undefined ? ok(undefined) : await resolvePinned(turn, setup);
}

/** Whether the turn's answer is stored: a cancel came too late then. */
async function isAnswered(
  { input, bindings, runId }: Turn,
  { userMessage, finalMessage }: TurnState,
): Promise<boolean> {
  if (userMessage === undefined || input.dryRun === true) return false;
  if (finalMessage !== undefined) return true;
  const { tenantId, conversationId } = input;
  const messages = await askStore(
    `read the messages of conversation ${conversationId}`,
    () =>
      bindings.conversationBinding.readMessages({
        tenantId,
        conversationId,
        sinceSequence: userMessage.sequence,
        runId,
      }),
  );
  return messages.some((message) =>
    message.runId === runId && message.step === PERSIST_FINAL_MESSAGE_NODE
  );
}

/**
 * Takes the run up, under its lease.
 *
 * @param before The journal as it was before.
 */
export function takeUp(
  before: readonly JournalEntry[],
): (turn: Turn, context: NodeContext) => Promise<void> {
  return async (turn, context) => {
    const journal = await readJournal(turn, context);
    turn.state = stateFrom(journal);
    turn.gated = true;
    const { setup, userMessage, finalMessage, appended } = turn.state;
    if (setup === undefined) return;
    if (turn.environment === undefined) {
      valueOf(await resolvePinned(turn, setup));
    }
    turn.state.lostCostUsd = await lostCost(turn);
    if (
      userMessage === undefined || finalMessage !== undefined || context.dryRun
    ) return;
    const { tenantId, conversationId } = turn.input;
    const last = appended[appended.length - 1] ?? userMessage;
    const messages = await askStore(
      `read the messages of conversation ${conversationId}`,
      () =>
        turn.bindings.conversationBinding.readMessages({
          tenantId,
          conversationId,
          sinceSequence: last.sequence,
          runId: context.runId,
        }),
    );
    turn.storedEarlier = messages.filter(({ runId }) =>
      runId === context.runId
    );
    turn.toldEarlier = isParked(before);
  };
}

async function resolvePinned(
  turn: Turn,
  setup: NonNullable<TurnState["setup"]>,
): Promise<Result<void, InvokeAgentError>> {
  const conversation = await loadConversation(turn);
  if (conversation.kind === "err") return conversation;
  const hitl = await resolveHitl(turn.input, turn.bindings);
  if (hitl.kind === "err") return hitl;
  const environment = await resolveEnvironment(
    turn.input,
    turn.bindings,
    hitl.value,
    setup,
  );
  if (environment.kind === "err") return environment;
  turn.conversation = conversation.value;
  turn.environment = environment.value;
  return ok(undefined);
}

async function readJournal(
  turn: Turn,
  { tenantId, runId }: NodeContext,
): Promise<readonly JournalEntry[]> {
  let failure: unknown;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const journal = await turn.bindings.runBinding!.readJournal(
      tenantId,
      runId,
    );
    if (journal.kind === "ok") return journal.value;
    failure = journal.error;
  }
  throw new TurnFailure({
    code: "run-journal-unavailable",
    message: `Cannot read the journal of run ${runId}: ${reasonOf(failure)}`,
    runId,
    cause: failure,
  });
}

/**
 * What model calls have cost whose answers were lost in a crash: they were accounted for and not journaled
 * (`spec/durability.md`, Counting).
 */
async function lostCost(
  { input, bindings, state, runId }: Turn,
): Promise<number> {
  if (input.agent.budget?.maxCostUsd === undefined) return 0;
  const { usage } = bindings;
  if (usage?.list === undefined) return 0;
  const { tenantId } = input;
  const records = await askStore(
    `read the usage of run ${runId}`,
    () => usage.list!({ tenantId, runId }),
  );
  return records
    .filter(({ callId, purpose }) =>
      purpose === undefined && !state.callIds.has(callId)
    )
    .reduce((sum, { result }) => sumOfMoney(sum, result?.costUsd ?? 0), 0);
}

/** Whether the run was suspended and nothing of it has run since: then all that it had done was told. */
function isParked(journal: readonly JournalEntry[]): boolean {
  const parked = journal.findLastIndex(({ kind }) => kind === "run.suspended");
  return parked !== -1 &&
    !journal.slice(parked).some(({ kind }) => kind === "step.started");
}
