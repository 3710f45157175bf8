/** Taking parked turns further: cases J, and idempotent starts. */
import type {
  Agent,
  AppendInput,
  AppendMessageInput,
} from "../../../agents/mod.ts";
import { createMemoryStore } from "../../../agents/store/mod.ts";
import {
  assert,
  assertEquals,
  assertObjectMatch,
  okValue,
} from "../../assert.ts";
import {
  call,
  errorOf,
  lookup,
  provider,
  say,
  type Scene,
  scene,
  type SceneOptions,
} from "./turn_fixture.ts";

const GATED: Partial<Agent> = {
  tools: [{ id: "pack.lookup", version: "^1.0.0" }],
  conversationPolicy: {
    hitl: { tools: { overrides: { "pack.lookup": "always_ask" } } },
  },
};

async function parkedTurn(options: SceneOptions = {}): Promise<Scene> {
  const stage = await scene({
    tools: [lookup().tool],
    script: [call(["call-0", "pack.lookup", { q: "x" }]), say("done")],
    runId: "run-1",
    ...options,
    agent: { ...GATED, ...options.agent },
  });
  assertEquals(okValue(await stage.invoke()).status, "suspended");
  return stage;
}

async function statusOf({ runBinding }: Scene): Promise<string> {
  return okValue(await runBinding.getRun("t-1", "run-1")).status;
}

Deno.test("[110] a run that left nothing is missing; a snapshot that can't be read says so (durability.md)", async () => {
  const stage = await parkedTurn();
  assertObjectMatch(errorOf(await stage.resume("run-9")), {
    code: "run-snapshot-missing",
    runId: "run-9",
  });
  const { write } = stage.store.snapshots;
  for (
    const read of [
      () => Promise.reject(new Error("no disk")),
      () =>
        Promise.resolve({
          kind: "err",
          error: { code: "persistence-error", message: "no disk", cause: 1 },
        }),
    ]
  ) {
    Object.assign(stage.bindings, { runSnapshotBinding: { write, read } });
    assertEquals(
      errorOf(await stage.resume("run-1")).code,
      "run-snapshot-unreadable",
    );
  }
});

Deno.test("a turn without a snapshot is resumed from its journal (durability.md, What a resume needs)", async () => {
  const principal = { userId: "u-1" };
  const seen: unknown[] = [];
  const stage = await scene({
    tools: [
      lookup({
        handler: (_input, { orgId, principal }) => {
          seen.push({ orgId, principal });
          return { found: "x" };
        },
      }).tool,
    ],
    agent: {
      ...GATED,
      instructions: "Help {{ who }} with {{ input.id }}.",
      parameters: [{ name: "who", type: "string" }],
    },
    authorize: (request) => {
      seen.push(request.authz);
      return { allowed: true };
    },
    script: [call(["call-0", "pack.lookup", { q: "x" }]), say("done")],
    runId: "run-1",
  });
  const input = {
    orgId: "o-1",
    principal,
    authz: { fgaApiUrl: "http://fga" },
    participantId: "u-9",
    parameters: { who: "Ada" },
    input: { id: 7 },
  };
  okValue(await stage.invoke(input));
  const { write } = stage.store.snapshots;
  const read = () => Promise.resolve({ kind: "ok", value: null });
  Object.assign(stage.bindings, { runSnapshotBinding: { write, read } });
  await stage.decide("approve");
  okValue(await stage.resume("run-1"));
  assertEquals(seen, [
    { fgaApiUrl: "http://fga" },
    { orgId: "o-1", principal },
  ]);
  assertEquals(
    stage.provider.calls[1]!.messages[0]!.content,
    "Help Ada with 7.",
  );
});

Deno.test("[111] a run is resumed with the agent's version that it was started with", async () => {
  const stage = await parkedTurn();
  const agent = { ...stage.agent, version: "1.1.0" as Agent["version"] };
  assertObjectMatch(errorOf(await stage.resume("run-1", { agent })), {
    code: "agent-version-mismatch",
    expectedVersion: "1.0.0",
    actualVersion: "1.1.0",
  });
});

Deno.test("[112] a journal that can't be read leaves the run suspended", async () => {
  const stage = await parkedTurn();
  const { journal } = stage.store;
  const read = journal.read;
  Object.assign(journal, { read: () => Promise.reject(new Error("no disk")) });
  assertEquals(
    errorOf(await stage.resume("run-1")).code,
    "run-journal-unavailable",
  );
  Object.assign(journal, { read });
  assertEquals(await statusOf(stage), "suspended");
});

