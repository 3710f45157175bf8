/** Things that stores keep, small. */
import type {
  AgentStore,
  Conversation,
  HitlEnqueueInput,
  NewJournalEntry,
  NewRun,
  OpenConversationInput,
  StartRunInput,
} from "../../../agents/store/mod.ts";
import { assert, okValue } from "../../assert.ts";

/** The tenant of most tests. */
export const TENANT = "t-1";
/** The other tenant: nothing of the first one's is there. */
export const OTHER = "t-2";
/** A lease that no test outlives, in milliseconds. */
export const LONG = 60_000;

/** A conversation to open. */
export function conversation(
  more: Partial<OpenConversationInput> = {},
): OpenConversationInput {
  const tenantId = more.tenantId ?? TENANT;
  return {
    tenantId,
    agentId: "acme.helper",
    agentVersion: "1.0.0",
    title: "A talk",
    scope: { tenantId, projectId: "p-1" },
    ...more,
  };
}

/** Opens a conversation. */
export async function opened(
  store: AgentStore,
  more: Partial<OpenConversationInput> = {},
): Promise<Conversation> {
  return okValue(
    await store.conversations.openConversation(conversation(more)),
  );
}

/** A run to start. */
export function newRun(more: Partial<NewRun> = {}): NewRun {
  return {
    runId: "run-1",
    tenantId: TENANT,
    flow: { id: "f", version: "1.0.0" },
    ...more,
  };
}

/** The first entry of a run. */
export const STARTED: NewJournalEntry = {
  kind: "run.started",
  payload: '{"flow":{"id":"f","version":"1.0.0"}}',
};

/** An entry. */
export function entry(
  kind: NewJournalEntry["kind"],
  payload?: unknown,
  nodeId?: string,
): NewJournalEntry {
  return {
    kind,
    ...(nodeId === undefined ? {} : { nodeId }),
    ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
  };
}

/** Starts a run; answers the epoch of its lease. */
export async function startRun(
  store: AgentStore,
  run: Partial<NewRun> = {},
  more: Partial<StartRunInput> = {},
): Promise<number> {
  const started = okValue(
    await store.journal.start({
      run: newRun(run),
      holder: "h-1",
      ttlMs: LONG,
      entries: [STARTED],
      ...more,
    }),
  );
  assert(started.kind === "started");
  return started.epoch;
}

/** A question to a reviewer. */
export function question(
  more: Partial<HitlEnqueueInput> = {},
): HitlEnqueueInput {
  return {
    tenantId: TENANT,
    projectId: "p-1",
    subjectKind: "tool-call:pending",
    subjectRef: {
      conversationId: "c-1",
      toolId: "pack.lookup",
      toolVersion: "1.0.0",
      callId: "k1",
      arguments: { b: 1, a: 2 },
    },
    requiredRole: "standard",
    title: "May it?",
    description: "It wants to look something up.",
    waitTokenId: "token-1",
    provenanceRef: { runId: "run-1" },
    expiresAt: new Date(Date.now() + LONG).toISOString(),
    timeoutMs: LONG,
    ...more,
  };
}
