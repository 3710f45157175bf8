import { DatabaseSync } from "node:sqlite";
import type { AgentStore, HitlEnqueueInput } from "../../agents/mod.ts";
import { openStore } from "../../scripts/support/store_place.ts";
import {
  assertEquals,
  assertMatch,
  assertObjectMatch,
  assertStringIncludes,
} from "../assert.ts";
import { AgentPack } from "./agent_pack.ts";
import { CommandProcess } from "./command_process.ts";
import { type Ended, runScript } from "./script.ts";

const HOUR = 3_600_000;

/** A question about a tool call. */
function question(fields: Partial<HitlEnqueueInput> = {}): HitlEnqueueInput {
  return {
    tenantId: "local",
    subjectKind: "tool-call:pending",
    subjectRef: {
      conversationId: "c-1",
      agentId: "acme.clerk",
      agentVersion: "1.0.0",
      toolId: "acme.note",
      toolVersion: "1.0.0",
      callId: "k1",
      arguments: { note: "A" },
    },
    requiredRole: "standard",
    title: "Let Clerk call acme.note?",
    description: "Clerk wants to call acme.note.",
    waitTokenId: "token-1",
    provenanceRef: { runId: "run-1" },
    expiresAt: new Date(Date.now() + HOUR).toISOString(),
    timeoutMs: HOUR,
    ...fields,
  };
}

/** A store in a file, with questions. */
class Questions implements AsyncDisposable {
  readonly path: string;
  readonly ids: readonly string[];
  readonly #folder: string;

  private constructor(folder: string, path: string, ids: readonly string[]) {
    this.#folder = folder;
    this.path = path;
    this.ids = ids;
  }

  static async asked(...asked: HitlEnqueueInput[]): Promise<Questions> {
    const folder = await Deno.makeTempDir();
    const path = `${folder}/store.sqlite`;
    const ids: string[] = [];
    const store: AgentStore = await openStore({ kind: "sqlite", path });
    for (const input of asked) {
      ids.push((await store.approvals.enqueue(input)).approvalId);
    }
    await store.close();
    return new Questions(folder, path, ids);
  }

  /** Runs the command on this store. */
  run(...args: string[]): Promise<Ended> {
    return runScript("approvals", [...args, "--store", this.path]);
  }

  /** What the command answers in JSON. */
  async json(...args: string[]): Promise<Record<string, unknown>[]> {
    return JSON.parse((await this.run(...args, "--json")).stdout);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#folder, { recursive: true });
  }
}

Deno.test("approvals are listed: what is asked, about what, and how long there is", async () => {
  await using questions = await Questions.asked(
    question(),
    question({ waitTokenId: "token-2", title: "Second\x1b[2J?" }),
    question({ waitTokenId: "token-3", tenantId: "other" }),
  );
  const { code, stdout, stderr } = await questions.run();
  assertEquals([code, stderr], [0, ""]);
  const [first, second] = questions.ids;
  assertMatch(
    stdout,
    new RegExp(
      `^${second}  pending \\(standard or higher\\)  asked \\d+ s ago, 59 min left\n  Second\\\\u001b\\[2J\\?\n    {"note":"A"}\n${first}  `,
    ),
  );
  assertEquals(
    (await questions.json("list", "--limit", "1")).map(({ id }) => id),
    [second],
  );
  assertEquals(
    (await questions.json("--tenant", "other")).map(({ id }) => id),
    [questions.ids[2]],
  );
  assertEquals(await questions.json("list", "--status", "approved"), []);
  const none = await questions.run("list", "--conversation", "c-2");
  assertEquals(none.stdout, "No pending approvals of tenant local\n");
});

Deno.test("an approval is shown in full", async () => {
  await using questions = await Questions.asked(question());
  const [id] = questions.ids as [string];
  const { code, stdout } = await questions.run("show", id);
  assertEquals(code, 0);
  for (
    const part of [
      "acme.clerk 1.0.0",
      "acme.note 1.0.0",
      "c-1",
      "run-1",
      "Clerk wants to call acme.note.",
      `{"note":"A"}`,
    ]
  ) assertStringIncludes(stdout, part);
});

Deno.test("an approval is decided once, and its turn's way on is told", async () => {
  await using questions = await Questions.asked(question());
  const [id] = questions.ids as [string];
  const rejected = await questions.run(
    ...["reject", id, "--reviewer", "robin", "--rationale", "not today"],
  );
  assertEquals(rejected.code, 0);
  assertEquals(
    rejected.stdout,
    `rejected: ${id}, by robin (standard)
Its turn, run run-1, goes on with a worker's next look (deno task worker), or with deno task chat --conversation c-1
`,
  );
  assertObjectMatch(await questions.json("show", id), {
    status: "rejected",
    decidedBy: { id: "robin", role: "standard" },
    rationale: "not today",
  });
  assertEquals((await questions.run("reject", id)).code, 0);
  const approved = await questions.run("approve", id, "--json");
  assertEquals(approved.code, 4);
  assertMatch(approved.stderr, /^approvals: .*it was rejected before\n$/);
  assertObjectMatch(JSON.parse(approved.stdout), {
    error: { code: "approval-already-decided" },
  });
});