Deno.test("a store's bad moment while a turn is taken up doesn't cost the turn, and a lasting one is persistence-error", async () => {
  const none = () => Promise.reject(new Error("no disk"));
  for (const [times, code] of [[2, undefined], [9, "persistence-error"]]) {
    for (const failing of ["usage", "conversations"] as const) {
      const stage = await parkedTurn({ agent: { budget: { maxCostUsd: 1 } } });
      await stage.decide("approve");
      const name = failing === "usage" ? "list" : "readMessages";
      const part = stage.store[failing] as unknown as Record<
        string,
        (...input: unknown[]) => Promise<unknown>
      >;
      const read = part[name]!.bind(part);
      let left = times as number;
      part[name] = (...input) => left-- > 0 ? none() : read(...input);
      const answer = await stage.resume("run-1");
      if (code === undefined) assertEquals(okValue(answer).status, "completed");
      else assertEquals(errorOf(answer).code, code);
      assertEquals(
        stage.kinds().filter((kind) => kind.startsWith("turn.")).length,
        2,
      );
    }
  }
});

Deno.test("[113] [114] a turn stays with the model that it began with; without it the run stays as it is", async () => {
  const script = [
    call(["call-0", "pack.lookup", { q: "x" }]),
    say("from q"),
  ];
  const q = provider(script, { id: "q" });
  const stage = await parkedTurn({
    providers: [q],
    agent: { ...GATED, preferredProvider: "p" },
  });
  const { providerRegistry } = stage.bindings;
  providerRegistry.register("t-1", provider([say("from p")]));
  await stage.decide("approve");
  const register = (ids: string[]) =>
    Object.assign(stage.bindings, {
      providerRegistry: {
        list: () =>
          providerRegistry.list("t-1").filter(({ metadata }) =>
            ids.includes(metadata.id)
          ),
      },
    });
  register(["p"]);
  const gone = errorOf(await stage.resume("run-1"));
  assertEquals(gone.code, "capability-routing-failed");
  assert(gone.message.includes("q/m1"), gone.message);
  register(["p", "q"]);
  Object.assign(stage.bindings, {
    tenantPolicy: { tenantId: "t-1", providers: { deny: ["q"] } },
  });
  const denied = errorOf(await stage.resume("run-1"));
  assertEquals(denied.code, "capability-routing-failed");
  assertEquals(await statusOf(stage), "suspended");
  Object.assign(stage.bindings, { tenantPolicy: undefined });
  assertEquals(
    okValue(await stage.resume("run-1")).response.content,
    "from q",
  );
});

Deno.test("a turn stays with the tool's version that it began with", async () => {
  const versions: string[] = [];
  const at = (version: string) =>
    lookup({
      version,
      handler: () => {
        versions.push(version);
        return { found: version };
      },
    }).tool;
  const stage = await parkedTurn({ tools: [at("1.0.0")] });
  okValue(stage.bindings.toolRegistry.register(at("1.5.0")));
  await stage.decide("approve");
  okValue(await stage.resume("run-1"));
  assertEquals(versions, ["1.0.0"]);
});

Deno.test("[116] [163] closing the conversation ends its parked turn", async () => {
  const stage = await parkedTurn();
  okValue(
    await stage.store.conversations.closeConversation(
      "t-1",
      "c-1",
      stage.runBinding,
    ),
  );
  assertEquals(
    errorOf(await stage.resume("run-1")).code,
    "conversation-closed",
  );
  assertEquals(await statusOf(stage), "failed");
  assertEquals(
    stage.kinds().filter((kind) => kind === "turn.failed").length,
    1,
  );
  // It has ended, and answers the same.
  assertEquals(
    errorOf(await stage.resume("run-1")).code,
    "conversation-closed",
  );
  assertEquals(
    stage.kinds().filter((kind) => kind === "turn.failed").length,
    1,
  );
});

Deno.test("a session's turn whose conversation was closed ends likewise", async () => {
  const stage = await scene({
    agent: { conversationPolicy: { hitlAfterTurns: 0 } },
    runId: "run-1",
  });
  okValue(await stage.invoke());
  okValue(await stage.store.conversations.closeConversation("t-1", "c-1"));
  assertEquals(
    errorOf(await stage.resume("run-1")).code,
    "conversation-closed",
  );
  assertEquals(await statusOf(stage), "failed");
});

