import { assertEquals, assertMatch, assertStringIncludes } from "../assert.ts";
import { AgentPack } from "./agent_pack.ts";
import { CommandProcess } from "./command_process.ts";
import { descendantsOf, untilGone } from "./dev_process.ts";
import { runScript } from "./script.ts";

/** The arguments of a command with the test's own pack, models and store. */
function placeOf(pack: AgentPack): string[] {
  return [
    ...["--pack-dir", pack.packDir, "--providers", pack.models],
    ...["--store", pack.store],
  ];
}

/** Has a chat say something, and kills it while the model thinks. */
async function interrupted(pack: AgentPack, message: string): Promise<void> {
  await using chat = new CommandProcess("chat", {
    args: placeOf(pack),
    env: pack.env,
  });
  await chat.type(message);
  await chat.until("asks told/told-1");
  chat.kill("SIGKILL");
  await chat.ended;
}

function startWorker(pack: AgentPack): CommandProcess {
  return new CommandProcess("worker", {
    args: [...placeOf(pack), "--poll-ms", "50"],
    env: pack.env,
  });
}

Deno.test("a worker takes a killed chat's turn further, finishes it when it is stopped, and says so", async () => {
  await using pack = await AgentPack.write();
  await interrupted(pack, "wait");
  await using worker = new CommandProcess("worker", {
    args: [...placeOf(pack), "--poll-ms", "50"],
    env: { ...pack.env, KINDGI_LOG_LEVEL: "debug" },
  });
  await worker.until("takes a turn further");
  worker.kill("SIGTERM");
  await worker.until("stops once turns under way are done");
  await pack.openGate();
  assertEquals(await worker.ended, 0);
  assertEquals(worker.stdout, "");
  const records = worker.stderr.trim().split("\n").map((line) =>
    JSON.parse(line)
  );
  const taken = records.find(({ status }) => status !== undefined);
  assertEquals(
    [taken.subsystem, taken.tenantId, taken.status],
    ["worker", "local", "completed"],
  );
  assertEquals(records.at(-1).message, "The worker has stopped");
});

Deno.test("a second signal cuts a worker short, and the turn goes on with another one", async () => {
  await using pack = await AgentPack.write();
  await interrupted(pack, "wait");
  {
    await using worker = new CommandProcess("worker", {
      args: [...placeOf(pack), "--poll-ms", "50", "--lease-ms", "1000"],
      env: { ...pack.env, KINDGI_LOG_LEVEL: "debug" },
    });
    await worker.until("takes a turn further");
    worker.kill("SIGINT");
    await worker.until("stops once turns under way are done");
    // One Ctrl+C may come twice; this is the next one.
    await new Promise((done) => setTimeout(done, 600));
    worker.kill("SIGINT");
    assertEquals(await worker.ended, 1);
  }
  await pack.openGate();
  await using another = startWorker(pack);
  await another.until("took a turn further");
  another.kill("SIGINT");
  assertEquals(await another.ended, 0);
});

Deno.test("a worker closes conversations in which nothing is said any more", async () => {
  await using pack = await AgentPack.write({
    autoCloseAfterInactiveSeconds: 1,
  });
  await using chat = new CommandProcess("chat", {
    args: placeOf(pack),
    env: pack.env,
  });
  await chat.type("hello");
  assertEquals(await chat.end(), 0);
  await using worker = startWorker(pack);
  await worker.until("closed an inactive conversation");
  worker.kill("SIGTERM");
  assertEquals(await worker.ended, 0);
  const id = /conversation (\S+)/.exec(chat.stdout)![1]!;
  const { code, stderr } = await runScript(
    "chat",
    [...placeOf(pack), "--conversation", id],
    pack.env,
  );
  assertEquals(code, 1);
  assertStringIncludes(stderr, "it was closed");
});

Deno.test("a worker ends with 1 once nothing can run the pack's tools any more", async () => {
  await using pack = await AgentPack.write();
  await using worker = startWorker(pack);
  await worker.until("looks for turns");
  await Deno.remove(`${pack.packDir}/index.json`);
  for (const pid of await descendantsOf(worker.pid)) {
    if ((await commandOf(pid)).includes("pack_service/main.ts")) {
      Deno.kill(pid, "SIGKILL");
    }
  }
  assertEquals(await worker.ended, 1);
  assertStringIncludes(worker.stderr, "the pack's service ended unasked");
  assertStringIncludes(
    worker.stderr,
    "the pack's service can't be started again: the worker stops",
  );
});

/** What a process was started with. */
async function commandOf(pid: number): Promise<string> {
  const { stdout } = await new Deno.Command("ps", {
    args: ["-o", "args=", "-p", String(pid)],
  }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("a worker's command line that makes no sense ends with 2 and says what is wrong", async () => {
  const fine = ["--pack-dir", "pack", "--store", "a.sqlite"];
  const cases: readonly (readonly [readonly string[], string])[] = [
    [["--store", "a.sqlite"], "--pack-dir is missing"],
    [["--pack-dir", "pack"], "--store, or in KINDGI_STORE"],
    [["--pack-dir", "pack", "--store", "memory"], "memory"],
    [[...fine, "--poll-ms", "0"], "--poll-ms"],
    [[...fine, "--concurrency", "many"], `"many"`],
    [[...fine, "--lease-ms", "1"], "--lease-ms"],
    [[...fine, "--fast"], "--fast"],
  ];
  await Promise.all(cases.map(async ([args, problem]) => {
    const { code, stdout, stderr } = await runScript("worker", args);
    assertEquals([code, stdout], [2, ""], stderr);
    assertMatch(stderr, /^worker: .*--help says more\n$/);
    assertStringIncludes(stderr, problem);
  }));
});

Deno.test("a worker that can't start ends with 1 and says why", async () => {
  await using pack = await AgentPack.write();
  const noService = await runScript("worker", placeOf(pack));
  assertEquals(noService.code, 1);
  assertMatch(
    noService.stderr,
    /^worker: Cannot use the pack's service .*LEDGER$/m,
  );
  const noLevel = await runScript("worker", placeOf(pack), {
    ...pack.env,
    KINDGI_LOG_LEVEL: "loud",
  });
  assertEquals(noLevel.code, 1);
  assertStringIncludes(noLevel.stderr, "KINDGI_LOG_LEVEL");
});

Deno.test("a worker that is told to stop before it works does so at once, with what it has started", async () => {
  await using pack = await AgentPack.write({}, { index: false });
  await Deno.writeTextFile(
    `${pack.packDir}/tools/endless.mjs`,
    `console.error("never done"); for (;;);\n`,
  );
  await using worker = startWorker(pack);
  await worker.until("never done");
  const started = await descendantsOf(worker.pid);
  worker.kill("SIGTERM");
  assertEquals(await worker.ended, 0);
  assertStringIncludes(worker.stderr, "stopped before it began");
  await untilGone(started);
});

Deno.test("the help of a worker", async () => {
  const { code, stdout } = await runScript("worker", ["--help"]);
  assertEquals(code, 0);
  assertStringIncludes(stdout, "--lease-ms N");
});
