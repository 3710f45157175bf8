/**
 * One conversation in memory, with its messages.
 *
 * @module
 */

import {
  type Conversation,
  type ConversationMessage,
  endsTurn,
} from "../conversation/mod.ts";

/** A conversation with its messages. */
export class MemoryConversation {
  /** Its messages by sequence, which is contiguous from 1. */
  readonly messages: ConversationMessage[];
  /** The places of messages that were appended with an idempotency key. */
  readonly #byKey = new Map<string, number>();
  #conversation: Conversation;
  /** What messages have changed since; the conversation is made anew once it is asked for. */
  #turnCount: number;
  #changed = false;

  /** An empty one, or what was saved. */
  constructor(
    conversation: Conversation,
    messages: readonly ConversationMessage[] = [],
  ) {
    this.#conversation = conversation;
    this.#turnCount = conversation.turnCount;
    this.messages = [...messages];
    for (const [at, { idempotencyKey }] of messages.entries()) {
      if (idempotencyKey !== undefined) this.#byKey.set(idempotencyKey, at);
    }
  }

  /** The conversation as it is now, frozen. */
  get conversation(): Conversation {
    if (this.#changed) {
      this.#changed = false;
      this.#conversation = Object.freeze({
        ...this.#conversation,
        lastMessageAt: this.messages[this.messages.length - 1]!.createdAt,
        turnCount: this.#turnCount,
      });
    }
    return this.#conversation;
  }

  /** When it was closed. */
  get closedAt(): Conversation["closedAt"] {
    return this.#conversation.closedAt;
  }

  /** The message that was appended with a key. */
  byKey(idempotencyKey: string): ConversationMessage | undefined {
    const at = this.#byKey.get(idempotencyKey);
    return at === undefined ? undefined : this.messages[at];
  }

  /** Appends a message: the next in sequence, frozen. */
  append(message: ConversationMessage): void {
    const { idempotencyKey } = message;
    if (idempotencyKey !== undefined) {
      this.#byKey.set(idempotencyKey, this.messages.length);
    }
    this.messages.push(message);
    this.#changed = true;
    if (endsTurn(message)) this.#turnCount += 1;
  }

  /** Closes it. */
  close(closedAt: NonNullable<Conversation["closedAt"]>): void {
    this.#conversation = Object.freeze({ ...this.conversation, closedAt });
  }
}
