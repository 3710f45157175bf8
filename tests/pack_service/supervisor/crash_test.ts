import { spawn } from "node:child_process";
import process from "node:process";
import { assert, assertEquals, errValue, okValue } from "../../assert.ts";
import {
  type Bench,
  eventually,
  isRunning,
  outputOf,
  withSupervisor,
} from "./support.ts";
import { programCommand, sourceFile } from "../../runtime.ts";
import { PYTHON_COMMAND, PYTHON_PACK } from "./packs.ts";

const kinds = ({ events }: Bench): string[] =>
  events.lifecycle.map(({ kind }) => kind);

async function pidOf({ call }: Bench): Promise<number> {
  return outputOf(await call("demo.echo")).pid as number;
}

Deno.test("[101] a child that ends during a call fails it as one that may have run, and is brought back", async () => {
  await withSupervisor({}, async (bench) => {
    const { supervisor, events, call, index } = bench;
    okValue(await supervisor.start(await index("1.0.0")));
    const failed = await call("demo.exit");
    assertEquals(failed.status, 502);
    assertEquals(failed.headers.get("retry-after"), null);
    await events.count("started", 2);
    assertEquals(kinds(bench), ["started", "exited", "restarting", "started"]);
    assertEquals(events.lifecycle[1], {
      kind: "exited",
      code: 3,
      signal: null,
    });
    assertEquals(events.lifecycle[2], { kind: "restarting", attempt: 1 });
    assertEquals(outputOf(await call("demo.echo")).version, "1.0.0");
  });
});

Deno.test("a child killed during a call answers 502, and a call after that 503 until another serves", async () => {
  const slowly = { restartDelayMs: 60_000 };
  await withSupervisor(slowly, async (bench) => {
    const { url, supervisor, events, call, index } = bench;
    okValue(await supervisor.start(await index("1.0.0")));
    const pid = await pidOf(bench);
    const running = call("demo.wait", { ms: 60_000 });
    await call("demo.wait", { ms: 100 });
    process.kill(pid, "SIGKILL");
    assertEquals((await running).status, 502);
    await events.count("restarting", 1);
    assertEquals(events.lifecycle[1], {
      kind: "exited",
      code: null,
      signal: "SIGKILL",
    });
    const refused = await call("demo.echo");
    assertEquals(refused.status, 503);
    assertEquals(refused.headers.get("retry-after"), "1");
    const ready = await fetch(`${url}/readyz`);
    assertEquals(ready.status, 503);
    await ready.body?.cancel();
    // A start doesn't wait for the restart that is due.
    okValue(await supervisor.start(await index("2.0.0")));
    assertEquals(outputOf(await call("demo.echo")).version, "2.0.0");
    assertEquals(kinds(bench).filter((kind) => kind === "started").length, 2);
  });
});

Deno.test("a child that listens and ends again and again is given up", async () => {
  await withSupervisor({ maxRestarts: 2 }, async (bench) => {
    const { supervisor, events, call, index } = bench;
    okValue(await supervisor.start(await index("1.0.0", { crashes: true })));
    await events.count("gave-up", 1);
    assertEquals(kinds(bench), [
      "started",
      "exited",
      ...["restarting", "started", "exited"],
      ...["restarting", "started", "exited"],
      "gave-up",
    ]);
    assertEquals(events.lifecycle.at(-1), { kind: "gave-up", attempts: 2 });
    assertEquals((await call("demo.echo")).status, 503);
    okValue(await supervisor.start(await index("2.0.0")));
    assertEquals(outputOf(await call("demo.echo")).version, "2.0.0");
  });
});

Deno.test("a child whose restarts fail to boot is given up", async () => {
  await withSupervisor({ maxRestarts: 2 }, async (bench) => {
    const { supervisor, events, index } = bench;
    okValue(await supervisor.start(await index("1.0.0")));
    const pid = await pidOf(bench);
    await index("1.0.0", { broken: "demo.echo" });
    process.kill(pid, "SIGKILL");
    await events.count("gave-up", 1);
    assertEquals(kinds(bench), [
      "started",
      "exited",
      ...["restarting", "boot-failed"],
      ...["restarting", "boot-failed"],
      "gave-up",
    ]);
  });
});

