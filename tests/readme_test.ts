/** What the README says is tried here. */
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PACK_SERVICE_HELP } from "../pack_service/service_help.ts";
import { DEFAULT_LIMITS } from "../pack_service/mod.ts";
import {
  assertEquals,
  assertObjectMatch,
  assertStringIncludes,
} from "./assert.ts";
import { TOKEN } from "./pack_service/support/demo_pack.ts";
import { ServiceProcess } from "./pack_service/support/service_process.ts";
import { DevProcess } from "./scripts/dev_process.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const readme = await Deno.readTextFile(`${root}README.md`);

/** The code blocks of a language. */
function blocks(language: string): string[] {
  return [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , code]) => code!);
}

/** The command lines of the README, continuation lines joined. */
function commands(): string[] {
  return blocks("sh").join("").replaceAll("\\\n", "").split("\n")
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "");
}

/** Writes the README's modules, each under the name in its first line; answers the folder. */
async function writePack(): Promise<string> {
  const folder = await Deno.makeTempDir();
  for (const code of blocks("ts")) {
    const path = /^\/\/ (\S+\.ts)\n/.exec(code)?.[1];
    if (path === undefined) continue;
    await Deno.mkdir(dirname(`${folder}/${path}`), { recursive: true });
    await Deno.writeTextFile(`${folder}/${path}`, code);
  }
  return folder;
}

