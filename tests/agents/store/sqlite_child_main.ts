/**
 * Another process at the same SQLite file. `sqlite_processes.ts` starts it; its first argument says what it does, each line
 * on its standard input lets it go on, and it prints a line when it has come somewhere.
 */
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { Readable } from "node:stream";
import { createStaticKeyProvider } from "../../../agents/provenance/mod.ts";
import type { AgentStore } from "../../../agents/store/mod.ts";
import { openSqliteStore } from "../../../agents/store/sqlite.ts";
import { okValue } from "../../assert.ts";
import { runtime, toTheEnd } from "../turn/crash_fixture.ts";
import { conversation, TENANT } from "./fixtures.ts";

const [what, path, ...rest] = process.argv.slice(2) as [
  string,
  string,
  ...string[],
];

const input = Readable.toWeb(process.stdin).getReader();

/** Waits until the starter writes a line, or goes away. */
const told = (): Promise<unknown> => input.read();

/** Opens the file when it is told to, and appends messages and resolves tokens as fast as it can. */
async function append([name, count]: string[]): Promise<void> {
  console.log("ready");
  await told();
  const store = openSqliteStore(path);
  // One of the processes opens it, all the others find it there.
  await store.conversations.openConversation(conversation({ id: "c-1" }));
  for (let at = 0; at < Number(count); at++) {
    okValue(
      await store.conversations.appendMessage({
        tenantId: TENANT,
        conversationId: "c-1",
        role: "user",
        content: `${name} ${at}`,
      }),
    );
    okValue(
      await store.journal.resolveToken({
        tenantId: TENANT,
        runId: "run-1",
        outcome: { tokenId: `${name} ${at}`, kind: "completed", value: at },
      }),
    );
  }
  await store.close();
  console.log("done");
}

/** Takes a lease, and gives it up when it is told to. */
async function hold([key, ttlMs]: string[]): Promise<void> {
  const store = openSqliteStore(path);
  const lease = okValue(
    await store.journal.acquire(TENANT, key!, "child", Number(ttlMs)),
  );
  console.log(JSON.stringify(lease));
  await told();
  okValue(await store.journal.release(TENANT, key!, "child"));
  await store.close();
  console.log("released");
}

/** Holds the file's write lock until it is told to let go. */
async function lock(): Promise<void> {
  const database = new DatabaseSync(path);
  database.exec("BEGIN IMMEDIATE");
  console.log("locked");
  await told();
  database.exec("COMMIT");
  database.close();
  console.log("free");
}

/** Takes a turn to its end, and is killed at one call of its store or right after it. */
async function turn([at, after, keyPair, log]: string[]): Promise<void> {
  const ran = new LoggedMap(log!);
  const store = killedAt(openSqliteStore(path), Number(at), after === "after");
  const keys = createStaticKeyProvider(JSON.parse(keyPair!));
  const stage = await runtime(store, { ran, events: [] }, keys);
  await stage.invoke();
  await toTheEnd(stage);
  console.log("ended");
}

/** Keeps its keys in a file: what the world has seen outlasts the process. */
class LoggedMap extends Map<string, number> {
  readonly #file: string;

  constructor(file: string) {
    super();
    this.#file = file;
  }

  override set(key: string, value: number): this {
    Deno.writeTextFileSync(this.#file, `${key}\n`, { append: true });
    return super.set(key, value);
  }
}

/** A store that ends this process by SIGKILL at its nth call. */
function killedAt(store: AgentStore, at: number, after: boolean): AgentStore {
  let calls = 0;
  const parts = Object.entries(store).map(([name, part]) => {
    if (typeof part !== "object") return [name, part];
    return [
      name,
      new Proxy(part, {
        get(target, method) {
          const member = Reflect.get(target, method);
          if (typeof member !== "function") return member;
          // It answers at once, and reaches nothing.
          if (method === "keepsUsageOf") {
            return (sink: object) => sink === kept.usage;
          }
          return async (...args: unknown[]) => {
            calls += 1;
            if (calls === at && !after) return await killed();
            const answer = await member.apply(target, args);
            return calls >= at && after ? await killed() : answer;
          };
        },
      }),
    ];
  });
  const kept: AgentStore = Object.fromEntries(parts);
  return kept;
}

function killed(): Promise<never> {
  Deno.kill(Deno.pid, "SIGKILL");
  return new Promise(() => {});
}

switch (what) {
  case "append":
    await append(rest);
    break;
  case "hold":
    await hold(rest);
    break;
  case "lock":
    await lock();
    break;
  case "turn":
    await turn(rest);
    break;
}
