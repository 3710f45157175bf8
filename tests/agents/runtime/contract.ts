/** What the runtime that wires everything together, and its worker, have to do on any store. */
import {
  type Agent,
  type AgentRuntime,
  type AgentStore,
  type Approval,
  createScriptedProvider,
  createStaticKeyProvider,
  generateSigningKey,
  type HitlEnqueueInput,
  openAgentRuntime,
  type OpenAgentRuntimeInput,
  type ScriptedAnswer,
  type Semver,
  verifyProvenance,
} from "../../../agents/mod.ts";
import {
  assert,
  assertEquals,
  assertObjectMatch,
  assertThrows,
  errValue,
  okValue,
} from "../../assert.ts";
import type { Logger } from "../../../base/log.ts";
import { agentWith, lookup } from "../turn/turn_fixture.ts";

const GATED: Partial<Agent> = {
  tools: [{ id: "pack.lookup", version: "^1.0.0" }],
  conversationPolicy: {
    hitl: { tools: { overrides: { "pack.lookup": "always_ask" } } },
  },
};

const SILENT: Logger = {
  error: () => {},
  warn: () => {},
  info: () => {},
  debug: () => {},
  trace: () => {},
  child: () => SILENT,
  isLevelEnabled: () => false,
};

const SCRIPT: ScriptedAnswer[] = [
  { toolCalls: [{ id: "k1", name: "pack.lookup", arguments: { q: "x" } }] },
  { text: "done" },
];

interface Stage {
  readonly runtime: AgentRuntime;
  readonly store: AgentStore;
  readonly turn: {
    tenantId: string;
    projectId: string;
    conversationId: string;
    userMessage: string;
  };
}

/** How a store is opened; its clock is the test's where it is given. */
export type OpenTestStore = (
  input?: { readonly clock?: () => number },
) => AgentStore | Promise<AgentStore>;

