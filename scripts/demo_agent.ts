/**
 * The second half of `deno task demo`: the example pack's agent takes two turns of a conversation. Its tools and its
 * guardrail are the running service's; its model is scripted, so that the demo needs none.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import {
  type AgentRuntime,
  type AgentTurnResult,
  createMemoryStore,
  createScriptedProvider,
  createStaticKeyProvider,
  generateSigningKey,
  openAgentRuntime,
  packGuardrails,
  packServiceChecks,
  packServiceTools,
  type ScriptedAnswer,
  type TurnEvent,
  verifyProvenance,
} from "../agents/mod.ts";
import { EXAMPLE_INDEX } from "./example_pack.ts";
import type { PackAddress } from "./pack_client.ts";
import { shownJson, styled } from "./printed.ts";
import { packAgents } from "./support/opened_pack.ts";

/** What a pack's index says, the part that a runtime needs. */
type PackIndex =
  & Parameters<typeof packServiceTools>[0]["index"]
  & Parameters<typeof packServiceChecks>[0]["index"]
  & Parameters<typeof packGuardrails>[0]
  & { readonly agents: readonly Record<string, unknown>[] };

/** What the model says: it looks the order up, answers, asks for the refund, answers. */
const SCRIPT: readonly ScriptedAnswer[] = [
  {
    toolCalls: [{
      id: "look",
      name: "support.find_order",
      arguments: { orderId: "A-10042" },
    }],
  },
  { text: "Your order A-10042 has been delivered." },
  {
    toolCalls: [{
      id: "refund",
      name: "support.refund_order",
      arguments: {
        orderId: "A-10042",
        amountCents: 1_200,
        reason: "Another leg of the chair is scratched",
      },
    }],
  },
  { text: "12.00 EUR are on their way back to you. I am sorry for the chair." },
];

/** Runs the agent for two turns; a reviewer lets the second one's refund go out. Throws when it doesn't go as it has to. */
export async function showAgent(address: PackAddress): Promise<void> {
  const index = JSON.parse(await readFile(EXAMPLE_INDEX, "utf8")) as PackIndex;
  const [agent] = packAgents(index);
  expect(agent !== undefined, "the example pack has no agent");
  const keyProvider = createStaticKeyProvider(await generateSigningKey());
  const runtime = openAgentRuntime({
    store: createMemoryStore(),
    agents: [agent],
    providers: [createScriptedProvider({ answers: SCRIPT })],
    tools: packServiceTools({ ...address, index }),
    checks: packServiceChecks({ ...address, index }),
    guardrails: packGuardrails(index),
    keyProvider,
    onEvent: showEvent,
  });
  try {
    console.log(
      `\nThe pack's agent ${
        styled("bold", `${agent.id} ${agent.version}`)
      } takes two turns; its tools are the service's`,
    );
    const conversation = valueOf(
      await runtime.openConversation({
        tenantId: "acme",
        projectId: "support",
        agentId: agent.id,
      }),
    );
    const turn = (userMessage: string) =>
      say(runtime, conversation.id, userMessage);
    const first = await turn("Where is my order A-10042?");
    expect(first.status === "completed", "the first turn isn't completed");
    const parked = await turn("A leg is scratched. Can I have 12 EUR back?");
    expect(parked.status === "suspended", "the refund wasn't asked about");
    const done = await approve(runtime, parked);
    await showProvenance(done, keyProvider);
  } finally {
    await runtime.close();
  }
}

async function say(
  runtime: AgentRuntime,
  conversationId: string,
  userMessage: string,
): Promise<AgentTurnResult> {
  console.log(`\n${styled("bold", `»  ${userMessage}`)}`);
  return valueOf(
    await runtime.invoke({
      tenantId: "acme",
      projectId: "support",
      conversationId,
      userMessage,
      parameters: { shop: "Acme" },
    }),
  );
}

/** A reviewer agrees to what the turn waits for, and the turn goes on in the same run. */
async function approve(
  runtime: AgentRuntime,
  { runId, pending = [] }: AgentTurnResult,
): Promise<AgentTurnResult> {
  const tenantId = "acme";
  for (const { approvalId = "" } of pending) {
    const { title, requiredRole, subjectRef } = valueOf(
      await runtime.approvals.get(tenantId, approvalId),
    );
    console.log(
      `   ${styled("red", "‖")} parked: ${title} A ${requiredRole} has to say`,
    );
    console.log(shownJson(subjectRef.arguments, { indent: "     " }));
    const decidedBy = { id: "robin", role: requiredRole };
    valueOf(
      await runtime.decide({
        tenantId,
        approvalId,
        decision: "approve",
        decidedBy,
      }),
    );
    console.log(`   ${styled("green", "‖")} approved by ${decidedBy.id}`);
  }
  const resumed = valueOf(await runtime.resume({ tenantId, runId }));
  expect(resumed.status === "completed", "the second turn isn't completed");
  return resumed;
}

async function showProvenance(
  { provenance, usage }: AgentTurnResult,
  keys: Parameters<typeof verifyProvenance>[1],
): Promise<void> {
  expect(provenance !== undefined, "the turn has no provenance");
  const { keyId } = valueOf(await verifyProvenance(provenance, keys));
  console.log(
    `\nHow the answer came about, signed by key ${keyId.slice(0, 8)}… ${
      styled("green", "and verified")
    }; ${usage.steps} model calls`,
  );
  for (const { from, kind, to } of provenance.edges) {
    console.log(`     ${from} ${styled("dim", kind)} ${to}`);
  }
}

/** An event on a line, with what people want to know of it. */
function showEvent(event: TurnEvent): void {
  const { kind } = event;
  const sign = kind === "turn.failed" || kind === "tool.failed"
    ? styled("red", "•")
    : styled("cyan", "•");
  console.log(`   ${sign} ${kind.padEnd(22)} ${detailOf(event)}`.trimEnd());
}

function detailOf(event: TurnEvent): string {
  switch (event.kind) {
    case "model.call.started":
      return `${event.providerId}/${event.model}`;
    case "model.call.completed":
      return event.finishReason;
    case "tool.started":
      return `${event.toolId} ${event.toolVersion} ${
        JSON.stringify(event.arguments)
      }`;
    case "tool.completed":
      return `${event.toolId} ${styled("dim", `${event.durationMs} ms`)}`;
    case "tool.failed":
      return event.error.message;
    case "agent.message":
      return event.isFinal ? String(event.message.content) : "";
    case "turn.failed":
      return event.message;
    default:
      return "";
  }
}

function valueOf<Value>(
  result:
    | { readonly kind: "ok"; readonly value: Value }
    | { readonly kind: "err"; readonly error: { readonly message: string } },
): Value {
  if (result.kind === "ok") return result.value;
  throw new Error(result.error.message);
}

function expect(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Error(`The agent's turns: ${problem}`);
}
