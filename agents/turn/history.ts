/**
 * What was said before, as a model is shown it (`spec/agents_turn.md` 12.3, `spec/durability.md`, History).
 *
 * @module
 */

import { isRecord } from "../../base/result.ts";
import type { ConversationMessage } from "../conversation/mod.ts";
import type { ModelMessage, ModelToolCall } from "../routing/mod.ts";

/** Whether a run has ended; asked only of runs with calls that have no result. */
export type HasEnded = (runId: string) => boolean;

/** What stands for a result that never came; only prompts hold it. */
const NO_RESULT = JSON.stringify({
  status: "failed",
  error: {
    kind: "no-result",
    message:
      "The turn ended before this call had a result. Whether the tool ran is not known.",
  },
});

/** Messages of one turn, or one message that belongs to none. */
interface TurnGroup {
  readonly runId: string | undefined;
  readonly messages: ConversationMessage[];
}

/** The messages in the order a prompt has them: each turn's together, at the place of its last. */
export function byTurn(
  messages: readonly ConversationMessage[],
): ConversationMessage[] {
  return groups(messages).flatMap((group) => group.messages);
}

/** The runs that have calls without a result. */
export function runsWithOpenCalls(
  messages: readonly ConversationMessage[],
): string[] {
  return groups(messages).filter((group) => openCalls(group).length > 0)
    .flatMap(({ runId }) => runId ?? []);
}

/**
 * A conversation's messages as a model is shown them.
 *
 * Turns stand together. Of a run that hasn't ended the step that is open is left out; calls of an ended one without a result
 * get an error as their result. The newest `limit` messages are taken, then what would split a call from its result is
 * dropped.
 *
 * @param messages By sequence.
 */
export function promptHistory(
  messages: readonly ConversationMessage[],
  limit: number | undefined,
  hasEnded: HasEnded,
): ModelMessage[] {
  const closed = groups(messages).flatMap((group) =>
    group.runId === undefined || hasEnded(group.runId)
      ? group.messages
      : withoutOpenStep(group)
  );
  const window = limit === undefined
    ? closed
    : closed.slice(Math.max(0, closed.length - limit));
  return paired(window);
}

/** Turns by the place of their last message; within a turn by sequence. */
function groups(messages: readonly ConversationMessage[]): TurnGroup[] {
  const byRun = new Map<string, ConversationMessage[]>();
  for (const message of messages) {
    if (message.runId === undefined) continue;
    const own = byRun.get(message.runId);
    if (own === undefined) byRun.set(message.runId, [message]);
    else own.push(message);
  }
  return messages.flatMap((message): TurnGroup[] => {
    const { runId } = message;
    if (runId === undefined) return [{ runId, messages: [message] }];
    const own = byRun.get(runId)!;
    return own[own.length - 1] === message ? [{ runId, messages: own }] : [];
  });
}

/** The ids of a turn's calls that have no result. */
function openCalls({ messages }: TurnGroup): string[] {
  const answered = new Set(
    messages.flatMap(({ toolCall }) => toolCall?.invocationId ?? []),
  );
  return messages.flatMap(callsOf).map(({ id }) => id)
    .filter((id) => !answered.has(id));
}

function withoutOpenStep(group: TurnGroup): ConversationMessage[] {
  const open = new Set(openCalls(group));
  if (open.size === 0) return group.messages;
  const first = group.messages.findIndex((message) =>
    callsOf(message).some(({ id }) => open.has(id))
  );
  return group.messages.slice(0, first);
}

/** Pairs each call with its result: what has no call is dropped, what has no result gets one. */
function paired(messages: readonly ConversationMessage[]): ModelMessage[] {
  const prompt: ModelMessage[] = [];
  let waiting: string[] = [];
  const close = () => {
    for (const toolCallId of waiting) {
      prompt.push({ role: "tool", toolCallId, content: NO_RESULT });
    }
    waiting = [];
  };
  for (const message of messages) {
    if (message.role !== "tool") {
      close();
      prompt.push(modelMessage(message));
      waiting = callsOf(message).map(({ id }) => id);
      continue;
    }
    const id = message.toolCall?.invocationId;
    if (id === undefined || !waiting.includes(id)) continue;
    waiting = waiting.filter((other) => other !== id);
    prompt.push(modelMessage(message));
  }
  close();
  return prompt;
}

/** The calls that a stored message of an agent asks for. */
export function callsOf(
  { role, content }: Pick<ConversationMessage, "role" | "content">,
): readonly ModelToolCall[] {
  if (role !== "agent" || !isRecord(content)) return [];
  return Array.isArray(content.toolCalls)
    ? content.toolCalls as readonly ModelToolCall[]
    : [];
}

/** A stored message as a model is shown it. */
export function modelMessage(message: ConversationMessage): ModelMessage {
  const { role, content, toolCall } = message;
  switch (role) {
    case "user":
    case "system":
      return { role, content: textOf(content) };
    case "agent": {
      if (!isRecord(content)) {
        return { role: "assistant", content: textOf(content) };
      }
      const calls = callsOf(message);
      return {
        role: "assistant",
        content: typeof content.text === "string" ? content.text : "",
        ...(calls.length === 0 ? {} : { toolCalls: calls }),
      };
    }
    case "tool":
      return {
        role,
        ...(toolCall === undefined
          ? {}
          : { toolCallId: toolCall.invocationId }),
        content: textOf(content),
      };
  }
}

/** A text as it is; anything else as JSON. */
export function textOf(content: unknown): string {
  return typeof content === "string"
    ? content
    : JSON.stringify(content ?? null);
}
