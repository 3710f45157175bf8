/** What a strict tool can't do, and what limits do to it (`spec/executors.md`, Which executors; Memory and CPU). */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertObjectMatch,
  assertStringIncludes,
} from "../assert.ts";
import { errorOf, messageOf } from "./support/caller.ts";
import { eventually } from "./support/eventually.ts";
import { untilText } from "./support/output.ts";
import { PROBE } from "./support/probe_tool.ts";
import { ServiceProcess } from "./support/service_process.ts";
import { TempPack } from "./support/temp_pack.ts";
import { HAS_EXECUTORS } from "./support/service_command.ts";

/** Eats what it is told to. */
const GLUTTON = `
const kept = [];
let count = 0;
export default async ({ eat, ms = 0 }, ctx) => {
  if (eat === "heap") for (;;) kept.push(new Array(1_000).fill({}));
  if (eat === "arrays") for (;;) {
    kept.push(new Uint8Array(8 * 1024 * 1024).fill(1));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  if (eat === "cpu") for (;;);
  if (eat === "cpu unseen") {
    Deno.stderr.close();
    for (;;);
  }
  if (eat === "time") {
    ctx.log.info("sleeping", { ms });
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
  return ++count;
};
`;

const COUNT = "let count = 0; export default async () => ++count;";

