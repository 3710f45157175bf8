import type { RetrievalIntent } from "../../../agents/agent/mod.ts";
import {
  type FactReaders,
  type Retrieval,
  type RetrievalInput,
  runRetrievals,
} from "../../../agents/memory/mod.ts";
import { err, ok } from "../../../base/result.ts";
import {
  assert,
  assertEquals,
  assertMatch,
  errValue,
  okValue,
} from "../../assert.ts";
import { DOWN, embeddings, fact, ranking, ToldMemory } from "./facts.ts";

function intent(fields: Partial<RetrievalIntent> = {}): RetrievalIntent {
  return { types: ["acme.note"], scope: "tenant", ...fields };
}

function input(
  intents: readonly RetrievalIntent[],
  fields: Partial<RetrievalInput> = {},
): RetrievalInput {
  return {
    intents,
    query: "Hello",
    tenantId: "t-1",
    conversationId: "c-1",
    runProjectId: "p-1",
    ...fields,
  };
}

const ids = ({ retrieved }: Retrieval) =>
  retrieved.map(({ fact }) => fact.id as string);

Deno.test("[39] without a mode the newest facts of the type are listed, ten at most, of the whole tenant", async () => {
  const memory = new ToldMemory({
    list: ok(["f-1", "f-2", "f-3"].map((id) => fact(id))),
  });
  const found = okValue(
    await runRetrievals(input([intent()]), memory.bindings),
  );
  assertEquals(ids(found), ["f-1", "f-2", "f-3"]);
  assertEquals(memory.asked, [["listFacts", {
    tenantId: "t-1",
    type: "acme.note",
    readers: { projectIds: ["p-1"], threadIds: ["c-1"] },
    limit: 10,
  }]]);
  assert(!("score" in found.retrieved[0]!));
});

Deno.test("[40] keyword matches the user's message and keeps the scores", async () => {
  const memory = new ToldMemory({ keyword: ok(ranking("f-1", "f-2")) });
  const found = okValue(
    await runRetrievals(
      input([intent({ mode: "keyword", limit: 2 })]),
      memory.bindings,
    ),
  );
  assertEquals(memory.asked[0]?.[0], "searchByKeyword");
  assertEquals(memory.asked[0]?.[1].query, "Hello");
  assertEquals(memory.asked[0]?.[1].topK, 2);
  assertEquals(found.retrieved.map(({ score }) => score), [1, 0.5]);
});

Deno.test("[41] a scope narrows what is read to the conversation or the project", async () => {
  const memory = new ToldMemory();
  await runRetrievals(
    input([
      intent({ scope: "same-conversation" }),
      intent({ scope: "same-project" }),
    ]),
    memory.bindings,
  );
  assertEquals(memory.asked.map(([, { scope }]) => scope), [
    { threadId: "c-1" },
    { projectId: "p-1" },
  ]);
});

Deno.test("[42] the limit counts for each type by itself", async () => {
  const memory = new ToldMemory({ list: ok([fact("f-1"), fact("f-2")]) });
  const found = okValue(
    await runRetrievals(
      input([intent({ types: ["a", "b"], limit: 1 })]),
      memory.bindings,
    ),
  );
  assertEquals(ids(found), ["f-1", "f-1"]);
  assertEquals(memory.asked.map(([, { type }]) => type), ["a", "b"]);
});

Deno.test("[43] a read that fails or throws is persistence-error, naming the operation", async () => {
  const failing = new ToldMemory({ list: DOWN });
  const error = errValue(
    await runRetrievals(input([intent()]), failing.bindings),
  );
  assert(error.code === "persistence-error");
  assertMatch(error.message, /acme\.note \(listFacts\): no connection/);
  assertEquals(error.cause, DOWN.error);
  const throwing = {
    memoryBinding: {
      ...failing,
      listFacts: () => Promise.reject(new Error("gone")),
      searchByKeyword: failing.searchByKeyword,
      searchBySemantic: failing.searchBySemantic,
    },
  };
  const thrown = errValue(await runRetrievals(input([intent()]), throwing));
  assertMatch(thrown.message, /gone/);
});

Deno.test("[44] no intents read nothing", async () => {
  const memory = new ToldMemory();
  const found = okValue(await runRetrievals(input([]), memory.bindings));
  assertEquals(found, { retrieved: [], degraded: [], warnings: [] });
  assertEquals(memory.asked, []);
});

Deno.test("[49] meaning alone without embeddings fails, naming the intent's place", async () => {
  const memory = new ToldMemory();
  const intents = [intent(), intent({ mode: "semantic" })];
  const error = errValue(await runRetrievals(input(intents), memory.bindings));
  assert(error.code === "semantic-unavailable");
  assertEquals(error.intent, 1);
  const unavailable = new ToldMemory({
    semantic: err({ code: "embedding-unavailable", message: "429" }),
  });
  const failing = errValue(
    await runRetrievals(input(intents), {
      memoryBinding: unavailable,
      embeddingRegistry: embeddings(),
    }),
  );
  assert(failing.code === "semantic-unavailable");
});

