import { spawn } from "node:child_process";
import process from "node:process";
import {
  assert,
  assertEquals,
  assertRejects,
  errValue,
  okValue,
} from "../../assert.ts";
import { eventually, isRunning, outputOf, withSupervisor } from "./support.ts";
import { programCommand, sourceFile } from "../../runtime.ts";
import { PYTHON_COMMAND, PYTHON_PACK } from "./packs.ts";

Deno.test("[110] stop answers 503, a later start serves again, and close refuses connections", async () => {
  await withSupervisor({}, async (bench) => {
    const { url, supervisor, events, call, index } = bench;
    okValue(await supervisor.start(await index("1.0.0")));
    const pid = outputOf(await call("demo.echo")).pid as number;
    await supervisor.stop();
    assert(!await isRunning(pid));
    assertEquals((await call("demo.echo")).status, 503);
    await supervisor.stop();

    okValue(await supervisor.start(await index("2.0.0")));
    assertEquals(outputOf(await call("demo.echo")).version, "2.0.0");
    await supervisor.close();
    await assertRejects(() => fetch(`${url}/healthz`));
    errValue(await supervisor.start(await index("3.0.0")));
    await supervisor.close();
    assertEquals(
      events.lifecycle.map(({ kind }) => kind),
      ["started", "started"],
    );
  });
});

Deno.test("[110] a child that ignores SIGTERM is killed after the grace, with all it started", async () => {
  const nested = 'sleep 3600 & echo "$!"; exec "$@"';
  const options = {
    command: ["sh", "-c", nested, "sh", ...PYTHON_COMMAND],
    stopGraceMs: 300,
  };
  await withSupervisor(options, async (bench) => {
    const { supervisor, call, output, index } = bench;
    okValue(await supervisor.start(await index("1.0.0", { stubborn: true })));
    const pid = outputOf(await call("demo.echo")).pid as number;
    const nestedPid = Number(output[0]?.replace("stdout: ", ""));
    assert(await isRunning(nestedPid));
    await supervisor.stop();
    assert(!await isRunning(pid));
    assert(!await isRunning(nestedPid));
  });
});

Deno.test("a stop lets the calls that run finish, also behind a wrapper that dies of the signal", async () => {
  const wrapper = ["sh", "-c", '"$@"; exit', "sh", ...PYTHON_COMMAND];
  for (const command of [PYTHON_COMMAND, wrapper]) {
    await withSupervisor({ command }, async (bench) => {
      const { supervisor, call, index } = bench;
      okValue(await supervisor.start(await index("1.0.0")));
      const running = call("demo.wait", { ms: 1_000 });
      await call("demo.wait", { ms: 100 });
      await supervisor.stop();
      const output = outputOf(await running);
      assertEquals(output.version, "1.0.0");
      assert(!await isRunning(output.pid as number));
    });
  }
});

Deno.test("a stop or close ends a start that hasn't booted", async () => {
  for (const end of ["stop", "close"] as const) {
    await withSupervisor({}, async ({ supervisor, events, index }) => {
      const silent = await index("1.0.0", { silent: true });
      const starting = supervisor.start(silent);
      await supervisor[end]();
      assertEquals(errValue(await starting).problems.length, 1);
      assertEquals(events.lifecycle, []);
    });
  }
});

Deno.test("[trap 45] Ctrl+C and SIGTERM end a supervisor's program with its child", async () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const folder = await Deno.makeTempDir();
    const [program, ...first] = programCommand(
      sourceFile("./host_main.ts", import.meta.url),
    );
    const supervisor = spawn(program, [
      ...first,
      await PYTHON_PACK.writeIndex(folder, "1.0.0"),
      ...PYTHON_COMMAND,
    ], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    supervisor.stdout!.on("data", (chunk) => said += String(chunk));
    const ended = new Promise<[number | null, string | null]>((resolve) =>
      supervisor.once("close", (...end) => resolve(end))
    );
    await eventually(() => said.includes("started"));
    const child = Number(/child (\d+)/.exec(said)![1]);
    // To the whole group, as a terminal does; the child leads a group of its own.
    process.kill(-supervisor.pid!, signal);
    assertEquals(await ended, [0, null]);
    assert(!await isRunning(child));
    await Deno.remove(folder, { recursive: true });
  }
});
