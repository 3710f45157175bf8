/** The file of a SQLite store: what it keeps, and what happens when it can't be used. */
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { AgentStore } from "../../../agents/store/mod.ts";
import { openSqliteStore } from "../../../agents/store/sqlite.ts";
import { SqliteDatabase } from "../../../agents/store/sqlite/database.ts";
import { builtInSqlite } from "../../../agents/store/sqlite/driver.ts";
import { SqliteStoreError } from "../../../agents/store/sqlite/failures.ts";
import { storeOn } from "../../../agents/store/sqlite/store.ts";
import {
  assert,
  assertEquals,
  assertStringIncludes,
  assertThrows,
  errValue,
  okValue,
} from "../../assert.ts";
import {
  conversation,
  entry,
  opened,
  question,
  startRun,
  TENANT,
} from "./fixtures.ts";
import { startChild, withFolder } from "./sqlite_processes.ts";

/** The code that an opening fails with. */
function refusal(open: () => unknown): SqliteStoreError {
  return assertThrows(open, SqliteStoreError) as SqliteStoreError;
}

/** The code of what lies beneath an error. */
function causeOf(error: { readonly cause?: unknown }): string | undefined {
  return error.cause instanceof SqliteStoreError ? error.cause.code : undefined;
}

function say(store: AgentStore, conversationId: string, content: string) {
  return store.conversations.appendMessage({
    tenantId: TENANT,
    conversationId,
    role: "user",
    content,
  });
}

Deno.test("a file that is opened again has everything: runs, leases, appends, approvals, facts and all", () =>
  withFolder(async (folder) => {
    const path = `${folder}/agents.db`;
    const first = openSqliteStore(path, { synchronous: "full" });
    const { id } = await opened(first);
    const message = okValue(await say(first, id, "Hello"));
    const epoch = await startRun(first, { startKey: "s" });
    const append = {
      tenantId: TENANT,
      runId: "run-1",
      epoch,
      number: 1,
      entries: [entry("wait.suspended", { tokenId: "token-1" }, "ask")],
    };
    const appended = okValue(await first.journal.append(append));
    await first.approvals.enqueue(question());
    const fact = okValue(
      await first.memory.writeFact(TENANT, {
        type: "acme.note",
        content: { z: 1, a: 2 },
        scope: {},
      }),
    );
    await first.close();
    await first.close();

    const second = openSqliteStore(path);
    assertEquals(okValue(await second.journal.append(append)), appended);
    const run = okValue(await second.journal.get(TENANT, "run-1"))!;
    assertEquals([run.executing, run.startKey], [true, "s"]);
    const talk = { tenantId: TENANT, conversationId: id };
    assertEquals(
      okValue(await second.conversations.readMessages(talk)),
      [message],
    );
    const approval = await second.approvals.getByToken(TENANT, "token-1");
    assertEquals(approval!.status, "pending");
    const [kept] = okValue(await second.memory.listFacts({ tenantId: TENANT }));
    assertEquals(JSON.stringify(kept), JSON.stringify(fact));
    assertEquals(okValue(await second.tenants()) as readonly string[], [
      TENANT,
    ]);
    await second.close();
  }));

