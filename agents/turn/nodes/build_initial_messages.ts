/**
 * `build-initial-messages`: the first prompt (`spec/agents_turn.md` 3.5, 12.3).
 *
 * @module
 */

import type {
  ConversationMessage,
  ReadMessagesInput,
} from "../../conversation/mod.ts";
import { MEMORY_RULE, promptMemory } from "../../memory/mod.ts";
import type { ModelMessage } from "../../routing/mod.ts";
import { askStore } from "../ask_store.ts";
import { promptHistory, runsWithOpenCalls } from "../history.ts";
import type { NextMessagesOutput } from "../step_outputs.ts";
import { settled, type Turn } from "../turn.ts";
import { outputInstructions } from "../typed_output.ts";

/** Puts instructions, history, memory and the user's message together. */
export function buildInitialMessages(
  turn: Turn,
): NextMessagesOutput | Promise<NextMessagesOutput> {
  const known = knownHistory(turn);
  return known !== undefined
    ? firstPrompt(turn, known)
    : history(turn).then((messages) => firstPrompt(turn, messages));
}

function firstPrompt(
  turn: Turn,
  history: readonly ModelMessage[],
): NextMessagesOutput {
  const { agent } = turn.input;
  const memory = promptMemory(
    turn.state.retrieved,
    agent.memory?.instructionTypes,
  );
  const system = [
    turn.state.rendered,
    memory.block === "" ? "" : MEMORY_RULE,
    memory.policies,
    agent.output === undefined ? "" : outputInstructions(agent.output),
  ].filter((part, index) => index === 0 || part !== "").join("\n\n");
  return {
    nextMessages: [
      { role: "system", content: system },
      ...history,
      ...(memory.block === ""
        ? []
        : [{ role: "user", content: memory.block } as const]),
      { role: "user", content: turn.input.userMessage },
    ],
  };
}

/** The history where nothing has to be read for it: there is none, or setup has read all of it. */
function knownHistory(turn: Turn): ModelMessage[] | undefined {
  const limit = turn.input.agent.conversationPolicy?.historyLimit;
  if (limit === 0) return [];
  const messages = settledHistory(turn);
  if (messages === undefined || !isWhole(messages, limit)) return undefined;
  return runsWithOpenCalls(messages).length > 0
    ? undefined
    : promptHistory(messages, limit, () => true);
}

/** What setup has read, if nothing else came before the user's message since. */
function settledHistory(
  { history, state }: Turn,
): readonly ConversationMessage[] | undefined {
  const { sequence } = settled(state.userMessage, "user's message");
  const before = history?.[history.length - 1]?.sequence ?? 0;
  return sequence < 0 || sequence === before + 1 ? history : undefined;
}

/** Whether the newest messages begin at the conversation's first: then no turn among them began further back. */
function isWhole(
  messages: readonly ConversationMessage[],
  limit: number | undefined,
): boolean {
  return limit === undefined || messages.length < limit ||
    (messages[0]?.sequence ?? 1) <= 1;
}

async function history(turn: Turn): Promise<ModelMessage[]> {
  const limit = turn.input.agent.conversationPolicy?.historyLimit;
  const messages = await earlierMessages(turn, limit);
  const open = new Set<string>();
  for (const runId of runsWithOpenCalls(messages)) {
    if (!await hasEnded(turn, runId)) open.add(runId);
  }
  return promptHistory(messages, limit, (runId) => !open.has(runId));
}

/**
 * The messages before this turn's; with a limit the newest so many, and those that belong to the same turns: a turn's
 * messages stand at the place of its last one, so that nothing further back can come into the window.
 */
async function earlierMessages(
  turn: Turn,
  limit: number | undefined,
): Promise<readonly ConversationMessage[]> {
  const { sequence } = settled(turn.state.userMessage, "user's message");
  const before = sequence < 0 ? {} : { beforeSequence: sequence };
  const known = settledHistory(turn);
  if (limit === undefined) return known ?? await read(turn, before);
  const newest = known ?? await read(turn, { ...before, last: limit });
  const first = newest[0]?.sequence ?? 0;
  if (first <= 1) return newest;
  const begun = new Set(newest.flatMap(({ runId }) => runId ?? []));
  for (const message of newest) {
    // A turn begins with its user's message: those that do are complete.
    if (message.role === "user" && message.runId !== undefined) {
      begun.delete(message.runId);
    }
  }
  const older: ConversationMessage[] = [];
  for (const runId of begun) {
    const own = await read(turn, { beforeSequence: first, runId });
    older.push(...own.filter((message) => message.runId === runId));
  }
  older.sort((left, right) => left.sequence - right.sequence);
  return [...older, ...newest];
}

function read(
  { input, bindings }: Turn,
  which: Omit<ReadMessagesInput, "tenantId" | "conversationId">,
): Promise<readonly ConversationMessage[]> {
  const { tenantId, conversationId } = input;
  return askStore(
    `read the messages of conversation ${conversationId}`,
    () =>
      bindings.conversationBinding.readMessages({
        tenantId,
        conversationId,
        ...which,
      }),
  );
}

/** Whether a run has ended; one that is gone has, and of one that can't be asked the open step is left out. */
async function hasEnded(
  { input, bindings }: Turn,
  runId: string,
): Promise<boolean> {
  try {
    const run = await bindings.runBinding!.getRun(input.tenantId, runId);
    return run.kind === "ok"
      ? run.value.endedAt !== undefined
      : run.error.code === "run-not-found";
  } catch {
    return false;
  }
}
