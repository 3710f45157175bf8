/**
 * Which conversation a chat goes on with.
 *
 * @module
 */
import type { Agent, AgentRuntime, Conversation } from "../../agents/mod.ts";
import { CannotStart } from "../support/cannot_start.ts";
import type { ChatSettings, Whose } from "./settings.ts";

/** A conversation to talk in. */
export interface FoundConversation {
  /** The conversation. */
  readonly conversation: Conversation;
  /** Its agent, at its version. */
  readonly agent: Agent;
  /** Whether it was there before. */
  readonly continued: boolean;
}

/** How many conversations are looked through for the latest that fits. */
const LOOKED_THROUGH = 100;

/**
 * The conversation that a command line means; a new one where none is there to go on with.
 *
 * @throws {CannotStart} If it can't be talked in, or no agent is meant.
 */
export async function findConversation(
  runtime: AgentRuntime,
  { conversation, agentId, whose }: ChatSettings,
): Promise<FoundConversation> {
  if (typeof conversation === "object") {
    return await byId(runtime, conversation.id, agentId, whose);
  }
  const agent = agentOf(runtime, agentId);
  if (conversation === "latest") {
    const latest = await latestOf(runtime, agent, whose);
    if (latest !== undefined) {
      return { conversation: latest, agent, continued: true };
    }
  }
  const opened = await runtime.openConversation({
    ...whose,
    agentId: agent.id,
    agentVersion: agent.version,
  });
  if (opened.kind === "err") throw new CannotStart(opened.error.message);
  return { conversation: opened.value, agent, continued: false };
}

/** The agent that is named, or the only one. */
function agentOf({ agents }: AgentRuntime, agentId: string | undefined): Agent {
  const ids = [...new Set(agents.list().map(({ id }) => id as string))];
  const [only] = ids;
  if (agentId === undefined && ids.length !== 1) {
    throw new CannotStart(
      ids.length === 0
        ? "The pack has no agents: define one in its agents folder, and index it"
        : `The pack has several agents: name one with --agent: ${
          ids.join(", ")
        }`,
    );
  }
  const agent = agents.get(agentId ?? only!);
  if (agent.kind === "ok") return agent.value;
  throw new CannotStart(
    `The pack has no agent ${agentId}; it has ${ids.join(", ") || "none"}`,
  );
}

async function byId(
  runtime: AgentRuntime,
  id: string,
  agentId: string | undefined,
  { tenantId }: Whose,
): Promise<FoundConversation> {
  const { conversationBinding } = runtime.bindings;
  const found = await conversationBinding.getConversation(tenantId, id);
  if (found.kind === "err") throw new CannotStart(found.error.message);
  const conversation = found.value;
  const named = `Cannot go on with conversation ${id}`;
  if (conversation.closedAt !== undefined) {
    throw new CannotStart(`${named}: it was closed ${conversation.closedAt}`);
  }
  if (agentId !== undefined && agentId !== conversation.agentId) {
    throw new CannotStart(`${named}: it is one with ${conversation.agentId}`);
  }
  const agent = runtime.agents.get(
    conversation.agentId,
    conversation.agentVersion,
  );
  if (agent.kind === "err") {
    throw new CannotStart(
      `${named}: it was opened with ${conversation.agentId} ${conversation.agentVersion}, and the pack has no such agent at that version`,
    );
  }
  return { conversation, agent: agent.value, continued: true };
}

async function latestOf(
  runtime: AgentRuntime,
  agent: Agent,
  { tenantId, projectId }: Whose,
): Promise<Conversation | undefined> {
  const page = await runtime.conversations({
    tenantId,
    agentId: agent.id,
    status: "open",
    limit: LOOKED_THROUGH,
  });
  if (page.kind === "err") throw new CannotStart(page.error.message);
  return page.value.data.find((conversation) =>
    conversation.agentVersion === agent.version &&
    conversation.projectId === projectId
  );
}
