/**
 * Opening a runtime: the short way to running agents (`spec/api.md`).
 *
 * @module
 */

import { err, type Result } from "../../base/result.ts";
import {
  type Agent,
  type AgentError,
  type AgentRegistry,
  createAgentRegistry,
} from "../agent/mod.ts";
import type {
  Approval,
  ApprovalError,
  DecideApprovalInput,
} from "../approvals/mod.ts";
import type { Conversation } from "../conversation/mod.ts";
import {
  checkTurnInput,
  invokeAgent,
  reconcileWaits,
  resumeAgentTurn,
  type TurnAnswer,
} from "../turn/mod.ts";
import { checkRuntimeInput } from "./check_input.ts";
import { lazyRenderer } from "./lazy_renderer.ts";
import { sweepApprovals } from "./sweep.ts";
import type {
  AgentRuntime,
  CancelInput,
  InvokeInput,
  OpenAgentRuntimeInput,
  OpenConversation,
  ResumeInput,
} from "./types.ts";
import { isList, type RuntimeBindings, wireBindings } from "./wire_bindings.ts";
import { work } from "./worker.ts";

/**
 * Opens a runtime over a store.
 *
 * @throws {TypeError} If an option is missing, unknown or not what it should be, or a list holds something twice.
 */
export function openAgentRuntime(input: OpenAgentRuntimeInput): AgentRuntime {
  checkRuntimeInput(input);
  const { store, agents = [], renderer = "worker" } = input;
  const own = renderer === "worker" ? lazyRenderer() : undefined;
  const bindings = wireBindings(
    input,
    typeof renderer === "string" ? own : renderer,
  );
  const { conversationBinding, runBinding } = bindings;
  const known = isList(agents) ? createAgentRegistry(agents) : agents;
  const runtime: AgentRuntime = {
    bindings,
    agents: known,
    openConversation: (opened) => openConversation(opened, bindings, known),
    invoke: (turn) => invoke(turn, bindings, known),
    resume: (turn) => resume(turn, bindings, known),
    approvals: {
      list: (which) => store.approvals.list(which),
      get: (tenantId, id) => store.approvals.get(tenantId, id),
    },
    decide: (decision) => decide(decision, input, bindings),
    runs: (which) => runBinding.listRuns(which),
    sweep: (now = new Date()) => sweepApprovals(store, bindings, now),
    work: (how) => work(runtime, input, how),
    cancel: (run) => cancel(run, input, bindings),
    messages: (which) => conversationBinding.readMessages(which),
    conversations: (which) => conversationBinding.listConversationsPage(which),
    close: async () => await own?.close(),
  };
  return runtime;
}

async function openConversation(
  input: OpenConversation,
  { conversationBinding }: RuntimeBindings,
  agents: AgentRegistry,
): Promise<Result<Conversation, AgentError>> {
  const { tenantId, projectId, agentId, agentVersion, title, scope } = input;
  if (typeof tenantId !== "string" || typeof agentId !== "string") {
    throw new TypeError(
      "Cannot open a conversation without tenantId and agentId: give both as texts",
    );
  }
  let agent: Agent | undefined;
  if (agentVersion === undefined || title === undefined) {
    const known = agents.get(agentId, agentVersion);
    if (known.kind === "ok") agent = known.value;
    else if (agentVersion === undefined) return known;
  }
  return await conversationBinding.openConversation({
    ...input,
    agentVersion: agentVersion ?? agent!.version,
    title: title ?? agent?.name ?? agentId,
    scope: scope ?? {
      tenantId,
      ...(projectId === undefined ? {} : { projectId }),
    },
  });
}

async function invoke(
  input: InvokeInput,
  bindings: RuntimeBindings,
  agents: AgentRegistry,
): Promise<TurnAnswer> {
  const { tenantId, conversationId, agent } = input;
  checkTurnInput(input);
  if (agent !== undefined) {
    return await invokeAgent({ ...input, agent }, bindings);
  }
  const opened = await bindings.conversationBinding.getConversation(
    tenantId,
    conversationId,
  );
  if (opened.kind === "err") return opened;
  const { agentId, agentVersion } = opened.value;
  const known = agents.get(agentId, agentVersion);
  return known.kind === "err"
    ? known
    : await invokeAgent({ ...input, agent: known.value }, bindings);
}

async function resume(
  input: ResumeInput,
  bindings: RuntimeBindings,
  agents: AgentRegistry,
): Promise<TurnAnswer> {
  const { tenantId, runId, agent } = input;
  if (agent !== undefined) {
    return await resumeAgentTurn({ ...input, agent }, bindings);
  }
  const run = await bindings.runBinding.getRun(tenantId, runId);
  const started = run.kind === "ok" ? run.value.agent : undefined;
  if (started === undefined) {
    return err({
      code: "run-snapshot-missing",
      message: `Cannot resume run ${runId}: ${
        run.kind === "err" ? run.error.message : "it is no turn of an agent"
      }`,
      runId,
    });
  }
  const known = agents.get(started.id, started.version);
  return known.kind === "err"
    ? known
    : await resumeAgentTurn({ ...input, agent: known.value }, bindings);
}

/** Decides, and completes the wait where the store doesn't do both at once. */
async function decide(
  input: DecideApprovalInput,
  { store }: OpenAgentRuntimeInput,
  { runBinding, hitl }: RuntimeBindings,
): Promise<Result<Approval, ApprovalError>> {
  const decided = await store.approvals.decide(input);
  if (decided.kind === "err") return decided;
  const { tenantId, runId } = decided.value;
  const journal = await runBinding.readJournal(tenantId, runId);
  if (journal.kind === "ok") {
    const run = { tenantId, runId };
    await reconcileWaits(journal.value, run, hitl, runBinding);
  }
  return decided;
}

/** Cancels a run and its waits, and takes its questions back. */
async function cancel(
  { tenantId, runId, reason }: CancelInput,
  { store }: OpenAgentRuntimeInput,
  { runBinding }: RuntimeBindings,
): Promise<Awaited<ReturnType<AgentRuntime["cancel"]>>> {
  const cancelled = await runBinding.cancelRun(tenantId, runId, reason);
  if (cancelled.kind === "ok") {
    await store.approvals.withdraw({ tenantId, runId });
  }
  return cancelled;
}
