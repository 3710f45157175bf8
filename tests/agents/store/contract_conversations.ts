/** What a store's conversations, messages and snapshots have to do. */
import type {
  AppendMessageInput,
  ConversationPageCursor,
} from "../../../agents/store/mod.ts";
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import type { StoreTest } from "./opened_store.ts";
import {
  entry,
  LONG,
  newRun,
  opened,
  OTHER,
  question,
  STARTED,
  startRun,
  TENANT,
} from "./fixtures.ts";

/** Registers the tests. */
export function conversationContract(test: StoreTest): void {
  const message = (
    conversationId: string,
    more: Partial<AppendMessageInput> = {},
  ): AppendMessageInput => ({
    tenantId: TENANT,
    conversationId,
    role: "user",
    content: "Hello",
    ...more,
  });

  test("a conversation opens empty, with its project taken from its scope", async (store) => {
    const talk = await opened(store, {
      participantId: "u-1",
      metadata: { a: 1 },
    });
    const { id, openedAt, ...rest } = talk;
    assert(id.length > 0);
    assertEquals(new Date(openedAt).toISOString(), openedAt as string);
    assertEquals(rest as object, {
      tenantId: TENANT,
      agentId: "acme.helper",
      agentVersion: "1.0.0",
      title: "A talk",
      participantId: "u-1",
      projectId: "p-1",
      scope: { tenantId: TENANT, projectId: "p-1" },
      turnCount: 0,
      metadata: { a: 1 },
    });
    const { getConversation } = store.conversations;
    assertEquals(
      okValue(await getConversation.call(store.conversations, TENANT, id)),
      talk,
    );
  });

  test("[157] messages get strictly rising sequences, and only a turn's answer counts as a turn", async (store) => {
    const { id } = await opened(store);
    const roles = [
      message(id),
      message(id, {
        role: "agent",
        content: { text: "", toolCalls: [] },
        isIntermediate: true,
      }),
      message(id, {
        role: "tool",
        content: "",
        toolCall: { toolId: "pack.lookup", invocationId: "k1" },
      }),
      message(id, { role: "agent", content: "" }),
    ];
    const stored = [];
    for (const each of roles) {
      stored.push(okValue(await store.conversations.appendMessage(each)));
    }
    assertEquals(stored.map(({ sequence }) => sequence), [1, 2, 3, 4]);
    const talk = okValue(await store.conversations.getConversation(TENANT, id));
    assertEquals(talk.turnCount, 1);
    assertEquals(talk.lastMessageAt, stored[3]!.createdAt);
    assertEquals(
      okValue(
        await store.conversations.readMessages({
          tenantId: TENANT,
          conversationId: id,
        }),
      ) as object,
      stored,
    );
  });

  test("a message keeps its run, step and key, and absent optionals are absent", async (store) => {
    const { id } = await opened(store);
    const plain = okValue(await store.conversations.appendMessage(message(id)));
    assertEquals(Object.keys(plain).sort(), [
      "content",
      "createdAt",
      "role",
      "sequence",
    ]);
    const full = okValue(
      await store.conversations.appendMessage(
        message(id, {
          actor: "u-9",
          runId: "run-1",
          step: "persist-user-message",
          idempotencyKey: "run-1:user",
        }),
      ),
    );
    assertEquals(
      [full.actor, full.runId, full.step, full.idempotencyKey],
      ["u-9", "run-1", "persist-user-message", "run-1:user"],
    );
  });

  test("a second append with the same key answers the first message, also once the conversation is closed", async (store) => {
    const { id } = await opened(store);
    const first = message(id, { role: "agent", idempotencyKey: "k" });
    const stored = okValue(await store.conversations.appendMessage(first));
    const again = await store.conversations.appendMessage({
      ...first,
      content: "Other",
    });
    assertEquals(okValue(again), stored);
    await store.conversations.closeConversation(TENANT, id);
    assertEquals(
      okValue(await store.conversations.appendMessage(first)),
      stored,
    );
    const talk = okValue(await store.conversations.getConversation(TENANT, id));
    assertEquals(talk.turnCount, 1);
  });

  test("[158] a closed conversation takes no message, and another tenant has none", async (store) => {
    const { id } = await opened(store);
    const closed = okValue(
      await store.conversations.closeConversation(TENANT, id),
    );
    assert(closed.closedAt !== undefined);
    assertEquals(
      okValue(await store.conversations.closeConversation(TENANT, id)),
      closed,
    );
    const refused = errValue(
      await store.conversations.appendMessage(message(id)),
    );
    assert(refused.code === "conversation-closed");
    assertEquals(refused.conversationId as string, id as string);
    const { conversations } = store;
    for (
      const answer of [
        await conversations.getConversation(OTHER, id),
        await conversations.closeConversation(OTHER, id),
        await conversations.deleteConversation(OTHER, id),
        await conversations.appendMessage(message(id, { tenantId: OTHER })),
        await conversations.readMessages({
          tenantId: OTHER,
          conversationId: id,
        }),
      ]
    ) assertEquals(errValue(answer).code, "conversation-not-found");
    assertEquals(
      okValue(await conversations.listConversations({ tenantId: OTHER })),
      [],
    );
  });

  test("[159] messages are read after, before and last, always ascending", async (store) => {
    const { id } = await opened(store);
    for (const content of ["1", "2", "3", "4"]) {
      await store.conversations.appendMessage(
        message(id, { content, runId: content === "3" ? "run-1" : "run-2" }),
      );
    }
    const read = async (more: object) =>
      okValue(
        await store.conversations.readMessages({
          tenantId: TENANT,
          conversationId: id,
          ...more,
        }),
      ).map(({ sequence }) => sequence);
    assertEquals(await read({ sinceSequence: 2 }), [3, 4]);
    assertEquals(await read({ beforeSequence: 3 }), [1, 2]);
    assertEquals(await read({ last: 1 }), [4]);
    assertEquals(await read({ last: 0 }), []);
    assertEquals(await read({ beforeSequence: 4, last: 2 }), [2, 3]);
    assertEquals(await read({ limit: 2 }), [1, 2]);
    assertEquals(await read({ sinceSequence: 1, beforeSequence: 4 }), [2, 3]);
    assertEquals(await read({ sinceSequence: 9 }), []);
    assertEquals(await read({ runId: "run-1" }), [3]);
  });

  test(
    "[160] paging visits each conversation once, by when it was opened and then by id",
    async (store, { advance }) => {
      const ids = ["a", "b", "c", "d", "e"];
      for (const id of ids) {
        await opened(store, { id });
        // Some share a moment, some don't.
        if (id === "b") await advance(5);
      }
      const seen: string[] = [];
      let before: ConversationPageCursor | undefined;
      for (let pages = 0; pages < 4; pages++) {
        const page = okValue(
          await store.conversations.listConversationsPage({
            tenantId: TENANT,
            limit: 2,
            ...(before === undefined ? {} : { before }),
          }),
        );
        seen.push(...page.data.map(({ id }) => id));
        before = page.data.at(-1);
        if (!page.hasMore) break;
        assertEquals(page.data.length, 2);
      }
      assertEquals([...seen].sort(), ids);
      const all = okValue(
        await store.conversations.listConversations({ tenantId: TENANT }),
      );
      assertEquals(seen, all.map(({ id }) => id as string));
      const sorted = [...all].sort((x, y) =>
        y.openedAt.localeCompare(x.openedAt) || (y.id < x.id ? -1 : 1)
      );
      assertEquals(all, sorted);
    },
  );

  test("[162] filters of listings combine", async (store) => {
    const one = await opened(store, { agentId: "x", participantId: "u-1" });
    await opened(store, { agentId: "x", scope: { team: { a: 1 } } });
    await opened(store, { agentId: "y" });
    await store.conversations.closeConversation(TENANT, one.id);
    const page = async (more: object) =>
      okValue(
        await store.conversations.listConversationsPage({
          tenantId: TENANT,
          limit: 9,
          ...more,
        }),
      ).data.length;
    assertEquals(await page({ status: "open" }), 2);
    assertEquals(await page({ status: "closed", agentId: "x" }), 1);
    assertEquals(await page({ status: "closed", agentId: "y" }), 0);
    assertEquals(await page({ scope: { team: { a: 1 } } }), 1);
    const list = async (more: object) =>
      okValue(
        await store.conversations.listConversations({
          tenantId: TENANT,
          ...more,
        }),
      ).length;
    assertEquals(await list({ openOnly: true }), 2);
    assertEquals(await list({ participantId: "u-1" }), 1);
    assertEquals(await list({ participantId: "u-1", openOnly: true }), 0);
    assertEquals(await list({ limit: 1 }), 1);
  });

  test("a bad role, no content and a blank question are refused with a reason", async (store) => {
    const { id } = await opened(store);
    for (
      const bad of [
        { role: "robot" as never },
        { content: undefined as never },
        { content: " \n" },
        { content: { big: 1n } as never },
      ]
    ) {
      const error = errValue(
        await store.conversations.appendMessage(message(id, bad)),
      );
      assert(error.code === "invalid-message");
      assert(error.reason.length > 0);
    }
  });

  test("[trap 31] content that is a JSON value of any type comes back as it was, with its keys in order", async (store) => {
    const { id } = await opened(store);
    const contents = ["42", "null", '"q"', 42, true, false, null, [1, "2"], {
      z: 1,
      a: { y: [], b: null },
    }];
    for (const content of contents) {
      await store.conversations.appendMessage(
        message(id, { role: "tool", content }),
      );
    }
    const read = okValue(
      await store.conversations.readMessages({
        tenantId: TENANT,
        conversationId: id,
      }),
    );
    assertEquals(
      read.map(({ content }) => JSON.stringify(content)),
      contents.map((content) => JSON.stringify(content)),
    );
  });

  test("[trap 32] U+0000 and lone surrogates are mended, whole pairs are kept", async (store) => {
    const { id } = await opened(store);
    const stored = okValue(
      await store.conversations.appendMessage(
        message(id, { content: "a\0b\uD800c\uDC00d\u{1F600}" }),
      ),
    );
    assertEquals(stored.content as string, "a\uFFFDb\uFFFDc\uFFFDd\u{1F600}");
    const nested = okValue(
      await store.conversations.appendMessage(
        message(id, { role: "tool", content: { "k\0": ["\uDFFF"] } }),
      ),
    );
    assertEquals(nested.content as object, { "k\uFFFD": ["\uFFFD"] });
  });

  test("many appends at once get contiguous sequences", async (store) => {
    const { id } = await opened(store);
    const stored = await Promise.all(
      Array.from(
        { length: 20 },
        (_, index) =>
          store.conversations.appendMessage(
            message(id, { content: `${index}` }),
          ),
      ),
    );
    assertEquals(
      stored.map((each) => okValue(each).sequence).sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  test("[163] closing withdraws the conversation's approvals and cancels its runs' waits", async (store) => {
    const { id } = await opened(store);
    const agent = { id: "a", version: "1.0.0", conversationId: id };
    const epoch = await startRun(store, { agent });
    await store.journal.park({
      tenantId: TENANT,
      runId: "run-1",
      epoch,
      number: 1,
      entries: [entry("wait.suspended", { tokenId: "token-1" }, "ask")],
      waitingOn: [{ runId: "run-1", tokenId: "token-1" }],
    });
    const { approvalId } = await store.approvals.enqueue(
      question({ subjectRef: { conversationId: id } }),
    );
    await store.conversations.closeConversation(TENANT, id);
    assertEquals(
      okValue(await store.approvals.get(TENANT, approvalId)).status,
      "withdrawn",
    );
    const entries = okValue(await store.journal.read(TENANT, "run-1"));
    assertEquals(entries.at(-1)!.kind, "wait.cancelled");
    assertEquals(entries.at(-1)!.payload, {
      tokenId: "token-1",
      reason: "conversation-closed",
    });
    const run = okValue(await store.journal.get(TENANT, "run-1"))!;
    assertEquals([run.status, run.resumable], ["suspended", true]);
  });

  test("deleting removes messages, snapshots, runs and approvals, and nothing of others", async (store) => {
    const gone = await opened(store, { id: "gone" });
    await opened(store, { id: "kept" });
    for (const conversationId of ["gone", "kept"]) {
      const agent = { id: "a", version: "1.0.0", conversationId };
      const runId = `run-${conversationId}`;
      await store.journal.start({
        run: newRun({ runId, agent }),
        holder: "h",
        ttlMs: LONG,
        entries: [STARTED],
      });
      await store.snapshots.write({ ...SNAPSHOT, runId, conversationId });
      await store.approvals.enqueue(
        question({
          waitTokenId: runId,
          provenanceRef: { runId },
          subjectRef: { conversationId },
        }),
      );
    }
    okValue(await store.conversations.deleteConversation(TENANT, gone.id));
    for (const [name, there] of [["gone", false], ["kept", true]] as const) {
      const runId = `run-${name}`;
      const found = await store.conversations.getConversation(TENANT, name);
      assertEquals(found.kind, there ? "ok" : "err");
      assertEquals(
        okValue(await store.journal.get(TENANT, runId)) !== null,
        there,
      );
      assertEquals(
        okValue(await store.snapshots.read(TENANT, runId)) !== null,
        there,
      );
      const approvals = await store.approvals.list({ tenantId: TENANT, runId });
      assertEquals(okValue(approvals).length, there ? 1 : 0);
    }
  });

  test("[trap 33] optional fields that are undefined are stored as absent", async (store) => {
    const { id } = await opened(store, {
      participantId: undefined as never,
      metadata: undefined as never,
    });
    const talk = okValue(await store.conversations.getConversation(TENANT, id));
    assertEquals("participantId" in talk, false);
    assertEquals("metadata" in talk, false);
  });

  test("[120] a snapshot comes back as it was written, and only the first write counts", async (store) => {
    const full = {
      ...SNAPSHOT,
      parameters: { z: 1, a: "b" },
      input: { deep: [1, { x: null }] },
      participantId: "u-9",
      principal: { sub: "u" },
      authz: { fgaApiUrl: "https://authz.example" },
    };
    okValue(await store.snapshots.write(full));
    okValue(await store.snapshots.write({ ...full, userMessage: "Other" }));
    const { createdAt, ...read } = okValue(
      await store.snapshots.read(TENANT, "run-1"),
    )!;
    assertEquals(new Date(createdAt).toISOString(), createdAt as string);
    assertEquals(read as object, { ...full, dryRun: false });
    assertEquals(
      JSON.stringify(read.parameters),
      JSON.stringify(full.parameters),
    );
  });

  test("[164] another tenant's snapshot is null, and dryRun reads back as a boolean", async (store) => {
    okValue(await store.snapshots.write({ ...SNAPSHOT, dryRun: true }));
    assertEquals(okValue(await store.snapshots.read(OTHER, "run-1")), null);
    assertEquals(okValue(await store.snapshots.read(TENANT, "run-x")), null);
    const { dryRun } = okValue(await store.snapshots.read(TENANT, "run-1"))!;
    assertEquals(dryRun, true);
  });
}

const SNAPSHOT = {
  runId: "run-1",
  tenantId: TENANT,
  projectId: "p-1",
  agentId: "acme.helper",
  agentVersion: "1.0.0",
  conversationId: "c-1",
  userMessage: "Hello",
};
