/** How a service process starts, and how it refuses to (cases G). */

import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "../assert.ts";
import { Caller } from "./support/caller.ts";
import { DEMO_INDEX, DEMO_PACK } from "./support/demo_pack.ts";
import { HAS_EXECUTORS, SERVICE_COMMAND } from "./support/service_command.ts";
import {
  type EndedService,
  type ServiceOptions,
  ServiceProcess,
} from "./support/service_process.ts";
import { TempPack } from "./support/temp_pack.ts";

/** The problems of a service that refused to start, and that it said nothing else and served nothing. */
function problemsOf(
  ended: EndedService,
  event: "config-invalid" | "boot-failed",
): readonly string[] {
  assertEquals(ended.code, 1);
  const records = ended.records.filter(({ event }) => event !== "env-dropped");
  assertEquals(records.map((record) => record.event), [event]);
  assertEquals(records[0]?.kind, event);
  assertEquals(records[0]?.level, "error");
  assert(!/^\s+at /m.test(ended.stderr), "it wrote a stack trace");
  return records[0]?.problems as readonly string[];
}

async function refused(options: ServiceOptions): Promise<readonly string[]> {
  return problemsOf(await ServiceProcess.run(options), "config-invalid");
}

async function failed(options: ServiceOptions): Promise<readonly string[]> {
  return problemsOf(await ServiceProcess.run(options), "boot-failed");
}

Deno.test("[70] without a usable token the service refuses to start", async () => {
  for (const token of [undefined, " \n", "two words", "sécret"]) {
    const problems = await refused({
      env: { KINDGI_PACK_SERVICE_TOKEN: token },
    });
    assertEquals(problems.length, 1);
    assertStringIncludes(problems[0]!, "KINDGI_PACK_SERVICE_TOKEN");
    if (token?.trim()) assert(!problems[0]!.includes(token));
  }
});

Deno.test("[71] a token stored with a newline is the token without it", async () => {
  await using service = await ServiceProcess.start({
    env: { KINDGI_PACK_SERVICE_TOKEN: "abc\n" },
  });
  const statusFor = async (token: string) => {
    const headers = { "kindgi-pack-token": token };
    return (await service.caller.request("/v1/info", { headers })).status;
  };
  assertEquals(await statusFor("abc"), 200);
  assertEquals(await statusFor("abcx"), 401);
});

Deno.test("[72] every wrong setting is a problem of its own", async () => {
  const both = await refused({
    env: { PORT: "x", KINDGI_PACK_SERVICE_MAX_CONCURRENCY: "0" },
  });
  assertEquals(both.length, 2);
  assertStringIncludes(both[0]!, "PORT");
  assertStringIncludes(both[1]!, "KINDGI_PACK_SERVICE_MAX_CONCURRENCY");
  const port = await refused({ env: { PORT: "70000" } });
  assertStringIncludes(port.join(), "PORT");
  const empty = await refused({
    loopback: false,
    args: ["--bundle-map", "", "--host", ""],
  });
  assertEquals(empty.length, 2);
  assertStringIncludes(empty[0]!, "--bundle-map");
  assertStringIncludes(empty[1]!, "--host");
});

Deno.test("a flag without its value and an unknown argument are problems [decisions 7]", async () => {
  const problems = await refused({ args: ["--verbose", "--bundle-map"] });
  assertEquals(problems.length, 2);
  assertStringIncludes(problems.join(), "--verbose");
  assertStringIncludes(problems.join(), "--bundle-map");
});

