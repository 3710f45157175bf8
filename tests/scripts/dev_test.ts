import { join } from "node:path";
import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "../assert.ts";
import { eventually } from "../pack_service/support/eventually.ts";
import {
  descendantsOf,
  DevPack,
  DevProcess,
  toolSource,
  untilGone,
} from "./dev_process.ts";
import { runScript } from "./script.ts";

const TOKEN = "a-token-of-thirty-two-characters";

Deno.test("a newcomer edits a tool and the next call at the same address answers with the new code", async () => {
  await using pack = await DevPack.write();
  const before = await pack.everything();
  await using dev = await DevProcess.start({
    args: ["--pack-dir", pack.folder],
    task: true,
  });
  assertStringIncludes(dev.stderr, "dev serving 1 tool (");
  const [, url = "", token = ""] =
    /deno task call TOOL '.+' (--url \S+) (--token=\S+)/.exec(dev.stdout) ?? [];
  const called = await runScript("call", [
    "acme.greet",
    ...url.split(" "),
    token,
  ]);
  assertEquals([called.code, called.stdout], [0, `"Hello"\n`], called.stderr);
  await dev.until("pack tool acme.greet ok ");

  const edited = toolSource("acme.greet", `"Good day"`);
  await pack.write("tools/greet.mjs", edited);
  await dev.until("swapped: now serving 1 tool (");
  assertEquals(await dev.call("acme.greet"), "Good day");

  const more = toolSource("acme.part", `"Goodbye"`);
  await pack.write("tools/more/part.mjs", more);
  await dev.until("now serving 2 tools (");
  assertEquals(await dev.call("acme.part"), "Goodbye");

  assertEquals(dev.times("is served at "), 1);
  assertEquals(dev.times("Its token is "), 1);
  assertEquals(await pack.everything(), {
    ...before,
    "tools/greet.mjs": edited,
    "tools/more/": "",
    "tools/more/part.mjs": more,
  });
});

Deno.test("a pack that can't be indexed keeps the code from before, says why, and recovers", async () => {
  await using pack = await DevPack.write();
  await using dev = await DevProcess.start({
    args: ["--pack-dir", pack.folder],
  });
  await pack.write("tools/greet.mjs", "export default {");
  await dev.until("the code from before goes on serving");
  assertMatch(
    dev.stderr,
    /ERROR dev not indexed: file-import-failed: .*tools\/greet\.mjs/,
  );
  assertEquals(await dev.call("acme.greet"), "Hello");

  await pack.write("tools/greet.mjs", toolSource("acme.greet", `"Mended"`));
  await dev.until("swapped: ");
  assertEquals(await dev.call("acme.greet"), "Mended");
});

Deno.test("a folder that is replaced, and the pack's own moved away and back, is watched all the same", async () => {
  await using pack = await DevPack.write();
  await using dev = await DevProcess.start({
    args: ["--pack-dir", pack.folder],
  });
  const tools = join(pack.folder, "tools");
  await Deno.remove(tools, { recursive: true });
  await pack.write("tools/greet.mjs", toolSource("acme.greet", `"Replaced"`));
  await dev.until("swapped: ");
  assertEquals(await dev.call("acme.greet"), "Replaced");
  await pack.write("tools/greet.mjs", toolSource("acme.greet", `"Edited"`));
  await dev.until("swapped: ", 2);
  assertEquals(await dev.call("acme.greet"), "Edited");

  await Deno.rename(pack.folder, `${pack.folder}.away`);
  await dev.until("the code from before goes on serving");
  assertStringIncludes(dev.stderr, "not indexed: config-not-found: ");
  assertEquals(await dev.call("acme.greet"), "Edited");
  await Deno.rename(`${pack.folder}.away`, pack.folder);
  await dev.until("swapped: ", 3);
  await pack.write("tools/greet.mjs", toolSource("acme.greet", `"Back"`));
  await dev.until("swapped: ", 4);
  assertEquals(await dev.call("acme.greet"), "Back");
});

Deno.test("a pack that doesn't boot keeps the code from before, says why, and recovers", async () => {
  await using pack = await DevPack.write();
  await using dev = await DevProcess.start({
    args: ["--pack-dir", pack.folder],
  });
  // Kindgi's variables are there when the pack is served, and hidden when it is indexed.
  const unbootable =
    `if (process.env.KINDGI_PACK_ENV_FILTER) throw new Error("not today");`;
  await pack.write(
    "tools/greet.mjs",
    toolSource("acme.greet", `"Never"`, unbootable),
  );
  await dev.until("the code from before goes on serving");
  assertMatch(dev.stderr, /ERROR dev not started: .*not today/);
  assertEquals(await dev.call("acme.greet"), "Hello");

  await pack.write("tools/greet.mjs", toolSource("acme.greet", `"Mended"`));
  await dev.until("swapped: ");
  assertEquals(await dev.call("acme.greet"), "Mended");
});