Deno.test("a parked turn that is cancelled ends as cancelled", async () => {
  const stage = await parkedTurn();
  okValue(await stage.runBinding.cancelRun("t-1", "run-1", "not needed"));
  assertObjectMatch(errorOf(await stage.resume("run-1")), {
    code: "agent-turn-aborted",
    reason: "external",
  });
  assertEquals(await statusOf(stage), "cancelled");
  assertEquals(
    stage.kinds().filter((kind) => kind === "turn.failed").length,
    1,
  );
});

Deno.test("a turn whose process died once its answer was stored completes, though it was cancelled since", async () => {
  for (const isAnswered of [true, false]) {
    const stage = await scene({
      script: [say("Hi"), say("Hi")],
      runId: "run-1",
    });
    const { journal, conversations } = stage.store;
    const { append } = journal;
    const { appendMessage } = conversations;
    let died = false;
    Object.assign(conversations, {
      appendMessage: async (input: AppendMessageInput) => {
        if (input.role !== "agent") {
          return appendMessage.call(conversations, input);
        }
        died = true;
        if (isAnswered) await appendMessage.call(conversations, input);
        throw new Error("gone");
      },
    });
    Object.assign(journal, {
      append: (input: AppendInput) =>
        died ? Promise.reject(new Error("gone")) : append.call(journal, input),
    });
    assertObjectMatch(errorOf(await stage.invoke()), {
      code: "model-invocation-failed",
      cause: { code: "journal-error" },
    });
    Object.assign(conversations, { appendMessage });
    Object.assign(journal, { append });
    okValue(await stage.runBinding.cancelRun("t-1", "run-1", "stuck"));
    const answer = await stage.resume("run-1");
    if (isAnswered) assertEquals(okValue(answer).response.content, "Hi");
    else assertEquals(errorOf(answer).code, "agent-turn-aborted");
    assertEquals((await stage.messages()).length, isAnswered ? 2 : 1);
  }
});

Deno.test("[118] parked time doesn't count for the wall", async () => {
  const stage = await parkedTurn({ agent: { budget: { maxWallMs: 100 } } });
  await new Promise((done) => setTimeout(done, 150));
  await stage.decide("approve");
  assertEquals(okValue(await stage.resume("run-1")).status, "completed");
});

Deno.test("[119] memory isn't read again", async () => {
  const store = createMemoryStore();
  const write = (content: string) =>
    store.memory.writeFact("t-1", { type: "acme.note", content, scope: {} });
  okValue(await write("before"));
  const stage = await parkedTurn({
    store,
    agent: { retrieval: [{ types: ["acme.note"], scope: "tenant" }] },
  });
  okValue(await write("after"));
  let reads = 0;
  Object.assign(stage.bindings, {
    memoryBinding: new Proxy(store.memory, {
      get: (target, name) => {
        reads += 1;
        return Reflect.get(target, name);
      },
    }),
  });
  await stage.decide("approve");
  const { retrieved } = okValue(await stage.resume("run-1"));
  assertEquals(retrieved.map(({ fact }) => fact.content), ["before"]);
  assertEquals(reads, 0);
});

Deno.test("[120] the snapshot keeps the input word for word, and its first write counts", async () => {
  const input = {
    parameters: { b: 1, a: "2", c: true },
    input: { z: [1, { y: null }], a: 0 },
    participantId: "u-9",
    principal: { kind: "user", id: "u-1" },
    authz: { fgaApiUrl: "http://fga" },
    orgId: "o-1",
  };
  const stage = await scene({
    agent: { conversationPolicy: { hitlAfterTurns: 0 } },
    authorize: () => ({ allowed: true }),
    runId: "run-1",
  });
  okValue(await stage.invoke(input));
  okValue(
    await stage.store.snapshots.write({
      runId: "run-1",
      tenantId: "t-1",
      projectId: "p-2",
      agentId: "other",
      agentVersion: "9.9.9",
      conversationId: "c-2",
      userMessage: "other",
    }),
  );
  const kept = okValue(await stage.store.snapshots.read("t-1", "run-1"));
  const { createdAt: _, ...fields } = kept!;
  assertEquals(JSON.stringify(fields.input), JSON.stringify(input.input));
  assertEquals<unknown>(fields, {
    runId: "run-1",
    tenantId: "t-1",
    projectId: "p-1",
    agentId: "acme.helper",
    agentVersion: "1.0.0",
    conversationId: "c-1",
    userMessage: "Hello",
    dryRun: false,
    ...input,
  });
});