Deno.test("[73] the listening line tells where and what", async () => {
  await using service = await ServiceProcess.start();
  const [line] = service.records("listening");
  assert(Number(line?.port) > 0);
  assertEquals(line?.packId, "demo");
  assertEquals(line?.artifactVersion, "20260930.1");
  assertEquals(line?.event, "listening");
  assertEquals(line?.kind, "listening");
  assertEquals(line?.subsystem, "pack");
  assertEquals(line?.level, "info");
  assertEquals(line?.severity, "INFO");
  assertMatch(String(line?.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assertEquals(service.stdout(), "");
});

Deno.test("[74] the index may come from the environment, the modules lie beside it", async () => {
  await using service = await ServiceProcess.start({
    index: null,
    env: { KINDGI_PACK_INDEX: DEMO_INDEX },
  });
  assertEquals(await service.caller.output("demo.plain"), { ok: true });
});

Deno.test("[74] a module root may be named, also by a relative path, as the index", async () => {
  await using pack = await TempPack.write({});
  await pack.write("elsewhere/index.json", await Deno.readTextFile(DEMO_INDEX));
  await using service = await ServiceProcess.start({
    index: relativeFromHere(`${pack.folder}/elsewhere/index.json`),
    args: ["--module-root", relativeFromHere(DEMO_PACK)],
  });
  assertEquals(await service.caller.output("demo.plain"), { ok: true });
});

function relativeFromHere(path: string): string {
  return Deno.cwd().split("/").slice(1).map(() => "..").join("/") + path;
}

Deno.test("without a host every interface is served, of both address families [executors.md]", async () => {
  await using service = await ServiceProcess.start({ loopback: false });
  const ready = await service.caller.request("/readyz");
  assertEquals(ready.status, 200);
  const overIpv6 = new Caller(`http://[::1]:${service.port}`);
  // Where there is no IPv6, there is nothing to serve.
  const answer = await overIpv6.request("/readyz").catch(() => ready);
  assertEquals(answer.status, 200);
});

Deno.test("a port that is taken fails the boot and is named [executors.md]", async () => {
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr as Deno.NetAddr;
  try {
    const problems = await failed({ env: { PORT: String(port) } });
    assertEquals(problems.length, 1);
    assertStringIncludes(problems[0]!, String(port));
  } finally {
    taken.close();
  }
});

Deno.test(
  "a folder for temporary files that can't be written fails the boot and is named",
  { ignore: !HAS_EXECUTORS },
  async () => {
    const [problem, ...more] = await failed({
      env: { TMPDIR: `${DEMO_PACK}/nowhere` },
    });
    assertEquals(more, []);
    assertStringIncludes(problem!, `${DEMO_PACK}/nowhere`);
    assertStringIncludes(problem!, "TMPDIR");
  },
);

Deno.test(
  "a path that no permission can name fails the boot where one has to",
  { ignore: !HAS_EXECUTORS },
  async () => {
    const parent = await Deno.makeTempDir({ suffix: " a,b" });
    try {
      await using strict = await TempPack.write({
        tools: { "test.a": { code: "", entry: { sandbox: "strict" } } },
      }, parent);
      const [problem, ...more] = await failed({ index: strict.index });
      assertEquals(more, []);
      assertStringIncludes(problem!, strict.folder);
      assertStringIncludes(problem!, "comma");

      await using open = await TempPack.write({
        tools: { "test.a": "export default () => 1;" },
      }, parent);
      await using service = await ServiceProcess.start({
        index: open.index,
        env: { TMPDIR: parent },
      });
      assertEquals(await service.caller.output("test.a"), 1);
    } finally {
      await Deno.remove(parent, { recursive: true });
    }
  },
);

Deno.test("[75] an index that can't be read fails the boot", async () => {
  await using pack = await TempPack.write({
    index: { v: 2 },
    files: { "broken.json": "{", "list.json": "[]" },
  });
  for (const name of ["ghost.json", "broken.json"]) {
    const problems = await failed({ index: `${pack.folder}/${name}` });
    assertEquals(problems.length, 1);
    assertMatch(problems[0]!, /^Cannot read the pack index/);
  }
  const [version] = await failed({ index: pack.index });
  assertStringIncludes(version!, "2");
  assertEquals((await failed({ index: `${pack.folder}/list.json` })).length, 1);
});

Deno.test("an index with a part of the wrong shape fails the boot, and the part is named", async () => {
  const cases: readonly [Record<string, unknown>, string][] = [
    [{ env: 5 }, '"env"'],
    [{ env: { required: "A_URL" } }, '"env.required"'],
    [{ env: { optional: [5] } }, '"env.optional"'],
    [{ artifactVersion: "1\n2" }, '"artifactVersion"'],
    [{ artifactVersion: "1\u2713" }, '"artifactVersion"'],
    [{ tools: {} }, '"tools"'],
  ];
  for (const [index, named] of cases) {
    await using pack = await TempPack.write({ index });
    const problems = await failed({ index: pack.index });
    assertEquals(problems.length, 1);
    assertStringIncludes(problems[0]!, pack.index);
    assertStringIncludes(problems[0]!, named);
  }
});

Deno.test("[76] every missing module is named, and nothing is imported then", async () => {
  await using pack = await TempPack.write({
    tools: {
      present: `console.log("imported"); export default () => 1;`,
      a: { code: "", entry: { modulePath: "tools/missing_a.mjs" } },
      b: { code: "", entry: { modulePath: "tools/missing_b.mjs" } },
    },
    guardrails: {
      c: { code: "", entry: { checkModulePath: "guardrails/missing.mjs" } },
    },
  });
  const ended = await ServiceProcess.run({ index: pack.index });
  assertEquals(problemsOf(ended, "boot-failed"), [
    "Missing module: tools/missing_a.mjs",
    "Missing module: tools/missing_b.mjs",
    "Missing module: guardrails/missing.mjs",
  ]);
  assertEquals(ended.stdout, "");
});

Deno.test("[77] a module that can't be imported fails the boot, named by its tool", async () => {
  await using pack = await TempPack.write({
    tools: {
      "temp.fine": "export default () => 1;",
      "temp.broken": "export default (=> ;",
      "temp.throws": `throw new Error("at load"); export default 1;`,
    },
  });
  const problems = await failed({ index: pack.index });
  assertEquals(problems.length, 2);
  assertMatch(problems[0]!, /^temp\.broken: /);
  assertMatch(problems[1]!, /^temp\.throws: .*at load/);
});

Deno.test("[78] an unknown log level is refused by itself", async () => {
  const problems = await refused({
    env: { KINDGI_LOG_LEVEL: "loud", PORT: "x" },
  });
  assertEquals(problems.length, 1);
  assertStringIncludes(problems[0]!, "KINDGI_LOG_LEVEL");
});

Deno.test("[78] at level error the lifecycle is written and a good call isn't", async () => {
  const service = await ServiceProcess.start({
    env: { KINDGI_LOG_LEVEL: "error" },
  });
  await service.caller.output("demo.plain");
  service.signal("SIGTERM");
  await service.ended();
  const events = service.records().map(({ event }) => event);
  assertEquals(await service.stop(), 0);
  assertEquals(events, ["listening", "draining", "stopped"]);
});

Deno.test("[81] a bundle map says which file loads", async () => {
  await using pack = await TempPack.write({
    tools: {
      mapped: {
        code: `export default () => "source";`,
        entry: { modulePath: "tools/mapped.ts" },
      },
    },
    files: {
      "dist/mapped.mjs": `export default () => "bundle";`,
      "map.json": `{"tools/mapped.ts": "dist/mapped.mjs"}`,
      "other.json": `{"tools/other.ts": "dist/mapped.mjs"}`,
      "list.json": `["a"]`,
    },
  });
  const withMap = (name: string): ServiceOptions => ({
    index: pack.index,
    args: ["--bundle-map", `${pack.folder}/${name}`],
  });
  await using service = await ServiceProcess.start(withMap("map.json"));
  assertEquals(await service.caller.output("mapped"), "bundle");
  assertEquals(await failed(withMap("other.json")), [
    "Missing module: tools/mapped.ts",
  ]);
  for (const name of ["list.json", "ghost.json"]) {
    const problems = await failed(withMap(name));
    assertEquals(problems.length, 1);
    assertStringIncludes(problems[0]!, name);
  }
});

Deno.test("two guardrails with one check id fail the boot, and both are named [decisions 8]", async () => {
  const code = `export const check = { evaluate: () => ({}) };`;
  await using pack = await TempPack.write({
    guardrails: {
      "temp.one": { code, entry: { checkId: "temp.checks.same" } },
      "temp.two": { code, entry: { checkId: "temp.checks.same" } },
    },
  });
  const problems = await failed({ index: pack.index });
  assertEquals(problems.length, 1);
  for (const name of ["temp.one", "temp.two", "temp.checks.same"]) {
    assertStringIncludes(problems[0]!, name);
  }
});

Deno.test("[86] the service starts through a symbolic link to its folder", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const entry = SERVICE_COMMAND.at(-1)!;
    const root = entry.slice(
      0,
      entry.lastIndexOf("/", entry.lastIndexOf("/") - 1),
    );
    await Deno.symlink(root, `${folder}/linked`);
    await using service = await ServiceProcess.start({
      command: [
        ...SERVICE_COMMAND.slice(0, -1),
        `${folder}/linked${entry.slice(root.length)}`,
      ],
    });
    assertEquals(await service.caller.output("demo.plain"), { ok: true });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("help and version go to standard output and succeed", async () => {
  const run = (flag: string) =>
    ServiceProcess.run({
      index: null,
      args: [flag],
      env: { KINDGI_PACK_SERVICE_TOKEN: undefined, PORT: "x" },
    });
  const help = await run("--help");
  assertEquals(help.code, 0);
  assertStringIncludes(help.stdout, "--module-root");
  assertEquals(help.stderr, "");
  const version = await run("--version");
  assertEquals(version.code, 0);
  assertMatch(version.stdout, /^kindgi-pack-service \d+\.\d+\.\d+\n$/);
});