Deno.test("a pack that is broken from the start is served once it is mended", async () => {
  await using pack = await DevPack.write();
  await pack.write("tools/greet.mjs", "export default {");
  await using dev = await DevProcess.spawn({
    args: ["--pack-dir", pack.folder],
  });
  await dev.until("nothing serves until a file changes");
  const { status } = await fetch(`${dev.url}/v1/invoke`, {
    method: "POST",
    headers: { "kindgi-pack-token": dev.token },
    body: "{}",
  }).then(async (response) => {
    await response.body?.cancel();
    return response;
  });
  assertEquals(status, 503);

  await pack.write("tools/greet.mjs", toolSource("acme.greet", `"Mended"`));
  await dev.until("dev serving 1 tool (");
  assertEquals(await dev.call("acme.greet"), "Mended");
});

Deno.test("an import that never ends is given up when the file changes", async () => {
  await using pack = await DevPack.write();
  await pack.write(
    "tools/greet.mjs",
    toolSource(
      "acme.greet",
      `"Never"`,
      `console.log("spinning"); while (true);`,
    ),
  );
  await using dev = await DevProcess.spawn({
    args: ["--pack-dir", pack.folder],
  });
  await eventually(
    "the process that imports the pack",
    async () => (await descendantsOf(dev.pid)).length >= 4 || undefined,
  );
  const spinning = await descendantsOf(dev.pid);
  await pack.write("tools/greet.mjs", toolSource("acme.greet", `"Hello"`));
  await dev.until("dev serving 1 tool (");
  await untilGone(spinning);
  assertEquals(dev.times("not indexed"), 0);
});

Deno.test("what a module prints on import is shown at once, and what it leaves behind ends with the indexing", async () => {
  await using pack = await DevPack.write();
  await pack.write(
    "tools/greet.mjs",
    `import { spawn } from "node:child_process";
const { pid } = spawn("sleep", ["600"], { stdio: "inherit" });
console.log("left " + pid + " behind");
${toolSource("acme.greet", `"Hello"`)}`,
  );
  await using dev = await DevProcess.start({
    args: ["--pack-dir", pack.folder, "--grant", "run=sleep"],
  });
  const [, left] = /left (\d+) behind/.exec(dev.stderr) ?? [];
  await untilGone([Number(left)]);
  await pack.write("tools/greet.mjs", "console.log('begins'); for (;;);");
  await dev.until("begins");
});

Deno.test("what a tool logs and prints is shown, and so are its failures", async () => {
  await using pack = await DevPack.write();
  await pack.write(
    "tools/loud.mjs",
    toolSource(
      "acme.loud",
      `console.log("printed"), console.error("complained"), log.warn("logged", { part: 7 }), missing`,
    ),
  );
  await using dev = await DevProcess.start({
    args: ["--pack-dir", pack.folder],
  });
  const answer = await dev.answer("acme.loud");
  assertEquals(answer.kind === "error" && answer.code, "handler-throw");
  await dev.until("WARN  pack.tool logged part=7");
  await dev.until("WARN  pack tool acme.loud handler-throw ");
  await dev.until("complained\n");
  await dev.until("printed\n");
  assertMatch(dev.stdout, /^printed$/m);
  assertMatch(dev.stderr, /^complained$/m);
  // No colours where there is no terminal.
  assert(!`${dev.stdout}${dev.stderr}`.includes("\x1b"));
});