Deno.test("[121] a run that has ended answers its recorded result, before any other check", async () => {
  const stage = await scene({ script: [say("Hi")], runId: "run-1" });
  const first = okValue(await stage.invoke());
  const told = stage.events.length;
  okValue(await stage.store.conversations.closeConversation("t-1", "c-1"));
  const other = { ...stage.agent, version: "9.0.0" as Agent["version"] };
  assertEquals(okValue(await stage.resume("run-1", { agent: other })), first);
  assertEquals(stage.events.length, told);
  assertEquals(stage.provider.calls.length, 1);

  const failing = await scene({ runId: "run-1" });
  const error = errorOf(await failing.invoke());
  assertEquals<unknown>(errorOf(await failing.resume("run-1")), error);
});

Deno.test("a decided approval whose wait is open completes it on resume (durability.md)", async () => {
  const stage = await parkedTurn();
  // A foreign binding: the decision is kept, and nobody completes the wait.
  const store = createMemoryStore({ saved: stage.store.save() });
  const [pending] = okValue(await store.approvals.list({ tenantId: "t-1" }));
  const decided = okValue(
    await store.approvals.decide({
      tenantId: "t-1",
      approvalId: pending!.id,
      decision: "approve",
      decidedBy: { id: "rev-1", role: "admin" },
    }),
  );
  Object.assign(stage.bindings, {
    hitl: {
      enqueue: () => Promise.resolve({ approvalId: decided.id }),
      getByToken: () => Promise.resolve(decided),
    },
  });
  assertEquals(okValue(await stage.resume("run-1")).status, "completed");
});

Deno.test("a turn that still waits answers the placeholder again, and tells nothing", async () => {
  const stage = await parkedTurn();
  const told = stage.events.length;
  const again = okValue(await stage.resume("run-1"));
  assertEquals(again.status, "suspended");
  assertEquals(again.pending?.length, 1);
  assertEquals(stage.events.length, told);
});

Deno.test("an idempotency key starts one turn, and answers for it (durability.md, Idempotent start)", async () => {
  const stage = await scene({ script: [say("Hi"), say("Other")] });
  const idempotencyKey = "order-7";
  const first = okValue(await stage.invoke({ idempotencyKey }));
  assertEquals(okValue(await stage.invoke({ idempotencyKey })), first);
  assertObjectMatch(
    errorOf(await stage.invoke({ idempotencyKey, userMessage: "Else" })),
    { code: "idempotency-key-conflict", runId: first.runId },
  );
  const preview = await stage.invoke({ idempotencyKey, dryRun: true });
  assertEquals(errorOf(preview).code, "idempotency-key-conflict");
  const other = okValue(await stage.invoke({ idempotencyKey: "order-8" }));
  assertEquals(other.response.content, "Other");
});

Deno.test("an idempotency key of a turn under way or parked answers so at once", async () => {
  let finish: (() => void) | undefined;
  const stage = await scene({
    script: [
      async () => {
        await new Promise<void>((done) => finish = done);
        return say("Hi");
      },
    ],
  });
  const idempotencyKey = "order-7";
  const first = stage.invoke({ idempotencyKey });
  while (finish === undefined) await new Promise((done) => setTimeout(done));
  assertObjectMatch(errorOf(await stage.invoke({ idempotencyKey })), {
    code: "model-invocation-failed",
    cause: { code: "run-executing" },
  });
  finish();
  okValue(await first);

  const held = await scene({
    tools: [lookup().tool],
    agent: GATED,
    script: [call(["call-0", "pack.lookup", { q: "x" }]), say("done")],
  });
  const parked = okValue(await held.invoke({ idempotencyKey }));
  assertEquals(
    okValue(await held.invoke({ idempotencyKey })).runId,
    parked.runId,
  );
  await held.decide("approve");
  assertObjectMatch(okValue(await held.invoke({ idempotencyKey })), {
    status: "completed",
    runId: parked.runId,
  });
});
