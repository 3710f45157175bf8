/** A turn with tools, gates, memory and a guardrail, and everything that has to be the same however it got to its end. */
import type { Agent, Guardrail, Tool } from "../../../agents/mod.ts";
import {
  createProvenanceBuilder,
  createStaticKeyProvider,
  generateSigningKey,
  type KeyProvider,
  type ProvenanceRecord,
  verifyProvenance,
} from "../../../agents/provenance/mod.ts";
import type { AgentStore } from "../../../agents/store/mod.ts";
import type { AgentTurnResult, TurnEvent } from "../../../agents/turn/mod.ts";
import { assertEquals, okValue } from "../../assert.ts";
import {
  type Answer,
  call,
  lookup,
  say,
  type Scene,
  sceneOn,
} from "./turn_fixture.ts";

/** The keys of one process. */
const KEYS = createStaticKeyProvider(await generateSigningKey("key-1"));

export const AGENT: Partial<Agent> = {
  tools: [
    { id: "pack.lookup", version: "^1.0.0" },
    { id: "pack.free", version: "^1.0.0" },
  ],
  retrieval: [{ types: ["acme.note"], scope: "tenant" }],
  guardrails: ["cites"],
  conversationPolicy: {
    hitl: {
      tools: {
        default: "never_ask",
        overrides: { "pack.lookup": "ask_on_first_use" },
      },
    },
  },
};

export const CITES: Guardrail = {
  id: "cites",
  kind: "zero-llm",
  check: "must-cite",
  action: { "on-violation": "log-only" },
};

/** The model: what it answers depends on what it has seen, as a real one's does, so that a cut call may be asked again. */
const answers: Answer = ({ messages }) => {
  const results = messages.filter(({ role }) => role === "tool").length;
  switch (results) {
    case 0:
      return Promise.resolve(
        call(["f1", "pack.free", { q: "1" }], ["g1", "pack.lookup", {
          q: "2",
        }]),
      );
    case 2:
      return Promise.resolve(call(["b1", "pack.nope", {}]));
    case 3:
      return Promise.resolve(call(["g2", "pack.lookup", { q: "3" }]));
    default:
      return Promise.resolve(say("done"));
  }
};

/** What the world outside of the store has seen. */
export interface World {
  /** How often tools ran, by idempotency key. */
  readonly ran: Map<string, number>;
  readonly events: TurnEvent[];
}

function tools({ ran }: World): Tool[] {
  return ["pack.lookup", "pack.free"].map((id) =>
    lookup({
      id,
      handler: (input, { idempotencyKey }) => {
        const key = idempotencyKey!;
        ran.set(key, (ran.get(key) ?? 0) + 1);
        return { found: (input as { q: string }).q };
      },
    }).tool
  );
}

export function runtime<Store extends AgentStore>(
  store: Store,
  world: World,
  keys: KeyProvider = KEYS,
): Promise<Scene<Store>> {
  return sceneOn(store, {
    opened: true,
    agent: AGENT,
    guardrails: [CITES],
    tools: tools(world),
    script: Array.from({ length: 12 }, () => answers),
    runId: "run-1",
    bindings: {
      onEvent: (event) => void world.events.push(event),
      provenance: {
        newBuilder: createProvenanceBuilder,
        emit: true,
        emitBinding: store.provenance,
        keyProvider: keys,
      },
    },
  });
}

/** Puts a fact and conversation `c-1` into a store. */
export async function begun<Store extends AgentStore>(
  store: Store,
): Promise<Store> {
  okValue(
    await store.memory.writeFact("t-1", {
      type: "acme.note",
      content: "remembered",
      scope: {},
    }),
  );
  okValue(
    await store.conversations.openConversation({
      id: "c-1",
      tenantId: "t-1",
      agentId: "acme.helper",
      agentVersion: "1.0.0",
      title: "A talk",
      scope: {},
    }),
  );
  return store;
}

/** Approves whatever is asked and resumes until the turn has ended. */
export async function toTheEnd(
  stage: Scene<AgentStore>,
  fresh = false,
): Promise<AgentTurnResult> {
  if (fresh) okValue(await stage.invoke());
  for (let round = 0; round < 6; round++) {
    const pending = okValue(
      await stage.store.approvals.list({ tenantId: "t-1", status: "pending" }),
    );
    if (pending.length > 0) await stage.decide("approve");
    const answer = await stage.resume("run-1");
    if (answer.kind === "err" || answer.value.status === "completed") {
      return okValue(answer);
    }
  }
  throw new Error("the turn doesn't end");
}

/** What has to be the same, however the turn got there. */
export async function outcome(
  stage: Scene<AgentStore>,
  result: AgentTurnResult,
  world: World,
  keys: KeyProvider = KEYS,
) {
  const conversation = okValue(
    await stage.store.conversations.getConversation("t-1", "c-1"),
  );
  const record = okValue(await stage.store.provenance.get("t-1", "run-1"));
  assertEquals(
    okValue(await verifyProvenance(record!, keys)).keyId,
    "key-1",
  );
  const messages = okValue(
    await stage.store.conversations.readMessages({
      tenantId: "t-1",
      conversationId: "c-1",
    }),
  );
  const strip = (
    list: readonly { createdAt?: unknown }[],
  ) => list.map(({ createdAt: _, ...message }) => message);
  const { durationMs: _, ...usage } = result.usage;
  return {
    turns: conversation.turnCount,
    messages: strip(messages),
    appended: strip(result.appended),
    usage,
    retrieved: result.retrieved.map(({ fact }) => fact.content),
    violations: result.violations.map(({ guardrailId }) => guardrailId),
    provider: result.provider,
    provenance: shapeOf(record!),
    sameRecord: signedPart(record!) === signedPart(result.provenance!),
    calls: [...world.ran.keys()].sort(),
  };
}

/** A record without the moment at which it was signed, which its signature doesn't cover. */
function signedPart(record: ProvenanceRecord): string {
  return JSON.stringify({
    ...record,
    signature: { ...record.signature, signedAt: "" },
  });
}

/** A record without times and the ids of model calls, which are drawn. */
function shapeOf({ id, nodes, edges }: ProvenanceRecord) {
  return {
    id,
    nodes: nodes.map(({ timestamp: _, attributes, ...node }) => {
      const { callId: _call, approvalId: _approval, ...kept } = attributes ??
        {};
      return {
        ...node,
        attributes: JSON.stringify(kept).replaceAll(
          /"factIds?":("[^"]*"|\[[^\]]*\])/g,
          "",
        ),
        id: node.id.startsWith("retrieval:") ? "retrieval" : node.id,
      };
    }),
    edges: edges.map((edge) => edge.kind),
  };
}