Deno.test("paths are meant from where the user stands, the token is kept, and variables come from files and the environment", async () => {
  await using pack = await DevPack.write();
  const names = ["FIRST", "SECOND", "THIRD", "KINDGI_PACK_ENV_CHECK"];
  await pack.write(
    "tools/greet.mjs",
    toolSource(
      "acme.greet",
      `[process.cwd(), ...${
        JSON.stringify(names)
      }.map((name) => process.env[name])]`,
    ),
  );
  await Deno.writeTextFile(
    `${pack.parent}/one.env`,
    `FIRST="from one"\nSECOND=from one\nTHIRD=from one\nKINDGI_PACK_SERVICE_TOKEN=${TOKEN}\n`,
  );
  await pack.write(".env", "SECOND=from two\nTHIRD=from two\n");
  await using dev = await DevProcess.start({
    args: ["--pack-dir", "pack"].concat(
      ["one.env", "pack/.env"].flatMap((file) => ["--env-file", file]),
    ),
    env: { INIT_CWD: pack.parent, THIRD: "from the environment" },
  });
  assertEquals(dev.token, TOKEN);
  const folder = await Deno.realPath(pack.folder);
  assertEquals(await dev.call("acme.greet"), [
    folder,
    "from one",
    "from two",
    "from the environment",
    "warn",
  ]);

  await pack.write(".env", "SECOND=changed\n");
  await dev.until("swapped: ");
  assertStringIncludes(dev.stderr, "dev changed: .env\n");
  assertEquals((await dev.call("acme.greet") as unknown[])[2], "changed");

  await Deno.remove(`${pack.folder}/.env`);
  await dev.until("the code from before goes on serving");
  assertMatch(dev.stderr, /ERROR dev not indexed: Cannot read the env file/);
});

Deno.test("changes of what isn't the pack's code don't count", async () => {
  await using pack = await DevPack.write();
  await pack.write("node_modules/some/index.js", "");
  await pack.write("data/ledger.json", "{}");
  await using dev = await DevProcess.start({
    args: ["--pack-dir", pack.folder, "--ignore", `${pack.folder}/data`],
  });
  for (
    const path of [
      "node_modules/some/index.js",
      "node_modules/other/index.js",
      ".git/HEAD",
      "tools/.greet.mjs.swp",
      "tools/greet.mjs~",
      "data/ledger.json",
      "index.json",
    ]
  ) {
    await pack.write(path, "changed");
  }
  await pack.write("tools/greet.mjs", toolSource("acme.greet", `"Anew"`));
  await dev.until("swapped: ");
  const changed = dev.stderr.split("\n").filter((line) =>
    line.includes("dev changed: ")
  ).map((line) => line.split("changed: ")[1]);
  assertEquals(changed, ["tools/greet.mjs"]);
});

Deno.test("a grant opens something to the pack when it is indexed and when it is called", async () => {
  await using pack = await DevPack.write();
  const beside = `${pack.parent}/beside`;
  await Deno.mkdir(beside);
  await Deno.writeTextFile(`${beside}/word.mjs`, `export default "granted";`);
  await pack.write(
    "tools/greet.mjs",
    toolSource(
      "acme.greet",
      "word",
      `import word from "../../beside/word.mjs";`,
    ),
  );
  await using dev = await DevProcess.start({
    args: ["--pack-dir", "pack", "--grant", "read=beside"],
    env: { INIT_CWD: pack.parent, KINDGI_PACK_PERMISSIONS: "declared" },
  });
  assertEquals(await dev.call("acme.greet"), "granted");
});

Deno.test("with --inspect the debugger's port goes from one code to the next", async () => {
  await using pack = await DevPack.write();
  const place = `127.0.0.1:${freePort()}`;
  await using dev = await DevProcess.start({
    args: ["--pack-dir", pack.folder, `--inspect=${place}`],
  });
  await dev.until(`Debugger listening on ws://${place}/`);
  await pack.write("tools/greet.mjs", toolSource("acme.greet", `"Anew"`));
  await dev.until("swapped: ");
  await dev.until(`Debugger listening on ws://${place}/`, 2);
  assertEquals(await dev.call("acme.greet"), "Anew");
});

Deno.test("a service that is killed is started again", async () => {
  await using pack = await DevPack.write();
  await using dev = await DevProcess.start({
    args: ["--pack-dir", pack.folder],
  });
  const service = await serviceOf(dev);
  Deno.kill(service, "SIGKILL");
  await dev.until("dev restarted");
  assertStringIncludes(
    dev.stderr,
    "ERROR dev the pack service ended unasked (SIGKILL)",
  );
  assertEquals(await dev.call("acme.greet"), "Hello");
});

