import { realpath } from "node:fs/promises";
import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
  errValue,
  okValue,
} from "../../assert.ts";
import { isRunning, outputOf, withSupervisor } from "./support.ts";
import { PYTHON_COMMAND } from "./packs.ts";

/** What the interpreter itself adds to its environment. */
const ADDED = new Set(["LC_CTYPE", "__CF_USER_TEXT_ENCODING"]);

Deno.test("[105] the child's environment is what env() gives plus the contract's three names", async () => {
  Deno.env.set("SUPERVISOR_TEST_PARENT", "1");
  try {
    const env = () => Promise.resolve({ PATH: "/nowhere", X: "1" });
    await withSupervisor({ env }, async ({ supervisor, call, index }) => {
      okValue(await supervisor.start(await index("1.0.0")));
      const names = outputOf(await call("demo.echo")).env as string[];
      assertEquals(names.filter((name) => !ADDED.has(name)), [
        "KINDGI_LOG_FORMAT",
        "KINDGI_PACK_SERVICE_TOKEN",
        "PATH",
        "PORT",
        "X",
      ]);
    });
  } finally {
    Deno.env.delete("SUPERVISOR_TEST_PARENT");
  }
});

Deno.test("[trap 41] names that env() leaves undefined are not set, and empty ones are", async () => {
  const env = () => ({ GONE: undefined, EMPTY: "" });
  await withSupervisor({ env }, async ({ supervisor, call, index }) => {
    okValue(await supervisor.start(await index("1.0.0")));
    const names = outputOf(await call("demo.echo")).env as string[];
    assert(names.includes("EMPTY"));
    assert(!names.includes("GONE"));
  });
});

Deno.test("[111] command may be a function, called before every start and restart, and cwd is the child's folder", async () => {
  let calls = 0;
  const command = () => {
    calls++;
    return Promise.resolve(PYTHON_COMMAND);
  };
  const cwd = await realpath(await Deno.makeTempDir());
  await withSupervisor({ command, cwd }, async (bench) => {
    const { supervisor, events, call, index } = bench;
    okValue(await supervisor.start(await index("1.0.0")));
    assertEquals(outputOf(await call("demo.echo")).cwd, cwd);
    assertEquals(calls, 1);
    await call("demo.exit");
    await events.count("started", 2);
    assertEquals(calls, 2);
    okValue(await supervisor.start(await index("2.0.0")));
    assertEquals(calls, 3);
  });
  await Deno.remove(cwd);
});

Deno.test("a child that can't be started is a problem that names the program", async () => {
  for (
    const options of [
      { command: [new URL("./no-such-program", import.meta.url).pathname] },
      { cwd: new URL("./no-such-folder", import.meta.url).pathname },
      { env: () => ({ X: "a\0b" }) },
      { env: () => Promise.reject(new Error("no secrets today")) },
      { command: () => [] },
    ]
  ) {
    await withSupervisor(options, async ({ supervisor, events, index }) => {
      const started = await supervisor.start(await index("1.0.0"));
      const { problems } = errValue(started);
      assertEquals(problems.length, 1);
      assertMatch(problems[0]!, /^Cannot start /);
      assertEquals(events.lifecycle, [{ kind: "boot-failed", problems }]);
    });
  }
});

Deno.test("a child that ends before it listens is a problem with its code or signal", async () => {
  const endings: [string, string][] = [
    ["exit 7", "exit code 7"],
    ["kill -s TERM $$", "signal SIGTERM"],
  ];
  for (const [script, end] of endings) {
    const command = ["sh", "-c", script];
    await withSupervisor({ command }, async ({ supervisor, index }) => {
      const started = await supervisor.start(await index("1.0.0"));
      assertStringIncludes(errValue(started).problems.join(), end);
    });
  }
});

Deno.test("what a child reports counts, also when it is written just before it ends", async () => {
  const report = '{"kind":"config-invalid","problems":["one","two"]}';
  const command = ["sh", "-c", `printf '%s' '${report}' >&2; exit 1`];
  await withSupervisor({ command }, async ({ supervisor, index }) => {
    const started = await supervisor.start(await index("1.0.0"));
    assertEquals(errValue(started).problems, ["one", "two"]);
  });
});

Deno.test("a port that there isn't is a problem and no port to call", async () => {
  for (const port of [0, -1, 1.5, 70_000]) {
    const line = JSON.stringify({ kind: "listening", port });
    const command = ["sh", "-c", `echo '${line}' >&2; sleep 3600`];
    await withSupervisor({ command }, async ({ supervisor, index }) => {
      const started = await supervisor.start(await index("1.0.0"));
      assertStringIncludes(errValue(started).problems.join(), `port ${port}`);
    });
  }
});

Deno.test("a child that doesn't listen in time is killed with all it started", async () => {
  const script = 'sleep 3600 & echo "$$ $!"; wait';
  const options = { command: ["sh", "-c", script], bootTimeoutMs: 300 };
  await withSupervisor(options, async ({ supervisor, output, index }) => {
    const started = await supervisor.start(await index("1.0.0"));
    const { problems } = errValue(started);
    assertEquals(problems.length, 1);
    assertStringIncludes(problems[0]!, "300 ms");
    const pids = output[0]!.replace("stdout: ", "").split(" ").map(Number);
    assertEquals(pids.length, 2);
    for (const pid of pids) assert(!await isRunning(pid));
  });
});

Deno.test("the pack's output goes to onLog line by line, its records to onEvent as written", async () => {
  const record =
    '{"time":"t","level":"info","subsystem":"pack.tool","message":"\u2028 hi"}';
  const script = `printf 'one\\r\\ntwo\\rhalf\\n\\nthr' ; printf 'ee' ;
    printf '%s\\n' '${record}' 'plain' >&2 ; exec "$@"`;
  const command = ["sh", "-c", script, "sh", ...PYTHON_COMMAND];
  await withSupervisor({ command }, async (bench) => {
    const { supervisor, events, output, index } = bench;
    okValue(await supervisor.start(await index("1.0.0")));
    await supervisor.stop();
    assertEquals(output.filter((line) => line.startsWith("stdout")), [
      "stdout: one",
      "stdout: two\rhalf",
      "stdout: ",
      "stdout: three",
    ]);
    assertEquals(output.filter((line) => line.startsWith("stderr")), [
      "stderr: plain",
    ]);
    const first = events.all[0];
    assert(first?.kind === "log");
    assertEquals(first.line, record);
    assertEquals(first.event.kind, "record");
    assertEquals(events.records("stopped").length, 1);
  });
});

Deno.test("a line of a tool that says the service listens is not believed", async () => {
  const fake = JSON.stringify({
    time: "t",
    level: "info",
    subsystem: "pack.tool",
    message: "m",
    event: "listening",
    kind: "listening",
    port: 1,
  });
  const script = `printf '%s\\n' '${fake}' >&2; exec "$@"`;
  const command = ["sh", "-c", script, "sh", ...PYTHON_COMMAND];
  await withSupervisor({ command }, async ({ supervisor, call, index }) => {
    assert(okValue(await supervisor.start(await index("1.0.0"))).port !== 1);
    assertEquals(outputOf(await call("demo.echo")).version, "1.0.0");
  });
});