/** A server that counts its requests and redirects where it is told to. */
class Target implements AsyncDisposable {
  requests = 0;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => {
        this.requests++;
        const to = new URL(request.url).searchParams.get("to");
        return to === null
          ? new Response("export default 1;", {
            headers: { "content-type": "text/javascript" },
          })
          : Response.redirect(to);
      },
    );
  }

  get port(): number {
    return this.#server.addr.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

Deno.test("a strict tool has what it declares and nothing else", {
  ignore: !HAS_EXECUTORS,
}, async (t) => {
  await using declared = new Target();
  await using other = new Target();
  const outside = await Deno.makeTempDir();
  await Deno.writeTextFile(`${outside}/secret.mjs`, "export default 'secret';");
  await Deno.writeTextFile(`${outside}/secret.json`, '{"secret":1}');
  await using pack = await TempPack.write({
    tools: {
      "test.strict": {
        code: PROBE,
        entry: {
          sandbox: "strict",
          network: {
            kind: "allowlist",
            hosts: [`127.0.0.1:${declared.port}`],
          },
        },
      },
      "test.closed": { code: PROBE, entry: { sandbox: "strict" } },
      "test.shared": PROBE,
      "test.glutton": {
        code: GLUTTON,
        entry: { sandbox: "strict", limits: { memMB: 96, cpuMs: 400 } },
      },
      "test.count": COUNT,
      "test.isolated": {
        code: COUNT,
        entry: { sandbox: "context-isolated", limits: { memMB: 64 } },
      },
    },
    guardrails: {
      "test.check": {
        code: `export default { evaluate: async (config) =>
          ({ kind: "ok", value: Deno.readTextFileSync(config.path) }) };`,
        entry: { sandbox: "strict" },
      },
    },
    files: { "data/own.txt": "own" },
    index: { env: { optional: ["DECLARED"] } },
  });
  await Deno.symlink(outside, `${pack.folder}/data/link`);
  await Deno.symlink(`${outside}/secret.mjs`, `${pack.folder}/data/link.mjs`);
  await using service = await ServiceProcess.start({
    index: pack.index,
    env: { DECLARED: "yes", UNDECLARED: "no" },
  });
  const { caller } = service;
  const probe = (tool: string) => async (op: string, ...args: unknown[]) =>
    await caller.output(tool, { op, args });
  const strict = probe("test.strict");
  const shared = probe("test.shared");
  const refused = async (op: string, ...args: unknown[]): Promise<string> =>
    (await caller.error("test.strict", { op, args })).message;

  await t.step("the boot warns of limits that don't hold", () => {
    assertEquals(
      service.records("limits-ignored").map(({ level, names }) => [
        level,
        names,
      ]),
      [["warn", ["tool test.isolated"]]],
    );
  });

  await t.step(
    "it reaches the host that it declared and no other, not even by a redirect",
    async () => {
      assertEquals(await strict("fetch", declared.url), "export default 1;");
      assertEquals(await strict("connect", declared.port), "connected");
      assertEquals(await strict("nodeConnect", declared.port), "connected");
      const before = other.requests;
      const port = `127.0.0.1:${other.port}`;
      const wayOut =
        `Declare it in the tool: network: { kind: 'allowlist', hosts: ["${port}"] }`;
      for (
        const message of [
          await refused("fetch", other.url),
          await refused("fetch", `${declared.url}?to=${other.url}`),
          await refused("connect", other.port),
        ]
      ) {
        assertStringIncludes(message, `Requires net access to "${port}"`);
        assert(message.endsWith(wayOut), message);
      }
      await refused("nodeConnect", other.port);
      await refused("fetch", `http://localhost:${declared.port}/`);
      await refused("listen");
      await refused("unixConnect", `${outside}/socket`);
      assertEquals(other.requests, before);
      const closed = await caller.error("test.closed", {
        op: "fetch",
        args: [declared.url],
      });
      assertStringIncludes(closed.message, "Declare it in the tool: network");
    },
  );

  await t.step(
    "it reads its module root and nothing outside, through no link and no other door",
    async () => {
      const own = `${pack.folder}/data/own.txt`;
      assertEquals(await strict("read", own), "own");
      assertEquals(await strict("nodeRead", own), "own");
      const secrets = [
        "/etc/passwd",
        "/proc/self/environ",
        `${outside}/secret.mjs`,
        `${pack.folder}/../${outside.split("/").at(-1)}/secret.mjs`,
        `${pack.folder}/data/link/secret.mjs`,
        `${pack.folder}/data/link.mjs`,
      ];
      for (const path of secrets) {
        for (const op of ["read", "nodeRead"]) {
          const message = await refused(op, path);
          assertMatch(message, /Requires (read|all) access to/);
        }
      }
      for (
        const [op, argument] of [
          ["list", outside],
          ["list", `${pack.folder}/data/link`],
          ["require", `${outside}/secret.json`],
          ["database", `${outside}/secret.db`],
          ["import", `file://${outside}/secret.mjs`],
          ["import", `file://${pack.folder}/data/link.mjs`],
          ["worker", `file://${outside}/secret.mjs`],
        ] as const
      ) {
        assertMatch(await refused(op, argument), /Requires read access to/);
      }
      assertStringIncludes(
        await refused("read", "/etc/passwd"),
        "take `sandbox: 'strict'` off this tool",
      );
      assertEquals(
        await shared("read", `${outside}/secret.json`),
        '{"secret":1}',
      );
      const self = await caller.error("test.shared", {
        op: "read",
        args: ["/proc/self/environ"],
      });
      assertStringIncludes(self.message, "NotCapable");
    },
  );

  await t.step(
    "it sees declared variables and no other, and nothing of the service's",
    async () => {
      for (const see of [strict, shared]) {
        assertEquals(await see("env", "DECLARED"), ["yes", "yes", true]);
        for (
          const name of [
            "UNDECLARED",
            "KINDGI_PACK_SERVICE_TOKEN",
            "DENO_DIR",
            "XDG_CACHE_HOME",
          ]
        ) {
          assertEquals(await see("env", name), [null, null, false], name);
        }
        const [byNode, byDeno] = await see("envNames") as [string[], string[]];
        assertEquals(byNode, byDeno);
        assert(!byNode.includes("UNDECLARED"));
        assertEquals(await see("setEnv", "UNDECLARED", "mine"), "mine");
      }
      const [dropped] = service.records("env-dropped");
      assert((dropped!.names as string[]).includes("UNDECLARED"));
    },
  );

  await t.step(
    "it can't write, spawn, signal, load native code or ask about the system",
    async () => {
      for (
        const [op, ...args] of [
          ["write", `${pack.folder}/data/new.txt`],
          ["nodeWrite", `${pack.folder}/data/own.txt`],
          ["makeTempDir"],
          ["run", "true"],
          ["kill"],
          ["dlopen", "libc.so.6"],
          ["hostname"],
        ]
      ) {
        const error = await caller.error("test.strict", { op, args });
        assertEquals(error.code, "handler-throw", op);
        assertMatch(error.message, /NotCapable|EACCES|EPERM/);
        assertStringIncludes(error.message, "take `sandbox: 'strict'` off");
      }
      assertEquals(
        await Deno.readTextFile(`${pack.folder}/data/own.txt`),
        "own",
      );
      await refused("nodeRun", "true");
      const none = ["undefined", "undefined", "undefined"];
      assertEquals(await strict("storage"), none);
      assertEquals(await shared("storage"), none);
    },
  );

  await t.step(
    "nothing is imported from the network, not even from a declared host",
    async () => {
      const before = declared.requests;
      for (
        const specifier of [
          `${declared.url}module.js`,
          "https://example.com/module.js",
          "npm:is-thirteen@2.0.0",
          "jsr:@std/assert@1",
        ]
      ) {
        for (const tool of ["test.strict", "test.shared"]) {
          const error = await caller.error(tool, {
            op: "import",
            args: [specifier],
          });
          assertEquals(error.code, "handler-throw", specifier);
          assertMatch(error.message, /cached-only|Requires import access/);
        }
      }
      assertEquals(declared.requests, before);
    },
  );

  await t.step("a strict check is held as well", async () => {
    const own = await caller.check("test.check", {
      path: `${pack.folder}/data/own.txt`,
    });
    assertEquals(messageOf(own, "check-result").result, {
      kind: "ok",
      value: "own",
    });
    const { code, message } = errorOf(
      await caller.check("test.check", { path: "/etc/passwd" }),
    );
    assertEquals(code, "handler-throw");
    assertStringIncludes(message, `Requires read access to "/etc/passwd"`);
  });

  await t.step("context-isolated has a module state of its own", async () => {
    assertEquals(await caller.output("test.count"), 1);
    assertEquals(await caller.output("test.count"), 2);
    assertEquals(await caller.output("test.isolated"), 1);
  });

  const alive = await shared("pid");
  for (const eat of ["heap", "arrays"]) {
    await t.step(
      `a strict tool that eats memory in ${eat} dies alone`,
      async () => {
        const error = await caller.error("test.glutton", { eat });
        assertObjectMatch(error, {
          code: "handler-throw",
          toolId: "test.glutton",
          cause: { name: "ExecutorLost", reason: "out-of-memory" },
        });
        assertEquals(await caller.output("test.glutton", {}), 1);
      },
    );
  }
  for (const [eat, ms] of [["cpu", 60_000], ["cpu unseen", 60_001]]) {
    await t.step(
      `a strict tool over its CPU time dies alone (${eat})`,
      async () => {
        const sleeping = caller.error("test.glutton", { eat: "time", ms });
        await untilText(service, `"ms":${ms}`);
        const calls = [
          await caller.error("test.glutton", { eat }),
          await sleeping,
        ];
        // The process's time counts for every call that runs: which one is over the limit first is chance.
        const [over, ...others] = calls.sort((a, b) =>
          a.code < b.code ? -1 : 1
        );
        assertEquals(over!.code, "deadline-exceeded");
        assertStringIncludes(over!.message, "400 ms of CPU time");
        for (const other of others) {
          if (other.code === "deadline-exceeded") continue;
          assertObjectMatch(other, {
            code: "handler-throw",
            cause: { name: "ExecutorLost", reason: "killed" },
          });
        }
      },
    );
  }
  await t.step("time without work is no CPU time", async () => {
    assertEquals(
      typeof await caller.output("test.glutton", { eat: "time", ms: 800 }),
      "number",
    );
  });
  await t.step("nobody else noticed, and each loss is a record", async () => {
    assertEquals(await shared("pid"), alive);
    assertEquals(
      service.records("executor-lost").map(({ executor, reason }) => [
        executor,
        reason,
      ]),
      [
        ["tool test.glutton", "out-of-memory"],
        ["tool test.glutton", "out-of-memory"],
        ["tool test.glutton", "killed"],
        ["tool test.glutton", "killed"],
      ],
    );
    assertNotEquals(await strict("pid"), alive);
    assert(!service.stderr().includes("\x1e"), "no guard's report is seen");
  });
  await Deno.remove(outside, { recursive: true });
});

Deno.test(
  "grants and the declared mode open what they name, and never a strict tool",
  { ignore: !HAS_EXECUTORS },
  async (t) => {
    await using target = new Target();
    const data = await Deno.makeTempDir();
    await Deno.writeTextFile(`${data}/row`, "row");
    await using pack = await TempPack.write({
      tools: {
        "test.shared": {
          code: PROBE,
          entry: { network: { kind: "none" } },
        },
        "test.strict": { code: PROBE, entry: { sandbox: "strict" } },
        "test.leaves": {
          code: `export default async () => {
          // Inherits the streams, and holds them open when this process is gone.
          const { pid } = new Deno.Command("sleep", { args: ["600"], stdin: "null" }).spawn();
          console.log("sleeper", pid);
          Deno.exit(0);
        };`,
          entry: { network: { kind: "none" } },
        },
      },
      files: { "data/own.txt": "own" },
    });
    await Deno.symlink(data, `${pack.folder}/data/granted`);
    await Deno.symlink("/etc", `${pack.folder}/data/denied`);
    await using service = await ServiceProcess.start({
      index: pack.index,
      args: ["--grant", `read=${data}`, "--grant", "run=sleep"],
      env: {
        KINDGI_PACK_PERMISSIONS: "declared",
        KINDGI_PACK_GRANT: 'env=GRANTED run="sh"',
        GRANTED: "to the pack",
        // The folder of sockets lies in the module root: giving one up must not take the root away.
        TMPDIR: `${pack.folder}/data`,
      },
    });
    const { caller } = service;
    const shared = (op: string, ...args: unknown[]) =>
      caller.output("test.shared", { op, args });
    const refused = async (tool: string, op: string, ...args: unknown[]) =>
      (await caller.error(tool, { op, args })).message;

    await t.step(
      "declared reads the module root and the index, writes nothing and reaches declared hosts",
      async () => {
        assertEquals(
          await shared("read", `${pack.folder}/data/own.txt`),
          "own",
        );
        assertEquals(typeof await shared("read", pack.index), "string");
        for (
          const [op, argument, grant] of [
            ["read", "/etc/passwd", "read=/etc/passwd"],
            [
              "read",
              `${pack.folder}/data/denied/passwd`,
              `read=${pack.folder}/data/denied/passwd`,
            ],
            ["write", `${data}/new`, `write=${data}/new`],
            ["fetch", target.url, `net=127.0.0.1:${target.port}`],
            ["run", "ls", "run=ls"],
          ] as const
        ) {
          const message = await refused("test.shared", op, argument);
          assert(
            message.endsWith(
              `Start the service with --grant ${grant} to allow it`,
            ),
            message,
          );
        }
      },
    );

    await t.step(
      "what was granted is open to the pack and closed to a strict tool",
      async () => {
        assertEquals(await shared("read", `${data}/row`), "row");
        assertEquals(
          await shared("read", `${pack.folder}/data/granted/row`),
          "row",
        );
        assertEquals(await shared("run", "sh", "-c", "echo ran"), "ran\n");
        assertEquals(
          (await shared("env", "GRANTED") as unknown[])[0],
          "to the pack",
        );
        assertEquals(service.records("env-dropped").length, 0);
        await refused("test.strict", "read", `${data}/row`);
        await refused("test.strict", "read", `${pack.folder}/data/granted/row`);
        await refused("test.strict", "run", "sh", "-c", "echo ran");
        assertEquals(
          await caller.output("test.strict", { op: "env", args: ["GRANTED"] }),
          [null, null, false],
        );
        assertEquals(
          await caller.output("test.strict", {
            op: "read",
            args: [`${pack.folder}/data/own.txt`],
          }),
          "own",
        );
      },
    );

    await t.step(
      "a program that outlives its executor doesn't keep its calls waiting",
      async () => {
        assertObjectMatch(await caller.error("test.leaves"), {
          cause: { name: "ExecutorLost", reason: "exited" },
        });
        await untilText(service, "sleeper ", "stdout");
        const pid = Number(/sleeper (\d+)/.exec(service.stdout())![1]);
        Deno.kill(pid, "SIGKILL");
        await eventually(
          "ready",
          async () => (await caller.get("/readyz")).status === 200 || undefined,
        );
      },
    );

    await t.step(
      "the listening record lists each executor's permissions",
      () => {
        const [{ executors } = {}] = service.records("listening");
        const [own, strict] = executors as {
          executor: string;
          permissions: string[];
        }[];
        assertEquals([own!.executor, strict!.executor], [
          "shared",
          "tool test.strict",
        ]);
        assert(own!.permissions.includes("--allow-run=sh,sleep"));
        assert(own!.permissions.some((flag) => flag.includes(data)));
        assert(
          !strict!.permissions.some((flag) => flag.startsWith("--allow-run")),
        );
        assert(!strict!.permissions.some((flag) => flag.includes(data)));
      },
    );
    await Deno.remove(data, { recursive: true });
  },
);

Deno.test("limits hold against code that hides what it uses", {
  ignore: !HAS_EXECUTORS,
}, async (t) => {
  const entry = { sandbox: "strict", limits: { memMB: 96, cpuMs: 400 } };
  await using pack = await TempPack.write({
    tools: {
      "test.liar": {
        code: `
          Deno.memoryUsage = () => ({ rss: 1e15 });
          process.memoryUsage = Deno.memoryUsage;
          process.cpuUsage = () => ({ user: 1e15, system: 0 });
          ${GLUTTON}`,
        entry,
      },
      "test.mute": {
        code: `
          import net from "node:net";
          export default async () => {
            new net.Socket({ fd: 2 }).on("error", () => {}).destroy();
            await new Promise((resolve) => setTimeout(resolve, 60_000));
          };`,
        entry,
      },
    },
  });
  await using service = await ServiceProcess.start({ index: pack.index });
  const { caller } = service;

  await t.step("that says it used much before it began", async () => {
    const { cause } = await caller.error("test.liar", { eat: "arrays" });
    assertObjectMatch(cause as Record<string, unknown>, {
      name: "ExecutorLost",
      reason: "out-of-memory",
    });
    assertObjectMatch(await caller.error("test.liar", { eat: "cpu" }), {
      code: "deadline-exceeded",
    });
  });

  await t.step("that keeps the guard from reporting", async () => {
    const { cause } = await caller.error("test.mute");
    assertObjectMatch(cause as Record<string, unknown>, {
      name: "ExecutorLost",
      reason: "killed",
    });
  });
});

Deno.test(
  "no tool reads another process's environment, not even by importing it",
  { ignore: !HAS_EXECUTORS },
  async () => {
    await using pack = await TempPack.write({
      tools: {
        "test.shared": `
        import { symlinkSync, openSync } from "node:fs";
        const OPERATIONS = {
          text: async (path) => (await import("file://" + path, { with: { type: "text" } })).default,
          script: async (path) => (await import("file://" + path)).default,
          link: (path) => { Deno.symlinkSync(path, Deno.makeTempDirSync() + "/link"); return "linked"; },
          nodeLink: (path) => { symlinkSync(path, Deno.makeTempDirSync() + "/link"); return "linked"; },
          folder: (path) => openSync(path),
          parent: () => Deno.ppid,
        };
        export default async ({ op, args = [] }) => await OPERATIONS[op](...args);`,
      },
    });
    await using service = await ServiceProcess.start({ index: pack.index });
    const { caller } = service;
    const refused = async (op: string, ...args: unknown[]) => {
      const { message } = await caller.error("test.shared", { op, args });
      assertMatch(message, /Requires read access|requires unscoped/);
      assertStringIncludes(
        message,
        "Start the service with KINDGI_PACK_PERMISSIONS=all",
      );
    };
    const front = await caller.output("test.shared", { op: "parent" });
    const root = await caller.output("test.shared", {
      op: "folder",
      args: ["/"],
    });
    for (
      const path of [
        `/proc/${front}/environ`,
        `/proc/${front}/task/${front}/environ`,
        `/proc/self/root/proc/${front}/environ`,
        `/dev/fd/${root}/proc/${front}/environ`,
      ]
    ) {
      await refused("text", path);
      await refused("script", path);
    }
    await refused("link", "/proc");
    await refused("nodeLink", "/proc");
  },
);

Deno.test("a pack with a link to other processes' files isn't served", {
  ignore: !HAS_EXECUTORS,
}, async () => {
  await using pack = await TempPack.write({ tools: { "test.count": COUNT } });
  for (const target of ["/", "/proc", "/proc/self/environ"]) {
    const link = `${pack.folder}/link`;
    await Deno.symlink(target, link);
    const { code, stderr } = await ServiceProcess.run({ index: pack.index });
    assertEquals(code, 1, target);
    assertStringIncludes(stderr, "boot-failed");
    assertStringIncludes(stderr, link);
    await Deno.remove(link);
  }
});

Deno.test(
  "KINDGI_PACK_SANDBOX=off runs everything in the shared executor, with a warning",
  { ignore: !HAS_EXECUTORS },
  async () => {
    await using pack = await TempPack.write({
      tools: {
        "test.strict": { code: PROBE, entry: { sandbox: "strict" } },
        "test.odd": { code: PROBE, entry: { sandbox: "vm" } },
      },
    });
    await using service = await ServiceProcess.start({
      index: pack.index,
      env: {
        KINDGI_PACK_SANDBOX: "off",
        // Too long for a socket's path: the service finds another place.
        TMPDIR: await longFolder(pack.folder),
      },
    });
    const pid = { op: "pid" };
    assertEquals(
      await service.caller.output("test.strict", pid),
      await service.caller.output("test.odd", pid),
    );
    assertEquals(
      service.records("sandbox-off").map(({ level, names }) => [level, names]),
      [["warn", ["tool test.strict", "tool test.odd"]]],
    );
  },
);

async function longFolder(parent: string): Promise<string> {
  const path = `${parent}/${"long".repeat(25)}`;
  await Deno.mkdir(path);
  return path;
}

Deno.test("a sandbox that isn't known fails the boot and names it", async () => {
  await using pack = await TempPack.write({
    tools: {
      "test.odd@1.0.0": { code: PROBE, entry: { sandbox: "vm" } },
      "test.small": {
        code: PROBE,
        entry: { sandbox: "strict", limits: { memMB: 8 } },
      },
    },
  });
  const { code, records } = await ServiceProcess.run({ index: pack.index });
  assertEquals(code, 1);
  const { problems } = records.find(({ event }) => event === "boot-failed")!;
  assertEquals((problems as string[]).length, 2);
  assertStringIncludes(
    (problems as string[])[0]!,
    'tool test.odd@1.0.0: its sandbox "vm" is unknown',
  );
  assertStringIncludes((problems as string[])[1]!, "limits.memMB");
});

Deno.test(
  "--print-permissions prints each executor's flags and starts nothing",
  { ignore: !HAS_EXECUTORS },
  async () => {
    await using pack = await TempPack.write({
      tools: {
        "test.a": "Deno.exit(9);",
        "test.b": {
          code: "Deno.exit(9);",
          entry: {
            sandbox: "strict",
            network: { kind: "allowlist", hosts: ["a.example", "::1"] },
          },
        },
      },
    });
    const print = async (env: Readonly<Record<string, string>>) => {
      const { code, stdout, stderr } = await ServiceProcess.run({
        index: pack.index,
        args: ["--print-permissions"],
        env: { ...env, KINDGI_PACK_SERVICE_TOKEN: "" },
      });
      assertEquals([code, stderr], [0, ""]);
      return stdout.replaceAll(/=.*$/gm, "=…").split("\n");
    };
    const env = ["  --allow-env=…", "  --ignore-env"];
    const strict = [
      "tool test.b",
      "  --allow-net=…",
      "  --allow-read=…",
      ...env,
      "",
    ];
    assertEquals(await print({}), [
      "shared",
      "  --allow-net",
      "  --allow-read",
      "  --allow-write=…",
      "  --allow-sys",
      "  --deny-read=…",
      ...env,
      ...strict,
    ]);
    assertEquals(
      await print({
        KINDGI_PACK_PERMISSIONS: "all",
        KINDGI_PACK_GRANT: "ffi",
      }),
      [
        "shared",
        "  --allow-net",
        "  --allow-read",
        "  --allow-write",
        "  --allow-sys",
        "  --allow-run",
        "  --allow-ffi",
        ...env,
        ...strict,
      ],
    );
  },
);