Deno.test("[trap 45] Ctrl+C ends with 0 and leaves no process, also with a call under way", async () => {
  await using pack = await DevPack.write();
  await pack.write(
    "tools/wait.mjs",
    toolSource(
      "acme.wait",
      `console.log("waiting"), await new Promise((resolve) => setTimeout(resolve, 600_000))`,
    ),
  );
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    await using dev = await DevProcess.start({
      args: ["--pack-dir", pack.folder],
    });
    const all = await descendantsOf(dev.pid);
    // Front, executor and watchdog.
    assert(all.length >= 3, all.join(", "));
    const call = signal === "SIGINT"
      ? dev.answer("acme.wait").catch(() => {})
      : undefined;
    if (call) await dev.until("waiting\n");
    dev.kill(signal);
    // A terminal and `deno task` both deliver it.
    dev.kill(signal);
    assertEquals(await dev.ended, 0);
    await untilGone(all);
    await call;
    assertEquals(dev.times("are cut off"), call ? 1 : 0);
  }
});

Deno.test("[trap 45] SIGKILL leaves no process, while the pack is served and while it is indexed", async () => {
  await using pack = await DevPack.write();
  {
    await using dev = await DevProcess.start({
      args: ["--pack-dir", pack.folder],
    });
    const all = await descendantsOf(dev.pid);
    dev.kill("SIGKILL");
    await untilGone(all);
  }
  await pack.write(
    "tools/greet.mjs",
    toolSource("acme.greet", `"Never"`, "while (true);"),
  );
  await using dev = await DevProcess.spawn({
    args: ["--pack-dir", pack.folder],
  });
  await eventually(
    "the process that imports the pack",
    async () => (await descendantsOf(dev.pid)).length >= 4 || undefined,
  );
  const all = await descendantsOf(dev.pid);
  dev.kill("SIGKILL");
  await untilGone(all);
});

Deno.test("[trap 45] nothing is left when deno task is killed with SIGKILL", async () => {
  await using pack = await DevPack.write();
  await using dev = await DevProcess.start({
    args: ["--pack-dir", pack.folder],
    task: true,
  });
  const all = await descendantsOf(dev.pid);
  dev.kill("SIGKILL");
  await untilGone(all);
});

Deno.test("dev ends with 2 and says what is wrong with its arguments and its environment", async () => {
  await using pack = await DevPack.write();
  const { folder } = pack;
  const wrong: [
    args: string[],
    says: string,
    env?: Record<string, string>,
  ][] = [
    [[], "--pack-dir is missing"],
    [["--pack-dir"], "--pack-dir"],
    [["--pack-dir", `${folder}/nothing`], "there is no such folder"],
    [["--pack-dir", folder, "more"], "more"],
    [["--pack-dir", folder, "--wach"], "--wach"],
    [["--pack-dir", folder, "--port", "65536"], "--port must be"],
    [["--pack-dir", folder], "PORT must be", { PORT: "http" }],
    [["--pack-dir", folder, "--env-file", "nothing.env"], "nothing.env"],
    [["--pack-dir", folder, "--inspect=here"], "--inspect must be HOST:PORT"],
    [["--pack-dir", folder, "--grant", "fly"], `"fly" can't be granted`],
    [["--pack-dir", folder], "KINDGI_LOG_LEVEL", { KINDGI_LOG_LEVEL: "loud" }],
    [["--pack-dir", folder], "KINDGI_PACK_EXECUTORS", {
      KINDGI_PACK_EXECUTORS: "none",
    }],
    [["--pack-dir", folder], "KINDGI_PACK_SERVICE_TOKEN must be", {
      KINDGI_PACK_SERVICE_TOKEN: "too-short",
    }],
  ];
  for (const [args, says, env] of wrong) {
    const { code, stdout, stderr } = await runScript("dev", args, env);
    assertEquals([code, stdout], [2, ""], says);
    assertStringIncludes(stderr, says);
    assert(!stderr.includes("too-short"));
  }
});

Deno.test("dev ends with 1 and names the port when another process has it", async () => {
  await using pack = await DevPack.write();
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  try {
    const { port } = taken.addr as Deno.NetAddr;
    const { code, stdout, stderr } = await runScript("dev", [
      "--pack-dir",
      pack.folder,
      "--port",
      `${port}`,
    ]);
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, `port ${port}: another process has it`);
  } finally {
    taken.close();
  }
});

/** The service's own process. */
async function serviceOf(dev: DevProcess): Promise<number> {
  for (const pid of await descendantsOf(dev.pid)) {
    const { stdout } = await new Deno.Command("ps", {
      args: ["-o", "args=", "-p", String(pid)],
    }).output();
    if (new TextDecoder().decode(stdout).includes("pack_service/main.ts")) {
      return pid;
    }
  }
  throw new Error("there is no service");
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return port;
}