Deno.test("the pack of the README is indexed, served and answers the README's curl", async () => {
  const folder = await writePack();
  try {
    const indexing = commands().find((line) =>
      line.startsWith("deno task index")
    )
      ?.split(/\s+/).slice(1) ?? [];
    const indexed = await new Deno.Command(Deno.execPath(), {
      args: indexing.map((word) => word === "../acme_pack" ? folder : word),
      cwd: root,
      stdin: "null",
    }).output();
    assertEquals(indexed.code, 0, new TextDecoder().decode(indexed.stderr));

    const serving = commands().find((line) =>
      line.includes("run -P pack_service/main.ts --index")
    )?.split(/\s+/) ?? [];
    assertEquals(serving.slice(0, 5), [
      "deno",
      "run",
      "-P",
      "pack_service/main.ts",
      "--index",
    ]);
    await using service = await ServiceProcess.start({
      index: `${folder}/index.json`,
      command: [
        Deno.execPath(),
        "run",
        "-P",
        "--config",
        `${root}deno.json`,
        `${root}pack_service/main.ts`,
      ],
      env: { ACME_GREETING: "Hello" },
    });

    const curl = commands().join("\n");
    const body = /-d '(\{"v"[\s\S]*?\})'/.exec(curl)?.[1] ?? "";
    const headers = Object.fromEntries(
      [...curl.matchAll(/-H ['"]([\w-]+): ([^'"]+)['"]/g)]
        .map(([, name, value]) => [
          name!,
          value === "$KINDGI_PACK_SERVICE_TOKEN" ? TOKEN : value!,
        ]),
    );
    const answer = await service.caller.request("/v1/invoke", {
      method: "POST",
      headers,
      body,
    });
    assertEquals(answer.status, 200);
    assertEquals(answer.body, JSON.parse(blocks("json")[0] ?? "null"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a pack made from nothing by the README's six commands is served", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const block = blocks("sh").find((code) => code.startsWith("mkdir")) ?? "";
    const lines = block.trim().split("\n");
    assertEquals(lines.length, 6);
    const deno = `"${Deno.execPath()}"`;
    const made = await new Deno.Command("bash", {
      args: [
        "-euc",
        lines.slice(0, 5).join("\n").replaceAll("../hello_pack", folder)
          .replaceAll(/^deno /gm, `${deno} `),
      ],
      cwd: root,
      stdin: "null",
    }).output();
    assertEquals(made.code, 0, new TextDecoder().decode(made.stderr));
    assertStringIncludes(lines[5] ?? "", "--index ../hello_pack/index.json");
    await using service = await ServiceProcess.start({
      index: `${folder}/index.json`,
    });
    const answer = await service.caller.invoke("hello.greet", {});
    assertObjectMatch(answer.body, { kind: "result", output: "Hello!" });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the README's agent is indexed with its pack, and its template is rendered by a worker", async () => {
  const folder = await writePack();
  try {
    const { imports } = JSON.parse(await Deno.readTextFile(`${root}deno.json`));
    await Deno.writeTextFile(
      `${folder}/program.json`,
      JSON.stringify({
        imports: {
          ...imports,
          "@kindgi-deno/runtime/agents/render-worker":
            `${root}agents/instructions/worker_renderer.ts`,
        },
        lock: false,
      }),
    );
    const rendered = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--check", "--config", "program.json", "render.ts"],
      cwd: folder,
      stdin: "null",
    }).output();
    const { stdout, stderr } = rendered;
    assertEquals(rendered.code, 0, new TextDecoder().decode(stderr));
    assertEquals(new TextDecoder().decode(stdout), "Hello, Ada!\n");
    const indexed = await new Deno.Command(Deno.execPath(), {
      args: ["task", "index", "--pack-dir", folder, "--quiet"],
      cwd: root,
      stdin: "null",
    }).output();
    assertEquals(indexed.code, 0, new TextDecoder().decode(indexed.stderr));
    const { agents } = JSON.parse(
      await Deno.readTextFile(`${folder}/index.json`),
    );
    assertEquals(agents.map(({ id }: { id: string }) => id), ["acme.greeter"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the README's program runs an agent: it parks, is approved, and answers", async () => {
  const folder = await writePack();
  try {
    const { imports } = JSON.parse(
      await Deno.readTextFile(`${root}deno.json`),
    );
    await Deno.writeTextFile(
      `${folder}/program.json`,
      JSON.stringify({
        imports: {
          ...imports,
          "@kindgi-deno/runtime/agents": `${root}agents/mod.ts`,
        },
        lock: false,
      }),
    );
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--config", "program.json", "run_agent.ts"],
      cwd: folder,
      stdin: "null",
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    const lines = new TextDecoder().decode(stdout).trimEnd().split("\n");
    assertEquals(lines.filter((line) => line.startsWith("tool.")), [
      "tool.started",
      "tool.completed",
    ]);
    assertEquals(lines.slice(-2), ["turn.completed", "I waved at Ada."]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the pack of the README is developed by the README's command: an edited tool answers anew", async () => {
  const folder = await writePack();
  try {
    const [command, ...args] = commands()
      .find((line) => line.startsWith("deno task dev "))
      ?.split(/\s+/).slice(2) ?? [];
    assertEquals(command, "dev");
    await using dev = await DevProcess.start({
      args: args.map((word) => word === "../acme_pack" ? folder : word),
      task: true,
    });
    assertEquals(await dev.call("acme.greet", { name: "Ada" }), "Hello, Ada!");
    const tool = `${folder}/tools/greet.ts`;
    const code = await Deno.readTextFile(tool);
    await Deno.writeTextFile(tool, code.replace("Hello", "Good day"));
    await dev.until("swapped: ");
    assertEquals(
      await dev.call("acme.greet", { name: "Ada" }),
      "Good day, Ada!",
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the program of the README supervises the README's pack", async () => {
  const folder = await writePack();
  try {
    const { imports } = JSON.parse(await Deno.readTextFile(`${root}deno.json`));
    await Deno.writeTextFile(
      `${folder}/program.json`,
      JSON.stringify({
        imports: {
          ...imports,
          "@kindgi-deno/runtime/pack-service": `${root}pack_service/mod.ts`,
          "@kindgi-deno/runtime/pack-service-main":
            `${root}pack_service/main.ts`,
        },
        lock: false,
      }),
    );
    const code = await Deno.readTextFile(`${folder}/supervise.ts`);
    await Deno.writeTextFile(
      `${folder}/supervise.ts`,
      `${code.replaceAll("../acme_pack", folder)}
const request = { v: 2, kind: "invoke", tool: { id: "acme.greet" }, input: { name: "Ada" },
  ctx: { tenantId: "t-1", runId: "r-1" } };
const answer = await fetch(\`\${url}/v1/invoke\`, {
  method: "POST",
  headers: { "content-type": "application/json", "kindgi-pack-token": supervisor.token },
  body: JSON.stringify(request),
});
console.log(await answer.text());
await supervisor.close();
`,
    );
    const deno = async (...args: string[]) => {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args,
        cwd: folder,
        stdin: "null",
      }).output();
      assertEquals(code, 0, new TextDecoder().decode(stderr));
      return new TextDecoder().decode(stdout);
    };
    await deno("run", "-A", `${root}indexer/main.ts`, "--pack-dir", folder);
    const printed = await deno(
      ...["run", "--check", "-A", "--config", "program.json", "supervise.ts"],
    );
    assertStringIncludes(printed, "started\n");
    assertStringIncludes(printed, JSON.stringify("Hello, Ada!"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the modules of the README pass the type check", async () => {
  const folder = await writePack();
  try {
    const map = { "@kindgi-deno/runtime/define": `${root}define.ts` };
    await Deno.writeTextFile(
      `${folder}/deno.json`,
      JSON.stringify({ imports: map, compilerOptions: { strict: true } }),
    );
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--no-lock", "tools/greet.ts", "kindgi.config.ts"],
      cwd: folder,
      stdin: "null",
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the README's models and stores pass the type check of a host's project", async () => {
  const folder = await writePack();
  try {
    const { name, exports, imports } = JSON.parse(
      await Deno.readTextFile(`${root}deno.json`),
    );
    const doors = Object.entries<string>(exports).map(([door, path]) => [
      name + door.slice(1),
      pathToFileURL(root + path).href,
    ]);
    const sdk = "@ai-sdk/openai-compatible";
    await Deno.writeTextFile(
      `${folder}/deno.json`,
      JSON.stringify({
        imports: { ...Object.fromEntries(doors), [sdk]: imports[sdk] },
        scopes: { [pathToFileURL(root).href]: imports },
        compilerOptions: { strict: true },
      }),
    );
    const files = ["models.ts", "sqlite_store.ts", "postgres_store.ts"];
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--no-lock", ...files],
      cwd: folder,
      stdin: "null",
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("every variable that the service's help lists is in the README with its default", () => {
  const listed = PACK_SERVICE_HELP.matchAll(
    /^ {2}((?:KINDGI_|PORT)\w*) .*?(?:\(default:? ([^)]*?)(?::.*)?\))?$/gm,
  );
  let count = 0;
  for (const [, name, standard] of listed) {
    count++;
    const rows = readme.split("\n").filter((line) =>
      line.startsWith(`| \`${name}\` `)
    );
    const fits = rows.some((line) => line.includes(standard ?? ""));
    assertEquals(fits, true, `${name}, default ${standard}`);
  }
  assertEquals(count, 16);
});

Deno.test("every task that the README names is there", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${root}deno.json`));
  const named = [...readme.matchAll(/(?:deno|deno@[\d.]+) task ([a-z-]+)/g)]
    .map(([, name]) => name!)
    .filter((name) => name !== "don");
  assertEquals(named.length > 0, true);
  assertEquals(named.filter((name) => !Object.hasOwn(tasks, name)), []);
});

Deno.test("every file that the README links to is there", async () => {
  for (const [, path] of readme.matchAll(/\]\((?!https?:|#)([^)]+)\)/g)) {
    await Deno.stat(root + path!);
  }
});

Deno.test("the README's limits are the service's", () => {
  const { maxConcurrency, maxBodyBytes, maxOutputBytes, drainMs } =
    DEFAULT_LIMITS;
  const row = (name: string) =>
    readme.split("\n").find((line) => line.startsWith(`| ${name} `)) ?? "";
  assertStringIncludes(row("calls at once"), `${maxConcurrency},`);
  assertStringIncludes(row("request body"), `${maxBodyBytes / 2 ** 20} MiB`);
  assertStringIncludes(row("answer"), `${maxOutputBytes / 2 ** 20} MiB`);
  assertStringIncludes(row("draining"), `${drainMs / 1_000} s`);
  assertStringIncludes(
    row("time for a body to arrive"),
    `${DEFAULT_LIMITS.bodyTimeoutMs / 1_000} s`,
  );
  assertStringIncludes(
    row("a call's deadline"),
    `${DEFAULT_LIMITS.defaultTimeoutMs / 1_000} s`,
  );
});
