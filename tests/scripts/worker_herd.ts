/** Several worker processes on one store, killed at random while conversations run, and what must hold afterwards. */
import { fileURLToPath } from "node:url";
import type { AgentStore } from "../../agents/mod.ts";
import {
  openStore,
  readStorePlace,
} from "../../scripts/support/store_place.ts";
import { assert, assertEquals, okValue } from "../assert.ts";
import { eventually } from "../pack_service/support/eventually.ts";
import type { AgentPack, LedgerLine } from "./agent_pack.ts";
import { CommandProcess } from "./command_process.ts";
import { scriptEnvironment } from "./script.ts";

const STARTER = fileURLToPath(new URL("start_turns_main.ts", import.meta.url));
const TENANT = "local";

/** How long a worker that was killed keeps its turns, in milliseconds. */
const LEASE_MS = 2_000;

/** What to do. */
export interface HerdOptions {
  readonly pack: AgentPack;
  /** The store, as `--store` names it. */
  readonly store: string;
  readonly conversations: number;
  readonly workers: number;
  /** How many workers are killed, one after another. */
  readonly kills: number;
  /** How long a model takes, in milliseconds. */
  readonly modelMs: number;
  /** How long a tool takes to answer once it has done what it does, in milliseconds. */
  readonly toolMs: number;
  readonly concurrency: number;
}

/** What came of it. */
export interface HerdReport {
  /** Workers that were killed before every turn had ended. */
  readonly kills: number;
  /** Tool calls that ran more than once, none of whose results had been stored. */
  readonly repeated: number;
  /** Milliseconds from when the first workers look for turns until the last turn's end. */
  readonly ms: number;
}

/** The notes of a conversation, in order: nobody else's. */
function notesOf(conversation: number): string[] {
  return ["a", "b", "c"].map((letter) => `${conversation}${letter}`);
}

/** Starts turns in a process that dies, has workers finish them, and holds what came of it against the rules. */
export async function runHerd(options: HerdOptions): Promise<HerdReport> {
  const { pack, conversations } = options;
  const messages = Array.from(
    { length: conversations },
    (_, at) => `note ${notesOf(at).join(" ")}`,
  );
  await startAndDie(options.store, messages);
  const place = readStorePlace(options.store, pack.folder);
  assert(typeof place !== "string");
  const store = await openStore(place);
  try {
    const report = await finish(options, store);
    const ledger = await pack.ledger();
    for (const message of messages) await checkTurn(store, ledger, message);
    return { ...report, repeated: ledger.length - 3 * conversations };
  } finally {
    await store.close();
  }
}

/** A process starts every turn, and is killed while all of them wait for their model. */
async function startAndDie(
  store: string,
  messages: readonly string[],
): Promise<void> {
  const starter = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", STARTER, store, String(LEASE_MS), ...messages],
    clearEnv: true,
    env: scriptEnvironment(),
    stdin: "null",
    stdout: "piped",
  }).spawn();
  let said = "";
  for await (
    const text of starter.stdout.pipeThrough(new TextDecoderStream())
  ) {
    said += text;
    if (said.includes("started")) break;
  }
  starter.kill("SIGKILL");
  await starter.status;
  assertEquals(said, "started\n");
}

/** Workers finish the turns, although they are killed again and again. */
async function finish(
  options: HerdOptions,
  store: AgentStore,
): Promise<Pick<HerdReport, "kills" | "ms">> {
  const { pack, conversations } = options;
  const args = [
    ...["--pack-dir", pack.packDir, "--providers", pack.models],
    ...["--store", options.store, "--lease-ms", String(LEASE_MS)],
    ...["--poll-ms", "100", "--concurrency", String(options.concurrency)],
  ];
  const env = {
    ...pack.env,
    MODEL_MS: String(options.modelMs),
    TOOL_MS: String(options.toolMs),
    KINDGI_LOG_LEVEL: "info",
  };
  const start = () => new CommandProcess("worker", { args, env });
  const ended = async () => {
    const runs = okValue(await store.journal.list({ tenantId: TENANT }));
    return runs.filter(({ endedAt }) => endedAt !== undefined).length;
  };
  const workers = Array.from({ length: options.workers }, start);
  try {
    for (const worker of workers) await worker.until("looks for turns");
    const since = performance.now();
    let kills = 0;
    while (kills < options.kills && await ended() < conversations) {
      const at = Math.floor(Math.random() * workers.length);
      const victim = workers[at]!;
      await victim.until("looks for turns");
      // At any moment of its work.
      await new Promise((go) => setTimeout(go, Math.random() * 1_500));
      await victim[Symbol.asyncDispose]();
      workers[at] = start();
      kills += 1;
    }
    let last = -1;
    while (last < conversations) {
      // Patience counts from the last turn that ended.
      last = await eventually(
        () =>
          `another turn's end after ${last}:\n${
            workers.map(({ stderr }) => stderr).join("\n")
          }`,
        async () => {
          const now = await ended();
          return now > last ? now : undefined;
        },
      );
    }
    const ms = performance.now() - since;
    for (const worker of workers) worker.kill("SIGTERM");
    for (const worker of workers) {
      // One that has only just been started may not listen for signals yet.
      assert([0, 143].includes(await worker.ended), worker.stderr);
    }
    return { kills, ms };
  } finally {
    for (const worker of workers) await worker[Symbol.asyncDispose]();
  }
}

/** A turn has ended once; its messages are all there, once; no call ran again whose result was stored. */
async function checkTurn(
  store: AgentStore,
  ledger: readonly LedgerLine[],
  message: string,
): Promise<void> {
  const tenantId = TENANT;
  const notes = message.split(" ").slice(1);
  const runs = okValue(await store.journal.list({ tenantId, limit: 10_000 }));
  const run = await findRun(store, runs.map(({ runId }) => runId), message);
  const journal = okValue(await store.journal.read(tenantId, run.runId));
  const ends = journal.filter(({ kind }) =>
    ["run.completed", "run.failed", "run.cancelled"].includes(kind)
  );
  assertEquals(ends.map(({ kind }) => kind), ["run.completed"]);
  assertEquals(journal.at(-1), ends[0]);
  const conversation = okValue(
    await store.conversations.getConversation(tenantId, run.conversationId),
  );
  assertEquals(conversation.turnCount, 1);
  const said = okValue(
    await store.conversations.readMessages({
      tenantId,
      conversationId: run.conversationId,
    }),
  );
  assertEquals(
    said.map(({ sequence, role }) => [sequence, role]),
    ["user", ...notes.flatMap(() => ["agent", "tool"]), "agent"]
      .map((role, at) => [at + 1, role]),
  );
  assertEquals(said.at(-1)!.content, `noted ${notes.join(" ")}`);
  const results = said.filter(({ role }) => role === "tool");
  for (const [at, note] of notes.entries()) {
    const executions = ledger.filter((line) => line.note === note);
    assertEquals(
      executions.at(-1)?.executionId,
      (results[at]!.content as { executionId?: string }).executionId,
      `${note} ran again after its result was stored`,
    );
    const keys = new Set(executions.map((line) => line.idempotencyKey));
    assertEquals(keys.size, 1);
  }
}

/** The one run that was started with a message. */
async function findRun(
  store: AgentStore,
  runIds: readonly string[],
  message: string,
): Promise<{ readonly runId: string; readonly conversationId: string }> {
  const found = [];
  for (const runId of runIds) {
    const snapshot = okValue(await store.snapshots.read(TENANT, runId));
    if (snapshot?.userMessage === message) found.push(snapshot);
  }
  assertEquals(found.length, 1, message);
  return found[0]!;
}
