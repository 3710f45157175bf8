/**
 * Conversations in memory (`ConversationBinding`).
 *
 * @module
 */

import { ok, type Result } from "../../base/result.ts";
import type { AgentError } from "../agent/mod.ts";
import {
  type AppendMessageInput,
  type Conversation,
  CONVERSATION_CLOSED_REASON,
  type ConversationBinding,
  type ConversationMessage,
  type ConversationPage,
  type ConversationWithMessages,
  type GetWithMessagesInput,
  type ListConversationsInput,
  type ListConversationsPageInput,
  messageDraft,
  type OpenConversationInput,
  type ReadMessagesInput,
  type WaitCanceller,
} from "../conversation/mod.ts";
import { isInScope, newestFirst } from "./conversation_order.ts";
import {
  conversationClosed,
  conversationNotFound,
  conversationTaken,
  newConversation,
  waitsNotCancelled,
} from "./conversation_record.ts";
import type { StoreClock } from "./memory_clock.ts";
import type { MemoryApprovals } from "./memory_approvals.ts";
import type { MemoryJournal } from "./memory_journal.ts";
import { MemoryConversation } from "./memory_conversation.ts";
import type { MemoryTenants } from "./memory_tenants.ts";

type Answer<Value> = Promise<Result<Value, AgentError>>;

/** Conversations of all tenants. */
export class MemoryConversations implements ConversationBinding {
  readonly #tenants: MemoryTenants;
  readonly #clock: StoreClock;
  readonly #journal: MemoryJournal;
  readonly #approvals: MemoryApprovals;

  /** Keeps its conversations with the tenants; closing one reaches its runs and approvals. */
  constructor(
    tenants: MemoryTenants,
    clock: StoreClock,
    journal: MemoryJournal,
    approvals: MemoryApprovals,
  ) {
    this.#tenants = tenants;
    this.#clock = clock;
    this.#journal = journal;
    this.#approvals = approvals;
  }

  openConversation(input: OpenConversationInput): Answer<Conversation> {
    const { conversations } = this.#tenants.of(input.tenantId);
    const id = input.id ?? crypto.randomUUID();
    if (conversations.has(id)) return Promise.resolve(conversationTaken(id));
    const opened = newConversation(input, id, this.#clock.timestamp());
    if (opened.kind === "err") return Promise.resolve(opened);
    const conversation = opened.value;
    conversations.set(id, new MemoryConversation(conversation));
    return Promise.resolve(ok(conversation));
  }

  getConversation(tenantId: string, id: string): Answer<Conversation> {
    const stored = this.#stored(tenantId, id);
    return Promise.resolve(
      stored.kind === "err" ? stored : ok(stored.value.conversation),
    );
  }

  getWithMessages(
    { tenantId, conversationId, last }: GetWithMessagesInput,
  ): Answer<ConversationWithMessages> {
    const stored = this.#stored(tenantId, conversationId);
    if (stored.kind === "err") return Promise.resolve(stored);
    const { conversation, messages } = stored.value;
    const first = last === undefined ? 0 : Math.max(0, messages.length - last);
    return Promise.resolve(
      ok({ conversation, messages: messages.slice(first) }),
    );
  }

  listConversations(input: ListConversationsInput): Answer<Conversation[]> {
    const { agentId, participantId, openOnly = false, limit } = input;
    const found = this.#sorted(
      input.tenantId,
      (conversation) =>
        (agentId === undefined || conversation.agentId === agentId) &&
        (participantId === undefined ||
          conversation.participantId === participantId) &&
        (!openOnly || conversation.closedAt === undefined),
    );
    return Promise.resolve(ok(found.slice(0, limit)));
  }