Deno.test("a start that fails while a child is being brought back leaves that to go on", async () => {
  await withSupervisor({ restartDelayMs: 60_000 }, async (bench) => {
    const { supervisor, events, index } = bench;
    okValue(await supervisor.start(await index("1.0.0")));
    process.kill(await pidOf(bench), "SIGKILL");
    await events.count("restarting", 1);
    const broken = await index("2.0.0", { broken: "demo.echo" });
    errValue(await supervisor.start(broken));
    await supervisor.stop();
    assertEquals(kinds(bench), [
      ...["started", "exited", "restarting", "boot-failed"],
    ]);
  });
  await withSupervisor({ restartDelayMs: 1 }, async (bench) => {
    const { supervisor, events, call, index } = bench;
    okValue(await supervisor.start(await index("1.0.0")));
    process.kill(await pidOf(bench), "SIGKILL");
    await events.count("restarting", 1);
    const broken = await index("2.0.0", { broken: "demo.echo" });
    errValue(await supervisor.start(broken));
    await events.count("started", 2);
    assertEquals(outputOf(await call("demo.echo")).version, "1.0.0");
  });
});

Deno.test("[103] after beginClose a child's end is no news and nothing is started", async () => {
  await withSupervisor({}, async (bench) => {
    const { supervisor, index } = bench;
    okValue(await supervisor.start(await index("1.0.0")));
    const pid = await pidOf(bench);
    supervisor.beginClose();
    process.kill(pid, "SIGKILL");
    await eventually(() => !supervisor.relay.serving());
    const { problems } = errValue(await supervisor.start(await index("2.0.0")));
    assertEquals(problems.length, 1);
    assertEquals(kinds(bench), ["started"]);
  });
});

for (const signal of ["SIGHUP", "SIGINT"]) {
  Deno.test(`a child that ${signal} ended is judged two turns later, so that its owner can stop first`, async () => {
    const turns: (() => void)[] = [];
    const seam = {
      nextTurn: (callback: () => void) => void turns.push(callback),
    };
    // A service that listens and at once gets the signal, with the signal's default effect.
    const script = `echo '{"kind":"listening","port":1}' >&2; kill -s "$0" $$`;
    await withSupervisor(
      { ...seam, command: ["sh", "-c", script, signal.slice(3)] },
      async (bench) => {
        const { supervisor, events, index } = bench;
        okValue(await supervisor.start(await index("1.0.0")));
        await eventually(() => turns.length === 1);
        turns[0]!();
        await eventually(() => turns.length === 2);
        assertEquals(kinds(bench), ["started"]);
        await supervisor.stop();
        turns[1]!();
        okValue(await supervisor.start(await index("2.0.0")));
        await eventually(() => turns.length === 3);
        turns[2]!();
        await eventually(() => turns.length === 4);
        turns[3]!();
        await events.count("exited", 1);
        assertEquals(events.lifecycle.find(({ kind }) => kind === "exited"), {
          kind: "exited",
          code: null,
          signal,
        });
      },
    );
  });
}

Deno.test("[trap 45] a supervisor killed with SIGKILL leaves no process, also none of its child's own", async () => {
  const folder = await Deno.makeTempDir();
  const [program, ...first] = programCommand(
    sourceFile("./host_main.ts", import.meta.url),
  );
  // A child that has a child of its own, which would outlive it.
  const nested = 'sleep 3600 & echo "nested $!"; exec "$@"';
  const supervisor = spawn(program, [
    ...first,
    await PYTHON_PACK.writeIndex(folder, "1.0.0"),
    ...["sh", "-c", nested, "sh", ...PYTHON_COMMAND],
  ], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  supervisor.stdout!.on("data", (chunk) => said += String(chunk));
  await eventually(() => said.includes("started"));
  const pids = [...said.matchAll(/(?:child|nested) (\d+)/g)].map((match) =>
    Number(match[1])
  );
  assertEquals(pids.length, 2);
  for (const pid of pids) assert(await isRunning(pid));

  const ended = new Promise((resolve) => supervisor.once("close", resolve));
  supervisor.kill("SIGKILL");
  await ended;
  for (const pid of pids) await eventually(async () => !await isRunning(pid));
  await Deno.remove(folder, { recursive: true });
});