Deno.test("what can't be decided ends with a code and a reason of its own", async () => {
  await using questions = await Questions.asked(
    question({ requiredRole: "senior" }),
    question({
      waitTokenId: "token-2",
      requiredRole: "admin",
      expiresAt: new Date(Date.now() - HOUR).toISOString(),
    }),
  );
  const [senior, expired] = questions.ids as [string, string];
  const low = await questions.run("approve", senior);
  assertEquals(low.code, 4);
  assertStringIncludes(low.stderr, "role senior or higher");
  const unknown = await questions.run("approve", "none");
  assertEquals(unknown.code, 3);
  assertStringIncludes(unknown.stderr, "none");
  const foreign = await questions.run("show", senior, "--tenant", "other");
  assertEquals(foreign.code, 3);
  const late = await questions.run("approve", expired, "--role", "admin");
  assertEquals(late.code, 4);
  assertStringIncludes(late.stderr, "nobody decided before");
  const high = await questions.run("approve", senior, "--role", "senior");
  assertEquals(high.code, 0);
});

Deno.test("a sweep raises what is due to the next role, and lets it expire past the highest", async () => {
  const expiresAt = new Date(Date.now() - HOUR).toISOString();
  await using questions = await Questions.asked(
    question({ expiresAt }),
    question({ expiresAt, waitTokenId: "token-2", requiredRole: "admin" }),
    question({ expiresAt, waitTokenId: "token-3", tenantId: "other" }),
  );
  const { code, stdout } = await questions.run("sweep");
  assertEquals(code, 0);
  assertStringIncludes(stdout, "1 expired");
  const [raised, expired, other] = questions.ids as [string, string, string];
  assertObjectMatch(await questions.json("show", raised), {
    status: "pending",
    requiredRole: "senior",
  });
  assertObjectMatch(await questions.json("show", expired), {
    status: "expired",
  });
  assertObjectMatch(
    await questions.json("show", other, "--tenant", "other"),
    { requiredRole: "senior" },
  );
  assertObjectMatch(await questions.json("sweep"), {
    expired: 0,
    asked: 0,
    withdrawn: 0,
  });
});

Deno.test("a turn goes on with the worker once it is approved from a terminal", async () => {
  await using pack = await AgentPack.write({
    hitl: { tools: { overrides: { "acme.note": "always_ask" } } },
  });
  const place = [
    ...["--pack-dir", pack.packDir, "--store", pack.store],
    ...["--providers", pack.models],
  ];
  await using chat = new CommandProcess("chat", { args: place, env: pack.env });
  await chat.type("note A");
  assertEquals(await chat.end(), 3);
  await using worker = new CommandProcess("worker", {
    args: [...place, "--poll-ms", "50"],
    env: pack.env,
  });
  await worker.until("looks for turns");
  const store = ["--store", pack.store];
  const listed = await runScript("approvals", [...store, "--json"]);
  const [{ id }] = JSON.parse(listed.stdout);
  const { code } = await runScript("approvals", ["approve", id, ...store]);
  assertEquals(code, 0);
  await worker.until("took a turn further");
  assertEquals((await pack.ledger()).map(({ note }) => note), ["A"]);
  worker.kill("SIGTERM");
  assertEquals(await worker.ended, 0);
});

Deno.test("a command line that makes no sense ends with 2 and says what is wrong", async () => {
  const store = ["--store", "none.sqlite"];
  const cases: readonly (readonly [readonly string[], string])[] = [
    [[], "--store, or in KINDGI_STORE"],
    [["--store", "memory"], "memory"],
    [["decide", ...store], `"decide"`],
    [["show", ...store], "show ID"],
    [["approve", "a", "b", ...store], "more than approve takes: b"],
    [["list", "a", ...store], "more than list takes: a"],
    [["approve", "a", "--role", "boss", ...store], `"boss"`],
    [["approve", "a", "--reviewer", " ", ...store], "--reviewer"],
    [["sweep", "--rationale", "x", ...store], "sweep takes no --rationale"],
    [["list", "--status", "open", ...store], `"open"`],
    [["list", "--limit", "0", ...store], `"0"`],
    [["list", "--tenant", "", ...store], "--tenant is empty"],
    [["--fast", ...store], "--fast"],
  ];
  await Promise.all(cases.map(async ([args, problem]) => {
    const { code, stdout, stderr } = await runScript("approvals", args);
    assertEquals([code, stdout], [2, ""], stderr);
    assertMatch(stderr, /^approvals: .*--help says more\n$/);
    assertStringIncludes(stderr, problem);
  }));
});

Deno.test("a file that isn't there is not made", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/none.sqlite`;
    const { code, stderr } = await runScript("approvals", ["--store", path]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "there is no such file");
    assertEquals(await Array.fromAsync(Deno.readDir(folder)), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("another program's database is left as it is", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/notes.sqlite`;
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE notes (note TEXT)");
    database.close();
    const before = await Deno.readFile(path);
    const { code, stderr } = await runScript("approvals", ["--store", path]);
    assertEquals(code, 1);
    assertEquals(
      stderr,
      `approvals: Cannot open the SQLite store ${path}: there is no store in this file\n`,
    );
    assertEquals(await Deno.readFile(path), before);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a database that can't be reached is named without its password", async () => {
  const { code, stderr } = await runScript("approvals", [
    ...["--store", "postgres://robin:hush@127.0.0.1:9/agents"],
  ]);
  assertEquals(code, 1);
  assertStringIncludes(stderr, "postgres://127.0.0.1:9/agents");
  assertEquals(stderr.includes("hush"), false);
});

Deno.test("the help of approvals", async () => {
  const { code, stdout } = await runScript("approvals", ["-h"]);
  assertEquals(code, 0);
  assertStringIncludes(stdout, "approve|reject ID");
});