  listConversationsPage(
    input: ListConversationsPageInput,
  ): Answer<ConversationPage> {
    const { agentId, status, before, limit, scope } = input;
    const found = this.#sorted(
      input.tenantId,
      (conversation) =>
        (agentId === undefined || conversation.agentId === agentId) &&
        (status === undefined ||
          (status === "closed") === (conversation.closedAt !== undefined)) &&
        (before === undefined || newestFirst(before, conversation) < 0) &&
        isInScope(conversation.scope, scope),
    );
    return Promise.resolve(
      ok({ data: found.slice(0, limit), hasMore: found.length > limit }),
    );
  }

  async closeConversation(
    tenantId: string,
    id: string,
    runBinding?: WaitCanceller,
  ): Answer<Conversation> {
    const stored = this.#stored(tenantId, id);
    if (stored.kind === "err") return stored;
    if (stored.value.conversation.closedAt === undefined) {
      stored.value.close(this.#clock.timestamp());
    }
    this.#approvals.withdrawNow({ tenantId, conversationId: id });
    this.#journal.cancelWaits(tenantId, id, CONVERSATION_CLOSED_REASON);
    const cancelled = await runBinding?.cancelWaits({
      tenantId,
      conversationId: id,
      reason: CONVERSATION_CLOSED_REASON,
    });
    if (cancelled?.kind === "err") {
      return waitsNotCancelled(id, cancelled.error);
    }
    return ok(stored.value.conversation);
  }

  deleteConversation(tenantId: string, id: string): Answer<void> {
    const stored = this.#stored(tenantId, id);
    if (stored.kind === "err") return Promise.resolve(stored);
    const tenant = this.#tenants.of(tenantId);
    for (const { run } of tenant.runsOf(id)) {
      tenant.removeApprovals(run.runId);
      tenant.removeRun(run.runId);
    }
    for (const { runId, conversationId } of tenant.snapshots.values()) {
      if (conversationId === id) tenant.snapshots.delete(runId);
    }
    this.#approvals.removeOf(tenantId, id);
    tenant.conversations.delete(id);
    return Promise.resolve(ok(undefined));
  }

  appendMessage(input: AppendMessageInput): Answer<ConversationMessage> {
    const { tenantId, conversationId, idempotencyKey } = input;
    const found = this.#stored(tenantId, conversationId);
    if (found.kind === "err") return Promise.resolve(found);
    const stored = found.value;
    if (idempotencyKey !== undefined) {
      const known = stored.byKey(idempotencyKey);
      if (known !== undefined) return Promise.resolve(ok(known));
    }
    if (stored.closedAt !== undefined) {
      return Promise.resolve(conversationClosed(stored.conversation));
    }
    const draft = messageDraft(input);
    if (draft.kind === "err") return Promise.resolve(draft);
    const message: ConversationMessage = Object.freeze({
      sequence: stored.messages.length + 1,
      ...draft.value,
      createdAt: this.#clock.timestamp(),
    });
    stored.append(message);
    return Promise.resolve(ok(message));
  }

  readMessages(
    input: ReadMessagesInput,
  ): Answer<readonly ConversationMessage[]> {
    const { sinceSequence = 0, beforeSequence, last, limit, runId } = input;
    const stored = this.#stored(input.tenantId, input.conversationId);
    if (stored.kind === "err") return Promise.resolve(stored);
    // Sequences are contiguous from 1, so a sequence is a place.
    let messages = stored.value.messages.slice(
      Math.max(0, sinceSequence),
      beforeSequence === undefined
        ? undefined
        : Math.max(0, beforeSequence - 1),
    );
    if (runId !== undefined) {
      messages = messages.filter((message) => message.runId === runId);
    }
    if (last !== undefined) {
      messages = messages.slice(Math.max(0, messages.length - last));
    }
    return Promise.resolve(ok(messages.slice(0, limit)));
  }

  #stored(
    tenantId: string,
    id: string,
  ): Result<MemoryConversation, AgentError> {
    const stored = this.#tenants.of(tenantId).conversations.get(id);
    return stored === undefined ? conversationNotFound(id) : ok(stored);
  }

  #sorted(
    tenantId: string,
    wanted: (conversation: Conversation) => boolean,
  ): Conversation[] {
    return [...this.#tenants.of(tenantId).conversations.values()]
      .map(({ conversation }) => conversation)
      .filter(wanted)
      .sort(newestFirst);
  }
}
