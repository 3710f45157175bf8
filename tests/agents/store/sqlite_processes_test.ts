/** Several processes at one SQLite file. */
import {
  createStaticKeyProvider,
  generateSigningKey,
} from "../../../agents/provenance/mod.ts";
import { openSqliteStore } from "../../../agents/store/sqlite.ts";
import { assert, assertEquals, okValue } from "../../assert.ts";
import {
  begun,
  outcome,
  runtime,
  toTheEnd,
  type World,
} from "../turn/crash_fixture.ts";
import { cutStore } from "../turn/cut_store.ts";
import { LONG, startRun, TENANT } from "./fixtures.ts";
import { startChild, withFolder } from "./sqlite_processes.ts";

const KEY = "conversation:c-1";

Deno.test("processes that open one new file at once migrate it once, and their appends stand without gaps", () =>
  withFolder(async (folder) => {
    const names = ["a", "b", "c"];
    const raced = `${folder}/raced.db`;
    // At first they only make the tables.
    const openers = names.map((name) => startChild("append", raced, name, "0"));
    for (const child of openers) assertEquals(await child.line(), "ready");
    await Promise.all(openers.map((child) => child.tell()));
    for (const child of openers) {
      assertEquals(await child.line(), "done");
      assertEquals((await child.ended()).success, true);
    }

    const count = 20;
    const store = openSqliteStore(raced);
    await startRun(store);
    const children = names.map((name) =>
      startChild("append", raced, name, String(count))
    );
    for (const child of children) assertEquals(await child.line(), "ready");
    await Promise.all(children.map((child) => child.tell()));
    for (const child of children) {
      assertEquals(await child.line(), "done");
      assertEquals((await child.ended()).success, true);
    }
    const messages = okValue(
      await store.conversations.readMessages({
        tenantId: TENANT,
        conversationId: "c-1",
      }),
    );
    assertEquals(
      messages.map(({ sequence }) => sequence),
      Array.from({ length: names.length * count }, (_, index) => index + 1),
    );
    for (const name of names) {
      assertEquals(
        messages.map(({ content }) => String(content))
          .filter((content) => content.startsWith(name)),
        Array.from({ length: count }, (_, index) => `${name} ${index}`),
      );
    }
    const entries = okValue(await store.journal.read(TENANT, "run-1"));
    assertEquals(
      entries.map(({ sequence }) => sequence),
      Array.from({ length: names.length * count + 1 }, (_, at) => at + 1),
    );
    await store.close();
  }));

Deno.test("a lease goes from one process to another once it is given up, at a higher epoch", () =>
  withFolder(async (folder) => {
    const path = `${folder}/agents.db`;
    const child = startChild("hold", path, KEY, String(LONG));
    const held = JSON.parse((await child.line())!);
    assertEquals(held.kind, "held");
    const store = openSqliteStore(path);
    const take = async () =>
      okValue(await store.journal.acquire(TENANT, KEY, "parent", LONG));
    assertEquals(await take(), { kind: "waiting", place: 1 });
    await child.tell();
    assertEquals(await child.line(), "released");
    const taken = await take();
    assert(taken.kind === "held" && taken.epoch > held.epoch);
    assertEquals((await child.ended()).success, true);
    await store.close();
  }));

Deno.test("the lease of a process that was killed runs out", () =>
  withFolder(async (folder) => {
    const path = `${folder}/agents.db`;
    const child = startChild("hold", path, KEY, String(LONG));
    const held = JSON.parse((await child.line())!);
    child.kill();
    assertEquals((await child.ended()).signal, "SIGKILL");
    let ahead = 0;
    const store = openSqliteStore(path, { clock: () => Date.now() + ahead });
    const take = async () =>
      okValue(await store.journal.acquire(TENANT, KEY, "parent", LONG));
    assertEquals((await take()).kind, "waiting");
    ahead = LONG + 1;
    const taken = await take();
    assert(taken.kind === "held" && taken.epoch > held.epoch);
    await store.close();
  }));

/** How often a turn is cut here; the cuts differ from run to run. */
const ROUNDS = 6;

Deno.test("[trap 49] a turn whose process is killed anywhere is resumed by another to the same conversation, usage and provenance (decisions.md 29)", () =>
  withFolder(async (folder) => {
    const pair = await generateSigningKey("key-1");
    const keys = createStaticKeyProvider(pair);
    const counted = cutStore(
      await begun(openSqliteStore(`${folder}/whole.db`)),
    );
    const world: World = { ran: new Map(), events: [] };
    const whole = await runtime(counted.store, world, keys);
    okValue(await whole.invoke());
    const result = await toTheEnd(whole);
    const calls = counted.calls.length;
    assert(calls >= 20, `${calls} calls`);
    const expected = await outcome(whole, result, world, keys);
    await counted.store.close();

    for (let round = 0; round < ROUNDS; round++) {
      const at = 1 + Math.floor(Math.random() * calls);
      const when = Math.random() < 0.5 ? "at" : "after";
      const path = `${folder}/${round}.db`;
      const log = `${folder}/${round}.log`;
      const made = await begun(openSqliteStore(path));
      await made.close();
      await Deno.writeTextFile(log, "");
      const child = startChild(
        "turn",
        path,
        String(at),
        when,
        JSON.stringify(pair),
        log,
      );
      assertEquals(await child.line(), undefined, `${when} call ${at}`);
      assertEquals((await child.ended()).signal, "SIGKILL");

      const store = openSqliteStore(path, { clock: () => Date.now() + LONG });
      const world: World = { ran: new Map(), events: [] };
      for (const key of (await Deno.readTextFile(log)).split("\n")) {
        if (key !== "") world.ran.set(key, 1);
      }
      const stage = await runtime(store, world, keys);
      const known = await stage.runBinding.getRun("t-1", "run-1");
      if (known.kind === "err") okValue(await stage.invoke());
      const result = await toTheEnd(stage);
      assertEquals(
        await outcome(stage, result, world, keys),
        expected,
        `killed ${when} call ${at} of ${calls}`,
      );
      await store.close();
    }
  }));
