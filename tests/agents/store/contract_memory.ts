/** What a store's facts have to do. */
import {
  createEmbeddingProviderRegistry,
  type EmbeddingProvider,
} from "../../../agents/memory/mod.ts";
import type { AgentStore, FactInput } from "../../../agents/store/mod.ts";
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import type { StoreTest } from "./opened_store.ts";
import { OTHER, TENANT } from "./fixtures.ts";

/** Registers the tests. */
export function memoryContract(test: StoreTest): void {
  const write = async (
    store: AgentStore,
    content: unknown,
    more: Partial<FactInput> & { tenantId?: string } = {},
  ) => {
    const { tenantId = TENANT, ...rest } = more;
    return okValue(
      await store.memory.writeFact(tenantId, {
        type: "acme.note",
        content,
        scope: {},
        ...rest,
      }),
    );
  };
  const contents = (facts: readonly { readonly content?: unknown }[]) =>
    facts.map(({ content }) => content);

  test(
    "facts are listed the newest first, by type and scope, ten when nobody says",
    async (store, { advance }) => {
      for (let index = 0; index < 12; index++) {
        await write(store, `note ${index}`, {
          scope: index % 2 === 0 ? { projectId: "p-1" } : { threadId: "c-1" },
        });
        await advance(1);
      }
      await write(store, "other", { type: "acme.other" });
      const list = async (more: object) =>
        okValue(
          await store.memory.listFacts({
            tenantId: TENANT,
            type: "acme.note",
            ...more,
          }),
        );
      assertEquals((await list({})).length, 10);
      assertEquals(contents(await list({ limit: 2 })), ["note 11", "note 10"]);
      assertEquals(
        contents(await list({ scope: { projectId: "p-1" }, limit: 2 })),
        ["note 10", "note 8"],
      );
      assertEquals(await list({ tenantId: OTHER }), []);
    },
  );

  test("a fact keeps what it was given, and gets an id, a version, a time and a digest", async (store) => {
    const input = {
      scope: { projectId: "p-1", userId: "u-1" },
      trust: "verified",
      attributedTo: { kind: "user", id: "u-1" },
      subjects: ["u-2"],
    } as const;
    const fact = await write(store, { z: 1, a: [true] }, input);
    assertEquals(fact.version, 1);
    assertEquals(JSON.stringify(fact.content), '{"z":1,"a":[true]}');
    assertEquals(fact.scope, input.scope);
    assertEquals(fact.attributedTo as object, input.attributedTo);
    assertEquals(new Date(fact.createdAt).toISOString(), fact.createdAt);
    assert(fact.contentHash !== undefined);
    const [read] = okValue(await store.memory.listFacts({ tenantId: TENANT }));
    assertEquals(read!, fact);
  });

  test("a fact that another replaces isn't read any more", async (store) => {
    const first = await write(store, "old");
    const second = await write(store, "new", { supersedes: first.id });
    assertEquals(second.version, 2);
    const facts = okValue(await store.memory.listFacts({ tenantId: TENANT }));
    assertEquals(contents(facts), ["new"]);
  });

  test("only what holds now is read", async (store, { advance }) => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    await write(store, "future", { validFrom: at(3_600_000) });
    await write(store, "past", { validUntil: at(-1_000) });
    await write(store, "brief", { expiresAt: at(300) });
    await write(store, "now", { validFrom: at(-1_000) });
    const read = async () =>
      contents(okValue(await store.memory.listFacts({ tenantId: TENANT })));
    assertEquals((await read()).sort(), ["brief", "now"]);
    await advance(400);
    assertEquals(await read(), ["now"]);
  });

  test("readers see facts whose every container they were granted", async (store) => {
    await write(store, "tenant");
    await write(store, "project", { scope: { projectId: "p-1" } });
    await write(store, "thread", {
      scope: { projectId: "p-1", threadId: "c-1" },
    });
    const read = async (readers: object) =>
      contents(
        okValue(await store.memory.listFacts({ tenantId: TENANT, readers })),
      ).sort();
    assertEquals(await read({}), ["tenant"]);
    assertEquals(await read({ projectIds: ["p-1"] }), ["project", "tenant"]);
    assertEquals(
      await read({ projectIds: ["p-1"], threadIds: ["c-1"] }),
      ["project", "tenant", "thread"],
    );
    assertEquals((await read({ all: true })).length, 3);
  });

  test("searching by words ranks what shares them, best first, within type and scope", async (store) => {
    await write(store, "the cat sat on the mat");
    await write(store, { text: "a dog and a cat, cat, cat" });
    await write(store, "nothing of the kind");
    await write(store, "cat", { type: "acme.other" });
    const search = async (more: object) =>
      okValue(
        await store.memory.searchByKeyword({
          tenantId: TENANT,
          query: "Cat",
          type: "acme.note",
          ...more,
        }),
      );
    const hits = await search({});
    assertEquals(hits.length, 2);
    assert(hits[0]!.score! >= hits[1]!.score!);
    assertEquals((await search({ topK: 1 })).length, 1);
    assertEquals(await search({ query: "zebra" }), []);
    assertEquals(await search({ tenantId: OTHER }), []);
  });

  test("searching by meaning ranks by closeness, and says when it can't", async (store) => {
    await write(store, "red");
    await write(store, "green");
    const registry = createEmbeddingProviderRegistry();
    const search = (embeddingModel?: string) =>
      store.memory.searchBySemantic({
        tenantId: TENANT,
        query: "red",
        embeddingRegistry: registry,
        ...(embeddingModel === undefined ? {} : { embeddingModel }),
      });
    assertEquals(errValue(await search()).code, "embedding-unavailable");
    okValue(registry.register(COLOURS));
    const hits = okValue(await search());
    assertEquals(contents(hits.map(({ fact }) => fact)), ["red", "green"]);
    assert(hits[0]!.score! > hits[1]!.score!);
    assertEquals(errValue(await search("other")).code, "embedding-unavailable");
  });

  const COLOURS: EmbeddingProvider = {
    embed: (text) =>
      Promise.resolve(
        Float32Array.from(text === "red" ? [1, 0] : [0.1, 1]),
      ),
    dimensions: () => 2,
    describe: () => ({ name: "colours", version: "1", model: "colours-1" }),
  };
}