/** Registers the tests for a store. */
export function runtimeContract(
  name: string,
  open: OpenTestStore,
  tag: { readonly ignore: boolean } = { ignore: false },
): void {
  const stores: AgentStore[] = [];
  const createStore: (
    ...input: Parameters<OpenTestStore>
  ) => Promise<AgentStore> = async (input) => {
    const store = await open(input);
    stores.push(store);
    return store;
  };
  const test = (what: string, run: () => Promise<void>) =>
    Deno.test(`${name}: ${what}`, tag, async () => {
      try {
        await run();
      } finally {
        for (const store of stores.splice(0)) await store.close();
      }
    });

  async function opened(
    fields: Partial<Agent> = GATED,
    input: Partial<OpenAgentRuntimeInput> = {},
  ): Promise<Stage> {
    const { store = await createStore() } = input;
    const runtime = openAgentRuntime({
      store,
      agents: [agentWith(fields)],
      providers: [createScriptedProvider({ answers: SCRIPT })],
      tools: [lookup().tool],
      renderer: "in-process",
      ...input,
    });
    const conversation = okValue(
      await runtime.openConversation({
        tenantId: "t-1",
        projectId: "p-1",
        agentId: "acme.helper",
      }),
    );
    assertObjectMatch(conversation, {
      agentVersion: "1.0.0",
      title: "Helper",
      scope: { tenantId: "t-1", projectId: "p-1" },
    });
    return {
      runtime,
      store,
      turn: {
        tenantId: "t-1",
        projectId: "p-1",
        conversationId: conversation.id,
        userMessage: "Hello",
      },
    };
  }

  /** Works until something holds, and ends the worker. */
  async function workUntil(
    runtime: AgentRuntime,
    holds: () => Promise<boolean>,
  ): Promise<void> {
    const controller = new AbortController();
    const working = runtime.work({ signal: controller.signal, pollMs: 5 });
    for (let look = 0; look < 2_000 && !await holds(); look++) {
      await new Promise((done) => setTimeout(done, 5));
    }
    controller.abort();
    await working;
    assert(await holds());
  }

  test("turns of an agent that a worker doesn't know at that version are left to others, which is told once", async () => {
    const { runtime, store, turn } = await opened();
    const parked = okValue(await runtime.invoke(turn));
    okValue(
      await runtime.decide({
        tenantId: "t-1",
        approvalId: parked.pending![0]!.approvalId!,
        decision: "approve",
        decidedBy: { id: "rev-1", role: "standard" },
      }),
    );
    const told: string[] = [];
    const log: Logger = { ...SILENT, info: (message) => told.push(message) };
    const agents = [agentWith({ ...GATED, version: "2.0.0" as Semver })];
    const later = openAgentRuntime({
      ...{ store, agents, log },
      providers: [],
      renderer: "in-process",
    });
    let asked = 0;
    const tenants = store.tenants.bind(store);
    Object.assign(store, { tenants: () => (asked += 1, tenants()) });
    await workUntil(later, () => Promise.resolve(asked > 6));
    assertEquals(told, [
      "The worker leaves turns of agent acme.helper 1.0.0 to others: it doesn't know that version",
    ]);
    await later.close();
    await runtime.close();
  });

  test("a turn parks, is decided, and is resumed; its provenance is signed and kept", async () => {
    const keyProvider = createStaticKeyProvider(await generateSigningKey());
    const { runtime, store, turn } = await opened(GATED, { keyProvider });
    const parked = okValue(await runtime.invoke(turn));
    assertEquals(parked.status, "suspended");
    const { runId } = parked;
    const waiting = okValue(
      await runtime.runs({ tenantId: "t-1", status: "suspended" }),
    );
    assertEquals(waiting.map((run) => run.runId as string), [runId]);
    const [approval] = okValue(
      await runtime.approvals.list({ tenantId: "t-1", status: "pending" }),
    );
    assertEquals(parked.pending?.map(({ approvalId }) => approvalId), [
      approval!.id,
    ]);
    const decision = {
      tenantId: "t-1",
      approvalId: approval!.id,
      decision: "approve",
      decidedBy: { id: "rev-1", role: "standard" },
    } as const;
    okValue(await runtime.decide(decision));
    okValue(await runtime.decide(decision));
    assertEquals(
      errValue(await runtime.decide({ ...decision, decision: "reject" })).code,
      "approval-already-decided",
    );
    const done = okValue(await runtime.resume({ tenantId: "t-1", runId }));
    assertEquals(done.response.content, "done");
    okValue(await verifyProvenance(done.provenance!, keyProvider));
    assertEquals(
      okValue(await store.provenance.get("t-1", runId)),
      done.provenance!,
    );
    const messages = okValue(await runtime.messages(turn));
    assertEquals(messages.length, 4);
    const page = okValue(
      await runtime.conversations({ tenantId: "t-1", limit: 5 }),
    );
    assertEquals(page.data.map(({ turnCount }) => turnCount), [1]);
    await runtime.close();
  });

  test("an agent that the runtime doesn't know is refused by name", async () => {
    const { runtime, turn } = await opened();
    assertEquals(
      errValue(
        await runtime.openConversation({
          tenantId: "t-1",
          agentId: "acme.other",
        }),
      ).code,
      "agent-not-found",
    );
    const stranger = openAgentRuntime({
      store: await createStore(),
      providers: [],
    });
    assertEquals(
      errValue(await stranger.invoke(turn)).code,
      "conversation-not-found",
    );
    assertEquals(
      errValue(await stranger.resume({ tenantId: "t-1", runId: "none" })).code,
      "run-snapshot-missing",
    );
  });

  test("two providers of one id are refused as the runtime opens", async () => {
    const providers = [1, 2].map(() => createScriptedProvider({ answers: [] }));
    const store = await createStore();
    assertThrows(
      () => openAgentRuntime({ store, providers }),
      TypeError,
      "scripted",
    );
  });

  test("instructions are rendered in a process of their own unless the host says otherwise", async () => {
    const { runtime, turn } = await opened({
      instructions: "Help on {{ today }}.",
    }, {
      renderer: "worker",
      providers: [
        createScriptedProvider({
          answers: ({ messages }) => ({ text: messages[0]!.content }),
        }),
      ],
    });
    const { response } = okValue(await runtime.invoke(turn));
    assert(/^Help on \d{4}-\d\d-\d\d\.$/.test(String(response.content)));
    await runtime.close();
  });

  test("the worker takes a decided turn further", async () => {
    const { runtime, turn } = await opened();
    const { runId, pending } = okValue(await runtime.invoke(turn));
    okValue(
      await runtime.decide({
        tenantId: "t-1",
        approvalId: pending![0]!.approvalId!,
        decision: "approve",
        decidedBy: { id: "rev-1", role: "admin" },
      }),
    );
    await workUntil(runtime, async () => {
      const [run] = okValue(await runtime.runs({ tenantId: "t-1" }));
      return run!.runId === runId && run!.status === "completed";
    });
  });

  test("the worker takes an interrupted turn further once its lease is over", async () => {
    let now = Date.now();
    const store = await createStore({ clock: () => now });
    const { append } = store.journal;
    const { runtime, turn } = await opened({}, { store, tools: [] });
    Object.assign(store.journal, {
      append: () => Promise.reject(new Error("dead")),
      release: () => Promise.reject(new Error("dead")),
    });
    assertEquals((await runtime.invoke(turn)).kind, "err");
    Object.assign(store.journal, { append });
    now += 60_000;
    const other = openAgentRuntime({
      store,
      agents: [agentWith({})],
      providers: [createScriptedProvider({ answers: [{ text: "done" }] })],
      renderer: "in-process",
    });
    await workUntil(other, async () => {
      const [run] = okValue(await other.runs({ tenantId: "t-1" }));
      return run!.status === "completed";
    });
    const messages = okValue(await other.messages(turn));
    assertEquals(messages.map(({ content }) => content), ["Hello", "done"]);
  });

  test("a sweep escalates and expires what is due, and the turn fails with timeout", async () => {
    const { runtime, turn } = await opened();
    const { runId } = okValue(await runtime.invoke(turn));
    const day = 24 * 60 * 60 * 1_000;
    const at = (days: number) => new Date(Date.now() + days * day + 60_000);
    assertEquals(okValue(await runtime.sweep(at(0))).expired, 0);
    for (const [days, role] of [[1, "senior"], [2.1, "admin"]] as const) {
      assertEquals(okValue(await runtime.sweep(at(days))).expired, 0);
      const [approval] = okValue(
        await runtime.approvals.list({ tenantId: "t-1" }),
      );
      assertEquals(approval!.requiredRole, role);
    }
    assertEquals(okValue(await runtime.sweep(at(4))).expired, 1);
    assertObjectMatch(
      errValue(await runtime.resume({ tenantId: "t-1", runId })),
      { code: "hitl-cancelled", reason: "timeout" },
    );
  });

  test("a sweep asks what couldn't be asked", async () => {
    const { runtime, store, turn } = await opened();
    const { enqueue } = store.approvals;
    Object.assign(store.approvals, {
      enqueue: () => Promise.reject(new Error("no queue")),
    });
    const parked = okValue(await runtime.invoke(turn));
    assertEquals(parked.status, "suspended");
    assertEquals(parked.pending?.map(({ approvalId }) => approvalId), [
      undefined,
    ]);
    Object.assign(store.approvals, { enqueue });
    assertEquals(okValue(await runtime.sweep()).asked, 1);
    assertEquals(okValue(await runtime.sweep()).asked, 0);
    const [approval] = okValue(
      await runtime.approvals.list({ tenantId: "t-1", status: "pending" }),
    );
    assertEquals(approval!.runId, parked.runId);
  });

  test("cancelling a parked turn withdraws its question", async () => {
    const { runtime, turn } = await opened();
    const { runId, pending } = okValue(await runtime.invoke(turn));
    okValue(await runtime.cancel({ tenantId: "t-1", runId }));
    const approval = okValue(
      await runtime.approvals.get("t-1", pending![0]!.approvalId!),
    );
    assertEquals(approval.status, "withdrawn");
    assertEquals(
      errValue(await runtime.resume({ tenantId: "t-1", runId })).code,
      "agent-turn-aborted",
    );
  });

  test("the worker closes what nobody talks in, and spares what waits", async () => {
    const { runtime, store, turn } = await opened({
      ...GATED,
      conversationPolicy: {
        ...GATED.conversationPolicy,
        autoCloseAfterInactiveSeconds: 1,
      },
    });
    okValue(await runtime.invoke(turn));
    const idle = okValue(
      await runtime.openConversation({
        tenantId: "t-1",
        agentId: "acme.helper",
      }),
    );
    const closed = async (id: string) =>
      okValue(await store.conversations.getConversation("t-1", id)).closedAt !==
        undefined;
    await workUntil(runtime, () => closed(idle.id));
    assertEquals(await closed(turn.conversationId), false);
  });

  test("where nobody can be asked, a sweep cancels waits past their time, and the turn fails with timeout", async () => {
    const { runtime, turn } = await opened(GATED, { hitl: "none" });
    const { runId, pending } = okValue(await runtime.invoke(turn));
    assertEquals(pending?.map(({ approvalId }) => approvalId), [undefined]);
    assertEquals(
      okValue(await runtime.approvals.list({ tenantId: "t-1" })),
      [],
    );
    const due = Date.parse(pending![0]!.expiresAt);
    assertEquals(okValue(await runtime.sweep(new Date(due - 1))).expired, 0);
    assertEquals(okValue(await runtime.sweep(new Date(due))).expired, 1);
    assertEquals(okValue(await runtime.sweep(new Date(due))).expired, 0);
    assertObjectMatch(
      errValue(await runtime.resume({ tenantId: "t-1", runId })),
      { code: "hitl-cancelled", reason: "timeout" },
    );
  });

  test("a queue of the host's is asked instead of the store, and a sweep carries its decision over", async () => {
    const asked: HitlEnqueueInput[] = [];
    let answer: Partial<Approval> = {};
    const { runtime, turn } = await opened(GATED, {
      hitl: {
        enqueue: (question) => {
          asked.push(question);
          return Promise.resolve({ approvalId: "host-1" });
        },
        getByToken: () => {
          const [{ requiredRole, expiresAt, waitTokenId }] = asked as [
            HitlEnqueueInput,
          ];
          return Promise.resolve(
            {
              ...{ id: "host-1", status: "pending", requiredRole, expiresAt },
              waitTokenId,
              ...answer,
            } as Approval,
          );
        },
      },
    });
    const { runId, pending } = okValue(await runtime.invoke(turn));
    assertEquals(pending?.map(({ approvalId }) => approvalId), ["host-1"]);
    assertEquals(asked.map(({ tenantId }) => tenantId), ["t-1"]);
    okValue(await runtime.sweep());
    answer = {
      status: "approved",
      decidedBy: { id: "robin", role: "standard" },
    };
    okValue(await runtime.sweep());
    await workUntil(runtime, async () => {
      const [run] = okValue(await runtime.runs({ tenantId: "t-1" }));
      return run!.runId === runId && run!.status === "completed";
    });
    // The step that parked ran again, with the same question.
    assertEquals(new Set(asked.map(({ waitTokenId }) => waitTokenId)).size, 1);
  });

  test("a sweep leaves the journals of turns alone whose questions wait", async () => {
    const { runtime, store, turn } = await opened();
    okValue(await runtime.invoke(turn));
    let reads = 0;
    const { read } = store.journal;
    Object.assign(store.journal, {
      read: (...args: Parameters<typeof read>) => {
        reads += 1;
        return read.apply(store.journal, args);
      },
    });
    assertEquals(okValue(await runtime.sweep()), {
      expired: 0,
      asked: 0,
      withdrawn: 0,
    });
    assertEquals(reads, 0);
  });

  test("the worker records what it swept, took further and closed", async () => {
    const records: [message: string, fields: object | undefined][] = [];
    const log: Logger = {
      ...SILENT,
      info: (message, fields) => void records.push([message, fields]),
    };
    let now = Date.now();
    const { runtime, store, turn } = await opened({
      ...GATED,
      conversationPolicy: {
        ...GATED.conversationPolicy,
        autoCloseAfterInactiveSeconds: 0.001,
      },
    }, { store: await createStore({ clock: () => now }), log });
    const { runId, pending } = okValue(await runtime.invoke(turn));
    okValue(
      await runtime.decide({
        tenantId: "t-1",
        approvalId: pending![0]!.approvalId!,
        decision: "reject",
        decidedBy: { id: "rev-1", role: "admin" },
      }),
    );
    const { conversationId } = turn;
    const ids = { tenantId: "t-1", conversationId };
    now -= 60_000;
    await workUntil(runtime, async () => {
      const known = await store.conversations.getConversation(
        "t-1",
        conversationId,
      );
      return okValue(known).closedAt !== undefined;
    });
    assertEquals(records, [
      ["The worker took a turn further", {
        ...ids,
        runId,
        status: "completed",
      }],
      ["The worker closed an inactive conversation", ids],
    ]);
  });

  test("a sweep withdraws the questions of a turn that failed over another one", async () => {
    const call = (id: string, q: string) => ({
      id,
      name: "pack.lookup",
      arguments: { q },
    });
    const { runtime, store, turn } = await opened(GATED, {
      providers: [createScriptedProvider({
        answers: [{ toolCalls: [call("k1", "x"), call("k2", "y")] }],
      })],
    });
    const { runId, pending } = okValue(await runtime.invoke(turn));
    const [first, second] = pending!;
    okValue(
      await store.journal.resolveToken({
        tenantId: "t-1",
        runId,
        outcome: {
          tokenId: first!.waitTokenId,
          kind: "cancelled",
          reason: "timeout",
        },
      }),
    );
    assertEquals(
      errValue(await runtime.resume({ tenantId: "t-1", runId })).code,
      "hitl-cancelled",
    );
    assertEquals(okValue(await runtime.sweep()).withdrawn, 2);
    assertEquals(okValue(await runtime.sweep()).withdrawn, 0);
    const approval = okValue(
      await runtime.approvals.get("t-1", second!.approvalId!),
    );
    assertEquals(approval.status, "withdrawn");
  });
}
