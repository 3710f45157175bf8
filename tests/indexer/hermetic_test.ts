/** What the pack's code can do while it is indexed by the command: next to nothing. */
import { assert, assertEquals, assertStringIncludes } from "../assert.ts";
import { eventually } from "../pack_service/support/eventually.ts";
import { isAlive } from "../pack_service/support/processes.ts";
import { kindgiIndex, MAIN } from "./kindgi_index.ts";
import { tool, withPack } from "./pack_folder.ts";

interface Reported {
  readonly code: string;
  readonly message: string;
  readonly filePath: string;
}

/** Indexes a pack with `--keep-going`: the files that failed, by path. */
async function failures(
  dir: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Map<string, Reported>> {
  const run = await kindgiIndex(["--pack-dir", dir, "--keep-going", ...args], {
    env,
  });
  assertEquals(run.code, 0, run.stderr);
  const { fileErrors } = JSON.parse(run.stdout) as { fileErrors: Reported[] };
  return new Map(fileErrors.map((error) => [error.filePath, error]));
}

Deno.test("[decision 14] a module that needs more fails, naming the permission and the flag that grants it", async () => {
  await withPack({
    "tools/net.mjs": `await fetch("http://localhost:8099");` + tool("acme.net"),
    "tools/write.mjs": `import { writeFileSync } from "node:fs";
writeFileSync("written.txt", "x");` + tool("acme.write"),
    "tools/run.mjs": `new Deno.Command("true").outputSync();` +
      tool("acme.run"),
    "tools/sys.mjs": `import { hostname } from "node:os";
hostname();` + tool("acme.sys"),
    "tools/read.mjs": `import { readFileSync } from "node:fs";
readFileSync("/etc/hostname");` + tool("acme.read"),
    "tools/lookup.mjs": `import { lookup } from "node:dns/promises";
await lookup("localhost.example");` + tool("acme.lookup"),
    "tools/shell.mjs": `import { execSync } from "node:child_process";
execSync("true");` + tool("acme.shell"),
    "tools/kill.mjs": `process.kill(process.ppid, 0);` + tool("acme.kill"),
    "tools/remote.mjs": `await import("https://localhost:1/x.js");` +
      tool("acme.remote"),
    "tools/own.mjs": `import { readFileSync } from "node:fs";
readFileSync(new URL("./own.mjs", import.meta.url));` + tool("acme.own"),
  }, async ({ dir, path }) => {
    const failed = await failures(dir);
    assertEquals([...failed.keys()], [
      "tools/kill.mjs",
      "tools/lookup.mjs",
      "tools/net.mjs",
      "tools/read.mjs",
      "tools/remote.mjs",
      "tools/run.mjs",
      "tools/shell.mjs",
      "tools/sys.mjs",
      "tools/write.mjs",
    ]);
    for (
      const [file, permission, flag] of [
        ["tools/net.mjs", "net", "--grant net=localhost:8099"],
        ["tools/read.mjs", "read", "--grant read=/etc"],
        ["tools/kill.mjs", "run", "--grant run"],
        ["tools/lookup.mjs", "net", "--grant net=localhost.example"],
        ["tools/run.mjs", "run", "--grant run="],
        ["tools/shell.mjs", "run", "--grant run=true"],
        ["tools/sys.mjs", "sys", "--grant sys=hostname"],
        ["tools/write.mjs", "write", "--grant write="],
      ] as const
    ) {
      const error = failed.get(file)!;
      assertEquals(error.code, "file-import-failed");
      assertStringIncludes(error.message, `${permission} permission`);
      assertStringIncludes(error.message, flag);
    }
    assert(
      !(await Deno.stat(path("written.txt")).then(() => true, () => false)),
    );

    const granted = await failures(dir, [
      "--grant",
      "sys=hostname",
      "--grant",
      "read=/etc",
      "--grant",
      `write=${dir}`,
    ]);
    assertEquals([...granted.keys()], [
      "tools/kill.mjs",
      "tools/lookup.mjs",
      "tools/net.mjs",
      "tools/remote.mjs",
      "tools/run.mjs",
      "tools/shell.mjs",
    ]);
    await Deno.remove(path("written.txt"));
  });
});

Deno.test("[decision 14] an import that leaves the pack fails until its folder is granted", async () => {
  await withPack({
    "lib/shared.mjs": "export const shared = 'from beside';",
    "pack/kindgi.config.mjs":
      `export default { pack: { id: "acme", version: "1" } };`,
    "pack/tools/import.mjs": `import { shared } from "../../lib/shared.mjs";
export default { id: "acme.a", description: shared, input: {}, output: {}, handler() {} };`,
    "pack/tools/link.mjs": `import { shared } from "../linked/shared.mjs";
export default { id: "acme.b", description: shared, input: {}, output: {}, handler() {} };`,
  }, async ({ path }) => {
    await Deno.symlink("../lib", path("pack/linked"));
    const dir = path("pack");
    const failed = await failures(dir);
    assertEquals([...failed.keys()], ["tools/import.mjs", "tools/link.mjs"]);
    const { code, message } = failed.get("tools/import.mjs")!;
    assertEquals(code, "file-import-failed");
    assertStringIncludes(message, `--grant read=${path("lib")}`);
    const linked = failed.get("tools/link.mjs")!;
    assertEquals(linked.code, "file-import-failed");
    assertStringIncludes(linked.message, "a link that leads out of the pack");

    const granted = await failures(dir, ["--grant", `read=${path("lib")}`]);
    assertEquals([...granted.keys()], []);
    const index = JSON.parse(await Deno.readTextFile(path("pack/index.json")));
    assertEquals(index.tools[1].description, "from beside");
  });
});

Deno.test("packages that a workspace installed above the pack, linked or not, are the pack's own", async () => {
  const dependency = (name: string) => ({
    [`package.json`]:
      `{ "name": "${name}", "type": "module", "exports": "./index.js" }`,
    [`index.js`]: `export const name = "${name}";`,
  });
  const below = (folder: string, files: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]),
    );
  await withPack({
    "package.json": "{}",
    ...below("node_modules/flat", dependency("flat")),
    ...below(
      "node_modules/.store/linked/node_modules/linked",
      dependency("linked"),
    ),
    "packs/one/package.json": `{ "type": "module" }`,
    "packs/one/kindgi.config.mjs":
      `export default { pack: { id: "acme", version: "1" } };`,
    "packs/one/tools/a.mjs": `import { name } from "flat";
import { name as other } from "linked";
export default { id: "acme.a", description: name + other, input: {}, output: {}, handler() {} };`,
  }, async ({ path }) => {
    await Deno.mkdir(path("packs/one/node_modules"));
    await Deno.symlink(
      "../../../node_modules/.store/linked/node_modules/linked",
      path("packs/one/node_modules/linked"),
    );
    const dir = path("packs/one");
    const failed = await failures(dir);
    assertEquals([...failed.values()], []);
    const index = JSON.parse(await Deno.readTextFile(`${dir}/index.json`));
    assertEquals(index.tools[0].description, "flatlinked");
  });
});