Deno.test("[trap 31] ids and texts that SQLite's own texts can't hold come back as they were: U+0000, lone surrogates, bare texts, big numbers", () =>
  withFolder(async (folder) => {
    const store = openSqliteStore(`${folder}/agents.db`);
    const odd = ["a\0b", "a\0c", "\ud800", "\udfff", "\u0001x", "\u{1F600}"];
    for (const tenantId of odd) {
      await startRun(store, { tenantId, runId: tenantId, startKey: tenantId });
      okValue(
        await store.journal.resolveToken({
          tenantId,
          runId: tenantId,
          outcome: { tokenId: tenantId, kind: "completed", value: tenantId },
        }),
      );
      okValue(await store.journal.requestCancel(tenantId, tenantId, tenantId));
      const run = okValue(await store.journal.get(tenantId, tenantId))!;
      assertEquals(
        [run.runId, run.startKey, run.cancelRequested],
        [tenantId, tenantId, tenantId] as never,
      );
      const journal = okValue(await store.journal.read(tenantId, tenantId));
      assertEquals(journal[1]!.payload, { tokenId: tenantId, value: tenantId });
    }
    assertEquals(okValue(await store.tenants()) as readonly string[], odd);

    const { id } = await opened(store);
    const contents = ["{}", "null", '"', "", 9007199254740993, 1e21, -0, [{}]];
    for (const content of contents) {
      okValue(
        await store.conversations.appendMessage({
          tenantId: TENANT,
          conversationId: id,
          role: "tool",
          content,
        }),
      );
    }
    const talk = { tenantId: TENANT, conversationId: id };
    const messages = okValue(await store.conversations.readMessages(talk));
    assertEquals(
      messages.map(({ content }) => JSON.stringify(content)),
      contents.map((content) => JSON.stringify(content)),
    );
    await store.close();
  }));

Deno.test("conversations that were opened at once are listed by their ids' code units, page by page", async () => {
  const store = openSqliteStore(":memory:", { clock: () => 1_000 });
  // By bytes the second would come before the first.
  const ids = ["\u{FF5E}", "\u{1F600}", "b", "a"];
  for (const id of ["a", "\u{1F600}", "b", "\u{FF5E}"]) {
    await opened(store, { id });
  }
  const list = await store.conversations.listConversations({
    tenantId: TENANT,
    limit: 3,
  });
  assertEquals(okValue(list).map(({ id }) => id as string), ids.slice(0, 3));
  const found: string[] = [];
  for (let more = true, before = {}; more;) {
    const page = okValue(
      await store.conversations.listConversationsPage({
        tenantId: TENANT,
        limit: 1,
        ...before,
      }),
    );
    found.push(...page.data.map(({ id }) => id));
    more = page.hasMore;
    before = { before: page.data.at(-1) };
  }
  assertEquals(found, ids);
  await store.close();
});

Deno.test("a runtime without SQLite is told so, with the versions that have it", () => {
  // Node 20, and one so old that it can't even be asked.
  for (const runtime of [{ getBuiltinModule: () => undefined }, {}]) {
    const error = refusal(() => builtInSqlite(runtime));
    assertEquals(error.code, "sqlite-unavailable");
    assertStringIncludes(error.message, "Node 22.13");
  }
});

Deno.test("a file that isn't a database, and one that can't be opened, are refused", () =>
  withFolder(async (folder) => {
    const path = `${folder}/text.db`;
    await Deno.writeTextFile(path, "no database at all\n".repeat(100));
    const error = refusal(() => openSqliteStore(path));
    assertEquals(error.code, "sqlite-not-a-database");
    assertStringIncludes(error.message, path);
    assertStringIncludes(await Deno.readTextFile(path), "no database at all");
    assertEquals(
      refusal(() => openSqliteStore(`${folder}/missing/agents.db`)).code,
      "sqlite-open-failed",
    );
  }));

Deno.test("a store without a path would be gone once it is closed: it is refused", () => {
  const error = refusal(() => openSqliteStore(""));
  assertEquals(error.code, "sqlite-open-failed");
  assertStringIncludes(error.message, "its path is empty");
});

Deno.test("options that would be taken for others in silence are refused", () => {
  for (const synchronous of ["FULL", "off", 2] as never[]) {
    assertThrows(
      () => openSqliteStore(":memory:", { synchronous }),
      TypeError,
      "neither normal nor full",
    );
  }
  // With none of these would a wait ever end.
  for (const waitMs of [NaN, -1, "soon"] as never[]) {
    assertThrows(
      () => openSqliteStore(":memory:", { waitMs }),
      TypeError,
      "waitMs",
    );
  }
});

Deno.test("a folder in the place of a file is refused in words that help", () =>
  withFolder((folder) => {
    const error = refusal(() => openSqliteStore(folder));
    assertEquals(error.code, "sqlite-open-failed");
    assertStringIncludes(error.message, "check that it is a file");
    return Promise.resolve();
  }));

