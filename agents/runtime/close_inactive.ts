/**
 * Closing conversations in which nothing is said any more.
 *
 * @module
 */

import type { AgentRuntime } from "./types.ts";

/**
 * Closes a tenant's conversations that have gone without a message for longer than their agent's
 * `autoCloseAfterInactiveSeconds`; `onClosed` hears of each. One with a turn that hasn't ended is left open: somebody still
 * waits for its answer.
 */
export async function closeInactive(
  runtime: AgentRuntime,
  tenantId: string,
  onClosed: (conversationId: string) => void,
): Promise<void> {
  const { conversationBinding, runBinding } = runtime.bindings;
  for (const agent of runtime.agents.list()) {
    const seconds = agent.conversationPolicy?.autoCloseAfterInactiveSeconds;
    if (seconds === undefined) continue;
    const open = await conversationBinding.listConversations({
      tenantId,
      agentId: agent.id,
      openOnly: true,
    });
    if (open.kind === "err") throw open.error;
    for (const conversation of open.value) {
      const { id, agentVersion, lastMessageAt, openedAt } = conversation;
      const idle = Date.now() - Date.parse(lastMessageAt ?? openedAt);
      if (agentVersion !== agent.version || idle < seconds * 1_000) continue;
      const runs = await runtime.runs({ tenantId, conversationId: id });
      if (runs.kind === "err") throw runs.error;
      if (runs.value.some(({ endedAt }) => endedAt === undefined)) continue;
      const closed = await conversationBinding.closeConversation(
        tenantId,
        id,
        runBinding,
      );
      if (closed.kind === "err") throw closed.error;
      onClosed(id);
    }
  }
}