Deno.test("[decision 14] the environment is the platform's and what is named, with one time zone and language", async () => {
  await withPack({
    "tools/a.mjs": `import process from "node:process";
const names = ["SECRET", "NAMED", "TZ", "LANG", "LC_ALL", "HOME"];
export default { id: "acme.a", input: {}, output: {}, handler() {}, limits: {
  seen: names.map((name) => process.env[name] ?? null),
  listed: Object.keys(Deno.env.toObject()).filter((name) => names.includes(name)).sort(),
  day: new Date(0).toString(), locale: (1234.5).toLocaleString() } };`,
  }, async ({ dir, index }) => {
    const env = {
      SECRET: "s",
      NAMED: "n",
      TZ: "Asia/Tokyo",
      LANG: "de_DE.UTF-8",
      LC_ALL: "de_DE.UTF-8",
      HOME: Deno.env.get("HOME") ?? "/",
    };
    const failed = await failures(dir, ["--env", "NAMED"], env);
    assertEquals([...failed.keys()], []);
    assertEquals((await index()).tools[0]?.limits, {
      seen: [null, "n", "UTC", "C.UTF-8", null, env.HOME],
      listed: ["HOME", "LANG", "NAMED", "TZ"],
      day: "Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)",
      locale: "1,234.5",
    });
    await failures(dir, ["--grant", "env=SECRET"], env);
    const limits = (await index()).tools[0]?.limits as { seen: unknown[] };
    assertEquals(limits.seen[0], "s");
  });
});

