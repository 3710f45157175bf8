/**
 * Turns that are cut: the store fails at one append of the journal after the other, what is stored is taken up by a fresh
 * runtime, and the turn comes to the same end as one that wasn't cut.
 */
import type { Agent, Guardrail, Tool } from "../../../agents/mod.ts";
import {
  createProvenanceBuilder,
  createStaticKeyProvider,
  generateSigningKey,
  type ProvenanceRecord,
  verifyProvenance,
} from "../../../agents/provenance/mod.ts";
import {
  createMemoryStore,
  type MemoryAgentStore,
} from "../../../agents/store/mod.ts";
import type { AgentTurnResult, TurnEvent } from "../../../agents/turn/mod.ts";
import type { RunJournal } from "../../../agents/flow/mod.ts";
import { assert, assertEquals, okValue } from "../../assert.ts";
import { cutStore } from "./cut_store.ts";
import {
  type Answer,
  call,
  lookup,
  say,
  type Scene,
  scene,
} from "./turn_fixture.ts";

const keys = createStaticKeyProvider(await generateSigningKey("key-1"));

const AGENT: Partial<Agent> = {
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

const CITES: Guardrail = {
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
interface World {
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

function runtime(store: MemoryAgentStore, world: World): Promise<Scene> {
  return scene({
    opened: true,
    store,
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

async function freshStore(): Promise<MemoryAgentStore> {
  const store = createMemoryStore();
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

/** Fails a journal's nth write; from then on the process is as good as dead. `after` lets that write happen first. */
function cutAt(journal: RunJournal, cut: number, after: boolean) {
  let writes = 0;
  const dead = () => writes > cut || writes === cut && !after;
  const cutting = (name: "startExclusive" | "append" | "park") => {
    const write = journal[name]!.bind(journal) as (
      ...args: unknown[]
    ) => Promise<unknown>;
    Object.assign(journal, {
      [name]: async (...args: unknown[]) => {
        writes += 1;
        if (dead()) throw new Error(`cut at write ${cut}`);
        const answer = await write(...args);
        if (writes === cut) throw new Error(`cut after write ${cut}`);
        return answer;
      },
    });
  };
  cutting("startExclusive");
  cutting("append");
  cutting("park");
  return () => writes;
}

/** Takes a store to a new process: nothing but its bytes is left, and the dead process's leases are over. */
function reloaded(store: MemoryAgentStore): MemoryAgentStore {
  return createMemoryStore({
    saved: store.save(),
    clock: () => Date.now() + 60_000,
  });
}

/** Approves whatever is asked and resumes until the turn has ended. */
async function toTheEnd(
  stage: Scene,
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
async function outcome(stage: Scene, result: AgentTurnResult, world: World) {
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

Deno.test("[trap 49] a turn cut at any write of its journal is resumed to the same conversation, usage and provenance (decisions.md 29)", async () => {
  const world: World = { ran: new Map(), events: [] };
  const whole = await runtime(await freshStore(), world);
  const counted = cutAt(whole.store.journal, Infinity, false);
  okValue(await whole.invoke());
  const expected = await outcome(whole, await toTheEnd(whole), world);
  const writes = counted();
  assert(writes >= 10, `${writes} writes`);
  assertEquals(expected.sameRecord, true);

  for (let cut = 1; cut <= writes; cut++) {
    for (const after of [false, true]) {
      const world: World = { ran: new Map(), events: [] };
      const store = await freshStore();
      const first = await runtime(store, world);
      cutAt(store.journal, cut, after);
      const answer = await first.invoke();
      let last = first;
      if (answer.kind === "ok") {
        // Parked before the cut: the next part of the turn meets it.
        await first.decide("approve");
        const resumed = await first.resume("run-1");
        assert(resumed.kind === "err" || resumed.value.status === "suspended");
      } else {
        assertEquals(answer.error.code, "model-invocation-failed");
      }
      last = await runtime(reloaded(store), world);
      const known = await last.runBinding.getRun("t-1", "run-1");
      if (known.kind === "err") {
        // Cut before anything was stored: there is nothing to resume.
        assertEquals([cut, after], [1, false]);
        const begun = okValue(await last.invoke());
        assertEquals(begun.status, "suspended");
      }
      const result = await toTheEnd(last);
      assertEquals(
        await outcome(last, result, world),
        expected,
        `cut ${after ? "after" : "at"} write ${cut} of ${writes}`,
      );
      const ends = world.events.filter(({ kind }) =>
        kind === "turn.completed"
      ).length;
      assert(ends <= 1, `${ends} ends`);
      for (const [key, times] of world.ran) {
        assert(times <= 2, `${key} ran ${times} times`);
      }
    }
  }
});

Deno.test("a turn cut at any call of its store, reads too, is resumed to the same conversation, usage and provenance", async () => {
  const uncut = cutStore(await freshStore());
  const world: World = { ran: new Map(), events: [] };
  const whole = await runtime(uncut.store, world);
  okValue(await whole.invoke());
  const result = await toTheEnd(whole);
  const calls = [...uncut.calls];
  const expected = await outcome(whole, result, world);

  for (let at = 1; at <= calls.length; at++) {
    for (const after of [false, true]) {
      const world: World = { ran: new Map(), events: [] };
      const store = await freshStore();
      const cut = cutStore(store, { at, after });
      const first = await runtime(cut.store, world);
      await toTheEnd(first, true).catch(() => undefined);
      const last = await runtime(reloaded(store), world);
      const known = await last.runBinding.getRun("t-1", "run-1");
      if (known.kind === "err") okValue(await last.invoke());
      assertEquals(
        await outcome(last, await toTheEnd(last), world),
        expected,
        `cut ${after ? "after" : "at"} call ${at}, ${calls[at - 1]}`,
      );
      for (const [key, times] of world.ran) {
        assert(times <= 2, `${key} ran ${times} times`);
      }
    }
  }
});

Deno.test("a tool whose result was stored doesn't run again after a crash (decisions.md 29)", async () => {
  const world: World = { ran: new Map(), events: [] };
  const store = await freshStore();
  const first = await runtime(store, world);
  // The free tool's result is stored, and the process dies before the step is journaled.
  const { appendMessage } = store.conversations;
  Object.assign(store.conversations, {
    async appendMessage(input: Parameters<typeof appendMessage>[0]) {
      const stored = await appendMessage.call(store.conversations, input);
      if (input.role === "tool") {
        Object.assign(store.journal, {
          append: () => Promise.reject(new Error("dead")),
          park: () => Promise.reject(new Error("dead")),
        });
      }
      return stored;
    },
  });
  assertEquals((await first.invoke()).kind, "err");
  const last = await runtime(reloaded(store), world);
  const result = await toTheEnd(last);
  assertEquals([...world.ran.values()], [1, 1, 1]);
  assertEquals(result.appended.map(({ sequence }) => sequence), [
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
  ]);
  // At least once across a crash.
  const told = world.events.filter(({ kind }) => kind === "agent.message");
  assertEquals(told.length, 5);
});

Deno.test("what a lost answer has cost counts for the budget, and not in the result (durability.md, Counting)", async () => {
  for (const [maxCostUsd, ends] of [[0.055, true], [0.045, false]] as const) {
    const world: World = { ran: new Map(), events: [] };
    const store = await freshStore();
    const first = await runtime(store, world);
    Object.assign(first.agent, { budget: { maxCostUsd } });
    const { append } = store.journal;
    Object.assign(store.journal, {
      append: (input: Parameters<typeof append>[0]) =>
        input.usage === undefined
          ? append.call(store.journal, input)
          : Promise.reject(new Error("dead")),
    });
    assertEquals((await first.invoke()).kind, "err");
    const last = await runtime(reloaded(store), world);
    Object.assign(last.agent, { budget: { maxCostUsd } });
    if (ends) {
      const result = await toTheEnd(last);
      assertEquals(result.usage.totalCostUsd, 0.04);
      continue;
    }
    const pending = async () => await toTheEnd(last).catch(String);
    assert(String(await pending()).includes("budget-exceeded"));
  }
});

Deno.test("a step costs the same in the journal however long the turn is, and the journal grows with the steps (decisions.md 31)", async () => {
  const sizes: number[] = [];
  for (const steps of [8, 16, 31]) {
    const stage = await scene({
      tools: [lookup().tool],
      agent: {
        tools: [{ id: "pack.lookup", version: "*" }],
        budget: { maxSteps: 32 },
      },
      script: [
        ...Array.from(
          { length: steps },
          (_, at): Answer => call([`k${10 + at}`, "pack.lookup", { q: "x" }]),
        ),
        say("done"),
      ],
    });
    const { runId } = okValue(await stage.invoke());
    const journal = okValue(await stage.runBinding.readJournal("t-1", runId));
    const started = journal.findIndex(({ nodeId }) => nodeId === "agent-loop");
    const loop = journal.slice(started).filter(({ nodeId }) =>
      nodeId === "model-call" || nodeId === "dispatch-tools" ||
      nodeId === "budget-check"
    );
    sizes.push(JSON.stringify(loop).length / (steps + 1));
  }
  const [short, , long] = sizes;
  assert(long! < 1.3 * short!, sizes.join());
});