Deno.test("meaning is asked for with the registry and the model", async () => {
  const memory = new ToldMemory({ semantic: ok(ranking("f-1")) });
  const embeddingRegistry = embeddings();
  const found = okValue(
    await runRetrievals(input([intent({ mode: "semantic", limit: 3 })]), {
      memoryBinding: memory,
      embeddingRegistry,
      embeddingModel: "letters",
    }),
  );
  assertEquals(ids(found), ["f-1"]);
  const [, asked] = memory.asked[0]!;
  assert(asked.embeddingRegistry === embeddingRegistry);
  assertEquals(asked.embeddingModel, "letters");
  assertEquals(asked.topK, 3);
});

Deno.test("both fuses two rankings, each read further than the limit", async () => {
  const memory = new ToldMemory({
    keyword: ok(ranking("k", "both")),
    semantic: ok(ranking("both", "s")),
  });
  const found = okValue(
    await runRetrievals(input([intent({ mode: "both", limit: 2 })]), {
      memoryBinding: memory,
      embeddingRegistry: embeddings(),
    }),
  );
  assertEquals(ids(found), ["both", "k"]);
  assertEquals(found.retrieved[0]?.ranks, { keyword: 2, semantic: 1 });
  assertEquals(found.retrieved[0]?.score, 1 / 62 + 1 / 61);
  assertEquals(memory.asked.map(([, { topK }]) => topK), [50, 50]);
  assertEquals(found.degraded, []);
});

Deno.test("both without embeddings looks for words and says so", async () => {
  const memory = new ToldMemory({ keyword: ok(ranking("k")) });
  const found = okValue(
    await runRetrievals(
      input([intent(), intent({ mode: "both" })]),
      memory.bindings,
    ),
  );
  assertEquals(ids(found), ["k"]);
  assertEquals(found.degraded, [{ intent: 1, reason: "no-embeddings" }]);
});

Deno.test("both passes over no failure of the store", async () => {
  for (const told of [{ keyword: DOWN }, { semantic: DOWN }]) {
    const error = errValue(
      await runRetrievals(input([intent({ mode: "both" })]), {
        memoryBinding: new ToldMemory(told),
        embeddingRegistry: embeddings(),
      }),
    );
    assertEquals(error.code, "persistence-error");
  }
});

Deno.test("[51] same-project without any project reads nothing; the conversation's counts where the run has none", async () => {
  const memory = new ToldMemory();
  const intents = [intent({ scope: "same-project" })];
  const none = { runProjectId: undefined };
  okValue(await runRetrievals(input(intents, none), memory.bindings));
  assertEquals(memory.asked, []);
  await runRetrievals(
    input(intents, { ...none, conversationProjectId: "p-2" }),
    memory.bindings,
  );
  assertEquals(memory.asked[0]?.[1].scope, { projectId: "p-2" });
  // What is looked for may be seen too.
  const readers = memory.asked[0]?.[1].readers as FactReaders;
  assertEquals(readers.projectIds, ["p-2"]);
});

Deno.test("same-user reads the end user's facts, then the acting user's, and warns when no end user is named", async () => {
  const intents = [intent({ scope: "same-user", limit: 2 })];
  const memory = new ToldMemory({ list: ok([fact("f-1"), fact("f-2")]) });
  const found = okValue(
    await runRetrievals(
      input(intents, { participantId: "e-7", userId: "u-1" }),
      memory.bindings,
    ),
  );
  assertEquals(memory.asked.map(([, { scope }]) => scope), [
    { participantId: "e-7" },
    { userId: "u-1" },
  ]);
  assertEquals(ids(found), ["f-1", "f-2"]);
  assertEquals(found.warnings, []);
  const nobody = okValue(await runRetrievals(input(intents), memory.bindings));
  assertEquals(nobody.retrieved, []);
  assertEquals(nobody.warnings.map(({ code }) => code), [
    "memory-needs-participant",
  ]);
});

Deno.test("earlier conversations aren't looked through, and the result says which field asked for it", async () => {
  const memory = new ToldMemory();
  const { warnings } = okValue(
    await runRetrievals(
      input([
        intent({ types: [] }),
        { source: "conversations", scope: "same-user" },
      ]),
      memory.bindings,
    ),
  );
  assertEquals(warnings.map(({ code }) => code), ["feature-unavailable"]);
  assertMatch(warnings[0]?.message ?? "", /^\/retrieval\/1\/source/);
  assertEquals(memory.asked, []);
});

Deno.test("a fact that two intents find is retrieved twice", async () => {
  const memory = new ToldMemory({ list: ok([fact("f-1")]) });
  const found = okValue(
    await runRetrievals(input([intent(), intent()]), memory.bindings),
  );
  assertEquals(ids(found), ["f-1", "f-1"]);
});