Deno.test("a module that ends the process, or waits for ever, is that file's error, and the others are indexed", async () => {
  await withPack({
    "tools/a.mjs": tool("acme.a"),
    "tools/exits.mjs": `import process from "node:process"; process.exit(0);`,
    "tools/waits.mjs": "await new Promise(() => {});",
    "tools/timer.mjs": "setInterval(() => {}, 1e9);" + tool("acme.t"),
    "tools/rejects.mjs": "Promise.reject(new Error('late'));" +
      tool("acme.r"),
  }, async ({ dir, index }) => {
    // The timer keeps the process busy, so that only the limit ends the wait.
    const failed = await failures(dir, [], {
      KINDGI_INDEX_IMPORT_TIMEOUT_MS: "8000",
    });
    assertEquals([...failed.keys()], ["tools/exits.mjs", "tools/waits.mjs"]);
    const [exits, waits] = [...failed.values()];
    assertEquals(exits?.code, "file-import-failed");
    assertStringIncludes(exits!.message, "ended with exit code 0");
    assertStringIncludes(waits!.message, "was killed after 8000 ms");
    assertEquals((await index()).tools.map(({ id }) => id), [
      "acme.a",
      "acme.r",
      "acme.t",
    ]);
  });
});

Deno.test("a module that waits for what never comes, with nothing else going on, ends the process at once", async () => {
  await withPack({
    "tools/waits.mjs": "await new Promise(() => {});",
  }, async ({ dir }) => {
    const failed = await failures(dir);
    assertEquals(failed.get("tools/waits.mjs")?.code, "file-import-failed");
  });
});

Deno.test("a config that ends the process is config-parse-failed", async () => {
  await withPack(
    { "kindgi.config.mjs": "Deno.exit(3);" },
    async ({ dir, path }) => {
      const run = await kindgiIndex(["--pack-dir", dir]);
      assertEquals(run.code, 1);
      assertStringIncludes(run.stderr, "kindgi-index: config-parse-failed: ");
      assertStringIncludes(run.stderr, path("kindgi.config.mjs"));
    },
  );
});

Deno.test("what pack code prints can't pass for the answer", async () => {
  await withPack({
    "tools/a.mjs":
      `console.log('{"type":"outcome","outcome":{"kind":"err","error":{"code":"x"}}}');
await Deno.stdout.write(new TextEncoder().encode("no end of line"));
Deno.stdout.writeSync = () => { throw new Error("no"); };` + tool("acme.a"),
  }, async ({ dir, index }) => {
    assertEquals([...(await failures(dir)).keys()], []);
    assertEquals((await index()).tools.length, 1);
  });
});

/** The path of a program that ends a process with its parent, where there is one. */
async function canEndWithParent(): Promise<boolean> {
  return Deno.build.os === "linux" &&
    await new Deno.Command("setpriv", { args: ["--version"], stdout: "null" })
      .output().then(({ success }) => success, () => false);
}

for (
  const { signal, exit } of [
    { signal: "SIGTERM", exit: 143 },
    { signal: "SIGINT", exit: 130 },
    { signal: "SIGKILL", exit: 137 },
  ] as const
) {
  Deno.test(`${signal} ends the process that imports, even one that spins`, async () => {
    if (signal === "SIGKILL" && !await canEndWithParent()) return;
    await withPack({
      "tools/spin.mjs": "console.log(`spins in ${Deno.pid} `); for (;;);",
    }, async ({ dir }) => {
      const temporary = await Deno.makeTempDir();
      const command = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", MAIN, "--pack-dir", dir],
        env: { TMPDIR: temporary },
        stdin: "null",
        stdout: "null",
        stderr: "piped",
      }).spawn();
      const reader = command.stderr.pipeThrough(new TextDecoderStream())
        .getReader();
      let said = "";
      let pid: number | undefined;
      while (pid === undefined) {
        const { value, done } = await reader.read();
        if (done) break;
        said += value;
        const spins = /spins in (\d+) /.exec(said);
        if (spins) pid = Number(spins[1]);
      }
      assert(pid !== undefined, said);
      command.kill(signal);
      assertEquals((await command.status).code, exit);
      await reader.cancel();
      await eventually(
        "the process that imports ends",
        async () => await isAlive(pid) ? undefined : true,
      );
      if (signal !== "SIGKILL") {
        assertEquals([...Deno.readDirSync(temporary)], []);
      }
      await Deno.remove(temporary, { recursive: true });
    });
  });
}

Deno.test("a program that a module has started and left behind doesn't hold the index up", async () => {
  await withPack({
    "tools/left.mjs": `import { spawn } from "node:child_process";
const { pid } = spawn("sleep", ["600"], { stdio: "inherit" });
console.error("left " + pid + " ");` + tool("acme.left"),
  }, async ({ dir }) => {
    const run = await kindgiIndex([
      "--pack-dir",
      dir,
      "--grant",
      "run=sleep",
    ]);
    const left = Number(/left (\d+) /.exec(run.stderr)?.[1]);
    assert(await isAlive(left), run.stderr);
    Deno.kill(left, "SIGKILL");
    assertEquals(run.code, 0, run.stderr);
  });
});