Deno.test("a store that must exist is neither made nor put into somebody else's file", () =>
  withFolder(async (folder) => {
    const mustExist = true;
    const missing = `${folder}/missing.db`;
    const noFile = refusal(() => openSqliteStore(missing, { mustExist }));
    assertEquals(noFile.code, "sqlite-no-store");
    assertEquals(existsSync(missing), false);

    const path = `${folder}/app.db`;
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE notes (note TEXT)");
    database.close();
    const before = await Deno.readFile(path);
    const foreign = refusal(() => openSqliteStore(path, { mustExist }));
    assertEquals(foreign.code, "sqlite-no-store");
    assertStringIncludes(foreign.message, path);
    assertEquals(await Deno.readFile(path), before);

    await openSqliteStore(path).close();
    await openSqliteStore(path, { mustExist }).close();
  }));

Deno.test("a file that a later release has written is refused and left as it is", () =>
  withFolder(async (folder) => {
    const path = `${folder}/agents.db`;
    await openSqliteStore(path).close();
    const database = new DatabaseSync(path);
    database.exec("INSERT INTO agent_migrations (version) VALUES (999)");
    database.close();
    const error = refusal(() => openSqliteStore(path));
    assertEquals(error.code, "sqlite-newer-version");
    assertStringIncludes(error.message, "999");
  }));

Deno.test("a table of the host's may stand in the same file", () =>
  withFolder(async (folder) => {
    const path = `${folder}/app.db`;
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE notes (note TEXT); PRAGMA user_version = 7");
    const store = openSqliteStore(path);
    await opened(store);
    await store.close();
    assertEquals(
      Number(database.prepare("PRAGMA user_version").get()!.user_version),
      7,
    );
    database.close();
  }));

Deno.test("while another process holds the write lock, reads go on, writes wait without blocking, then are done", () =>
  withFolder(async (folder) => {
    const path = `${folder}/agents.db`;
    const store = openSqliteStore(path, { waitMs: 60_000 });
    const { id } = await opened(store);
    const child = startChild("lock", path);
    assertEquals(await child.line(), "locked");
    let written = false;
    const writing = say(store, id, "Hello").then((answer) => {
      written = true;
      return answer;
    });
    // Timers go on ticking, for longer than SQLite itself would wait.
    for (let tick = 0; tick < 20; tick++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      okValue(await store.conversations.getConversation(TENANT, id));
    }
    assertEquals(written, false);
    await child.tell();
    assertEquals(await child.line(), "free");
    assertEquals(okValue(await writing).sequence, 1);
    assertEquals((await child.ended()).success, true);
    await store.close();
  }));

Deno.test("a file that stays locked fails a write after a while, also one that was locked when it was opened, and the next one works", () =>
  withFolder(async (folder) => {
    const path = `${folder}/agents.db`;
    const holder = new DatabaseSync(path);
    holder.exec("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE");
    const store = openSqliteStore(path, { waitMs: 30 });
    const open = () => store.conversations.openConversation(conversation());
    const refused = errValue(await open());
    assertEquals(refused.code, "persistence-error");
    assertEquals(causeOf(refused as { cause?: unknown }), "sqlite-locked");
    holder.exec("COMMIT");
    const { id } = okValue(await open());

    holder.exec("BEGIN IMMEDIATE");
    const locked = errValue(
      await store.journal.acquire(TENANT, "k", "h", 1_000),
    );
    assertEquals([locked.code, causeOf(locked)], [
      "journal-error",
      "sqlite-locked",
    ]);
    holder.exec("ROLLBACK");
    okValue(await say(store, id, "Hello"));
    holder.close();
    await store.close();
  }));

/** A store whose connection the test can limit. */
function limited(path: string): { sql: SqliteDatabase; store: AgentStore } {
  const sql = new SqliteDatabase({
    path,
    synchronous: "normal",
    waitMs: 1_000,
    clock: Date.now,
  });
  return { sql, store: storeOn(sql) };
}

