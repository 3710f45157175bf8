import fc from "fast-check";
import {
  embed,
  holdsAt,
  isInScope,
  isReadableBy,
  rankByKeyword,
  rankBySimilarity,
} from "../../../agents/memory/mod.ts";
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import { embeddings, fact } from "./facts.ts";

const found = (contents: readonly unknown[], query: string, topK = 9) =>
  rankByKeyword(
    contents.map((content, index) => fact(String(index), { content })),
    query,
    topK,
  ).map(({ fact }) => Number(fact.id));

Deno.test("facts are found by shared words, whatever the case, and others are left out", () => {
  const contents = [
    "The invoice is due in May",
    "Likes tea",
    { note: "INVOICE 42 was paid", tags: ["done"] },
    null,
  ];
  assertEquals(found(contents, "which invoice?").sort(), [0, 2]);
  assertEquals(found(contents, "42"), [2]);
  assertEquals(found(contents, "note"), []);
  assertEquals(found(contents, "?!"), []);
  assertEquals(found(contents, "in-voice"), [0]);
});

Deno.test("rare words count for more than common ones", () => {
  const contents = ["red car", "red bus", "red van", "blue car"];
  assertEquals(found(contents, "red blue")[0], 3);
});

Deno.test("words are found without accents of encoding, and in scripts without spaces", () => {
  assertEquals(found(["Cafe\u0301 au lait", "tea"], "caf\u00e9"), [0]);
  assertEquals(found(["東京タワー", "大阪"], "東京"), [0]);
});

Deno.test("a keyword ranking is bounded, its scores fall, and every hit shares a word", () => {
  const word = fc.constantFrom("a", "b", "c", "d", "e");
  const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 8 }), text, fc.nat(8), (
      contents,
      query,
      topK,
    ) => {
      const facts = contents.map((content, index) =>
        fact(String(index), { content })
      );
      const hits = rankByKeyword(facts, query, topK);
      const wanted = query.split(" ").filter(Boolean);
      assert(hits.length <= topK);
      for (const [index, { fact, score }] of hits.entries()) {
        assert(score! > 0 && Number.isFinite(score));
        assert(index === 0 || hits[index - 1]!.score! >= score!);
        const words = String(fact.content).split(" ");
        assert(wanted.some((word) => words.includes(word)));
      }
    }),
  );
});

Deno.test("facts are ranked by the direction of their vectors", () => {
  const vector = (...numbers: number[]) => new Float32Array(numbers);
  const facts = [
    { fact: fact("away"), vector: vector(-1, 0) },
    { fact: fact("near"), vector: vector(9, 1) },
    { fact: fact("same"), vector: vector(2, 0) },
    { fact: fact("zero"), vector: vector(0, 0) },
    { fact: fact("long"), vector: vector(1, 0, 0) },
  ];
  const hits = rankBySimilarity(facts, vector(1, 0), 9);
  assertEquals(hits.map(({ fact }) => fact.id as string), [
    "same",
    "near",
    "away",
  ]);
  assertEquals(hits[0]?.score, 1);
  assertEquals(rankBySimilarity(facts, vector(1, 0), 1).length, 1);
});

Deno.test("a text becomes a vector by the registry's provider; every failure is embedding-unavailable", async () => {
  const registry = embeddings();
  const { vector, model } = okValue(await embed(registry, "aab"));
  assertEquals([...vector], [2, 1]);
  assertEquals(model, "letters");
  const code = async (...given: Parameters<typeof embed>) =>
    errValue(await embed(...given)).code;
  assertEquals(await code(registry, "a", "other"), "embedding-unavailable");
  for (
    const answer of [
      () => Promise.reject(new Error("429")),
      () => Promise.resolve(new Float32Array(3)),
      () => Promise.resolve(new Float32Array([NaN, 1])),
    ]
  ) {
    okValue(registry.register({
      embed: answer,
      dimensions: () => 2,
      describe: () => ({ name: "x", version: "1", model: String(answer) }),
    }));
    assertEquals(
      await code(registry, "a", String(answer)),
      "embedding-unavailable",
    );
  }
});

Deno.test("a scope asks for every container that it names", () => {
  const note = fact("f", { scope: { projectId: "p-1", threadId: "c-1" } });
  assert(isInScope(note, undefined) && isInScope(note, {}));
  assert(isInScope(note, { projectId: "p-1" }));
  assert(!isInScope(note, { projectId: "p-1", participantId: "e-7" }));
  assert(!isInScope(note, { projectId: "p-2" }));
});

Deno.test("a reader sees what is granted: each container that a fact names", () => {
  const tenantWide = fact("f");
  const ofThread = fact("f", { scope: { projectId: "p-1", threadId: "c-1" } });
  const ofOrg = fact("f", { scope: { orgId: "o-1" } });
  const ofBoth = fact("f", { scope: { orgId: "o-1", projectId: "p-1" } });
  assert(isReadableBy(tenantWide, {}) && isReadableBy(ofThread, undefined));
  assert(isReadableBy(ofThread, { all: true }));
  assert(!isReadableBy(ofThread, { projectIds: ["p-1"] }));
  assert(!isReadableBy(ofThread, { threadIds: ["c-1"] }));
  assert(
    isReadableBy(ofThread, { projectIds: ["p-1"], threadIds: ["c-1"] }),
  );
  assert(
    isReadableBy(ofThread, {
      projectIds: ["p-1"],
      onBehalfOfProjectIds: ["p-1"],
    }),
  );
  assert(!isReadableBy(ofOrg, {}) && isReadableBy(ofOrg, { orgIds: ["o-1"] }));
  assert(isReadableBy(ofBoth, { projectIds: ["p-1"] }));
});

Deno.test("a fact holds from its beginning until its end, and until it is forgotten", () => {
  const noon = new Date("2026-06-01T12:00:00.000Z");
  const at = noon.toISOString();
  const later = "2026-06-01T12:00:00.001Z";
  assert(holdsAt(fact("f"), noon));
  assert(holdsAt(fact("f", { validFrom: at, validUntil: later }), noon));
  assert(!holdsAt(fact("f", { validFrom: later }), noon));
  assert(!holdsAt(fact("f", { validUntil: at }), noon));
  assert(!holdsAt(fact("f", { expiresAt: at }), noon));
});