Deno.test("a full disk and a read-only file fail writes and nothing else; nothing of a failed write stays", () =>
  withFolder(async (folder) => {
    const path = `${folder}/agents.db`;
    const { sql, store } = limited(path);
    const { id } = await opened(store);
    const pages = sql.get<{ page_count: number }>("PRAGMA page_count")!;
    sql.get(`PRAGMA max_page_count = ${pages.page_count + 2}`);
    const big = "x".repeat(100_000);
    const full = errValue(await say(store, id, big));
    assertEquals(full.code, "persistence-error");
    assertStringIncludes(full.message, "is full");
    const epoch = await startRun(store);
    const append = (payload: string) =>
      store.journal.append({
        tenantId: TENANT,
        runId: "run-1",
        epoch,
        number: 1,
        entries: [
          entry("step.started", undefined, "a"),
          entry("step.completed", { output: payload }, "a"),
        ],
      });
    assertEquals(errValue(await append(big)).code, "journal-error");
    assertEquals(okValue(await append("small")).sequence, 3);

    sql.get("PRAGMA max_page_count = 1000000");
    sql.run("PRAGMA query_only = ON");
    const refused = errValue(await say(store, id, "Hello"));
    assertStringIncludes(refused.message, "read-only");
    okValue(await store.conversations.getConversation(TENANT, id));
    sql.run("PRAGMA query_only = OFF");
    assertEquals(okValue(await say(store, id, big)).sequence, 1);
    await store.close();
  }));

Deno.test("what is asked of a closed store is refused", async () => {
  const store = openSqliteStore(":memory:");
  await store.close();
  const error = errValue(await store.tenants());
  assertEquals([error.code, causeOf(error)], [
    "persistence-error",
    "sqlite-closed",
  ]);
  let thrown: unknown;
  await store.approvals.enqueue(question()).catch((error) => thrown = error);
  assert(thrown instanceof Error && thrown.cause instanceof SqliteStoreError);
});

Deno.test("purging removes any number of ended runs, and leaves those that go on", async () => {
  let now = 1_000_000;
  const store = openSqliteStore(":memory:", { clock: () => now });
  for (let at = 0; at < 205; at++) {
    const runId = `run-${at}`;
    const epoch = await startRun(store, { runId });
    if (at < 3) continue;
    okValue(
      await store.journal.append({
        tenantId: TENANT,
        runId,
        epoch,
        number: 1,
        entries: [entry("run.completed")],
      }),
    );
  }
  now += 1;
  assertEquals(
    okValue(await store.purge({ before: new Date(now) })),
    { runs: 202 },
  );
  const left = okValue(await store.journal.list({ tenantId: TENANT }));
  assertEquals(left.map(({ runId }) => runId as string), [
    "run-2",
    "run-1",
    "run-0",
  ]);
  await store.close();
});

Deno.test("what facts mean is worked out once for each model, also across openings", () =>
  withFolder(async (folder) => {
    const path = `${folder}/agents.db`;
    const embedded: string[] = [];
    const provider = {
      embed: (text: string) => {
        embedded.push(text);
        return Promise.resolve(Float32Array.of(text.length, 1));
      },
      dimensions: () => 2,
      describe: () => ({ name: "e", version: "1", model: "m" }),
    };
    const embeddingRegistry = {
      resolve: () => ({ kind: "ok", value: provider }),
    };
    const search = async () => {
      const store = openSqliteStore(path);
      const facts = okValue(await store.memory.listFacts({ tenantId: TENANT }));
      if (facts.length === 0) {
        await store.memory.writeFact(TENANT, {
          type: "acme.note",
          content: "fact",
          scope: {},
        });
      }
      const hits = okValue(
        await store.memory.searchBySemantic({
          tenantId: TENANT,
          query: "query",
          embeddingRegistry: embeddingRegistry as never,
        }),
      );
      await store.close();
      return hits.map(({ score }) => score);
    };
    const first = await search();
    assertEquals(await search(), first);
    assertEquals(embedded, ["query", "fact", "query"]);
  }));
